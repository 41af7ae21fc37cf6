import { join } from "node:path";
import {
  type ClaudeArguments,
  claudeStart,
  LONGEST_ARGUMENT,
  NOT_PERSISTED,
  parseClaudeArguments,
} from "../../claude/arguments.ts";
import { agentArguments } from "../../claude/runs.ts";
import { SESSION_ID, savedSession } from "../../claude/sessions.ts";
import type { StreamEvent } from "../../claude/stream.ts";
import { limitWait } from "../../config/defaults.ts";
import { rememberProvider } from "../../config/edit.ts";
import type { Paths } from "../../config/paths.ts";
import { CccError, messageOf, usageError } from "../../errors.ts";
import { prepare } from "../../launch/launch.ts";
import type { Plan } from "../../launch/plan.ts";
import type { ChildRequest } from "../../os/child.ts";
import { createLog } from "../../terminal/dialog.ts";
import { createFooter, type Footer } from "../../terminal/footer.ts";
import { openInputLine, type Typing } from "../../terminal/input.ts";
import { type Redactor, secretsIn } from "../../text/redact.ts";
import { printable } from "../../text/shown.ts";
import { shownDuration, shownTime } from "../../text/words.ts";
import type { EndSignal, Env, World } from "../../world.ts";
import { type LoopBaseline, loopBaseline } from "../changes/baseline.ts";
import { CONTINUE, sessionProblem } from "../limits.ts";
import { nudgeStop } from "../nudge.ts";
import { announcement, meaningOf, type Outcome } from "../outcome.ts";
import { bestEffort, LOG_NAME, projectFiles, STATE_FOLDER, stateFolder, supervisorLog } from "../project.ts";
import { launchRecords } from "../record/launch.ts";
import { loopPrompts } from "../record/prompts.ts";
import { type IdentifiedLaunch, type LoopEnd, openSession } from "../record/session.ts";
import { stateOnRecord } from "../record/state.ts";
import { openStop } from "../record/stops.ts";
import { readLastAnswer } from "../record/transcript.ts";
import { instructionsChange } from "../review/instructions.ts";
import { notReviewed, reviewStop } from "../review/review.ts";
import { assembleStop, type StopFacts } from "../review/stop.ts";
import { sessionRedactor } from "../secrets.ts";
import type { HandOver } from "../setup/prepare.ts";
import type { Supervision } from "../setup/supervision.ts";
import { runAgent } from "./agent.ts";
import { endLoop } from "./ending.ts";
import { type LoopParts, type LoopStop, type LoopView, runLoop, withoutTask } from "./loop.ts";

export interface LoopLaunch {
  readonly plan: Plan;
  readonly args: ClaudeArguments;
  readonly supervision: Supervision;
  readonly record: IdentifiedLaunch;
  readonly paths: Paths;
  /** Keys that references were resolved to. */
  readonly keys: readonly string[];
  readonly handOver: HandOver;
  /** Whether it is on another provider than the one the user named. */
  readonly isRelayed: boolean;
  /** The same launch on each provider of `fallback`, in order. */
  readonly relay: readonly RelayLeg[];
}

/** What differs in the launch on another provider. */
interface RelayLeg extends Pick<LoopLaunch, "plan" | "isRelayed" | "supervision" | "record"> {
  /** Throws if Claude Code does not load its settings. */
  readonly prove: () => Promise<Plan>;
}

