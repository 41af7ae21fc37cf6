import type { Settings } from "../claude/accepted-settings.ts";
import { expandEnv } from "../config/env.ts";
import type { LoadedConfig } from "../config/load.ts";
import { cccPaths, pathsIn } from "../config/paths.ts";
import { CccError, messageOf } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { absolutePath, join } from "../os/path.ts";
import { asObject, type Json, parseJson } from "../text/json.ts";
import { createRedactor, type Finder, type Range, SHORTEST_KEY, secretsIn } from "../text/redact.ts";
import { homedir, optional, type World } from "../world.ts";
import type { Identity, ProviderLaunch, Reference } from "./identity.ts";
import { shownCommand } from "./show.ts";
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
      if (!isOtherReference(name, value)) continue;
      const { [name]: reference = "" } = expandEnv({ [name]: value }, world.env, `${field}.env`);
      env[name] = await resolveReference(reference, `${field}.env.${name}`, world);
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

/**
 * Finds keys in a text that any ccc has fetched from a command or a keychain, or fetches from now on. A hook cannot fetch them
 * again at every stop: the user might have to unlock something each time. So a ccc that fetches a key leaves its length and
 * salted hashes beside ccc.json.
 */
export function fetchedKeyFinder(files: Pick<Files, "read" | "modified">, folders: readonly string[]): Finder {
  const finders = folders.map((folder) => {
    const path = keysFile(folder);
    let modified: number | undefined;
    let find: Finder = () => [];
    return (text: string) => {
      // No recorded key is this short, and a noisy program may print millions of short lines.
      if (text.length < SHORTEST_KEY) return [];
      const now = files.modified(path);
      if (now !== modified) {
        modified = now;
        find = finderOf(readKeys(optional(() => files.read(path))));
      }
      return find(text);
    };
  });
  return (text) => finders.flatMap((find) => find(text));
}

async function resolveKey({ reference, field }: Reference, world: World): Promise<string> {
  const key = await resolveReference(reference, field, world);
  if (!/[\s\p{C}]/u.test(key)) {
    if (NEEDS_FETCHING.test(reference)) rememberKey(world.files, cccPaths(world).folder, key);
    return key;
  }
  // Claude Code would send an empty key instead.
  throw new CccError(
    `${field}: ${reference.split(":")[0]}: does not yield a key: it contains spaces or control characters`,
  );
}

/** References that a hook cannot just read. */
const NEEDS_FETCHING = /^(cmd|keychain):/;

/** Resolves a reference to any secret. */
async function resolveReference(reference: string, field: string, world: World): Promise<string> {
  const [kind, rest] = split(reference);
  const fail = (problem: string, advice?: string): CccError =>
    new CccError(`${field}: ${problem}`, advice === undefined ? {} : { advice });
  if (rest === "") throw fail(`nothing follows "${kind}:"`);
  const found = await find(kind, rest, world, fail, providerIn(field));
  const key = firstLine(found);
  if (key === "") throw fail(`${EMPTY[kind] ?? "it"} is empty`);
  return key;
}

type Fail = (problem: string, advice?: string) => CccError;

function providerIn(field: string): string {
  return /^providers\.(.+)\.(env\.\w+|apiKeyHelper)$/.exec(field)?.[1] ?? "NAME";
}

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

async function find(kind: string, rest: string, world: World, fail: Fail, provider: string): Promise<string> {
  if (kind === "env") {
    const value = world.env[rest];
    if (value === undefined) throw fail(`${rest} is not set in the environment`, `Set it first: export ${rest}=…`);
    return value;
  }
  if (kind === "file") return readKey(rest, world, fail);
  if (kind === "cmd") return askCommand(rest, world, fail);
  return askKeychain(rest, world, fail, provider);
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
    isBrief: true,
    onLine: (line) => {
      printed += `${new TextDecoder().decode(line)}\n`;
      return printed.length > LONGEST_KEY;
    },
  });
  const shown = `\`${shownCommand(command)}\``;
  if (result.ending === "timeout") throw fail(`${shown} did not finish within ${PATIENCE_MS / 1000} seconds`, RUN_IT);
  if (result.ending === "interrupted") throw fail("interrupted");
  if (result.ending === "stopped") throw fail(`${shown} prints too much for a key`, RUN_IT);
  if (result.exitCode !== 0) {
    const secrets = [...secretsIn(world.env), firstLine(printed), ...hiddenIn(command)];
    const said = createRedactor(secrets).text(result.stderr.split("\n").at(-1) ?? "");
    throw fail(
      `${shown} ${result.exitCode === null ? "was killed by a signal" : `ended with exit code ${result.exitCode}`}${said === "" ? "" : `: ${said}`}`,
      RUN_IT,
    );
  }
  return printed;
}

const RUN_IT = "Run it yourself to see why. Its first line of output must be the key.";

