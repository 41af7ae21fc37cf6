import { agentArguments, handOverArguments, refuseAgentOptions } from "../../claude/agent-command.ts";
import { type ClaudeArguments, LONGEST_ARGUMENT, parseClaudeArguments } from "../../claude/arguments.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { EXIT } from "../../errors.ts";
import { prepare } from "../../launch/execute.ts";
import type { Plan } from "../../launch/plan.ts";
import type { ChildRequest } from "../../os/child.ts";
import { createSpinner, type Spinner } from "../../terminal/spinner.ts";
import type { Typing } from "../../terminal/typing.ts";
import { secretsIn } from "../../text/redact.ts";
import { createRedactor, type Redactor } from "../../text/redactor.ts";
import type { EndSignal, Env, World } from "../../world.ts";
import { knownSecrets } from "../known-secrets.ts";
import { projectFiles, stateFolder } from "../project-folder.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import type { Supervision } from "../setup/supervised-settings.ts";
import { hookLog } from "../supervisor-log.ts";
import { supervisorOptions } from "../supervisor-options.ts";
import { runAgent } from "./agent.ts";
import { figures } from "./figures.ts";
import { readPrompt } from "./first-prompt.ts";
import { leaveReport } from "./leave-report.ts";
import { loopReviews } from "./loop-reviews.ts";
import { type LoopResult, runLoop } from "./run-loop.ts";
import { createView } from "./view.ts";

export interface LoopLaunch {
  readonly plan: Plan;
  readonly args: ClaudeArguments;
  readonly supervision: Supervision;
  readonly record: LaunchRecord;
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  /** Keys that references were resolved to. */
  readonly keys: readonly string[];
}

/** Claude's arguments, parsed. Throws on options the loop cannot work with. */
export function loopArguments(args: readonly string[]): ClaudeArguments {
  const parsed = parseClaudeArguments(args);
  refuseAgentOptions(parsed.options);
  return parsed;
}

/** The plan of the agent's first run, for a dry run. */
export function loopPlan(plan: Plan, { options, prompt }: ClaudeArguments): Plan {
  const settings = plan.settings.agent.path;
  return { ...plan, args: agentArguments({ settings, options, sessionId: undefined, message: prompt }) };
}

/** Runs the loop. On a terminal it then hands the session over to the user, elsewhere it ends with an exit code. */
export async function launchLoop(world: World, launch: LoopLaunch): Promise<number> {
  const { options } = launch.args;
  const redactor = redactorOf(world, launch);
  const env = prepare(launch.plan, world, launch.paths);
  const spinner = createSpinner(
    (text) => world.stderr(redactor.text(text)),
    world.isTerminal(2) && !world.env.NO_COLOR,
    world.now,
  );
  const typing = world.isTerminal(0) ? world.typing((line) => spinner.print(`queued: ${line}`)) : undefined;
  const first = await readPrompt(world, launch.args.prompt, typing);
  const signals: EndSignal[] = [];
  const stopListening = world.onSignal((signal) => {
    signals.push(signal);
    if (signals.length === 1 && signal === "SIGINT") spinner.print("stopping; press Ctrl-C again to quit now");
  });
  const startedAt = world.now().toISOString();
  const result = await loop(world, launch, {
    first,
    env,
    spinner,
    typing,
    redactor,
    isInterrupted: () => signals.length > 0,
  });
  spinner.stop();
  const typed = typing?.take() ?? [];
  typing?.stop();
  stopListening();
  const end = `${endLine(result)} ${figures(result)}`;

  const isHandedOver = world.isTerminal(0) && world.isTerminal(1) && isOneCtrlCAtMost(signals);
  if (isHandedOver && result.session_id !== null) {
    spinner.print(end);
    const args = handOverArguments(launch.plan.settings.agent.path, options, result.session_id, typed);
    return world.exec({ file: launch.plan.file, args, env });
  }
  const exitCode = exitCodeOf(result, signals);
  const { provider } = launch.plan;
  const times = { exit_code: exitCode, started_at: startedAt, ended_at: world.now().toISOString() };
  const parties = { provider, reviewer: launch.supervision.reviewerProvider ?? provider };
  leaveReport({ ...parties, ...result, prompts: [...result.prompts, ...typed], ...times }, redactor, world);
  spinner.print(end);
  // Programs may use the answer: mask known keys only, not what merely looks like a secret.
  if (result.answer !== "") world.stdout(`${redactor.known(result.answer)}\n`);
  return exitCode;
}

