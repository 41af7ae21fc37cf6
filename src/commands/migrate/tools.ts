import { cloudOf } from "../../claude/connection.ts";
import { CONTEXT_WINDOW, inEveryRole, modelsIn, modelVariables } from "../../claude/models.ts";
import { misspeltVariable } from "../../config/check.ts";
import { CccError } from "../../errors.ts";
import { absolutePath, join } from "../../os/path.ts";
import type { Row } from "../../os/stores.ts";
import { keyProblem } from "../../providers/keys.ts";
import { NO_TOOL_SEARCH, PRESETS, presetEnv } from "../../providers/preset-list.ts";
import { isForeign } from "../../providers/presets.ts";
import { isOtherReference, kindOf, TOKENS, whyForbidden } from "../../providers/variables.ts";
import { asObject, isObject, type Json, parseJson } from "../../text/json.ts";
import { homedir, type World } from "../../world.ts";
import { baseUrlProblem, keyPlaceholder } from "../provider/answers.ts";

/** The tools whose providers can be imported. */
export const TOOLS = ["cc-switch", "ccs", "claude-code-router"] as const;

export type Tool = (typeof TOOLS)[number];

/** The providers of a tool, and the file that they come from. */
export interface FoundTool {
  /** The name of the tool, as people write it. */
  readonly title: string;
  readonly path: string;
  readonly providers: readonly (Importable | NotImportable)[];
}

/** A provider of another tool that can be one of ccc's. */
export interface Importable {
  readonly label: string;
  /** Its variables for ccc.json, without the key. */
  readonly env: Readonly<Record<string, string>>;
  /** The variable for the key. */
  readonly token: (typeof TOKENS)[number];
  /** The key to store; undefined if `written` replaces it. */
  readonly key: string | undefined;
  /** A reference, or the placeholder for a server that needs no key. */
  readonly written: string | undefined;
  /** Settings that are not imported. */
  readonly dropped: readonly string[];
}

interface NotImportable {
  readonly label: string;
  readonly problem: string;
}

/** Reads the providers of a tool from its file. Without a file, looks where the tool keeps them. */
export function readTool(tool: Tool, file: string | undefined, world: World): FoundTool {
  const { title, path, providers } = READERS[tool](world, file);
  return { title, path, providers: providers.map(judgeProvider) };
}

const READERS: Readonly<Record<Tool, (world: World, file: string | undefined) => Found>> = {
  "cc-switch": readCcSwitch,
  ccs: readCcs,
  "claude-code-router": readClaudeCodeRouter,
};

/** A provider as another tool has it. */
interface FoundProvider {
  /** Its name there. */
  readonly label: string;
  /** Its variables, as written there. */
  readonly env: Readonly<Record<string, unknown>>;
  /** A reference to its key, if the tool names a variable instead of a key. */
  readonly reference?: string | undefined;
  /** Other settings that it has there, which are not imported. */
  readonly others: readonly string[];
  /** Why it cannot be a provider of ccc, if the tool itself says so. */
  readonly problem?: string | undefined;
}

interface Found {
  readonly title: string;
  readonly path: string;
  readonly providers: readonly FoundProvider[];
}

export const OPENAI_FORMAT = "it speaks OpenAI's format, which Claude Code does not";

const CC_SWITCH = "CC Switch";

/** Only the columns that every version of the table has. */
const QUERY =
  "SELECT name, settings_config, category, meta FROM providers WHERE app_type = 'claude' ORDER BY sort_index, name";

/** A database since 3.8.0, a config.json before. */
function readCcSwitch(world: World, file: string | undefined): Found {
  const folder = join(homedir(world.env, world.platform), ".cc-switch");
  const path = existing(CC_SWITCH, file, [join(folder, "cc-switch.db"), join(folder, "config.json")], world);
  if (!path.endsWith(".json")) {
    return { title: CC_SWITCH, path, providers: world.queryDatabase(path, QUERY).map(ofRow) };
  }
  const { providers } = asObject(asObject(parseJson(world.files.read(path) ?? "")).claude);
  if (providers === undefined) throw notUnderstood(CC_SWITCH, path);
  return {
    title: CC_SWITCH,
    path,
    providers: Object.values(asObject(providers)).map((each) => ofEntry(asObject(each))),
  };
}

function ofRow({ name, settings_config, category, meta }: Row): FoundProvider {
  const parsed = (text: unknown) => parseJson(String(text ?? ""));
  return ofEntry({ name, settingsConfig: parsed(settings_config), category, meta: parsed(meta) });
}

function ofEntry({ name, settingsConfig, category, meta }: Json): FoundProvider {
  const { env, ...others } = asObject(settingsConfig);
  return {
    label: String(name ?? ""),
    env: asObject(env),
    others: Object.keys(others).filter((each) => !OWN_SETTINGS.includes(each)),
    problem: problemOf(asObject(meta), others, category),
  };
}

/** Settings of CC Switch itself, not of Claude Code. */
const OWN_SETTINGS = ["api_format", "openrouter_compat_mode"];

