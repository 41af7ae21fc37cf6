import { readdirSync, realpathSync, writeSync } from "node:fs";
import { readToolEvent, toolAnswer } from "../../claude/tool-event.ts";
import { FOLDERS_VARIABLE, TRANSCRIPT_VARIABLE } from "../../marks.ts";
import { parseJson } from "../../text/json.ts";
import { judgeTool } from "./judge.ts";
import type { Disk } from "./machine.ts";

/** The part that judges commands. The guard runs before every tool call, and most of them are not commands. */
export type BashGuard = Pick<typeof import("./bash-guard.ts"), "guardBash">;

/** Answers a PreToolUse event of the reviewer's session. If anything goes wrong, the tool is refused. */
export async function answerToolEvent(
  { env, platform }: Pick<NodeJS.Process, "env" | "platform">,
  bash: () => BashGuard,
): Promise<void> {
  let refusal: string | undefined;
  try {
    refusal = judge(await Bun.stdin.text(), env, platform, bash);
  } catch (error) {
    refusal = `ccc could not check whether this is allowed: ${error instanceof Error ? error.message : error}`;
  }
  writeSync(1, toolAnswer(refusal));
}

function judge(
  text: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  bash: () => BashGuard,
): string | undefined {
  const event = readToolEvent(text);
  if (event === undefined) return "ccc does not understand this event";
  const machine = diskOf(platform);
  const real = (path: string) => machine.realPath(path) ?? path;
  const home = real((platform === "win32" ? env.USERPROFILE : env.HOME) || "/");
  const own = [env.CCC_CONFIG_DIR ?? "", env.CLAUDE_CONFIG_DIR ?? "", `${home}/.claude`, `${home}/.claude.json`];
  const places = {
    folders: foldersIn(env).map(real),
    home,
    own: own.filter((path) => path !== "").map(real),
    slug: event.slug,
    transcript: env[TRANSCRIPT_VARIABLE] && real(env[TRANSCRIPT_VARIABLE]),
  };
  const context = { cwd: real(event.cwd), places, machine, platform };
  return judgeTool(event, context, (line) => bash().guardBash(line, context, env));
}

function foldersIn(env: NodeJS.ProcessEnv): string[] {
  const folders = parseJson(env[FOLDERS_VARIABLE] ?? "");
  return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
}

function diskOf(platform: NodeJS.Platform): Disk {
  return {
    realPath: (path) => withSlashes(realPathOf(path), platform),
    list: (folder) => {
      try {
        return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          isFolder: entry.isDirectory(),
        }));
      } catch {
        return [];
      }
    },
  };
}

function realPathOf(path: string): string | undefined {
  try {
    return path === "" ? undefined : realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function withSlashes(path: string | undefined, platform: NodeJS.Platform): string | undefined {
  return platform === "win32" ? path?.replaceAll("\\", "/") : path;
}
