import { join, resolve } from "node:path";
import { isDelegated, type StopEvent } from "../claude/stop-event.ts";
import { loadConfig } from "../config/load.ts";
import { cccPaths, type Paths } from "../config/paths.ts";
import { redact, secretsIn } from "../io/redact.ts";
import type { World } from "../world.ts";
import { type Outcome, stopAnswer } from "./answer.ts";
import { readEvent } from "./event.ts";
import { readInstructions } from "./instructions.ts";
import { type HookLog, hookLog } from "./log.ts";
import { type SupervisorOptions, supervisorOptions } from "./options.ts";
import { readAsked } from "./prompts.ts";
import { reviewMessage } from "./request.ts";
import { review } from "./reviewer.ts";
import { readIdentity, reviewerProgram } from "./reviewer-program.ts";
import { claimRound, type Round, recordFeedback } from "./state.ts";

export interface HookOptions {
  /** The reviewer's settings. */
  readonly settings: string | undefined;
  /** Relative to the project. */
  readonly stateDir: string;
  readonly announce: boolean;
}

/** Answers a Stop event: event → guard → state → request → reviewer → verdict → answer. Whatever happens, it answers. */
export async function superviseStop(world: World, hook: HookOptions): Promise<void> {
  const secrets = secretsIn({ ...world.env, ...(hook.settings && readIdentity(world.files, hook.settings).env) });
  const logIn = (project: string) => hookLog(world, resolve(project, hook.stateDir), secrets);
  let limit = 0;
  let outputFile = "";
  let outcome: Outcome;
  try {
    const event = readEvent(world);
    const project = projectOf(world, event);
    const log = logIn(project);
    const folder = resolve(project, hook.stateDir);
    const paths = cccPaths(world.env, world.platform);
    const options = readOptions(world, paths, log);
    limit = options.maxIterations;
    outputFile = join(folder, `supervisor-${event.session_id}-output.jsonl`);
    outcome = await decide({ world, hook, paths, event, project, folder, log, options, outputFile });
    if (outcome.kind === "unreviewed") log.say(`could not review: ${outcome.why}`);
  } catch (error) {
    outcome = { kind: "unreviewed", why: messageOf(error) };
    logIn(projectOf(world, undefined)).say(outcome.why);
  }
  if (outcome.kind === "unreviewed") outcome = { ...outcome, why: redact(outcome.why, secrets) };
  const answer = stopAnswer(outcome, { limit, announce: hook.announce, outputFile });
  if (answer !== undefined) world.stdout(JSON.stringify(answer));
}

interface Scene {
  readonly world: World;
  readonly hook: HookOptions;
  readonly paths: Paths;
  readonly event: StopEvent;
  readonly project: string;
  readonly folder: string;
  readonly log: HookLog;
  readonly options: SupervisorOptions;
  readonly outputFile: string;
}

async function decide(scene: Scene): Promise<Outcome> {
  const { world, hook, event, project, folder, log, options } = scene;
  if (event.background_tasks.some(isDelegated)) return { kind: "waiting" };
  const asked = await readAsked(event.transcript_path, event.prompt_id);
  const claimed = claim(scene, asked.userPromptId);
  if (claimed === undefined) return { kind: "limit" };

  const { round, statePath } = claimed;
  attempt(scene, () => world.files.writePrivate(join(folder, ".gitignore"), "*\n"));
  const output = attempt(scene, () => world.files.openAppend(scene.outputFile));
  const instructions = readInstructions(world.files, project, scene.paths.folder, log.say);
  const stdin = reviewMessage({
    instructions,
    prompts: asked.prompts,
    round: round.number,
    limit: options.maxIterations,
    earlier: round.earlier,
    tasks: event.background_tasks,
  });
  const program = reviewerProgram(world, hook.settings, event.session_id, instructions);
  const result = await review({
    child: { program, cwd: project, stdin },
    timeoutSeconds: options.timeoutSeconds,
    marker: options.completionMarker,
    run: world.run,
    clock: () => world.now().getTime(),
    onText: (text) => world.stderr(`${text}\n`),
    onLine: (line) => output?.write(Buffer.concat([line, NEWLINE])),
    onNoise: log.say,
  }).finally(() => output?.close());

  if ("failure" in result) return { kind: "unreviewed", why: result.failure };
  const { completed, feedback } = result.verdict;
  log.say(`round ${round.number}: ${completed ? "done" : "not done"}`);
  if (completed) return { kind: "done", rounds: round.number };
  attempt(scene, () => statePath && recordFeedback(world.files, statePath, feedback, world.now().toISOString()));
  return { kind: "rework", round: round.number, feedback };
}

const NEWLINE = Buffer.from("\n");

/** The project is where the session began; the agent itself may have gone elsewhere. */
function projectOf(world: World, event: StopEvent | undefined): string {
  return world.env.CLAUDE_PROJECT_DIR || event?.cwd || world.cwd;
}

/** A ccc.json that is missing or broken does not cost the review. */
function readOptions(world: World, paths: Paths, log: HookLog): SupervisorOptions {
  try {
    if (world.files.read(paths.config) === undefined) return supervisorOptions({});
    return supervisorOptions(loadConfig(world.files, paths, world.version).config);
  } catch (error) {
    log.say(`${messageOf(error)}\nThe supervisor goes on with its defaults.`);
    return supervisorOptions({});
  }
}

/** Counts the review. Where the project's folder cannot be written, ccc's own keeps the count. */
function claim({ world, event, options, log, folder, paths }: Scene, userPromptId: string | undefined) {
  const name = `supervisor-${event.session_id}.json`;
  const wanted = {
    sessionId: event.session_id,
    userPromptId,
    limit: options.maxIterations,
    now: world.now().toISOString(),
  };
  for (const statePath of [join(folder, name), join(paths.generated, name)]) {
    try {
      const round = claimRound(world.files, statePath, wanted, log.say);
      return round && { round, statePath };
    } catch (error) {
      log.say(`the state was not saved: ${messageOf(error)}`);
    }
  }
  // Nothing can be counted, and no loop may be endless: only the first stop of a prompt is reviewed.
  const round: Round = { number: 1, earlier: [] };
  return event.stop_hook_active === true ? undefined : { round, statePath: undefined };
}

/** Does what the review can do without. */
function attempt<T>({ log }: Scene, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    log.say(messageOf(error));
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
