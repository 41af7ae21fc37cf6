import type { Files } from "../os/files.ts";
import { parseJson, valueAt } from "../text/json.ts";
import type { Place } from "./layers.ts";
import { claudeState } from "./paths.ts";

/** Whether the user has told Claude Code that it may trust this folder. */
export function isTrusted(files: Files, { env, platform, cwd }: Place): boolean {
  const state = parseJson(files.read(claudeState(env, platform)) ?? "{}");
  return valueAt(state, ["projects", cwd, "hasTrustDialogAccepted"]) === true;
}