/** Runs the loop. On a terminal it then hands the session over to the user, elsewhere it ends with an exit code. */
export async function launchLoop(world: World, launch: LoopLaunch): Promise<number> {
  const redactor = redactorOf(world, launch);
  const { env } = prepare(launch.plan, world, launch.paths, () => ({ createLog, rememberProvider }));
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
  const interruptedBy = () => signals.find((signal) => signal !== "SIGINT") ?? "Ctrl-C";
  const isInterrupted = () => signals.length > 0;
  const current: CurrentLaunch = { launch, env };
  const context = { current, screen, redactor, isInterrupted, interruptedBy, interrupted: interrupted.promise };
  const parts = loopParts(world, launch, context);
  const close = () => {
    const queued = typing?.take() ?? [];
    const unsent = typing?.stop().trim() ?? "";
    footer.stop();
    stopListening();
    return { queued, unsent };
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
  return endLoop(world, current.launch, {
    result,
    provider: launch.plan.provider,
    startedAt,
    signals,
    queued,
    unsent,
    env: current.env,
    redactor,
    footer,
  });
}

/** The launch on the provider that the agent works on now. */
interface CurrentLaunch {
  launch: LoopLaunch;
  /** The agent's environment. */
  env: Env;
}

/** Prepares the launch on another provider, as if the user had named it: with its settings and its key alone. */
async function relayTo(world: World, launch: LoopLaunch, leg: RelayLeg): Promise<CurrentLaunch> {
  // The first launch has already shown its notices.
  const plan = { ...(await leg.prove()), notices: [], remember: false };
  const { env } = prepare(plan, world, launch.paths, () => ({ createLog, rememberProvider }));
  launchRecords(world.files, launch.paths).save(leg.record);
  return { launch: { ...launch, ...leg, plan }, env };
}

/** The plan of the agent's first run, for a dry run. */
export function loopPlan(plan: Plan, { options, prompt }: ClaudeArguments): Plan {
  const settings = plan.settings.agent.path;
  return { ...plan, args: agentArguments({ settings, options, sessionId: undefined, message: prompt }) };
}

/** Claude's arguments, parsed. Throws on options the loop cannot work with. */
export function loopArguments(args: readonly string[]): ClaudeArguments {
  const parsed = parseClaudeArguments(args);
  const refused = parsed.options.find((word) => NOT_IN_A_LOOP.includes(word.split("=")[0] ?? ""));
  if (refused === undefined) return parsed;
  throw usageError(`${refused} cannot be combined with --engine loop`, "Leave it out, or use --engine hook.");
}

const NOT_IN_A_LOOP = ["--output-format", "--input-format", NOT_PERSISTED, "--bg", "--background"];

const LARGEST_PROMPT = 8_000_000;

/** The task: the argument, else what the user types, else stdin. Undefined if they interrupt. */
async function readFirstPrompt(
  world: World,
  argument: string | undefined,
  typing: Typing | undefined,
  interrupted: Promise<void>,
): Promise<string | undefined> {
  const asking = argument === undefined ? ask(world, typing) : { text: argument };
  const asked = await Promise.race([asking, interrupted]);
  if (asked === undefined) return undefined;
  const { text } = asked;
  if (text?.includes("\0")) throw usageError("the prompt contains a NUL character, which cannot be passed to claude");
  if (text !== undefined && text.trim() !== "") return text.trim();
  const example = 'ccc --supervisor --engine loop glm "make the tests pass"';
  throw usageError("no prompt", `Pass it as an argument or on stdin: ${example}`);
}

async function ask(world: World, typing: Typing | undefined) {
  return { text: typing === undefined ? world.stdin(LARGEST_PROMPT) : await typing.next("Task: ") };
}

/** Masks every key of the run: the agent's, the reviewer's, and others that the agent might come across. */
function redactorOf(world: World, { plan, keys, relay }: LoopLaunch): Redactor {
  const plans = [plan, ...relay.map((leg) => leg.plan)];
  const settings = plans.flatMap(({ settings: { agent, reviewer, fallback } }) =>
    [agent, ...(reviewer === undefined ? [] : [reviewer]), ...fallback].map(({ content }) => content),
  );
  return sessionRedactor(world, settings, [...plans.flatMap(({ set }) => [...secretsIn(set)]), ...keys]);
}

interface LoopContext {
  readonly current: CurrentLaunch;
  readonly screen: LoopScreen;
  readonly redactor: Redactor;
  readonly isInterrupted: () => boolean;
  readonly interruptedBy: () => string;
  /** Resolves when the user interrupts. */
  readonly interrupted: Promise<void>;
}

/** The real agent, reviewer and terminal for a loop. */
function loopParts(world: World, launch: LoopLaunch, context: LoopContext): LoopParts & Pick<LoopSupervisor, "close"> {
  const { record, paths } = launch;
  const { redactor, current } = context;
  const { footer, typing } = context.screen;
  const options = launch.supervision;
  const folder = stateFolder(world.cwd);
  // The loop shows the verdict; the rest of the review is in its output file.
  const quiet: World = { ...world, stderr: () => {} };
  const log = supervisorLog(quiet, folder, () => projectFiles(world.files, world.cwd, folder), redactor.text);
  const place = { paths, launch: record, project: record.cwd, cwd: record.cwd };
  const resumed = claudeStart(launch.args.options).resumed?.session ?? "";
  const baseline = loopBaseline(
    world,
    place,
    SESSION_ID.test(resumed) ? openSession(world.files, paths, resumed) : undefined,
  );
  const onTrouble = (message: string) => {
    log.say(message);
    footer.print(`… ${message}`);
  };
  const isSaved = (id: string) => savedSession(world.files, world, id) !== undefined;
  /** The providers that continue without thinking. */
  const withoutThinking = new Set<string>();
  const own = { ...current };
  const first = () => {
    launchRecords(world.files, paths).save(record);
    return own;
  };
  const sent = new Set<string>();
  const { review, close } = loopSupervisor(quiet, () => current.launch, { log, redactor, baseline, sent, onTrouble });
  return {
    onPrompt: baseline.take,
    agent: async (message, sessionId, listen) => {
      const { provider } = current.launch.plan;
      let session = sessionId;
      const onSession = (id: string) => {
        session = id;
        listen.onSession(id);
      };
      const run = (text: string, id: string | undefined) => {
        sent.add(text);
        footer.start("the agent is working");
        const env = withoutThinking.has(provider) ? { ...current.env, [THINKING]: "0" } : current.env;
        const child = {
          ...agentRun(world, current.launch, env, text, id),
          timeoutMs: options.agent_timeout_seconds === 0 ? undefined : options.agent_timeout_seconds * 1000,
        };
        const settings = current.launch.plan.settings.agent.content;
        const canRelay = launch.relay.length > 0;
        const { onEvent } = listen;
        const { text: clean } = redactor;
        return runAgent(world, { child, settings, canRelay, onEvent, onSession, onNoise: log.say, clean });
      };
      const phase = await run(message, sessionId);
      const isThinking = phase.kind === "failed" && sessionProblem(phase.why) === "thinking";
      if (!isThinking || withoutThinking.has(provider) || session === undefined || !isSaved(session)) return phase;
      withoutThinking.add(provider);
      footer.print(`… ${provider} wants its own model's thinking in every answer; continuing without thinking`);
      return run(CONTINUE, session);
    },
    providers: [launch.plan.provider, ...launch.relay.map(({ plan }) => plan.provider)],
    changeProvider: async (name) => {
      const leg = launch.relay.find(({ plan }) => plan.provider === name);
      try {
        Object.assign(current, await (leg === undefined ? first() : relayTo(world, launch, leg)));
        return undefined;
      } catch (error) {
        if (error instanceof CccError) return error.message;
        throw error;
      }
    },
    isSaved,
    review: (id, stop) => {
      footer.start(record.checks.commands.length === 0 ? "the supervisor is reviewing" : "checking and reviewing");
      return review(id, stop);
    },
    typed: () => typing?.take() ?? [],
    isInterrupted: context.isInterrupted,
    interruptedBy: context.interruptedBy,
    close,
    show: createView(footer, options.max_iterations, redactor.text),
    seconds: () => world.now().getTime() / 1000,
    sleep: (seconds) => world.pause(seconds, context.interrupted),
    limitWaitSeconds: limitWait(options, world.isTerminal(2)),
    resumeCommand: (id) => `ccc --supervisor --engine loop ${current.launch.plan.provider} --resume ${id} "continue"`,
  };
}

/** At 0, Claude Code asks no model to think. */
const THINKING = "MAX_THINKING_TOKENS";

/** Every user can see a process's arguments: the prompt is one only if ccc got it that way. */
function agentRun(
  { cwd, platform }: World,
  { plan, args, isRelayed }: LoopLaunch,
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
    isRelayed,
  });
  const input = isArgument ? undefined : message;
  // Claude gets a pseudo-terminal, except on Windows, which has none.
  const stdin = platform === "win32" ? (input ?? "") : { isTerminal: true as const, input };
  return { program: { file: plan.file, args: words, env }, cwd, stdin };
}

