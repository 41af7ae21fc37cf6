import { join, resolve } from "node:path";
import * as v from "valibot";
import { reviewerArguments } from "../claude/reviewer-command.ts";
import { withoutSession } from "../claude/session-env.ts";
import { isDelegated, type StopEvent, StopEventSchema } from "../claude/stop-hook.ts";
import { loadConfig } from "../config/load.ts";
import { cccPaths, type Paths } from "../config/paths.ts";
import { CccError } from "../io/errors.ts";
import type { Appender } from "../io/files.ts";
import { redact, secretsIn } from "../io/redact.ts";
import { findClaude } from "../launch/find.ts";
import { withoutProvider } from "../providers/variables.ts";
import type { Program, World } from "../world.ts";
import { type Outcome, stopAnswer } from "./answer.ts";
import { REVIEWER_MARK } from "./guard.ts";
import { readInstructions } from "./instructions.ts";
import { type HookLog, hookLog } from "./log.ts";
import { type SupervisorOptions, supervisorOptions } from "./options.ts";
import { readAsked } from "./prompts.ts";
import { reviewMessage } from "./request.ts";
import { review } from "./reviewer.ts";
import { claimRound, type Round, recordFeedback } from "./state.ts";
import { verdictJsonSchema } from "./verdict.ts";

export interface HookOptions {
  /** The reviewer's settings. */
  readonly settings: string | undefined;
  /** Relative to the project. */
  readonly stateDir: string;
  readonly announce: boolean;
}

/** Answers a Stop event: event → guard → state → request → reviewer → verdict → answer. Whatever happens, it answers. */
export async function superviseStop(world: World, hook: HookOptions): Promise<void> {
  const secrets = [...secretsIn(world.env), ...settingsSecrets(world, hook.settings)];
  const early = project(world, undefined);
  const scene = { world, hook, secrets, paths: cccPaths(world.env, world.platform) };
  try {
    const event = await readEvent(world);
    const folder = resolve(project(world, event.cwd), hook.stateDir);
    const log = hookLog(world, folder, secrets);
    const options = readOptions(scene.paths, world, log);
    const outputFile = join(folder, `supervisor-${event.session_id}-output.jsonl`);
    const outcome = await decide({ ...scene, event, folder, log, options, outputFile });
    if (outcome.kind === "unreviewed") log.say(`could not review: ${outcome.why}`);
    answer(world, outcome, { limit: options.maxIterations, announce: hook.announce, outputFile }, secrets);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    hookLog(world, resolve(early, hook.stateDir), secrets).say(why);
    answer(world, { kind: "unreviewed", why }, { limit: 0, announce: hook.announce, outputFile: "" }, secrets);
  }
}

interface Scene {
  readonly world: World;
  readonly hook: HookOptions;
  readonly paths: Paths;
  readonly event: StopEvent;
  readonly folder: string;
  readonly log: HookLog;
  readonly options: SupervisorOptions;
  readonly outputFile: string;
}

async function decide(scene: Scene): Promise<Outcome> {
  const { world, event, folder, log, options } = scene;
  if (event.background_tasks.some(isDelegated)) return { kind: "waiting" };
  const asked = await readAsked(event.transcript_path, event.prompt_id);
  const state = join(folder, `supervisor-${event.session_id}.json`);
  const claimed = claim(
    scene,
    [state, join(scene.paths.generated, `supervisor-${event.session_id}.json`)],
    asked.userPromptId,
  );
  if (claimed === undefined) return { kind: "limit" };

  const { round, statePath } = claimed;
  ignoreInGit(scene);
  const instructions = readInstructions(world.files, project(world, event.cwd), scene.paths.folder, log.say);
  const message = reviewMessage({
    instructions,
    prompts: asked.prompts,
    round: round.number,
    limit: options.maxIterations,
    earlier: round.earlier,
    tasks: event.background_tasks,
  });
  const output = openOutput(scene);
  const result = await review({
    child: { program: reviewer(scene, instructions), cwd: project(world, event.cwd), stdin: message },
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
/** Claude Code's own events are a few kilobytes. */
const LARGEST_EVENT = 8_000_000;

async function readEvent(world: World): Promise<StopEvent> {
  const text = await world.stdin(LARGEST_EVENT);
  if (text === undefined) throw new CccError("the event on stdin is too large");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new CccError(text.trim() === "" ? "there is no event on stdin" : "the event on stdin is not JSON");
  }
  const event = v.safeParse(StopEventSchema, json);
  if (event.success) return event.output;
  throw new CccError(`the event on stdin is not a Stop event: ${v.getDotPath(event.issues[0]) ?? "it is no object"}`);
}

/** The project is where the session began; the agent itself may have gone elsewhere. */
function project(world: World, cwd: string | undefined): string {
  return world.env.CLAUDE_PROJECT_DIR || cwd || world.cwd;
}

/** A ccc.json that is missing or broken does not cost the review. */
function readOptions(paths: Paths, world: World, log: HookLog): SupervisorOptions {
  try {
    if (world.files.read(paths.config) === undefined) return supervisorOptions({});
    return supervisorOptions(loadConfig(world.files, paths, world.version).config);
  } catch (error) {
    log.say(`${error instanceof Error ? error.message : error}\nThe supervisor goes on with its defaults.`);
    return supervisorOptions({});
  }
}

/** Counts the review. Where the project's folder cannot be written, ccc's own keeps the count. */
function claim({ world, event, options, log }: Scene, places: readonly string[], userPromptId: string | undefined) {
  const now = world.now().toISOString();
  for (const statePath of places) {
    try {
      const wanted = { sessionId: event.session_id, userPromptId, limit: options.maxIterations, now };
      const round = claimRound(world.files, statePath, wanted, log.say);
      return round && { round, statePath };
    } catch (error) {
      log.say(`the state was not saved: ${error instanceof Error ? error.message : error}`);
    }
  }
  // Nothing can be counted, and no loop may be endless: only the first stop of a prompt is reviewed.
  const round: Round = { number: 1, earlier: [] };
  return event.stop_hook_active === true ? undefined : { round, statePath: undefined };
}

function reviewer({ world, hook, event }: Scene, instructions: string): Program {
  const args = reviewerArguments({
    sessionId: event.session_id,
    settings: hook.settings,
    instructions,
    schema: verdictJsonSchema(),
  });
  // The agent's keys are in the hook's environment; the reviewer has its own in its settings.
  const own = hook.settings === undefined ? world.env : withoutProvider(world.env);
  const env = { ...withoutSession(own), [REVIEWER_MARK]: "1" };
  return { file: findClaude(world), args, env };
}

function openOutput(scene: Scene): Appender | undefined {
  return attempt(scene, () => scene.world.files.openAppend(scene.outputFile));
}

function ignoreInGit(scene: Scene): void {
  attempt(scene, () => scene.world.files.writePrivate(join(scene.folder, ".gitignore"), "*\n"));
}

/** Does what the review can do without. */
function attempt<T>({ log }: Scene, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    log.say(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function settingsSecrets(world: World, settings: string | undefined): string[] {
  try {
    const { env } = JSON.parse((settings && world.files.read(settings)) || "{}");
    return secretsIn(env ?? {});
  } catch {
    return [];
  }
}

function answer(
  world: World,
  outcome: Outcome,
  options: Parameters<typeof stopAnswer>[1],
  secrets: readonly string[],
): void {
  const given = stopAnswer(
    outcome.kind === "unreviewed" ? { ...outcome, why: redact(outcome.why, secrets) } : outcome,
    options,
  );
  if (given !== undefined) world.stdout(JSON.stringify(given));
}
