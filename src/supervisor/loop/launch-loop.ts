import { handOverArguments } from "../../claude/agent-command.ts";
import { EXIT } from "../../errors.ts";
import { prepare } from "../../launch/execute.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { secretsIn } from "../../text/redact.ts";
import { createRedactor, type Redactor } from "../../text/redactor.ts";
import type { EndSignal, World } from "../../world.ts";
import { knownSecrets } from "../known-secrets.ts";
import { figures } from "./figures.ts";
import { readFirstPrompt } from "./first-prompt.ts";
import { type LoopLaunch, loopParts } from "./loop-parts.ts";
import { leaveReport } from "./report.ts";
import { type LoopResult, runLoop } from "./run-loop.ts";

/** Runs the loop. On a terminal it then hands the session over to the user, elsewhere it ends with an exit code. */
export async function launchLoop(world: World, launch: LoopLaunch): Promise<number> {
  const { plan } = launch;
  const redactor = redactorOf(world, launch);
  const env = prepare(plan, world, launch.paths);
  const print = (text: string) => world.stderr(redactor.text(text));
  const spinner = createSpinner(print, world.isTerminal(2) && !world.env.NO_COLOR, world.now);
  const typing = world.isTerminal(0) ? world.typing((line) => spinner.print(`queued: ${line}`)) : undefined;
  const prompt = await readFirstPrompt(world, launch.args.prompt, typing);
  const signals: EndSignal[] = [];
  const stopListening = world.onSignal((signal) => {
    signals.push(signal);
    if (signals.length === 1 && signal === "SIGINT") spinner.print("stopping; press Ctrl-C again to quit now");
  });
  const startedAt = world.now().toISOString();
  const isInterrupted = () => signals.length > 0;
  const result = await runLoop(prompt, loopParts(world, launch, { env, spinner, typing, redactor, isInterrupted }));
  spinner.stop();
  const typed = typing?.take() ?? [];
  typing?.stop();
  stopListening();
  const end = `${endLine(result)} ${figures(result)}`;

  const isHandedOver = world.isTerminal(0) && world.isTerminal(1) && isOneCtrlCAtMost(signals);
  if (isHandedOver && result.session_id !== null) {
    spinner.print(end);
    const args = handOverArguments(plan.settings.agent.path, launch.args.options, result.session_id, typed);
    return world.exec({ file: plan.file, args, env });
  }
  const exitCode = exitCodeOf(result, signals);
  const times = { exit_code: exitCode, started_at: startedAt, ended_at: world.now().toISOString() };
  const providers = { provider: plan.provider, reviewer: launch.supervision.reviewerProvider ?? plan.provider };
  leaveReport({ ...providers, ...result, prompts: [...result.prompts, ...typed], ...times }, redactor, world);
  spinner.print(end);
  // Programs may use the answer: mask known keys only, not what merely looks like a secret.
  if (result.answer !== "") world.stdout(`${redactor.known(result.answer)}\n`);
  return exitCode;
}

/** Covers every key of the run: the agent's, the reviewer's, and others the agent might come across. */
function redactorOf(world: World, { plan, keys }: LoopLaunch): Redactor {
  const { agent, reviewer } = plan.settings;
  const settings = [agent, ...(reviewer === undefined ? [] : [reviewer])].map(({ content }) => content);
  return createRedactor([...knownSecrets(world, settings), ...secretsIn(plan.set), ...keys]);
}

/** "Done." or "Not done: review limit reached; …." */
function endLine({ outcome, reason }: LoopResult): string {
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}${reason === "" ? "" : `: ${reason}`}.`;
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