/** "Done." or "Not done: review limit reached; …." */
function endLine({ outcome, reason }: LoopResult): string {
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}${reason === "" ? "" : `: ${reason}`}.`;
}

/** Covers every key of the run: the agent's, the reviewer's, and others the agent might come across. */
function redactorOf(world: World, { plan, keys }: LoopLaunch): Redactor {
  const parties = [plan.settings.agent, ...(plan.settings.reviewer === undefined ? [] : [plan.settings.reviewer])];
  const inSettings = parties.map(({ content }) => content);
  return createRedactor([...knownSecrets(world, inSettings), ...secretsIn(plan.set), ...keys]);
}

interface Running {
  readonly first: string;
  readonly env: Env;
  readonly spinner: Spinner;
  readonly typing: Typing | undefined;
  readonly redactor: Redactor;
  readonly isInterrupted: () => boolean;
}

function loop(world: World, { plan, args, record, loaded, paths }: LoopLaunch, running: Running): Promise<LoopResult> {
  const { env, spinner, typing, redactor } = running;
  const options = supervisorOptions(loaded.config);
  const folder = stateFolder(world.cwd);
  // The loop shows the verdict; the rest of the review is in its output file.
  const quiet: World = { ...world, stderr: () => {} };
  const log = hookLog(quiet, folder, () => projectFiles(world.files, world.cwd, folder), redactor.text);
  const timeoutMs = options.timeoutSeconds * 1000;
  const settings = plan.settings.reviewer?.path;
  const review = loopReviews(quiet, { paths, launch: record, folder, settings, options, log, redactor });
  return runLoop(running.first, {
    agent: (message, sessionId, listen) => {
      spinner.start("the agent is working");
      // Every user can see a process's arguments: pass the prompt as one only if ccc got it that way.
      const isArgument = sessionId === undefined && args.prompt !== undefined && message.length <= LONGEST_ARGUMENT;
      const words = {
        settings: plan.settings.agent.path,
        options: args.options,
        sessionId,
        message: isArgument ? message : undefined,
      };
      const program = { file: plan.file, args: agentArguments(words), env };
      const child = { program, cwd: world.cwd, stdin: onTerminal(world, isArgument ? undefined : message), timeoutMs };
      return runAgent({ child, run: world.run, ...listen, onNoise: log.say, clean: redactor.text });
    },
    review: (id, stop) => {
      spinner.start("the supervisor is reviewing");
      return review(id, stop);
    },
    typed: () => typing?.take() ?? [],
    isInterrupted: running.isInterrupted,
    show: createView(spinner, options.maxIterations, redactor.text),
    seconds: () => world.now().getTime() / 1000,
  });
}

/** Claude gets a pseudo-terminal, except on Windows, which has none. */
function onTerminal({ platform }: World, input: string | undefined): ChildRequest["stdin"] {
  return platform === "win32" ? (input ?? "") : { isTerminal: true, input };
}

/** One Ctrl-C means "let me take over"; a second one, or another signal, means "quit". */
function isOneCtrlCAtMost(signals: readonly EndSignal[]): boolean {
  return signals.length === 0 || (signals.length === 1 && signals[0] === "SIGINT");
}

function exitCodeOf({ outcome }: LoopResult, signals: readonly EndSignal[]): number {
  if (outcome === "interrupted")
    return signals.some((signal) => signal !== "SIGINT") ? EXIT.terminated : EXIT.interrupted;
  return { done: EXIT.ok, failed: EXIT.failure, "not done": EXIT.notDone, "not reviewed": EXIT.notReviewed }[outcome];
}
