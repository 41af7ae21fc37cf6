import { dirname } from "node:path";
import { type HookForm, hookForm } from "../../claude/versions.ts";
import {
  type Engine,
  type ReviewerName,
  reviewerLabel,
  type SupervisorSettings,
  supervisorSettings,
} from "../../config/defaults.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import type { LaunchPins } from "../../config/pins.ts";
import { CccError, messageOf } from "../../errors.ts";
import type { World } from "../../world.ts";
import type { LaunchRecord } from "../record/session.ts";

/** The supervision of one launch: the settings, as the command line and pins have changed them, and how hooks call ccc. */
export interface Supervision extends SupervisorSettings {
  readonly hookForm: HookForm;
  /** Whether a hook can wake the agent's session. */
  readonly canWake: boolean;
  /** The path of ccc, for the hook command. */
  readonly self: string;
  /** The folder of ccc.json, where session records are kept. */
  readonly configDir: string;
  /** The id of the launch, by which its hooks find its record. `ccc use` has a record of its own. */
  readonly launch: string;
  /** What reviews rely on, for a session that keeps it from an earlier launch. */
  readonly kept?: Pick<LaunchRecord, "instructions" | "checks">;
}

/** The settings in ccc.json, or the defaults if it is missing or broken: reviews still take place. */
export function readSettings(world: World, warn: (message: string) => void): SupervisorSettings {
  try {
    if (world.files.read(cccPaths(world).config) === undefined) return supervisorSettings({});
    return supervisorSettings(loadConfig(world).config);
  } catch (error) {
    warn(`${messageOf(error)}\nThe supervisor uses its defaults.`);
    return supervisorSettings({});
  }
}

/** The supervision that ccc.json and the command line ask for. */
export function planSupervision(
  { config, providers, path }: LoadedConfig,
  { self, platform }: Pick<World, "self" | "platform">,
  engine?: Engine,
  checks: readonly string[] = [],
): Supervision {
  const settings = supervisorSettings(config);
  if (settings.provider !== undefined && !providers.has(settings.provider)) {
    throw new CccError(`supervisor.provider in ${path} is "${settings.provider}", which is not a provider there`, {
      advice: "Correct it, or remove it to review with the agent's own provider.",
    });
  }
  const unknown = settings.fallback.find((each) => !providers.has(each.provider));
  if (unknown !== undefined) {
    throw new CccError(`supervisor.fallback in ${path} names "${unknown.provider}", which is not a provider there`, {
      advice: "Correct it, or remove it from the list.",
    });
  }
  const { confirm } = settings;
  if (typeof confirm === "object" && !providers.has(confirm.provider)) {
    throw new CccError(`supervisor.confirm in ${path} names "${confirm.provider}", which is not a provider there`, {
      advice: "Correct it, or set it to true to have the reviewers themselves confirm.",
    });
  }
  return {
    ...settings,
    engine: engine ?? settings.engine,
    checks: [...checks, ...settings.checks],
    hookForm: hookForm(undefined, platform),
    canWake: false,
    self,
    configDir: dirname(path),
    launch: crypto.randomUUID(),
  };
}

/** Supervision with reviewers that may see the files, and what to tell the user about those that may not. */
interface PinnedSupervision<S> {
  readonly supervision: S;
  readonly notices: readonly string[];
}

/**
 * Leaves out reviewers that a folder's pin refuses: a review sends them its code. `allowed` reviews instead of the first;
 * at a launch, that is the agent's provider.
 */
export function pinnedReviewers<S extends Pick<Supervision, "provider" | "model" | "fallback" | "confirm">>(
  supervision: S,
  allowed: string,
  { strict }: LaunchPins,
): PinnedSupervision<S> {
  const pinFor = (provider: string) => strict.find((pin) => pin.provider !== provider);
  const { provider: usual = allowed, fallback, confirm } = supervision;
  const pin = usual === allowed ? undefined : pinFor(usual);
  const kept = fallback.filter(({ provider }) => provider === allowed || pinFor(provider) === undefined);
  const isRefused =
    typeof confirm === "object" && confirm.provider !== allowed && pinFor(confirm.provider) !== undefined;
  const leftOut = new Set([
    ...(pin === undefined ? [] : [usual]),
    ...fallback.filter((each) => !kept.includes(each)).map(({ provider }) => provider),
    ...(isRefused ? [confirm.provider] : []),
  ]);
  const first = pin === undefined ? {} : { provider: allowed, model: undefined };
  const notices = [...leftOut].map((name) => {
    const { folder, provider } = pinFor(name) ?? { folder: "", provider: "" };
    const confirms = isRefused && name === confirm.provider ? ": the reviewers confirm by themselves" : "";
    const instead = name === usual ? `: ${allowed} reviews instead` : confirms;
    return `${name} does not review here, because ${folder} is pinned to ${provider} only${instead}`;
  });
  return {
    supervision: { ...supervision, ...first, fallback: kept, ...(isRefused ? { confirm: true } : {}) },
    notices,
  };
}

interface PlannedReviewer extends ReviewerName {
  /** As `supervisor.fallback` would name it. */
  readonly label: string;
  /** Whether it has the agent's provider and model. */
  readonly isAgents: boolean;
  /** Whether it is only asked to confirm. */
  readonly isConfirmer: boolean;
}

/**
 * Who reviews, in the order in which they are asked, and the one that confirms, if it is none of these. `provider` is the
 * agent's.
 */
export function plannedReviewers(
  provider: string,
  { provider: usual = provider, model, fallback, confirm }: Supervision,
): readonly [PlannedReviewer, ...PlannedReviewer[]] {
  const planned = (name: ReviewerName) => ({
    ...name,
    label: reviewerLabel(name),
    isAgents: name.provider === provider && name.model === undefined,
    isConfirmer: false,
  });
  const first = planned({ provider: usual, model });
  const others = new Map(fallback.map((name) => [reviewerLabel(name), planned(name)]));
  others.delete(first.label);
  const reviewers = [first, ...others.values()] as const;
  const confirmer = typeof confirm === "object" ? { ...planned(confirm), isConfirmer: true } : undefined;
  const isKnown = confirmer === undefined || reviewers.some(({ label }) => label === confirmer.label);
  return isKnown ? reviewers : [...reviewers, confirmer];
}

/** The reviewers for the record of a launch. `fallback` are the settings files of all but the first. */
export function recordedReviewers(
  [first, ...others]: readonly [PlannedReviewer, ...PlannedReviewer[]],
  fallback: readonly string[],
): Pick<LaunchRecord, "same_model" | "reviewer" | "fallback" | "confirmer"> {
  const recorded = others.map(({ label: reviewer, isAgents, isConfirmer }, index) => {
    return { isConfirmer, own: { reviewer, settings: fallback[index] ?? "", same_model: isAgents } };
  });
  const confirmer = recorded.find(({ isConfirmer }) => isConfirmer)?.own;
  return {
    same_model: first.isAgents,
    reviewer: first.label,
    fallback: recorded.filter(({ isConfirmer }) => !isConfirmer).map(({ own }) => own),
    ...(confirmer === undefined ? {} : { confirmer }),
  };
}