function problemOf(meta: Json, settings: Json, category: unknown): string | undefined {
  if (category === "official") return "it is Claude Code's own login: ccc provider add anthropic";
  if (typeof meta.providerType === "string" && MANAGED_ACCOUNT.test(meta.providerType)) {
    return "it needs an account that CC Switch signs in to, and CC Switch's proxy";
  }
  const format = meta.apiFormat ?? settings.api_format;
  if (typeof format === "string" && format !== "anthropic") return formatProblem(format);
  if (format === undefined && /^(true|1)$/i.test(String(settings.openrouter_compat_mode))) return OPENAI_FORMAT;
  if (meta.isFullUrl === true) return "its address works only with CC Switch's proxy";
  return undefined;
}

const MANAGED_ACCOUNT = /oauth|copilot/;

function formatProblem(format: string): string {
  return format.startsWith("openai") ? OPENAI_FORMAT : "it does not speak Anthropic's format";
}

const CCS = "CCS";

/** Each profile is a file in the format of Claude Code's settings; config.yaml (earlier config.json) lists them. */
function readCcs(world: World, file: string | undefined): Found {
  const home = homedir(world.env, world.platform);
  const folder = join(home, ".ccs");
  const path = existing(CCS, file, [join(folder, "config.yaml"), join(folder, "config.json")], world);
  const config = parsed(world.files.read(path) ?? "", path);
  if (!isObject(config)) throw notUnderstood(CCS, path);
  const profiles = Object.entries(asObject(config.profiles)).map(([label, profile]) => {
    const { settings, target = "claude" } = typeof profile === "string" ? { settings: profile } : asObject(profile);
    if (target !== "claude") return skipped(label, `it is for ${String(target)}`);
    const at = absolutePath(String(settings ?? ""), folder, () => home);
    return label === "default" ? skipped(label, IS_CLAUDES) : ofProfile(label, world.files.read(at), at);
  });
  const accounts = Object.keys(asObject(config.accounts)).map((label) => skipped(label, IS_LOGIN));
  return { title: CCS, path, providers: [...profiles, ...accounts] };
}

const IS_CLAUDES = "it is Claude Code's own settings.json: ccc migrate, without --from, looks there";

const IS_LOGIN = "it is a login in a folder of its own; CLAUDE_CONFIG_DIR does the same for ccc";

function parsed(text: string, path: string): unknown {
  if (path.endsWith(".json")) return parseJson(text);
  try {
    return Bun.YAML.parse(text);
  } catch {
    return undefined;
  }
}

function skipped(label: string, problem: string): FoundProvider {
  return { label, env: {}, others: [], problem };
}

function ofProfile(label: string, text: string | undefined, path: string): FoundProvider {
  if (text === undefined) return skipped(label, `its file is missing: ${path}`);
  const settings = parseJson(text);
  if (!isObject(settings)) return skipped(label, `its file is not valid JSON: ${path}`);
  const { env, ...others } = settings;
  const variables = Object.entries(asObject(env)).filter(([name]) => !name.startsWith("CCS_"));
  return {
    label,
    env: Object.fromEntries(variables),
    others: Object.keys(others),
    problem: ccsProblemOf(asObject(env)),
  };
}

function ccsProblemOf(env: Json): string | undefined {
  const { CCS_DROID_PROVIDER: format, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: url } = env;
  if (token === "ccs-internal-managed" || /^http:\/\/(127\.0\.0\.1|localhost):8317\b/.test(String(url))) {
    return "it goes through the proxy that CCS runs";
  }
  const isOther = typeof format === "string" && format !== "" && !/^anthropic/i.test(format.trim());
  return isOther || /\/v1\/?$/.test(String(url)) ? OPENAI_FORMAT : undefined;
}

const ROUTER = "claude-code-router";

