import { resolve } from "node:path";
import { isDelegated, type StopEvent } from "../claude/stop-event.ts";
import { loadOwn, ownPaths } from "../config/own.ts";
import type { Paths } from "../config/paths.ts";
import { CccError, messageOf } from "../io/errors.ts";
import { redact, secretsIn } from "../io/redact.ts";
import type { World } from "../world.ts";
import { type Outcome, stopAnswer } from "./answer.ts";
import { readEvent } from "./event.ts";
import { type HookLog, hookLog } from "./log.ts";
import { type SupervisorOptions, supervisorOptions } from "./options.ts";
import { readAsked } from "./prompts.ts";
import { readIdentity } from "./reviewer-program.ts";
import { outputFile, reviewStop } from "./round.ts";

export interface HookOptions {
  /** The reviewer's settings. */
  readonly settings: string | undefined;
  /** Relative to the project. */
  readonly stateDir: string;
  readonly announce: boolean;
}

/** Answers a Stop event. Whatever happens, it answers, and where there was no review the agent may stop. */
export async function superviseStop(world: World, hook: HookOptions): Promise<void> {
  const secrets = secretsIn({ ...world.env, ...(hook.settings && readIdentity(world.files, hook.settings).env) });
  const clean = (text: string) => redact(text, secrets);
  const folderOf = (event?: StopEvent) => resolve(projectOf(world, event), hook.stateDir);
  const about = { limit: 0, announce: hook.announce, outputFile: "" };
  let outcome: Outcome;
  try {
    const event = readEvent(world);
    const paths = ownPaths(world);
    const log = hookLog(world, folderOf(event), clean);
    const options = readOptions(world, paths, log);
    const session = { world, id: event.session_id, project: projectOf(world, event), folder: folderOf(event) };
    about.limit = options.maxIterations;
    about.outputFile = outputFile(session);
    outcome = event.background_tasks.some(isDelegated)
      ? { kind: "waiting" }
      : await reviewStop(
          { ...session, paths, settings: hook.settings, options, log, clean },
          {
            asked: await readAsked(world.files, event.transcript_path, event.prompt_id),
            tasks: event.background_tasks,
            cwd: event.cwd ?? session.project,
            isRepeated: event.stop_hook_active === true,
          },
        );
    if (outcome.kind === "unreviewed") log.say(`could not review: ${outcome.why}`);
    if (outcome.kind === "waiting") log.say("no review yet: a delegated agent still works");
  } catch (error) {
    const advice = error instanceof CccError && error.advice !== undefined ? `. ${error.advice}` : "";
    outcome = { kind: "unreviewed", why: `${messageOf(error)}${advice}` };
    hookLog(world, folderOf(), clean).say(outcome.why);
  }
  if (outcome.kind === "unreviewed") outcome = { ...outcome, why: clean(outcome.why) };
  const answer = stopAnswer(outcome, about);
  if (answer !== undefined) world.stdout(JSON.stringify(answer));
}

/** The project is where the session began; the agent itself may have gone elsewhere. */
function projectOf(world: World, event: StopEvent | undefined): string {
  return world.env.CLAUDE_PROJECT_DIR || event?.cwd || world.cwd;
}

/** A ccc.json that is missing or broken does not cost the review. */
function readOptions(world: World, paths: Paths, log: HookLog): SupervisorOptions {
  try {
    if (world.files.read(paths.config) === undefined) return supervisorOptions({});
    return supervisorOptions(loadOwn(world).config);
  } catch (error) {
    log.say(`${messageOf(error)}\nThe supervisor goes on with its defaults.`);
    return supervisorOptions({});
  }
}
