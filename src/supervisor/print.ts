import { claudeStart } from "../claude/arguments.ts";
import { savedSession } from "../claude/sessions.ts";
import { rememberProvider } from "../config/edit.ts";
import type { Paths } from "../config/paths.ts";
import { EXIT } from "../errors.ts";
import { prepare } from "../launch/launch.ts";
import type { Plan } from "../launch/plan.ts";
import { createLog } from "../terminal/dialog.ts";
import { secretsIn } from "../text/redact.ts";
import type { ProgramEnd, World } from "../world.ts";
import { refusedKey, retriedFailure } from "./limits.ts";
import { LOG_NAME, STATE_FOLDER } from "./project.ts";
import { launchRecords, type RunNote, type RunNotes } from "./record/launch.ts";
import { sessionRedactor } from "./secrets.ts";

/**
 * Carries out the plan of a supervised `-p`. There is no session on a screen, so ccc waits for claude and reports on
 * stderr and in the exit code how the supervision ended. Only claude writes to stdout.
 */
export async function runPrint(plan: Plan, launch: string, world: World, paths: Paths): Promise<number> {
  const program = prepare(plan, world, paths, () => ({ createLog, rememberProvider }));
  const notes = launchRecords(world.files, paths).openNotes(launch);
  const refused = Promise.withResolvers<string>();
  try {
    const running = world.handOver(program, refused.promise);
    const log = createLog(world);
    const refusal = await watch(world, running, notes, {
      tell: log.info,
      // A client waits for claude's result.
      refusal: claudeStart(plan.args).isClient ? () => undefined : refusals(world, plan),
      refuse: refused.resolve,
    });
    const end = await running;
    const { code, lines } =
      refusal === undefined
        ? printEnding(notes.read(), end, plan)
        : withNextStep(notes.read(), { code: EXIT.failure, lines: [`NOT reviewed: ${refusal}`] }, plan.provider);
    for (const line of lines) log.info(line);
    return code;
  } finally {
    notes.remove();
  }
}

/**
 * Whether ccc waits for a supervised claude and says how the supervision ended. Claude Code answers once and exits with
 * `-p`, and also if stdout is not a terminal. A session on a terminal shows the outcome itself; an editor expects claude
 * alone.
 */
export function waitsForEnd(
  args: readonly string[],
  { isByEditor, isOnTerminal }: { readonly isByEditor: boolean; readonly isOnTerminal: boolean },
): boolean {
  const { isBackground, isInquiry, isNamed, isPrint } = claudeStart(args);
  if (isByEditor || isBackground || isInquiry || isNamed) return false;
  return isPrint || !isOnTerminal;
}

interface Watch {
  readonly tell: (line: string) => void;
  /** Why the session, if it is known, cannot continue: its key is refused. */
  readonly refusal: (session: string) => string | undefined;
  readonly refuse: (why: string) => void;
}

/**
 * Reports each review while claude continues to work. If its key is refused, claude would silently retry for minutes, so
 * that is reported once.
 */
async function watch(
  world: Pick<World, "pause">,
  running: Promise<unknown>,
  { read }: Pick<RunNotes, "read">,
  { tell, refusal, refuse }: Watch,
): Promise<string | undefined> {
  let reported = 0;
  let isOver = false;
  let why: string | undefined;
  const ended = running.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await world.pause(SECONDS_BETWEEN_LOOKS, ended);
    const notes = read();
    const lines = earlierReviews(notes);
    for (const line of lines.slice(reported)) tell(line);
    reported = lines.length;
    const session = sessionIn(notes);
    if (isOver || why !== undefined || session === undefined) continue;
    why = refusal(session);
    if (why !== undefined) refuse(why);
  }
  return why;
}

/** Looks for a refused key where claude, in all its output formats, says so: in the transcript, once it has changed. */
function refusals(world: World, plan: Plan): Watch["refusal"] {
  let seen: number | undefined;
  const settings = plan.settings.agent.content;
  const clean = (text: string) => sessionRedactor(world, [settings], secretsIn(plan.set)).text(text);
  return (session) => {
    const transcript = savedSession(world.files, world, session)?.transcript;
    const modified = transcript === undefined ? undefined : world.files.modified(transcript);
    if (transcript === undefined || modified === seen) return undefined;
    seen = modified;
    const failure = retriedFailure(world, transcript);
    return failure && refusedKey(failure, settings, clean);
  };
}

