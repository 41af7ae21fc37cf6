import { readClaudeState } from "../claude/connection.ts";
import { cccPaths } from "../config/paths.ts";
import { readKeyCommand } from "../providers/identity.ts";
import { fetchedKeyFinder, peekReference, type Readable } from "../providers/references.ts";
import { isReference, isSecretVariable, PLACEHOLDER_KEYS } from "../providers/variables.ts";
import { asObject, parseJson } from "../text/json.ts";
import { createRedactor, type Redactor, secretsIn } from "../text/redact.ts";

/** The agent's or the reviewer's settings. */
interface PartySettings {
  readonly env?: unknown;
  readonly apiKeyHelper?: unknown;
}

/**
 * Masks every secret that ccc can find without starting a program or opening a keychain: in the shell, in the settings of
 * agent and reviewers, in a login, in every provider of ccc.json, and `more`; and every key that it has fetched before.
 */
export function sessionRedactor(
  world: Readable,
  settings: readonly PartySettings[],
  more: readonly string[] = [],
): Redactor {
  const secrets = new Set([...secretsIn(world.env), ...providerKeys(world, settings), ...more].filter(isKey));
  return createRedactor(secrets, fetchedKeyFinder(world.files, configFolders(world, settings)));
}

/** Recognizes values that contain a provider's key. Other secrets of the shell do not count. */
export function providerKeyFinder(
  world: Readable,
  settings: readonly PartySettings[],
  more: readonly string[] = [],
): (value: string) => boolean {
  const keys = [...providerKeys(world, settings), ...more].filter((key) => key.length >= LEAST_KEY);
  const findFetched = fetchedKeyFinder(world.files, configFolders(world, settings));
  return (value) => keys.some((key) => value.includes(key)) || findFetched(value).length > 0;
}

/** A shorter text occurs in unrelated values, too. */
const LEAST_KEY = 8;

function providerKeys(world: Readable, settings: readonly PartySettings[]): string[] {
  // Not the whole World: reading its keychain or its questions would load them.
  const { env, files, platform } = world;
  const found = [
    ...settings.flatMap((each) => inBlock(each.env, world)),
    ...quietly(() => inLogins(world)),
    ...configFolders(world, settings).flatMap((folder) =>
      inConfig({ files, platform, env: { ...env, CCC_CONFIG_DIR: folder } }),
    ),
  ];
  return found.filter(isKey);
}

/** The folders of each ccc.json that a key may come from. */
function configFolders(world: Readable, settings: readonly PartySettings[]): string[] {
  const helpers = settings.flatMap(({ apiKeyHelper }) => readKeyCommand(apiKeyHelper) ?? []);
  return [...new Set([...quietly(() => [cccPaths(world).folder]), ...helpers.map(({ folder }) => folder)])];
}

function isKey(secret: string): boolean {
  return !PLACEHOLDER_KEYS.has(secret);
}

/** Masks known secrets in messages outside a run: an error may quote what the user typed. */
export function withoutKnownSecrets(text: string, world: Readable): string {
  return sessionRedactor(world, []).known(text);
}

function inLogins(world: Readable): string[] {
  const { key = "", token = "", tokenPath } = readClaudeState(world.files, world).logins;
  // For a token in the keychain, `token` is only a note that it exists.
  const isThere = (world.files.read(tokenPath) ?? "").includes(token);
  return isThere ? [key, token] : [key];
}

/** Parsed without validation: an invalid ccc.json still has keys in it. */
function inConfig(world: Readable): string[] {
  const text = quietly(() => [world.files.read(cccPaths(world).config) ?? "{}"]).join("");
  const { settings, providers } = asObject(parseJson(text));
  return [settings, ...Object.values(asObject(providers))].flatMap((block) => inBlock(asObject(block).env, world));
}

function inBlock(env: unknown, world: Readable): string[] {
  return Object.entries(asObject(env)).flatMap(([name, written]) => {
    const value = expanded(written, world);
    const isSecret = isSecretVariable(name, value);
    // A reference is not a secret itself.
    if (isReference(value)) return isSecret ? quietly(() => [peekReference(value, world) ?? ""]) : [];
    return [...(isSecret ? [value] : []), ...secretsIn({ [name]: value })];
  });
}

function expanded(value: unknown, { env }: Readable): string {
  // Not a valid value, and String() throws on some objects.
  const text = typeof value === "object" ? "" : String(value ?? "");
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? "");
}

/** What cannot be read cannot leak either. */
function quietly<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch {
    return [];
  }
}
