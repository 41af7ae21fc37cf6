import { readToolEvent, toolAnswer } from "../../claude/tool-event.ts";
import { FOLDERS_VARIABLE, TRANSCRIPT_VARIABLE } from "../../marks.ts";
import { type LibcFiles, readWhole } from "../../os/libc-files.ts";
import { parseJson } from "../../text/json.ts";
import { guardDisk } from "./guard-disk.ts";
import { judgeTool } from "./judge.ts";
import type { Disk } from "./machine.ts";

/** The part that judges commands. The guard runs before every tool call, and most of them are not commands. */
export type BashGuard = Pick<typeof import("./bash-guard.ts"), "guardBash">;

/** Answers a PreToolUse event of the reviewer's session. If anything goes wrong, the tool is refused. */
export async function answerToolEvent(
  { env, platform }: Pick<NodeJS.Process, "env" | "platform">,
  libc: LibcFiles | undefined,
  bash: () => BashGuard,
): Promise<void> {
  let refusal: string | undefined;
  try {
    const rest = () => Bun.stdin.bytes();
    const text = await (libc === undefined ? Bun.stdin.text() : readWhole(libc.readStdin, rest));
    refusal = judgeEvent(text, env, platform, guardDisk(platform, libc), bash);
  } catch (error) {
    refusal = `ccc could not check whether this is allowed: ${error instanceof Error ? error.message : error}`;
  }
  await Bun.write(Bun.stdout, toolAnswer(refusal));
}

/** Why the tool call of an event is refused; undefined if it is allowed. */
export function judgeEvent(
  text: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  machine: Disk,
  bash: () => BashGuard,
): string | undefined {
  const event = readToolEvent(text);
  if (event === undefined) return "ccc does not understand this event";
  const real = (path: string) => machine.realPath(path) ?? path;
  const given = (path: string | undefined) => (path ? [real(path)] : []);
  const home = real((platform === "win32" ? env.USERPROFILE : env.HOME) || "/");
  const places = {
    folders: foldersIn(env, real),
    home,
    own: [
      ...given(env.CCC_CONFIG_DIR),
      ...given(env.CLAUDE_CONFIG_DIR),
      ...given(`${home}/.claude`),
      ...given(`${home}/.claude.json`),
    ],
    slug: event.slug,
    transcript: env[TRANSCRIPT_VARIABLE] && real(env[TRANSCRIPT_VARIABLE]),
  };
  const context = { cwd: real(event.cwd), places, machine, platform };
  return judgeTool(event, context, (line) => bash().guardBash(line, context, env));
}

function foldersIn(env: NodeJS.ProcessEnv, real: (path: string) => string): string[] {
  const folders = parseJson(env[FOLDERS_VARIABLE] ?? "");
  const found: string[] = [];
  for (const folder of Array.isArray(folders) ? folders : []) if (typeof folder === "string") found.push(real(folder));
  return found;
}