const SECONDS_BETWEEN_LOOKS = 1;

/** The reviews after which the agent continued, one line each. The ending reports the last one. */
function earlierReviews(notes: readonly RunNote[]): string[] {
  return notes.flatMap((note, at) => {
    if (note.event !== "outcome" || (note.code !== null && at === notes.length - 1)) return [];
    return note.lines.filter((line, index) => index === 0 || /^(?:no )?proof: /.test(line));
  });
}

/** How a supervised `-p` ended: the exit code, and the lines for the user. */
interface PrintEnding {
  readonly code: number;
  readonly lines: readonly string[];
}

/**
 * Claude's own exit code wins, unless it is 0: then the review decides. To a client that talks to claude, any other code would
 * mean that claude failed after it had answered.
 */
function printEnding(notes: readonly RunNote[], end: ProgramEnd, { args, provider }: Plan): PrintEnding {
  const review = lastReview(notes, end);
  const isClaudes = end.exitCode !== EXIT.ok || claudeStart(args).isClient;
  const code = isClaudes ? end.exitCode : withoutFailure(review, end);
  if (review === undefined || review.code === EXIT.ok) return { code, lines: review?.lines ?? [] };
  return withNextStep(notes, { ...review, code }, provider);
}

function withNextStep(notes: readonly RunNote[], { code, lines }: PrintEnding, provider: string): PrintEnding {
  return { code, lines: [...lines, ...nextStep(notes, { code, lines }, provider)] };
}

function sessionIn(notes: readonly RunNote[]): string | undefined {
  return notes.findLast((note) => note.event !== "outcome")?.session;
}

/** At Ctrl-C, Claude Code exits with 0. */
function withoutFailure(review: PrintEnding | undefined, { isInterrupted }: ProgramEnd): number {
  if (isInterrupted && review?.code !== EXIT.ok) return EXIT.interrupted;
  return review?.code ?? EXIT.ok;
}

/** What is known about the last stop; undefined if claude failed before it had anything to do. */
function lastReview(notes: readonly RunNote[], end: ProgramEnd): PrintEnding | undefined {
  const last = notes.findLast(({ event }) => event !== "start");
  switch (last?.event) {
    case undefined:
      return isUnforced(end) ? withoutPrompt(notes) : undefined;
    case "prompt":
      return notReviewed(isUnforced(end) ? NO_STOP_HOOK : `${ended(end)} before the agent stopped`);
    case "stop":
      return notReviewed(`ccc's Stop hook was killed before the review finished; see ${LOG}`);
    case "outcome":
      if (last.code !== null) return { code: last.code, lines: last.lines };
      return notDone(`${ended(end)} before the agent had done what ccc asked for last`);
  }
}

/** A command such as /cost starts a session, but asks nothing of the agent. */
function withoutPrompt(notes: readonly RunNote[]): PrintEnding {
  if (notes.length === 0) return notReviewed(`Claude Code ran none of ccc's hooks. ${DOCTOR}`);
  return { code: EXIT.ok, lines: ["No review: no prompt reached the agent"] };
}

function notReviewed(why: string): PrintEnding {
  return { code: EXIT.notReviewed, lines: [`NOT reviewed: ${why}`] };
}

function notDone(why: string): PrintEnding {
  return { code: EXIT.notDone, lines: [`NOT done: ${why}`] };
}

const DOCTOR = "Run `ccc doctor` to see whether hooks work";
const NO_STOP_HOOK = `Claude Code ended without running ccc's Stop hook. ${DOCTOR}`;
const LOG = `${STATE_FOLDER}/${LOG_NAME}`;

function isUnforced({ exitCode, isInterrupted }: ProgramEnd): boolean {
  return exitCode === EXIT.ok && !isInterrupted;
}

function ended(end: ProgramEnd): string {
  if (end.signal !== null) return `claude was killed by ${end.signal}`;
  if (end.isInterrupted) return "claude was interrupted";
  return isUnforced(end) ? "Claude Code ended" : `claude exited with code ${end.exitCode}`;
}

function nextStep(notes: readonly RunNote[], { lines }: PrintEnding, provider: string): string[] {
  const session = sessionIn(notes);
  if (session === undefined) return [];
  const isLogged = notes.some(({ event }) => event === "outcome") && !lines.some((line) => line.includes(LOG));
  const log = isLogged ? `; the log is ${LOG}` : "";
  return [`to continue: ccc ${provider} --resume ${session}${log}`];
}
