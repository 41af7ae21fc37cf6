import type { Settings } from "../claude/accepted-settings.ts";
import type { LoadedConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { expandEnv } from "../config/placeholders.ts";
import { CccError, messageOf } from "../errors.ts";
import { homedir } from "../os/environment.ts";
import { absolutePath } from "../os/path.ts";
import { createRedactor, MASK, SECRET_NAME, secretsIn, withoutUrlSecrets } from "../text/redact.ts";
import { shellTokens } from "../text/shell.ts";
import type { World } from "../world.ts";
import type { Identity, ProviderLaunch, Reference } from "./identity.ts";
import { isOtherReference, TOKENS } from "./variables.ts";

/** A provider's identity with its key resolved, for commands of ccc that send requests themselves. */
export async function resolvedIdentity(launch: ProviderLaunch, world: World): Promise<Identity> {
  const { problem, configured, reference } = launch;
  if (problem !== undefined) throw problem;
  if (reference === undefined) return configured;
  const key = await resolveKey(reference, world);
  const env: Record<string, string> = { ...configured.env };
  for (const name of TOKENS) if (env[name]) env[name] = key;
  return { ...configured, env };
}

/** Resolves references to keys. A launch does it first, so that a missing key stops it. */
export async function resolveKeys(references: readonly Reference[], world: World): Promise<string[]> {
  const keys: string[] = [];
  // One after the other: each may ask the user for a passphrase.
  for (const each of references) keys.push(await resolveKey(each, world));
  return keys;
}

/**
 * Resolves all references except keys: Claude Code can ask for a provider's key later, but needs any other secret from the
 * start.
 */
export async function withResolvedEnv(
  loaded: LoadedConfig,
  names: readonly string[],
  world: World,
): Promise<LoadedConfig> {
  const resolve = async (settings: Settings, field: string): Promise<Settings> => {
    const env = { ...settings.env };
    for (const [name, value] of Object.entries(env)) {
      const place = `${field}.env.${name}`;
      if (!isOtherReference(name, value)) continue;
      const { [name]: reference = "" } = expandEnv({ [name]: value }, world.env, `${field}.env`);
      env[name] = await resolveReference(reference, place, world);
    }
    return { ...settings, env };
  };
  const providers = new Map(loaded.providers);
  for (const name of names) {
    const own = providers.get(name);
    // The launch reports an unknown provider.
    if (own !== undefined) providers.set(name, await resolve(own, `providers.${name}`));
  }
  const settings = await resolve(loaded.config.settings ?? {}, "settings");
  return { ...loaded, providers, config: { ...loaded.config, settings } };
}

export type Readable = Pick<World, "env" | "files" | "platform">;

/** Resolves env: and file: references; undefined for those that need a program or a keychain. */
export function peekReference(reference: string, world: Readable): string | undefined {
  const [kind, rest] = split(reference);
  const fail: Fail = (problem) => new CccError(problem);
  const found = kind === "env" ? world.env[rest] : kind === "file" ? readKey(rest, world, fail) : undefined;
  return found === undefined ? undefined : firstLine(found);
}

/** A reference for display. It is not a key itself, but its command may contain one. */
export function shownReference(reference: string): string {
  const command = /^cmd:\s*/.exec(reference)?.[0];
  return command === undefined
    ? createRedactor([]).text(reference)
    : command + shownCommand(reference.slice(command.length));
}

async function resolveKey({ reference, field }: Reference, world: World): Promise<string> {
  const key = await resolveReference(reference, field, world);
  if (!/[\s\p{C}]/u.test(key)) return key;
  // Claude Code would send an empty key instead.
  throw new CccError(
    `${field}: ${reference.split(":")[0]}: does not yield a key: it contains spaces or control characters`,
  );
}

/** Resolves a reference to any secret. */
async function resolveReference(reference: string, field: string, world: World): Promise<string> {
  const [kind, rest] = split(reference);
  const fail = (problem: string, advice?: string): CccError =>
    new CccError(`${field}: ${problem}`, advice === undefined ? {} : { advice });
  if (rest === "") throw fail(`nothing follows "${kind}:"`);
  const found = await find(kind, rest, world, fail);
  const key = firstLine(found);
  if (key === "") throw fail(`${EMPTY[kind] ?? "it"} is empty`);
  return key;
}

type Fail = (problem: string, advice?: string) => CccError;

function split(reference: string): [kind: string, rest: string] {
  const at = reference.indexOf(":");
  return [reference.slice(0, at), reference.slice(at + 1).trim()];
}

/** Password managers print the password first, and notes below it. */
function firstLine(text: string): string {
  return (text.split(/\r?\n/)[0] ?? "").trim();
}

const EMPTY: Readonly<Record<string, string>> = {
  env: "the variable",
  file: "the first line of the file",
  cmd: "what the command printed",
  keychain: "the entry in the keychain",
};

async function find(kind: string, rest: string, world: World, fail: Fail): Promise<string> {
  if (kind === "env") {
    const value = world.env[rest];
    if (value === undefined) throw fail(`${rest} is not set in the environment`, `Set it first: export ${rest}=…`);
    return value;
  }
  if (kind === "file") return readKey(rest, world, fail);
  if (kind === "cmd") return askCommand(rest, world, fail);
  return askKeychain(rest, world, fail);
}

function readKey(path: string, world: Readable, fail: Fail): string {
  // Relative paths start from the folder of ccc.json, never from the current folder.
  const file = absolutePath(path, cccPaths(world).folder, () => homedir(world.env, world.platform));
  if ((world.files.identify(file)?.size ?? 0) > LONGEST_KEY) throw fail(`${file} is too long to be a key`);
  const text = world.files.read(file);
  if (text === undefined) throw fail(`no such file: ${file}`, "Write the key into its first line.");
  return text;
}

/** Long enough to type a passphrase or touch a security key. */
const PATIENCE_MS = 60_000;
const LONGEST_KEY = 100_000;

async function askCommand(command: string, world: World, fail: Fail): Promise<string> {
  const isWindows = world.platform === "win32";
  const program = isWindows
    ? { file: "cmd.exe", args: ["/d", "/s", "/c", command] }
    : { file: "/bin/sh", args: ["-c", command] };
  let printed = "";
  const result = await world.run({
    program: { ...program, env: world.env },
    // The current folder must not influence what runs.
    cwd: cccPaths(world).folder,
    stdin: "",
    timeoutMs: PATIENCE_MS,
    onLine: (line) => {
      printed += `${new TextDecoder().decode(line)}\n`;
      return printed.length > LONGEST_KEY;
    },
  });
  const shown = `\`${shownCommand(command)}\``;
  if (result.ending === "timeout") throw fail(`${shown} did not finish within ${PATIENCE_MS / 1000} seconds`);
  if (result.ending === "interrupted") throw fail("interrupted");
  if (result.ending === "stopped") throw fail(`${shown} prints too much for a key`);
  if (result.exitCode !== 0) {
    const secrets = [...secretsIn(world.env), firstLine(printed), ...hiddenIn(command)];
    const said = createRedactor(secrets).text(result.stderr.split("\n").at(-1) ?? "");
    throw fail(
      `${shown} ${result.exitCode === null ? "was killed by a signal" : `ended with exit code ${result.exitCode}`}${said === "" ? "" : `: ${said}`}`,
      "Run it yourself to see why. Its first line of output must be the key.",
    );
  }
  return printed;
}

/** Words that are masked in the command are masked in its error output too, even without their quotes. */
function hiddenIn(command: string): string[] {
  const shown = shownCommand(command);
  return command.split(/[\s"'=;|&()<>]+/).filter((word) => !shown.includes(word));
}

async function askKeychain(name: string, world: World, fail: Fail): Promise<string> {
  const advice = "Store the key in ccc.json instead: ccc provider set-key NAME --store file";
  let found: string | null;
  try {
    found = await world.keychain.get(name);
  } catch (error) {
    throw fail(`no usable keychain on this system (${messageOf(error)})`, advice);
  }
  if (found === null) {
    throw fail(`the keychain has no entry "${name}" of ccc`, "Store the key there: ccc provider set-key NAME");
  }
  return found;
}

/**
 * A shell command with everything masked that may be a key. Programs, options, operators and clearly harmless words stay, so
 * that users recognise it.
 */
function shownCommand(command: string): string {
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
  if (isFile) return shownValue(word);
  const [, variable, assigned = ""] = isProgram ? (ASSIGNMENT.exec(word) ?? []) : [];
  if (variable !== undefined) return variable + (SECRET_NAME.test(variable) ? MASK : shownValue(assigned));
  const [, option, equals, value = ""] = OPTION.exec(word) ?? [];
  if (option !== undefined && equals === undefined) return word;
  if (option !== undefined) return `${option}=${isSecretOption(option) ? MASK : shownValue(value)}`;
  const [, header, quote] = HEADER.exec(word) ?? [];
  if (header !== undefined) return `${header}${MASK}${quote}`;
  if (isProgram && PROGRAM.test(word) && !isLikeKey(word)) return word;
  return isSecret || isEcho ? MASK : shownValue(word);
}

const PROGRAM = /^[\w.+/~[-]+$/;

function shownValue(value: string): string {
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