/** Words that are masked in the command are masked in its error output too, even without their quotes. */
function hiddenIn(command: string): string[] {
  const shown = shownCommand(command);
  return command.split(/[\s"'=;|&()<>]+/).filter((word) => !shown.includes(word));
}

async function askKeychain(name: string, world: World, fail: Fail, provider: string): Promise<string> {
  const advice = `Store the key in ccc.json instead: ccc provider edit ${provider} --store file`;
  let found: string | null;
  try {
    found = await world.keychain.get(name);
  } catch (error) {
    throw fail(`no usable keychain on this system (${messageOf(error)})`, advice);
  }
  if (found === null) {
    throw fail(
      `the keychain has no entry "${name}" of ccc`,
      `Store the key there: ccc provider edit ${provider} --key`,
    );
  }
  return found;
}

/** Records the length and the hashes of a key beside ccc.json. A key that would be easy to guess is left out. */
function rememberKey(files: Pick<Files, "read" | "edit">, folder: string, key: string): void {
  // A key is sent in a header, which is ASCII.
  if (key.length < SHORTEST_KEY || !/^[!-~]+$/.test(key)) return;
  try {
    const path = keysFile(folder);
    const isKnown = (stored: StoredKeys) => spellings(key).every((form) => has(stored, form));
    if (isKnown(readKeys(files.read(path)))) return;
    files.edit(path, (text) => {
      const { salt = crypto.randomUUID(), keys } = readKeys(text);
      const added = spellings(key).map((form) => fingerprint(salt, form));
      const others = keys.filter(({ hash }) => !added.some((each) => each.hash === hash));
      return `${JSON.stringify({ salt, keys: [...others, ...added].slice(-MOST_KEYS) }, null, 2)}\n`;
    });
  } catch {
    // Only masking depends on it, not the session.
  }
}

interface StoredKeys {
  readonly salt: string | undefined;
  readonly keys: readonly Fingerprint[];
}

interface Fingerprint {
  readonly length: number;
  /** Part of a rolling hash, to rule out nearly every position in a text quickly. */
  readonly rolling: number;
  readonly hash: string;
}

/** Plain, escaped for JSON, encoded for a URL. */
function spellings(key: string): string[] {
  return [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
}

/** A key has up to three spellings. Old ones matter as long as something may still quote them. */
const MOST_KEYS = 100;

function keysFile(folder: string): string {
  return join(pathsIn(folder).generated, "fetched-keys.json");
}

function readKeys(text: string | undefined): StoredKeys {
  const { salt, keys } = asObject(parseJson(text ?? ""));
  if (typeof salt !== "string") return { salt: undefined, keys: [] };
  return { salt, keys: (Array.isArray(keys) ? keys : []).map(asObject).filter(isFingerprint) };
}

function isFingerprint(value: Json): value is Json & Fingerprint {
  const { length, rolling, hash } = value;
  return Number.isInteger(length) && Number(length) > 0 && typeof rolling === "number" && typeof hash === "string";
}

function has({ salt, keys }: StoredKeys, text: string): boolean {
  const { hash } = fingerprint(salt ?? "", text);
  return salt !== undefined && keys.some((each) => each.hash === hash);
}

function fingerprint(salt: string, text: string): Fingerprint {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum, BASE) + text.charCodeAt(at);
  return { length: text.length, rolling: shortened(sum), hash: hashOf(salt, text) };
}

function hashOf(salt: string, text: string): string {
  return new Bun.CryptoHasher("sha256").update(`${salt}\0${text}`).digest("base64url");
}

const BASE = 0x01000193;

/** Enough to rule out most positions, and too little to say much about the key. */
function shortened(sum: number): number {
  return sum >>> 16;
}

/** Goes through a text once for each length. */
function finderOf({ salt = "", keys }: StoredKeys): Finder {
  const lengths = Map.groupBy(keys, ({ length }) => length);
  return (text) => [...lengths].flatMap(([length, wanted]) => findLength(text, salt, length, wanted));
}

function findLength(text: string, salt: string, length: number, wanted: readonly Fingerprint[]): Range[] {
  const found: Range[] = [];
  const sums = new Set(wanted.map(({ rolling }) => rolling));
  const hashes = new Set(wanted.map(({ hash }) => hash));
  let power = 1;
  for (let count = 1; count < length; count++) power = Math.imul(power, BASE);
  let sum = 0;
  for (let at = 0; at < text.length; at++) {
    if (at >= length) sum -= Math.imul(text.charCodeAt(at - length), power);
    sum = (Math.imul(sum, BASE) + text.charCodeAt(at)) | 0;
    const start = at - length + 1;
    if (start >= 0 && sums.has(shortened(sum)) && hashes.has(hashOf(salt, text.slice(start, at + 1))))
      found.push([start, at + 1]);
  }
  return found;
}
