import { join } from "node:path";
import { agentArguments, handOverArguments, refuseAgentOptions } from "../claude/agent-command.ts";
import { parseClaudeArguments } from "../claude/arguments.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { type ChildRequest, TERMINAL } from "../io/child.ts";
import { EXIT, messageOf, usageError } from "../io/errors.ts";
import { redact, secretsIn } from "../io/redact.ts";
import { createSpinner, type Spinner } from "../io/spinner.ts";
import type { Typing } from "../io/typing.ts";
import { prepare } from "../launch/execute.ts";
import type { Plan } from "../launch/plan.ts";
import type { Supervision } from "../launch/supervise.ts";
import { runAgent } from "../supervisor/agent.ts";
import { hookLog } from "../supervisor/log.ts";
import { type LoopResult, runLoop } from "../supervisor/loop.ts";
import { supervisorOptions } from "../supervisor/options.ts";
import { figures, type Report, reportSummary } from "../supervisor/report.ts";
import { reviewStop } from "../supervisor/round.ts";
import { createView } from "../supervisor/view.ts";
import type { EndSignal, Env, World } from "../world.ts";

export interface LoopLaunch {
  readonly plan: Plan;
  /** Claude's arguments, the user's and those of ccc.json. */
  readonly args: readonly string[];
  readonly supervision: Supervision;
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
}

/** Runs agent and reviewer in turn; on a terminal hands the session over to the user, elsewhere ends with an exit code. */
export async function launchLoop(world: World, launch: LoopLaunch): Promise<number> {
  const { options, prompt } = parseClaudeArguments(launch.args);
  refuseAgentOptions(options);
  const isInteractive = world.isTerminal(0) && world.isTerminal(1);
  const env = prepare(launch.plan, world, launch.paths);
  const spinner = createSpinner(world.stderr, world.isTerminal(2) && !world.env.NO_COLOR, world.now);
  const typing = isInteractive ? world.typing((line) => spinner.print(`queued: ${line}`)) : undefined;
  const first = prompt ?? (await readPrompt(world, typing));
  let signal: EndSignal | undefined;
  const stopListening = world.onSignal((which) => {
    signal ??= which;
  });
  const startedAt = world.now();
  const result = await loop(world, launch, {
    first,
    options,
    env,
    spinner,
    typing,
    isInterrupted: () => signal !== undefined,
  });
  spinner.stop();
  typing?.stop();
  stopListening();
  spinner.print(`${result.outcome}${result.reason === "" ? "" : `: ${result.reason}`}. ${figures(result.agent)}`);

  const [settings] = launch.plan.files;
  if (
    isInteractive &&
    result.session_id !== null &&
    settings !== undefined &&
    signal !== "SIGTERM" &&
    signal !== "SIGHUP"
  ) {
    return world.exec({
      file: launch.plan.file,
      args: handOverArguments(settings.path, options, result.session_id),
      env,
    });
  }
  const exitCode = exitCodeOf(result, signal);
  if (result.answer !== "") world.stdout(`${result.answer}\n`);
  leaveReport(world, launch, {
    ...result,
    exit_code: exitCode,
    started_at: startedAt.toISOString(),
    ended_at: world.now().toISOString(),
  });
  return exitCode;
}

interface Running {
  readonly first: string;
  readonly options: readonly string[];
  readonly env: Env;
  readonly spinner: Spinner;
  readonly typing: Typing | undefined;
  readonly isInterrupted: () => boolean;
}

function loop(world: World, { plan, loaded, paths }: LoopLaunch, running: Running): Promise<LoopResult> {
  const { options, env, spinner, typing } = running;
  const supervisor = supervisorOptions(loaded.config);
  const [agentSettings, reviewerSettings] = plan.files;
  const folder = stateFolder(world);
  const secrets = secretsIn({ ...world.env, ...plan.set });
  const clean = (text: string) => redact(text, secrets);
  const log = hookLog({ ...world, stderr: () => {} }, folder, clean);
  const timeoutMs = supervisor.timeoutSeconds * 1000;
  const startedAt = world.now().toISOString();
  return runLoop(running.first, {
    agent: (message, sessionId, listen) => {
      spinner.start("the agent works");
      const args = agentArguments({ settings: agentSettings?.path ?? "", options, sessionId, message });
      const child = { program: { file: plan.file, args, env }, cwd: world.cwd, stdin: onTerminal(world), timeoutMs };
      return runAgent({ child, run: world.run, ...listen, onNoise: log.say });
    },
    review: (id, prompts) => {
      spinner.start("the supervisor reviews");
      const session = {
        world: quiet(world),
        id,
        project: world.cwd,
        folder,
        paths,
        settings: reviewerSettings?.path,
        options: supervisor,
        log,
        clean,
      };
      // Counting starts anew with each prompt of the user.
      const asked = { prompts, userPromptId: `loop ${startedAt} ${prompts.length}` };
      return reviewStop(session, { asked, tasks: [], cwd: world.cwd, isRepeated: false });
    },
    typed: () => typing?.take() ?? [],
    isInterrupted: running.isInterrupted,
    show: createView(spinner, supervisor.maxIterations),
    seconds: () => world.now().getTime() / 1000,
  });
}

function stateFolder({ cwd }: World): string {
  return join(cwd, ".claude/ccc");
}

/** Windows has no terminals to give away. */
function onTerminal({ platform }: World): ChildRequest["stdin"] {
  return platform === "win32" ? "" : TERMINAL;
}

/** The reviewer's own words are in its output file; the loop shows its verdict. */
function quiet(world: World): World {
  return { ...world, stderr: () => {} };
}

const LARGEST_PROMPT = 8_000_000;

async function readPrompt(world: World, typing: Typing | undefined): Promise<string> {
  if (typing !== undefined) world.stderr("What is to be done? ");
  const text = typing === undefined ? world.stdin(LARGEST_PROMPT)?.trim() : await typing.next();
  if (text) return text;
  throw usageError(
    "there is no prompt",
    'Give it as an argument or on stdin: ccc --supervisor --engine loop glm "make the tests pass"',
  );
}

function exitCodeOf({ outcome }: LoopResult, signal: EndSignal | undefined): number {
  if (outcome === "interrupted") return signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
  return { done: EXIT.ok, failed: EXIT.failure, "not done": EXIT.notDone, "not reviewed": EXIT.notReviewed }[outcome];
}

function leaveReport(
  world: World,
  { plan, supervision }: LoopLaunch,
  parts: Omit<Report, "provider" | "reviewer">,
): void {
  const report: Report = { provider: plan.provider, reviewer: supervision.reviewerProvider ?? plan.provider, ...parts };
  try {
    const name = `supervisor-${report.session_id ?? "none"}-report.json`;
    world.files.writePrivate(join(stateFolder(world), name), `${JSON.stringify(report, null, 2)}\n`);
    const { GITHUB_STEP_SUMMARY: summary } = world.env;
    if (summary) world.files.append(summary, reportSummary(report), Number.POSITIVE_INFINITY);
  } catch (error) {
    world.stderr(`ccc: the report was not written: ${messageOf(error)}\n`);
  }
}
