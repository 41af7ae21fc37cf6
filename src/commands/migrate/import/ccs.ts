import { homedir } from "../../../claude/claude-paths.ts";
import { absolutePath, join } from "../../../os/path.ts";
import { asObject, isObject, type Json, parseJson } from "../../../text/json.ts";
import type { World } from "../../../world.ts";
import { type FoundProvider, type FoundTool, OPENAI_FORMAT } from "./found-elsewhere.ts";
import { existing, notUnderstood } from "./tool-files.ts";

const TITLE = "CCS";

/** Each profile is a file in the format of Claude Code's settings; config.yaml (earlier config.json) lists them. */
export function readCcs(world: World, file: string | undefined): FoundTool {
  const home = homedir(world.env, world.platform);
  const folder = join(home, ".ccs");
  const path = existing(TITLE, file, [join(folder, "config.yaml"), join(folder, "config.json")], world);
  const config = parsed(world.files.read(path) ?? "", path);
  if (!isObject(config)) throw notUnderstood(TITLE, path);
  const profiles = Object.entries(asObject(config.profiles)).map(([label, profile]) => {
    const { settings, target = "claude" } = typeof profile === "string" ? { settings: profile } : asObject(profile);
    if (target !== "claude") return skipped(label, `it is for ${String(target)}`);
    const at = absolutePath(String(settings ?? ""), folder, () => home);
    return label === "default" ? skipped(label, IS_CLAUDES) : ofProfile(label, world.files.read(at), at);
  });
  const accounts = Object.keys(asObject(config.accounts)).map((label) => skipped(label, IS_LOGIN));
  return { title: TITLE, path, providers: [...profiles, ...accounts] };
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
    problem: problemOf(asObject(env)),
  };
}

function problemOf(env: Json): string | undefined {
  const { CCS_DROID_PROVIDER: format, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: url } = env;
  if (token === "ccs-internal-managed" || /^http:\/\/(127\.0\.0\.1|localhost):8317\b/.test(String(url))) {
    return "it goes through the proxy that CCS runs";
  }
  const isOther = typeof format === "string" && format !== "" && !/^anthropic/i.test(format.trim());
  return isOther || /\/v1\/?$/.test(String(url)) ? OPENAI_FORMAT : undefined;
}
