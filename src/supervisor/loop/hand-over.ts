import { handOverArguments } from "../../claude/agent-command.ts";
import { pluginFolder, withPlugin } from "../../claude/plugin.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { Plan } from "../../launch/plan.ts";
import { NOTES_MARK } from "../../marks.ts";
import { createLog } from "../../terminal/log.ts";
import type { Env, World } from "../../world.ts";
import { saveLaunch } from "../record/launch-record.ts";
import { openRunNotes } from "../record/run-notes.ts";
import { afterHandOver } from "./loop-ending.ts";
import type { LoopLaunch } from "./loop-parts.ts";
import type { LoopResult } from "./loop-progress.ts";

/** The session to hand over, and the messages that the agent has not got yet. */
export interface HandedSession {
  readonly id: string;
  readonly typed: readonly string[];
  readonly env: Env;
  /** What the user is told in the session: Claude Code clears the screen. */
  readonly notice: string;
  /** How the loop ended, and the exit code for it. */
  readonly outcome: LoopResult["outcome"];
  readonly code: number;
}

/** Gives the session to the user in Claude Code itself, and waits for its end. Its hooks note whether they went on. */
export async function handOver(world: World, launch: LoopLaunch, session: HandedSession): Promise<number> {
  const { plan, paths, record, args } = launch;
  const settings = (plan.settings.handOver ?? plan.settings.agent).path;
  // Another launch in this folder, since the loop began, must not supervise this session.
  if (launch.handOver.kind === "supervised")
    saveLaunch(world.files, paths, { ...record, notice: session.notice, waiting_since: world.now().toISOString() });
  const notes = openRunNotes(world.files, paths);
  try {
    const end = await world.handOver({
      file: plan.file,
      args: withPluginOf(plan, paths, handOverArguments(settings, args.options, session.id, session.typed)),
      env: { ...session.env, [NOTES_MARK]: notes.name },
    });
    const hasPrompt = notes.read().some(({ event }) => event === "prompt");
    const { code, line } = afterHandOver(session.code, end, hasPrompt, session.outcome);
    if (line !== undefined) createLog(world).info(line);
    return code;
  } finally {
    notes.remove();
  }
}

/** With ccc's commands, if the plan has prepared them. */
function withPluginOf({ files }: Plan, { generated }: Paths, args: readonly string[]): readonly string[] {
  const folder = pluginFolder(generated);
  return files.some(({ path }) => path.startsWith(folder)) ? withPlugin(folder, args) : args;
}
