import { agentArguments } from "../../claude/agent-command.ts";
import { type ClaudeArguments, LONGEST_ARGUMENT, resumedSession } from "../../claude/arguments.ts";
import { SESSION_ID } from "../../claude/session-id.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { SUPERVISOR_DEFAULTS } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Plan } from "../../launch/plan.ts";
import type { ChildRequest } from "../../os/child.ts";
import { pause } from "../../os/pause.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { Env, World } from "../../world.ts";
import { projectFiles, stateFolder } from "../project-folder.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { sessionRecord } from "../record/session-record.ts";
import type { HandOver } from "../setup/planned-hand-over.ts";
import type { Supervision } from "../setup/supervised-settings.ts";
import { supervisorLog } from "../supervisor-log.ts";
import { supervisorOptions } from "../supervisor-options.ts";
import { runAgent } from "./agent.ts";
import { loopBaseline } from "./loop-baseline.ts";
import { type LoopSupervisor, loopSupervisor } from "./loop-reviews.ts";
import type { LoopScreen } from "./loop-screen.ts";
import { retriedLimit } from "./retried-limit.ts";
import type { LoopParts } from "./run-loop.ts";
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
  readonly handOver: HandOver;
}

export interface LoopContext {
  /** The agent's environment. */
  readonly env: Env;
  readonly screen: LoopScreen;
  readonly redactor: Redactor;
  readonly isInterrupted: () => boolean;
  readonly interruptedBy: () => string;
  /** Resolves when the user interrupts. */
  readonly interrupted: Promise<void>;
}

/** The real agent, reviewer and terminal for a loop. */
export function loopParts(
  world: World,
  launch: LoopLaunch,
  context: LoopContext,
): LoopParts & Pick<LoopSupervisor, "close"> {
  const { plan, record, paths } = launch;
  const { redactor } = context;
  const { footer, typing } = context.screen;
  const options = supervisorOptions(launch.loaded.config);
  const folder = stateFolder(world.cwd);
  // The loop shows the verdict; the rest of the review is in its output file.
  const quiet: World = { ...world, stderr: () => {} };
  const log = supervisorLog(quiet, folder, () => projectFiles(world.files, world.cwd, folder), redactor.text);
  const settings = plan.settings.reviewer?.path;
  const place = { paths, launch: record, project: record.cwd, cwd: record.cwd };
  const resumed = resumedSession(launch.args.options)?.session ?? "";
  const baseline = loopBaseline(world, place, SESSION_ID.test(resumed) ? sessionRecord(paths, resumed) : undefined);
  const onTrouble = (message: string) => {
    log.say(message);
    footer.print(`… ${message}`);
  };
  const sent = new Set<string>();
  const kept = { paths, launch: record, folder, settings, baseline, sent };
  const { review, close } = loopSupervisor(quiet, { ...kept, options, log, redactor, onTrouble });
  return {
    onPrompt: baseline.take,
    agent: (message, sessionId, listen) => {
      sent.add(message);
      footer.start("the agent is working");
      const child = {
        ...agentRun(world, launch, context.env, message, sessionId),
        timeoutMs: options.agentTimeoutSeconds === 0 ? undefined : options.agentTimeoutSeconds * 1000,
      };
      return runAgent({
        ...{ child, run: world.run, ...listen, onNoise: log.say, clean: redactor.text, now: world.now },
        retriedLimit: (id) => retriedLimit(world, id),
      });
    },
    review: (id, stop) => {
      footer.start(record.checks.commands.length === 0 ? "the supervisor is reviewing" : "checking and reviewing");
      return review(id, stop);
    },
    typed: () => typing?.take() ?? [],
    isInterrupted: context.isInterrupted,
    interruptedBy: context.interruptedBy,
    close,
    show: createView(footer, options.maxIterations, redactor.text),
    seconds: () => world.now().getTime() / 1000,
    sleep: (seconds) => pause(seconds, context.interrupted),
    limitWaitSeconds: options.limitWaitSeconds ?? (world.isTerminal(2) ? SUPERVISOR_DEFAULTS.limitWaitSeconds : 0),
    resumeCommand: (id) => `ccc --supervisor --engine loop ${plan.provider} --resume ${id} "go on"`,
  };
}

/** Every user can see a process's arguments: the prompt is one only if ccc got it that way. */
function agentRun(
  { cwd, platform }: World,
  { plan, args }: LoopLaunch,
  env: Env,
  message: string,
  sessionId: string | undefined,
): Pick<ChildRequest, "program" | "cwd" | "stdin"> {
  const isArgument = sessionId === undefined && args.prompt !== undefined && message.length <= LONGEST_ARGUMENT;
  const words = agentArguments({
    settings: plan.settings.agent.path,
    options: args.options,
    sessionId,
    message: isArgument ? message : undefined,
  });
  const input = isArgument ? undefined : message;
  // Claude gets a pseudo-terminal, except on Windows, which has none.
  const stdin = platform === "win32" ? (input ?? "") : { isTerminal: true as const, input };
  return { program: { file: plan.file, args: words, env }, cwd, stdin };
}
