import type { Env } from "../os/process.ts";
import { printable } from "../text/shown.ts";
import { cutToWidth } from "../text/table.ts";
import { counted, shownDuration } from "../text/words.ts";

/** The last rows of a terminal: the current activity, and what the user types. Output scrolls above them. */
export interface Footer {
  /** Shows what is going on and for how long; with an end, how much time is left. */
  start(what: string, end?: Date): void;
  /** Shows the line that the user edits. */
  edit(input: FooterInput | undefined): void;
  /** Prints text above the rows. */
  print(text: string): void;
  /** Draws the rows again, after a resize for example. */
  redraw(): void;
  /** Removes the rows until the next redraw. */
  hide(): void;
  /** Removes the rows for good. */
  stop(): void;
  /** False where only lines can be printed. */
  readonly isAnimated: boolean;
}

interface FooterInput {
  readonly label: string;
  readonly line: InputLine;
  /** What the user can do, as long as the line is empty. */
  readonly hint: string;
  /** How many messages are queued for the agent. */
  readonly queued: number;
}

/** The line that the user edits, which may contain line breaks. The cursor is between the two parts. */
export interface InputLine {
  readonly before: string;
  readonly after: string;
}

/** What a footer needs of the World. */
interface FooterTerminal {
  readonly env: Env;
  readonly stderr: (text: string) => void;
  readonly isTerminal: (fd: 2) => boolean;
  readonly columns: (fd: 2) => number;
  readonly now: () => Date;
}

/** The footer of the terminal on stderr. A terminal without control codes, or none, gets only the printed lines. */
export function createFooter({ env, stderr: write, isTerminal, columns, now }: FooterTerminal): Footer {
  const isAnimated = isTerminal(2) && !env.NO_COLOR && env.TERM !== "dumb";
  let timer: Timer | undefined;
  let status: Status | undefined;
  let input: FooterInput | undefined;
  let frame = 0;
  /** The widths of the rows above the cursor's; undefined if nothing is drawn. */
  let above: readonly number[] | undefined;

  const erased = () => {
    if (above === undefined) return "";
    const up = rowsTaken(above, columns(2));
    above = undefined;
    return `\r${up === 0 ? "" : `\u001b[${up}A`}${ERASE_BELOW}`;
  };
  const rows = () => {
    const room = columns(2) - 1;
    const shown = status && statusRow(status, frame, now(), input?.queued ?? 0, room);
    const edited = input && inputRow(input, room);
    const all = [shown, edited].filter((row) => row !== undefined);
    if (all.length === 0) return "";
    above = shown !== undefined && edited !== undefined ? [Bun.stringWidth(shown)] : [];
    return `${NO_WRAP}${all.join("\r\n")}${WRAP}`;
  };
  const redraw = () => {
    if (isAnimated) write(erased() + rows());
  };
  return {
    isAnimated,
    start(what, end) {
      if (!isAnimated) return;
      status = { what: printable(what).replaceAll(/\s+/g, " "), startedAt: now(), endsAt: end };
      clearInterval(timer);
      timer = setInterval(() => {
        frame++;
        if (above !== undefined) redraw();
      }, 1_000);
      redraw();
    },
    edit(next) {
      input = next;
      redraw();
    },
    print: (text) => write(`${erased()}${text}\n${isAnimated ? rows() : ""}`),
    redraw,
    hide: () => write(erased()),
    stop() {
      clearInterval(timer);
      status = undefined;
      input = undefined;
      if (above !== undefined) write(erased());
    },
  };
}

/**
 * How many rows of the screen are above the cursor's. After a resize, terminals wrap rows that no longer fit; most of them
 * leave the cursor's own row alone.
 */
function rowsTaken(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, each) => sum + Math.max(1, Math.ceil(each / columns)), 0);
}

interface Status {
  readonly what: string;
  readonly startedAt: Date;
  readonly endsAt: Date | undefined;
}

const FRAME_WIDTH = 2;
/** At least this much of the status is shown, however narrow the terminal is. */
const SHORTEST_TEXT = 10;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** "⠋ the agent is working 12 s · 1 message queued" */
function statusRow(
  { what, startedAt, endsAt }: Status,
  frame: number,
  now: Date,
  queued: number,
  room: number,
): string {
  const seconds = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000;
  const elapsed = seconds(startedAt, now);
  const spent = elapsed < 59.5 ? `${Math.round(elapsed)} s` : shownDuration(elapsed);
  const time = endsAt === undefined ? spent : shownDuration(seconds(now, endsAt));
  const waiting = queued === 0 ? "" : ` · ${counted(queued, "message")} queued`;
  const rest = ` ${time}${waiting}`;
  const text = cutToWidth(what, Math.max(SHORTEST_TEXT, room - FRAME_WIDTH - Bun.stringWidth(rest)));
  return cutToWidth(`${FRAMES[frame % FRAMES.length]} ${text}${rest}`, room);
}

function inputRow({ label, line, hint }: FooterInput, room: number): string {
  const free = room - Bun.stringWidth(label);
  const { before, after } = inputWindow(line, free);
  const rest = before === "" && after === "" ? `${FAINT}${cutToWidth(hint, free)}${NORMAL}` : after;
  return `${label}${before}${SAVE_CURSOR}${rest}${RESTORE_CURSOR}`;
}

/** The visible part of an input line. It scrolls sideways, so that the cursor is always in it. */
function inputWindow(line: InputLine, room: number): InputLine {
  const before = inOneRow(line.before.slice(-MOST_SHOWN));
  const after = inOneRow(line.after.slice(0, MOST_SHOWN));
  // One column is for the cursor at the end.
  const free = Math.max(1, room - 1);
  const ahead = Math.min(Bun.stringWidth(after), Math.floor(free / 4));
  const left = Bun.sliceAnsi(before, ahead - free, undefined, "…");
  return { before: left, after: cutToWidth(after, free - Bun.stringWidth(left)) };
}

/** In UTF-16 units: more than any terminal is wide. */
const MOST_SHOWN = 2_000;

function inOneRow(text: string): string {
  return text.replaceAll("\n", "↵").replaceAll("\t", " ");
}

// Terminals do not agree on the width of an emoji. So the terminal itself remembers where the cursor belongs, and rows must
// not wrap.
const SAVE_CURSOR = "\u001b7";
const RESTORE_CURSOR = "\u001b8";
const NO_WRAP = "\u001b[?7l";
const WRAP = "\u001b[?7h";
const ERASE_BELOW = "\u001b[J";
const FAINT = "\u001b[2m";
const NORMAL = "\u001b[22m";
