import { homedir } from "../../../claude/claude-paths.ts";
import { inEveryRole, modelVariables } from "../../../claude/model.ts";
import { join } from "../../../os/path.ts";
import { asObject, isObject, type Json, parseJson } from "../../../text/json.ts";
import type { World } from "../../../world.ts";
import { type FoundProvider, type FoundTool, OPENAI_FORMAT } from "./found-elsewhere.ts";
import { existing, notUnderstood } from "./tool-files.ts";

const TITLE = "claude-code-router";

/** A database since version 3, a config.json before. The configuration is JSON in both. */
export function readClaudeCodeRouter(world: World, file: string | undefined): FoundTool {
  const { env, platform } = world;
  const old = join(homedir(env, platform), ".claude-code-router");
  const folder = platform === "win32" && env.APPDATA ? join(env.APPDATA, "claude-code-router") : old;
  const path = existing(TITLE, file, [join(folder, "config.sqlite"), join(old, "config.json")], world);
  const text = path.endsWith(".json")
    ? world.files.read(path)
    : world.queryDatabase(path, "SELECT value_json FROM app_config WHERE key = 'default'")[0]?.value_json;
  const config = parseJson(String(text ?? ""));
  const list = isObject(config) ? (config.Providers ?? config.providers) : undefined;
  if (!Array.isArray(list)) throw notUnderstood(TITLE, path);
  const router = asObject(asObject(config).Router);
  return { title: TITLE, path, providers: list.map((each) => ofProvider(asObject(each), router)) };
}

function ofProvider(provider: Json, router: Json): FoundProvider {
  const label = String(provider.name ?? "");
  const address = anthropicAddress(provider);
  const key = keyOf(provider);
  const variable = /^\$(?:\{(\w+)\}|(\w+))$/.exec(key);
  return {
    label,
    env: {
      ...(address === undefined ? {} : { ANTHROPIC_BASE_URL: address }),
      ...(variable === null ? { ANTHROPIC_AUTH_TOKEN: key } : {}),
      ...models(provider, label, router),
    },
    reference: variable === null ? undefined : `env:${variable[1] ?? variable[2]}`,
    others: [],
    problem:
      provider.enabled === false ? "it is switched off there" : address === undefined ? OPENAI_FORMAT : undefined,
  };
}

/** The address for requests in Anthropic's format, if the provider takes them. */
function anthropicAddress(provider: Json): string | undefined {
  const able = objects(provider.capabilities).find(({ type }) => type === "anthropic_messages");
  const address = String(provider.api_base_url ?? provider.baseUrl ?? provider.baseurl ?? "");
  if (typeof able?.baseUrl === "string") return able.baseUrl;
  const { use } = asObject(provider.transformer);
  const transformers = (Array.isArray(use) ? use : []).map((each) => String(Array.isArray(each) ? each[0] : each));
  const isAnthropic =
    provider.type === "anthropic_messages" ||
    (transformers.length > 0 && transformers.every((name) => /^anthropic$/i.test(name))) ||
    (provider.type === undefined && /\/anthropic(\/v1)?(\/messages)?\/?$|\/v1\/messages\/?$/.test(address));
  return isAnthropic ? address : undefined;
}

/** The provider's key: `$NAME` and `${NAME}` stand for a variable. */
function keyOf(provider: Json): string {
  const own = provider.api_key ?? provider.apiKey ?? provider.apikey;
  const listed = objects(provider.credentials).filter(({ enabled }) => enabled !== false);
  const keys = [own, ...listed.map((each) => each.api_key ?? each.apiKey ?? each.apikey)];
  return keys.find((each): each is string => typeof each === "string" && each !== "") ?? "";
}

/** The model that the router chooses by default, else the first; for small tasks the one for the background. */
function models(provider: Json, label: string, router: Json): Record<string, string> {
  const listed = Array.isArray(provider.models)
    ? provider.models.filter((each): each is string => typeof each === "string")
    : [];
  const routed = (route: unknown) => {
    const [name, model] = String(route ?? "").split(/,(.*)/s);
    return name === label && model !== undefined && listed.includes(model) ? model : undefined;
  };
  const main = routed(router.default) ?? listed[0];
  if (main === undefined) return {};
  const haiku = routed(router.background) ?? main;
  return modelVariables({ ...inEveryRole(main), haiku });
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
