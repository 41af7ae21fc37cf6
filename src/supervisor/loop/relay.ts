import type { LoadedConfig } from "../../config/load.ts";
import type { LaunchPins } from "../../config/pins.ts";
import type { Config } from "../../config/schema.ts";
import { CccError, usageError } from "../../errors.ts";
import type { AgentPhase } from "./agent.ts";

/** The providers on which a loop continues, in order, and what to tell the user about those that a pin refuses. */
export interface RelayProviders {
  readonly providers: readonly string[];
  readonly notices: readonly string[];
}

/** `given` are those of the command line, which count instead of those in ccc.json. `provider` is the agent's own. */
export function relayProviders(
  { config, providers, path }: LoadedConfig,
  provider: string,
  given: readonly string[],
  { strict }: LaunchPins,
): RelayProviders {
  const wanted = wantedFallback(config, given).filter((name) => name !== provider);
  const unknown = wanted.find((name) => !providers.has(name));
  if (unknown !== undefined) {
    const known = `Your providers: ${[...providers.keys()].join(", ")}.`;
    if (given.length > 0) throw usageError(`--fallback: "${unknown}" is not one of your providers`, known);
    throw new CccError(`fallback in ${path} names "${unknown}", which is not a provider there`, {
      advice: "Correct it, or remove it from the list.",
    });
  }
  const pinFor = (name: string) => strict.find((pin) => pin.provider !== name);
  return {
    providers: wanted.filter((name) => pinFor(name) === undefined),
    notices: wanted.flatMap((name) => {
      const pin = pinFor(name);
      if (pin === undefined) return [];
      return [`the session does not continue on ${name}, because ${pin.folder} is pinned to ${pin.provider} only`];
    }),
  };
}

function wantedFallback({ fallback }: Pick<Config, "fallback">, given: readonly string[]): string[] {
  return [...new Set(given.length > 0 ? given : (fallback ?? []))];
}

/** Which provider the agent works on, and when the others may be asked again. Times are in seconds. */
export interface Relay {
  readonly current: () => string;
  readonly isFirst: () => boolean;
  /** Notes that a provider cannot continue. */
  readonly fail: (provider: string, phase: WhyFailed, now: number) => void;
  /** The first other provider that may be asked now. */
  readonly next: (now: number) => string | undefined;
  /** The provider that a new prompt begins with, if that is one before the current. */
  readonly back: (now: number) => string | undefined;
  /** The agent continues on this provider. */
  readonly change: (provider: string) => void;
  /** The limit that ends first, if the providers are limited. One whose end is known comes before the others. */
  readonly limit: () => { readonly provider: string; readonly resetAt: number | undefined } | undefined;
  /** Why each of them cannot continue. */
  readonly reasons: () => readonly string[];
}

export type FailedPhase = Extract<AgentPhase, { readonly kind: "failed" | "limited" }>;

/** A run without what it used. */
type WhyFailed = FailedPhase extends infer Phase ? (Phase extends FailedPhase ? Omit<Phase, "usage"> : never) : never;

interface Failure {
  readonly why: string;
  /** Not before. */
  readonly freeAt: number;
  readonly limit: { readonly resetAt: number | undefined } | undefined;
}

export function openRelay(providers: readonly [string, ...string[]]): Relay {
  const failures = new Map<string, Failure>();
  let current = providers[0];
  const isFree = (name: string, now: number) => (failures.get(name)?.freeAt ?? 0) <= now;
  return {
    current: () => current,
    isFirst: () => current === providers[0],
    fail: (provider, phase, now) => {
      const limit = phase.kind === "limited" ? { resetAt: phase.resetAt } : undefined;
      failures.set(provider, { why: phase.why, freeAt: freeAt(phase, now), limit });
    },
    next: (now) => providers.find((name) => name !== current && isFree(name, now)),
    back: (now) => providers.slice(0, providers.indexOf(current)).find((name) => isFree(name, now)),
    change: (provider) => {
      current = provider;
      failures.delete(provider);
    },
    limit: () => {
      const limited = [...failures].flatMap(([provider, { limit }]) =>
        limit === undefined ? [] : [{ provider, ...limit }],
      );
      const ends = limited.flatMap(({ resetAt }) => resetAt ?? []);
      const first = ends.length === 0 ? undefined : Math.min(...ends);
      const soonest = limited.filter(({ resetAt }) => resetAt === first);
      return soonest.find(({ provider }) => provider === current) ?? soonest[0];
    },
    reasons: () =>
      providers.length === 1
        ? [...failures.values()].map(({ why }) => why)
        : [...failures].map(([name, { why }]) => `${name}: ${why.replace(/\.$/, "")}`),
  };
}

/** Whether another provider can help. On the first one, a request that its server does not accept is the user's to correct. */
export function canHelp(phase: FailedPhase, isFirst: boolean): boolean {
  if (phase.kind === "limited") return true;
  return phase.cause !== undefined && (phase.cause !== "other" || !isFirst);
}

/** A refused key and an empty account stay so until the user acts. */
function freeAt(phase: WhyFailed, now: number): number {
  if (phase.kind === "limited") return phase.resetAt ?? now + UNKNOWN_SECONDS;
  return phase.cause === "server error" || phase.cause === "unreachable"
    ? now + UNKNOWN_SECONDS
    : Number.POSITIVE_INFINITY;
}

/** How long a provider is left alone if nothing says when it can be used again. */
const UNKNOWN_SECONDS = 900;
