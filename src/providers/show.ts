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
import { createRedactor, MASK, maskSecret, SECRET_NAME, withoutUrlSecrets } from "../text/redact.ts";
import { shellTokens } from "../text/shell.ts";
import type { Identity, ProviderLaunch } from "./identity.ts";
import { defaultsForServer, type Elsewhere } from "./isolation.ts";
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
    if (Bun.deepEquals(old, next)) return [];
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
  /** What a launch sets in addition, and why. */
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

/** Its roles, to be shown after its name. */
export function shownRoles({ current, pinned, reviewer }: Summary): string {
  const roles = [pinned ? "pinned here" : current ? "current" : "", reviewer ? "reviewer" : ""].filter(Boolean);
  return roles.length === 0 ? "" : ` (${roles.join(", ")})`;
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

/** Why a preset or `ccc provider add` writes a variable. Without `value`, the reason applies to any value. */
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

/** A reference for display. It is not a key itself, but its command may contain one. */
export function shownReference(reference: string): string {
  const command = /^cmd:\s*/.exec(reference)?.[0];
  return command === undefined
    ? createRedactor([]).text(reference)
    : command + shownCommand(reference.slice(command.length));
}

/**
 * A shell command with everything masked that may be a key. Programs, options, operators and clearly harmless words stay, so
 * that users recognise it.
 */
export function shownCommand(command: string): string {
  let shown = "";
  let state: State = START;
  for (const { kind, raw } of shellTokens(command)) {
    // Without the closing quote it is unclear where words end.
    if (kind === "unclosed") return shown + MASK;
    shown += kind === "word" ? shownWord(raw, state) : raw;
    if (kind === "word") state = afterWord(raw, state);
    else if (kind === "operator") state = afterOperator(raw, state);
  }
  return shown;
}

interface State {
  /** Whether the next word is a program, or a variable for one. */
  readonly isProgram: boolean;
  /** Whether the next word is probably a key. */
  readonly isSecret: boolean;
  /** Whether the program prints its arguments. */
  readonly isEcho: boolean;
  /** Whether the next word is the target of a redirection. */
  readonly isFile: boolean;
}

const START: State = { isProgram: true, isSecret: false, isEcho: false, isFile: false };
const ASSIGNMENT = /^(\w+=)(.*)$/s;
const OPTION = /^(--?[a-z][a-z-]*)(?:(=)(.*))?$/is;
const HEADER = /^(["']?[a-z][a-z-]*:\s*(?:(?:bearer|basic|token)\s+)?)[^/\\].*?(["']?)$/is;
/** Options of curl and similar programs: user, header, data, form, cookie, password. */
const SECRET_OPTIONS = ["-u", "-H", "-d", "-F", "-b", "-p", "-P", "--user", "--header", "--data", "--form", "--auth"];

function afterOperator(operator: string, state: State): State {
  if (/[<>]/.test(operator)) return { ...state, isFile: true };
  return operator === ")" ? state : START;
}

function afterWord(word: string, state: State): State {
  if (state.isFile) return { ...state, isFile: false };
  if (state.isProgram)
    return ASSIGNMENT.test(word) ? state : { ...START, isProgram: false, isEcho: /^(echo|printf|print)$/.test(word) };
  const [, name = "", equals] = OPTION.exec(word) ?? [];
  return { ...state, isSecret: equals === undefined && isSecretOption(name) };
}

function isSecretOption(name: string): boolean {
  return (
    SECRET_OPTIONS.includes(name) || (name.startsWith("--") && (SECRET_NAME.test(name) || /auth|pass/i.test(name)))
  );
}

function shownWord(word: string, { isProgram, isSecret, isEcho, isFile }: State): string {
  if (isFile) return shownPart(word);
  const [, variable, assigned = ""] = isProgram ? (ASSIGNMENT.exec(word) ?? []) : [];
  if (variable !== undefined) return variable + (SECRET_NAME.test(variable) ? MASK : shownPart(assigned));
  const [, option, equals, value = ""] = OPTION.exec(word) ?? [];
  if (option !== undefined && equals === undefined) return word;
  if (option !== undefined) return `${option}=${isSecretOption(option) ? MASK : shownPart(value)}`;
  const [, header, quote] = HEADER.exec(word) ?? [];
  if (header !== undefined) return `${header}${MASK}${quote}`;
  if (isProgram && PROGRAM.test(word) && !isLikeKey(word)) return word;
  return isSecret || isEcho ? MASK : shownPart(word);
}

const PROGRAM = /^[\w.+/~[-]+$/;

function shownPart(value: string): string {
  if (value.includes("://")) {
    const segments = withoutUrlSecrets(value).split("/");
    return segments.map((each) => (each.split(".").some(isLikeKey) ? MASK : each)).join("/");
  }
  const bare = /^(["'])([^"'\\$`]*)\1$/.exec(value)?.[2] ?? value;
  return HARMLESS.some((pattern) => pattern.test(bare)) && !bare.split(/[/\\]/).some(isLikeKey) ? value : MASK;
}

const HARMLESS = [
  // A number, a variable, an option with digits or a sign, as for cut and head.
  /^[+-]?\d{1,4}$/,
  /^\$[\w{}$?!@*]*$/,
  /^-[a-z]\W?\d{0,2}$/i,
  // A word, words joined by slashes, a path.
  /^[\p{L}_.,@+%-]{0,24}$/u,
  /^[a-z][a-z0-9._-]*(?:\/[a-z][a-z0-9._-]*)+$/,
  /^(?:~|\.{0,2}\/|[a-z]:[\\/])[^"`$]*$/i,
];

/** A long word with a digit in it, or a very long one. */
function isLikeKey(word: string): boolean {
  return word.length >= 24 || (word.length >= 16 && /\d/.test(word));
}
