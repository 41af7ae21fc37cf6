import { savedSession } from "../../claude/sessions.ts";
import { prepare } from "../../launch/execute.ts";
import { printable } from "../../text/printable.ts";
import { secretsIn } from "../../text/redact.ts";
import { createRedactor, type Redactor } from "../../text/redactor.ts";
import { wrap } from "../../text/table.ts";
import type { EndSignal, World } from "../../world.ts";
import { knownSecrets } from "../known-secrets.ts";
import { readFirstPrompt } from "./first-prompt.ts";
import { handOver } from "./hand-over.ts";
import { exitCodeOf, handOverLine, isOneCtrlCAtMost, loopEnd, signalName } from "./loop-ending.ts";
import { notifyOfLoopEnd } from "./loop-notification.ts";
import { type LoopLaunch, loopParts } from "./loop-parts.ts";
import { withoutTask } from "./loop-progress.ts";
import { openLoopScreen } from "./loop-screen.ts";
import { leaveReport } from "./report.ts";
import { runLoop } from "./run-loop.ts";

/** Runs the loop. On a terminal it then hands the session over to the user, elsewhere it ends with an exit code. */
export async function launchLoop(world: World, launch: LoopLaunch): Promise<number> {
  const { plan } = launch;
  const redactor = redactorOf(world, launch);
  const env = prepare(plan, world, launch.paths);
  const screen = openLoopScreen(world, redactor.text);
  const { footer, typing } = screen;
  const signals: EndSignal[] = [];
  const interrupted = Promise.withResolvers<void>();
  const stopListening = world.onSignal((signal) => {
    signals.push(signal);
    interrupted.resolve();
    if (signals.length === 1 && signal === "SIGINT") footer.print("stopping; press Ctrl-C again to quit now");
  });
  const startedAt = world.now().toISOString();
  const interruptedBy = () => signalName(signals.find((signal) => signal !== "SIGINT"));
  const isInterrupted = () => signals.length > 0;
  const context = { env, screen, redactor, isInterrupted, interruptedBy, interrupted: interrupted.promise };
  const parts = loopParts(world, launch, context);
  const close = () => {
    const queued = typing?.take() ?? [];
    const unsent = typing?.stop().trim() ?? "";
    footer.stop();
    stopListening();
    return { queued, unsent: unsent === "" ? [] : [`not sent: ${unsent}`] };
  };
  const work = async () => {
    const prompt = await readFirstPrompt(world, launch.args.prompt, typing, interrupted.promise);
    return prompt === undefined ? withoutTask(interruptedBy()) : runLoop(prompt, parts);
  };
  const result = await work().catch((error: unknown) => {
    close();
    throw error;
  });
  const { queued, unsent } = close();
  if (result.session_id !== null) await parts.close(result.session_id, result);

  const id = result.session_id;
  // Claude Code saves a session with its first answer.
  const canGoOn = id !== null && savedSession(world.files, world, id) !== undefined;
  const isHandedOver = launch.handOver.kind !== "none" && canGoOn && isOneCtrlCAtMost(signals);
  const code = exitCodeOf(result, signals);
  const times = { exit_code: code, started_at: startedAt, ended_at: world.now().toISOString() };
  const providers = { provider: plan.provider, reviewer: launch.supervision.reviewerProvider ?? plan.provider };
  const ended = { ...result, ...times, handed_over: isHandedOver, prompts: [...result.prompts, ...queued] };
  leaveReport({ ...providers, ...ended }, redactor, world);
  const { whole, below } = loopEnd({ ...result, session_id: canGoOn ? id : null }, plan.provider, isHandedOver);
  await notifyOfLoopEnd(world, launch, result, {
    message: redactor.text(whole[0] ?? ""),
    seconds: (world.now().getTime() - Date.parse(startedAt)) / 1000,
    say: footer.print,
  });
  const next = isHandedOver ? handOverLine(launch.handOver, launch.supervision.limit) : [];
  for (const line of [...unsent, ...below, ...next])
    footer.print(footer.isAnimated ? wrap(line, world.columns(2)) : line);
  if (isHandedOver) {
    const notice = printable(redactor.text([...unsent, ...whole, ...next].join("\n")));
    return handOver(world, launch, { id, typed: queued, env, notice, code, outcome: result.outcome });
  }
  // Programs may use the answer: mask known keys only, not what merely looks like a secret.
  const answer = redactor.known(result.answer);
  if (answer !== "") world.stdout(`${world.isTerminal(1) ? printable(answer) : answer}\n`);
  return code;
}

/** Covers every key of the run: the agent's, the reviewer's, and others the agent might come across. */
function redactorOf(world: World, { plan, keys }: LoopLaunch): Redactor {
  const { agent, reviewer, fallback } = plan.settings;
  const settings = [agent, ...(reviewer === undefined ? [] : [reviewer]), ...fallback].map(({ content }) => content);
  return createRedactor([...knownSecrets(world, settings), ...secretsIn(plan.set), ...keys]);
}
