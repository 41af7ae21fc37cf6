import {
  ATTRIBUTION_HEADER,
  COMPACT_WINDOW,
  CONTEXT_WINDOW,
  modelsIn,
  SIMPLE_SYSTEM_PROMPT,
  TOOL_SEARCH,
} from "../claude/models.ts";
import type { ChosenProvider, LoadedConfig } from "../config/load.ts";
import type { ProviderEntry } from "../config/schema.ts";
import { createRedactor, maskSecret, withoutUrlSecrets } from "../text/redact.ts";
import type { Identity, ProviderLaunch } from "./identity.ts";
import { defaultsForServer, type Elsewhere } from "./isolation.ts";
import { shownReference } from "./references.ts";
import { isReference, isSecretVariable, KEYS } from "./variables.ts";

/** What differs between two states of a provider, as rows of a table: a sign, the name, the values. Secrets are masked. */
export function shownChanges(before: ProviderEntry, after: ProviderEntry): string[][] {
  const { env: oldEnv, preset: _old, ...old } = before;
  const { env: newEnv, preset: _new, ...next } = after;
  return [...rows(oldEnv ?? {}, newEnv ?? {}, shownVariable), ...rows(old, next, shownSetting)];
}

type Values = Readonly<Record<string, unknown>>;

function rows(before: Values, after: Values, shown: (name: string, value: unknown) => string): string[][] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [old, next] = [before[name], after[name]];
    if (Bun.deepEquals(old, next, true)) return [];
    if (old === undefined) return [["+", name, shown(name, next)]];
    if (next === undefined) return [["-", name, shown(name, old)]];
    return [["~", name, `${shown(name, old)} → ${shown(name, next)}`]];
  });
}

function shownVariable(name: string, value: unknown): string {
  return shownValue(name, String(value)) || "(empty)";
}

function shownSetting(name: string, value: unknown): string {
  const text = createRedactor([]).text(JSON.stringify(value));
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return name === "apiKeyHelper" ? "(a command)" : short;
}

const LONGEST = 60;

/** A provider without its secrets, as `--json` prints it. */
export interface Summary {
  readonly name: string;
  /** Whether a launch without a provider name uses it. */
  readonly current: boolean;
  /** Whether the folder is pinned to it. */
  readonly pinned: boolean;
  /** Whether it is the supervisor.provider. */
  readonly reviewer: boolean;
  readonly base_url: string | null;
  readonly model: string | null;
  /** At most the last four characters of the key, or where it is kept. */
  readonly key: string | null;
  /** Its environment, keys masked. */
  readonly env: Readonly<Record<string, string>>;
  /** Why ccc or a preset sets some of these variables, by their names. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What a launch sets beside them, and why. */
  readonly defaults: readonly ShownDefault[];
  /** Why it cannot be launched. */
  readonly problem: string | null;
}

interface ShownDefault {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
  /** The settings file that decides the value, or "shell"; null if ccc does. */
  readonly decided_by: string | null;
}

export function summarize(
  launch: ProviderLaunch,
  loaded: LoadedConfig,
  { provider: current, why }: ChosenProvider,
  elsewhere: Elsewhere,
): Summary {
  const defaults = launch.problem === undefined ? defaultsForServer(launch.configured.env, elsewhere) : [];
  return {
    name: launch.provider,
    current: launch.provider === current,
    pinned: launch.provider === current && why === "pinned",
    reviewer: launch.provider === loaded.config.supervisor?.provider,
    ...described(launch.configured),
    defaults: defaults.map(({ decidedBy, ...each }) => ({ ...each, decided_by: decidedBy ?? null })),
    problem: launch.problem?.message ?? null,
  };
}

/** What is special about it, after its name. */
export function shownMarks({ current, pinned, reviewer }: Summary): string {
  const marks = [pinned ? "pinned here" : current ? "current" : "", reviewer ? "reviewer" : ""].filter(Boolean);
  return marks.length === 0 ? "" : ` (${marks.join(", ")})`;
}

function described({ env, apiKeyHelper }: Identity) {
  const key = KEYS.map((name) => env[name]).find(Boolean) ?? "";
  const shown = Object.entries(env).map(([name, value]) => [name, shownValue(name, value)] as const);
  return {
    base_url: withoutUrlSecrets(env.ANTHROPIC_BASE_URL ?? "") || null,
    model: modelsIn(env).configured ?? null,
    key: key === "" && apiKeyHelper !== "" ? "from apiKeyHelper" : shownKey(key) || null,
    env: Object.fromEntries(shown),
    reasons: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => {
        const reason = reasonFor(name, value);
        return reason === undefined ? [] : [[name, reason]];
      }),
    ),
  };
}

function shownKey(key: string): string {
  if (isReference(key)) return shownReference(key);
  return /^\$\{\w+\}$/.test(key) ? key : maskSecret(key);
}

/** A variable of a provider for display: secrets masked, references as they are. */
function shownValue(name: string, value: string): string {
  return isSecretVariable(name, value) ? shownKey(value) : createRedactor([]).text(withoutUrlSecrets(value));
}

/** Why a preset or `ccc provider add` writes a variable. Without a value, the reason holds whatever the value is. */
const REASONS: Readonly<Record<string, { readonly value?: string; readonly reason: string }>> = {
  [TOOL_SEARCH]: {
    value: "false",
    reason: "the model is not known to understand tool_reference; to find out: ccc validate --deep",
  },
  [SIMPLE_SYSTEM_PROMPT]: { value: "0", reason: "the full system prompt: about 5,000 tokens more in every request" },
  [ATTRIBUTION_HEADER]: { value: "0", reason: "every conversation begins alike, so the server can reuse its cache" },
  [CONTEXT_WINDOW]: { reason: "the context window; Claude Code assumes 1M tokens for a model that it does not know" },
  [COMPACT_WINDOW]: { reason: "Claude Code compacts the conversation within this many tokens" },
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: { reason: "the longest answer that the model allows" },
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: { value: "1", reason: "no telemetry and no update checks" },
  API_TIMEOUT_MS: { reason: "the longest wait for an answer, in milliseconds" },
};

/** The reason for a variable with this value, if ccc knows one. */
function reasonFor(name: string, value: string): string | undefined {
  const known = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  return known === undefined || (known.value ?? value) !== value ? undefined : known.reason;
}
