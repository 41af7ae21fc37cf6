import { readLogins } from "../claude/logins.ts";
import { ownPaths } from "../config/own.ts";
import { readKeyCommand } from "../launch/key-command.ts";
import { PLACEHOLDER_KEYS } from "../providers/presets.ts";
import { isReference } from "../providers/references.ts";
import { peekReference, type Readable } from "../providers/secrets.ts";
import { isSecretVariable } from "../providers/variables.ts";
import { asObject, parseJson } from "../text/json.ts";
import { secretsIn } from "../text/redact.ts";
import { createRedactor } from "../text/redactor.ts";

/** Settings of a party to a run: the agent's, the reviewer's. */
interface PartySettings {
  readonly env?: unknown;
  readonly apiKeyHelper?: unknown;
}

/**
 * Every secret that ccc can know in a run without starting a program or opening a keychain: those of the shell, of the
 * settings of each party, of a login, and of every provider in ccc.json. Whoever has fetched more keys adds them.
 */
export function knownSecrets({ env, files, platform }: Readable, settings: readonly PartySettings[]): string[] {
  const world = { env, files, platform };
  const helpers = settings.flatMap(({ apiKeyHelper }) => readKeyCommand(apiKeyHelper) ?? []);
  const folders = new Set([ownPaths(world).folder, ...helpers.map(({ folder }) => folder)]);
  const found = [
    ...secretsIn(env),
    ...settings.flatMap((each) => inBlock(each.env, world)),
    ...quietly(() => inLogins(world)),
    ...[...folders].flatMap((folder) => inConfig({ ...world, env: { ...env, CCC_CONFIG_DIR: folder } })),
  ];
  return [...new Set(found)].filter((secret) => !PLACEHOLDER_KEYS.has(secret));
}

/** A text without any of them, for what is said outside a run: an error may quote what somebody typed. */
export function withoutKnownSecrets(text: string, world: Readable): string {
  return createRedactor(knownSecrets(world, [])).known(text);
}

function inLogins(world: Readable): string[] {
  const { key = "", token = "", tokenPath } = readLogins(world.files, world);
  // Of a token in the keychain all that is told is that it is there.
  const isThere = (world.files.read(tokenPath) ?? "").includes(token);
  return isThere ? [key, token] : [key];
}

/** Read as it is: a ccc.json with a mistake in it still holds keys. */
function inConfig(world: Readable): string[] {
  const text = quietly(() => [world.files.read(ownPaths(world).config) ?? "{}"]).join("");
  const { settings, providers } = asObject(parseJson(text));
  return [settings, ...Object.values(asObject(providers))].flatMap((block) => inBlock(asObject(block).env, world));
}

function inBlock(env: unknown, world: Readable): string[] {
  return Object.entries(asObject(env)).flatMap(([name, written]) => {
    const value = expanded(written, world);
    const isSecret = isSecretVariable(name, value);
    // A reference says where a key is, and is none itself.
    if (isReference(value)) return isSecret ? quietly(() => [peekReference(value, world) ?? ""]) : [];
    return [...(isSecret ? [value] : []), ...secretsIn({ [name]: value })];
  });
}

/** A variable that is not set names no secret. */
function expanded(value: unknown, { env }: Readable): string {
  // A list or an object cannot be a variable, and not every object can be made a string.
  const text = typeof value === "object" ? "" : String(value ?? "");
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? "");
}

/** What cannot be read has no secret that could get anywhere. */
function quietly<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch {
    return [];
  }
}