/** A database since version 3, a config.json before. The configuration is JSON in both. */
function readClaudeCodeRouter(world: World, file: string | undefined): Found {
  const { env, platform } = world;
  const old = join(homedir(env, platform), ".claude-code-router");
  const folder = platform === "win32" && env.APPDATA ? join(env.APPDATA, "claude-code-router") : old;
  const path = existing(ROUTER, file, [join(folder, "config.sqlite"), join(old, "config.json")], world);
  const text = path.endsWith(".json")
    ? world.files.read(path)
    : world.queryDatabase(path, "SELECT value_json FROM app_config WHERE key = 'default'")[0]?.value_json;
  const config = parseJson(String(text ?? ""));
  const list = isObject(config) ? (config.Providers ?? config.providers) : undefined;
  if (!Array.isArray(list)) throw notUnderstood(ROUTER, path);
  const router = asObject(asObject(config).Router);
  return { title: ROUTER, path, providers: list.map((each) => ofProvider(asObject(each), router)) };
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
    problem: provider.enabled === false ? "it is disabled there" : address === undefined ? OPENAI_FORMAT : undefined,
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

/** The provider's key, or a variable that has it, as `$NAME` or `${NAME}`. */
function keyOf(provider: Json): string {
  const own = provider.api_key ?? provider.apiKey ?? provider.apikey;
  const listed = objects(provider.credentials).filter(({ enabled }) => enabled !== false);
  const keys = [own, ...listed.map((each) => each.api_key ?? each.apiKey ?? each.apikey)];
  return keys.find((each): each is string => typeof each === "string" && each !== "") ?? "";
}

/** The router's default model, else the first one; its background model for small tasks. */
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

/** The named file, else the first usual one that exists. */
function existing(
  title: string,
  file: string | undefined,
  usual: readonly string[],
  { files }: Pick<World, "files">,
): string {
  const looked = file === undefined ? usual : [file];
  const found = looked.find((path) => files.identify(path)?.isFile);
  if (found !== undefined) return found;
  throw new CccError(`no providers of ${title} found: there is no ${looked.join(" and no ")}`, {
    advice:
      file === undefined
        ? "If it keeps them elsewhere, name the file: --file PATH"
        : "Check the path. Nothing was changed.",
  });
}

function notUnderstood(title: string, path: string): CccError {
  return new CccError(`${path} could not be understood as a file of ${title}`, {
    advice: "Another version may have written it. Nothing was changed.",
  });
}

/** A provider of another tool as one of ccc, or why it cannot be imported. */
function judgeProvider(found: FoundProvider): Importable | NotImportable {
  const { label, reference } = found;
  const { env, dropped } = takeVariables(found.env);
  const skip = (problem: string) => ({ label, problem });
  if (found.problem !== undefined) return skip(found.problem);
  const lost = dropped.find((name) => kindOf(name) !== undefined && misspeltVariable(name) === undefined);
  if (lost !== undefined) return skip(`its ${lost} has a value that ccc would read as a variable or a command`);
  const keys = TOKENS.filter((name) => env[name] !== undefined && !PLACEHOLDER.test(env[name]));
  const [token = TOKENS[0]] = keys;
  const key = env[token];
  if (keys.some((name) => env[name] !== key)) return skip("it has two different keys");
  const baseUrl = env.ANTHROPIC_BASE_URL === undefined ? undefined : serverOf(env.ANTHROPIC_BASE_URL);
  const address = addressProblem(baseUrl);
  if (address !== undefined) return skip(address);
  const written = reference ?? (keys.length > 0 ? undefined : keyPlaceholder({ preset: undefined, baseUrl }));
  if (written === undefined && keys.length === 0) return skip(keyless(env, baseUrl));
  if (written === undefined && keyProblem(key ?? "") !== undefined) return skip("its key is not valid");
  const others = Object.entries(env).filter(([name]) => !(TOKENS as readonly string[]).includes(name));
  const block = { ...Object.fromEntries(others), ...(baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl }) };
  return {
    label,
    env: withDefaults(block),
    token,
    key: written === undefined ? key : undefined,
    written,
    dropped: [...dropped, ...found.others],
  };
}

/** Placeholders for a key in files of tools and in instructions. */
const PLACEHOLDER = /^(your[-_ ].*|sk-x+|x{3,}|<.*>)$/i;

/** The variables that ccc.json may have. Values that ccc would read as a reference or a `${NAME}` are left out. */
function takeVariables(found: FoundProvider["env"]) {
  const env: Record<string, string> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(found)) {
    const text = ["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : "";
    if (text === "") continue;
    if (isAllowed(name) && !text.includes("${") && !isOtherReference(name, text)) env[name] = text;
    else dropped.push(name);
  }
  return { env, dropped };
}

function isAllowed(name: string): boolean {
  return whyForbidden(name) === undefined && /^[A-Z_a-z]\w*$/.test(name) && misspeltVariable(name) === undefined;
}

/** Claude Code adds /v1/messages itself. */
function serverOf(address: string): string {
  return address.replace(/\/+$/, "").replace(/(\/v1)?\/messages$/, "");
}

function addressProblem(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined) return undefined;
  if (/\/(chat\/)?completions$|\/responses$|\/compatible-mode\b|\/\/api\.openai\.com\b/.test(baseUrl))
    return OPENAI_FORMAT;
  const problem = baseUrlProblem(baseUrl);
  return problem === undefined ? undefined : `its address ${problem}`;
}

function keyless(env: Readonly<Record<string, string>>, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return "it has no key";
  return cloudOf(env) === undefined
    ? "it is Claude Code's own login: ccc provider add anthropic"
    : "it uses a cloud's own login: ccc provider presets lists the clouds";
}

/** What `ccc provider add` would set for the same server and model, where the tool sets nothing. */
function withDefaults(env: Readonly<Record<string, string>>): Record<string, string> {
  const { ANTHROPIC_BASE_URL: baseUrl } = env;
  const model = modelsIn(env).configured;
  if (!isForeign({ baseUrl, model })) return env;
  const preset = PRESETS.find(
    (each) => each.baseUrl === baseUrl && bare(modelsIn(presetEnv(each)).configured) === bare(model),
  );
  const window = preset?.contextWindow === undefined ? {} : { [CONTEXT_WINDOW]: String(preset.contextWindow) };
  return { ...NO_TOOL_SEARCH, ...(preset === undefined ? {} : presetEnv(preset)), ...window, ...env };
}

/** The suffix only says that the model has a window of 1M tokens. */
function bare(model: string | undefined): string | undefined {
  return model?.replace(/\[1m\]$/, "");
}