interface LoopReviews extends Pick<StopFacts, "log" | "redactor"> {
  readonly baseline: LoopBaseline;
  readonly sent: ReadonlySet<string>;
  /** Reports a problem with a reviewer, or with its instructions, to the user. */
  readonly onTrouble: (message: string) => void;
}

/** The supervision of a loop's session. */
interface LoopSupervisor {
  /** Reviews a stop as the hook does, but without events from Claude Code. */
  readonly review: (id: string, stop: LoopStop) => Promise<Outcome>;
  /** Keeps how the loop ended, and the prompts since the last review: hooks may supervise the session from now on. */
  readonly close: (id: string, ended: LoopEnding) => Promise<void>;
}

interface LoopEnding extends Omit<LoopEnd, "at"> {
  readonly prompts: readonly string[];
}

/** `sent` has every message that was sent to the agent so far. */
function loopSupervisor(
  world: World,
  current: () => LoopLaunch,
  { log, redactor, baseline, sent, onTrouble }: LoopReviews,
): LoopSupervisor {
  const { files } = world;
  const { paths } = current();
  const project = current().record.cwd;
  const folder = stateFolder(world.cwd);
  const write = (action: () => void) => bestEffort(log.say, "write the session record", action);
  const asked = loopPrompts(world.now, write, sent);
  let reported: string | undefined;
  const keepPrompts = async (id: string, prompts: readonly string[]) => {
    const record = openSession(files, paths, id);
    const everyPrompt = await asked.record({ record, transcript: savedSession(files, world, id)?.transcript }, prompts);
    write(() => record.launch.save(current().record));
    write(() => baseline.save(record));
    return everyPrompt;
  };
  const review = async (id: string, { prompts, round, usedTools, answer, agentTokens }: LoopStop): Promise<Outcome> => {
    const { plan, record: launch, supervision: options } = current();
    const record = openSession(files, paths, id);
    const transcript = savedSession(files, world, id)?.transcript;
    const cwd = (transcript && (await readLastAnswer(transcript))?.cwd) || project;
    const everyPrompt = await keepPrompts(id, prompts);
    const open = openStop(world, record, { promptId: undefined, clean: redactor.value, write });
    const change = instructionsChange(
      world,
      paths,
      { session: id, cwd: project, launched: launch.instructions },
      log.say,
    );
    if (change !== undefined && change !== reported) onTrouble(change);
    reported = change;
    const own = bestEffort(log.say, "save the state in the project", () => projectFiles(files, project, folder));
    const stop = assembleStop({
      world,
      id,
      files: own,
      outputFile: join(folder, `supervisor-${id}-output.jsonl`),
      project,
      cwd,
      paths,
      launch,
      settings: plan.settings.reviewer?.path,
      isTerminal: false,
      options,
      redactor,
      log,
      asked: everyPrompt,
      transcript,
      answer,
      hasEnded: true,
      baseline: baseline.current(),
      isRepeated: round > 1,
      agentTokens,
      instructionsChange: change,
      record,
      states: [stateOnRecord(record, { files: own, folder })],
      note: open.note,
      onTrouble,
    });
    // An agent that has exited neither delegates nor waits, and in plan mode the plan is what the loop is for.
    const isTalk = options.when === "changes" && !usedTools;
    const decide = async (): Promise<Outcome> =>
      (await nudgeStop(stop)) ?? (isTalk ? { kind: "skipped", why: "talk" } : reviewStop(stop));
    const outcome = await decide().catch(notReviewed);
    open.close(outcome);
    return outcome;
  };
  const close = async (id: string, { prompts, outcome, reason, usage_limit, relays }: LoopEnding) => {
    // The report and the answer must not get lost with the record.
    await keepPrompts(id, prompts).catch((error) => log.say(`could not record the prompts: ${messageOf(error)}`));
    const { end } = openSession(files, paths, id);
    const ended = { at: world.now().toISOString(), outcome, reason: redactor.text(reason), usage_limit };
    write(() => end.save({ ...ended, relays: [...(end.read()?.relays ?? []), ...redactor.value(relays)] }));
  };
  return { review, close };
}

