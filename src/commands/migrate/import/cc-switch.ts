import { homedir } from "../../../claude/claude-paths.ts";
import { join } from "../../../os/path.ts";
import type { Row } from "../../../os/sqlite.ts";
import { asObject, type Json, parseJson } from "../../../text/json.ts";
import type { World } from "../../../world.ts";
import { type FoundProvider, type FoundTool, OPENAI_FORMAT } from "./found-elsewhere.ts";
import { existing, notUnderstood } from "./tool-files.ts";

const TITLE = "CC Switch";

/** A database since 3.8.0, a config.json before. */
export function readCcSwitch(world: World, file: string | undefined): FoundTool {
  const folder = join(homedir(world.env, world.platform), ".cc-switch");
  const path = existing(TITLE, file, [join(folder, "cc-switch.db"), join(folder, "config.json")], world);
  if (!path.endsWith(".json")) {
    return { title: TITLE, path, providers: world.queryDatabase(path, QUERY).map(ofRow) };
  }
  const { providers } = asObject(asObject(parseJson(world.files.read(path) ?? "")).claude);
  if (providers === undefined) throw notUnderstood(TITLE, path);
  return { title: TITLE, path, providers: Object.values(asObject(providers)).map((each) => ofEntry(asObject(each))) };
}

/** The columns that all versions of the table have. */
const QUERY =
  "SELECT name, settings_config, category, meta FROM providers WHERE app_type = 'claude' ORDER BY sort_index, name";

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
    return "it needs an account that CC Switch signs in with, and its proxy";
  }
  const format = meta.apiFormat ?? settings.api_format;
  if (typeof format === "string" && format !== "anthropic") return formatProblem(format);
  if (format === undefined && /^(true|1)$/i.test(String(settings.openrouter_compat_mode))) return OPENAI_FORMAT;
  if (meta.isFullUrl === true) return "its address is for CC Switch's proxy alone";
  return undefined;
}

const MANAGED_ACCOUNT = /oauth|copilot/;

function formatProblem(format: string): string {
  return format.startsWith("openai") ? OPENAI_FORMAT : "it does not speak Anthropic's format";
}
