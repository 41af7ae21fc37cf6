import { cloudOf } from "../../../claude/clouds.ts";
import { CONTEXT_WINDOW, configuredModel } from "../../../claude/model.ts";
import { misspeltVariable } from "../../../config/misplaced-keys.ts";
import { refuseForbidden } from "../../../providers/forbidden.ts";
import { isForeign, keyProblem } from "../../../providers/new-provider.ts";
import { NO_TOOL_SEARCH, presetEnv } from "../../../providers/preset-env.ts";
import { PRESETS } from "../../../providers/presets.ts";
import { isOtherReference } from "../../../providers/references.ts";
import { kindOf, TOKENS } from "../../../providers/variables.ts";
import { baseUrlProblem, keyStandIn } from "../../provider/settle.ts";
import { type FoundProvider, OPENAI_FORMAT } from "./found-elsewhere.ts";

/** A provider of another tool that can be one of ccc's. */
export interface Importable {
  readonly label: string;
  /** Its variables for ccc.json, without the key. */
  readonly env: Readonly<Record<string, string>>;
  /** The variable for the key. */
  readonly token: (typeof TOKENS)[number];
  /** The key to store, unless `written` says what takes its place. */
  readonly key: string | undefined;
  /** A reference, or the placeholder for a server that needs no key. */
  readonly written: string | undefined;
  /** Settings that are not imported. */
  readonly dropped: readonly string[];
}

/** A provider of another tool as one of ccc, or why it cannot be imported. */
export function judgeProvider(found: FoundProvider): Importable | { readonly label: string; readonly problem: string } {
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
  const written = reference ?? (keys.length > 0 ? undefined : keyStandIn({ preset: undefined, baseUrl }));
  if (written === undefined && keys.length === 0) return skip(keyless(env, baseUrl));
  if (written === undefined && keyProblem(key ?? "") !== undefined) return skip("its key is not one that can be sent");
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

/** What tools and instructions write where a key belongs. */
const PLACEHOLDER = /^(your[-_ ].*|sk-x+|x{3,}|<.*>)$/i;

/** The variables that ccc.json may have. References and `${NAME}` would be read as such, so they are left out. */
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
  try {
    refuseForbidden([name], "env");
  } catch {
    return false;
  }
  return /^[A-Z_a-z]\w*$/.test(name) && misspeltVariable(name) === undefined;
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
  const model = configuredModel(env);
  if (!isForeign({ baseUrl, model })) return env;
  const preset = PRESETS.find(
    (each) => each.baseUrl === baseUrl && bare(configuredModel(presetEnv(each))) === bare(model),
  );
  const window = preset?.contextWindow === undefined ? {} : { [CONTEXT_WINDOW]: String(preset.contextWindow) };
  return { ...NO_TOOL_SEARCH, ...(preset === undefined ? {} : presetEnv(preset)), ...window, ...env };
}

/** The suffix only says that the model has a window of 1M tokens. */
function bare(model: string | undefined): string | undefined {
  return model?.replace(/\[1m\]$/, "");
}