/** What the loop shows, and what the user types while it runs. */
interface LoopScreen {
  readonly footer: Footer;
  /** Undefined if stdin is not a terminal. */
  readonly typing: Typing | undefined;
}

/** On a terminal: progress and an input line at the bottom, output above. Elsewhere, only lines are printed. */
export function openLoopScreen(world: World, clean: (text: string) => string): LoopScreen {
  const footer = createFooter(world);
  const shown: Footer = { ...footer, print: (text) => footer.print(printable(clean(text))) };
  const onMessage = (message: string) => shown.print(`queued: ${message.replaceAll("\n", "\n        ")}`);
  return { footer: shown, typing: openTyping(world, shown, onMessage) };
}

function openTyping(world: World, footer: Footer, onMessage: (message: string) => void): Typing | undefined {
  if (!world.isTerminal(0)) return undefined;
  return footer.isAnimated ? openInputLine({ footer, keyboard: world.keyboard, onMessage }) : world.typing(onMessage);
}

/** Shows the loop on a terminal: what the agent says, a line per tool call, the verdict of each round. */
export function createView(footer: Footer, limit: number, clean: (text: string) => string): LoopView {
  return {
    event: (event) => {
      for (const line of describe(event, clean)) footer.print(line);
    },
    outcome: (outcome) => {
      footer.print(announcement(outcome, limit, `${STATE_FOLDER}/${LOG_NAME}`));
      if ("proof" in outcome && outcome.proof !== undefined) footer.print(outcome.proof);
      const { feedback } = meaningOf(outcome);
      if (feedback !== undefined) footer.print(indented(feedback));
    },
    waiting: ({ isResetKnown, until, left }, isStart) => {
      const what = isResetKnown ? "waiting for the usage limit to reset" : "waiting before the next attempt";
      if (isStart || !footer.isAnimated) footer.print(`… ${what}: ${shownTime(until)}, in ${shownDuration(left)}`);
      if (isStart) footer.start(what, new Date(until * 1000));
    },
    relayed: ({ from, to, why }) => {
      const reason = why.replace(/\.$/, "");
      footer.print(`… ${why.startsWith(to) ? reason : `${from}: ${reason}`}. Continuing on ${to}`);
    },
  };
}

const LONGEST_TOOL_LINE = 120;

function describe(event: StreamEvent, clean: (text: string) => string): string[] {
  if (event.kind === "retry")
    return [`… API error${event.status === undefined ? "" : ` (HTTP ${event.status})`}; claude is retrying`];
  if (event.kind !== "text") return [];
  const tools = event.tools.map(({ name, what }) => `→ ${name}${what === "" ? "" : `: ${firstLine(clean(what))}`}`);
  return event.text.trim() === "" ? tools : [event.text.trim(), ...tools];
}

/** The text must be redacted before it is cut: half a key would not be recognized. */
function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > LONGEST_TOOL_LINE ? `${line.slice(0, LONGEST_TOOL_LINE)}…` : line;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
