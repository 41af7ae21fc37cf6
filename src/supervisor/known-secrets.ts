import { readLogins } from "../claude/logins.ts";
import { ownPaths } from "../config/own.ts";
import { asObject, parseJson } from "../io/json.ts";
import { secretsIn } from "../io/redact.ts";
import { readKeyCommand } from "../launch/key-command.ts";
import { PLACEHOLDER_KEYS } from "../providers/presets.ts";
import { isReference } from "../providers/references.ts";
import { peekReference } from "../providers/secrets.ts";
import { isSecretVariable } from "../providers/variables.ts";
import type { World } from "../world.ts";

/** Settings of a party to a run: the agent's, the reviewer's. */
interface PartySettings {
  readonly env?: unknown;
  readonly apiKeyHelper?: unknown;
}

/**
 * Every secret that ccc can know in a run without starting a program or opening a keychain: those of the shell, of the
 * settings of each party, of a login, and of every provider in ccc.json. Whoever has fetched more keys adds them.
 */
export function knownSecrets(world: World, settings: readonly PartySettings[]): string[] {
  const helpers = settings.flatMap(({ apiKeyHelper }) => readKeyCommand(apiKeyHelper) ?? []);
  const folders = new Set([ownPaths(world).folder, ...helpers.map(({ folder }) => folder)]);
  const found = [
    ...secretsIn(world.env),
    ...settings.flatMap(({ env }) => inBlock(env, world)),
    ...quietly(() => inLogins(world)),
    ...[...folders].flatMap((folder) => inConfig({ ...world, env: { ...world.env, CCC_CONFIG_DIR: folder } })),
  ];
  return [...new Set(found)].filter((secret) => !PLACEHOLDER_KEYS.has(secret));
}

function inLogins(world: World): string[] {
  const { key, token } = readLogins(world.files, world);
  return [key, token].filter((each) => each !== undefined);
}

/** Read as it is: a ccc.json with a mistake in it still holds keys. */
function inConfig(world: World): string[] {
  const text = quietly(() => [world.files.read(ownPaths(world).config) ?? "{}"]).join("");
  const { settings, providers } = asObject(parseJson(text));
  return [settings, ...Object.values(asObject(providers))].flatMap((block) => inBlock(asObject(block).env, world));
}

function inBlock(env: unknown, world: World): string[] {
  const block = Object.entries(asObject(env)).map(([name, value]) => [name, expanded(value, world)] as const);
  const secret = block.filter(([name, value]) => isSecretVariable(name, value)).map(([, value]) => value);
  const found = secret.flatMap((value) =>
    isReference(value) ? quietly(() => [peekReference(value, world)]) : [value],
  );
  return [...found.filter((each) => each !== undefined), ...secretsIn(Object.fromEntries(block))];
}

function expanded(value: unknown, { env }: World): string {
  return String(value ?? "").replace(/\$\{(\w+)\}/g, (written, name: string) => env[name] ?? written);
}

/** What cannot be read has no secret that could get anywhere. */
function quietly<T>(look: () => T[]): T[] {
  try {
    return look();
  } catch {
    return [];
  }
}
