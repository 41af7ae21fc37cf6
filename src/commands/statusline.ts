import { readStatusEvent } from "../claude/quick-events.ts";
import { MOST_NUDGES } from "../config/defaults.ts";
import { cccPaths, type Paths } from "../config/paths.ts";
import { pinOf } from "../config/pins.ts";
import { type LibcFiles, quickModified, quickText, readWhole } from "../os/fast.ts";
import { isAlive } from "../os/process.ts";
import { type LastUsage, lastUsagePath, readLastUsage } from "../providers/quota/last.ts";
import type { QuotaWindow, UsageFigure } from "../providers/quota/readers.ts";
import { OUTCOMES, recordedOutcome, type Tone } from "../supervisor/outcome.ts";
import {
  type EndedReview,
  type RunningReview,
  readStatusRecord,
  type StalledAgent,
  type StatusRecord,
} from "../supervisor/record/quick.ts";
import { asObject, parseJson } from "../text/json.ts";
import { oneLine } from "../text/shown.ts";
import { cutToWidth } from "../text/table.ts";
import { shortDuration, wholePercent } from "../text/words.ts";

type Host = Pick<NodeJS.Process, "argv" | "env" | "platform">;

/** The status line of the session on stdin; undefined if the user asks for help. */
export async function sessionStatusLine(host: Host, libc: LibcFiles | undefined): Promise<string | undefined> {
  const args = host.argv.slice(3);
  if (args.includes("--help") || args.includes("-h") || isTerminal(libc)) return undefined;
  try {
    return lineFor(host, args, await stdin(libc));
  } catch {
    // An empty line is better than an error message every few seconds.
    return "";
  }
}

function lineFor({ env, platform }: Host, args: readonly string[], stdin: string): string {
  const event = readStatusEvent(stdin);
  const folder = optionIn(args, "--config-dir");
  const paths = cccPaths({ env: folder === undefined ? env : { ...env, CCC_CONFIG_DIR: folder }, platform });
  const launched = { provider: optionIn(args, "--provider"), isSupervised: launchedAs(args), claude: env.CLAUDE_PID };
  const files = { read: platform === "win32" ? readThroughNode : quickText, modified: quickModified };
  const record = readStatusRecord(files, paths, event.session, launched);
  const now = Date.now();
  return statusLine({
    provider: record.provider,
    isPinned: isPinned(files.read(paths.config), event.folder, record.provider, platform),
    model: event.model,
    contextUsed: event.contextUsed,
    usage: shownUsage(lastUsageOf(record.provider, paths, files.read), now),
    supervision: shownSupervision(record, { now, isAlive }),
    columns: Number(env.COLUMNS) || undefined,
    hasColor: !env.NO_COLOR,
  });
}

type Read = (path: string) => string | undefined;

/** For Windows, where Bun cannot map files. */
function readThroughNode(path: string): string | undefined {
  try {
    const fs: typeof import("node:fs") = require("node:fs");
    return fs.readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether a session's folder is pinned to its provider. Links are not resolved: `ccc pin` writes paths without any. */
function isPinned(
  config: string | undefined,
  session: string | undefined,
  provider: string | undefined,
  platform: NodeJS.Platform,
): boolean {
  if (session === undefined || !config?.includes('"folders"')) return false;
  const folders = Object.entries(asObject(asObject(parseJson(config)).folders)).map(([folder, pin]) => {
    const { provider, only } = asObject(pin);
    return { folder, provider: String(typeof pin === "string" ? pin : provider), only: only === true };
  });
  return pinOf(session, folders, { platform, resolve: (path) => path })?.provider === provider;
}

/** The last answer to `ccc usage` for a provider. */
function lastUsageOf(provider: string | undefined, paths: Paths, read: Read): LastUsage | undefined {
  if (provider === undefined || !/^[\w.-]+$/.test(provider)) return undefined;
  return readLastUsage(read(lastUsagePath(paths, provider)) ?? "");
}

/** Whether the session was launched with supervision; undefined if the arguments do not say. */
function launchedAs(args: readonly string[]): boolean | undefined {
  return args.includes("--supervisor") ? true : args.includes("--no-supervisor") ? false : undefined;
}

function optionIn(args: readonly string[], name: string): string | undefined {
  const inline = args.find((word) => word.startsWith(`${name}=`));
  const at = args.indexOf(name);
  return inline?.slice(name.length + 1) || (at === -1 ? undefined : args[at + 1]) || undefined;
}

function isTerminal(libc: LibcFiles | undefined): boolean {
  if (libc !== undefined) return libc.isTerminal();
  const tty: typeof import("node:tty") = require("node:tty");
  return tty.isatty(0);
}

function stdin(libc: LibcFiles | undefined): Promise<string> {
  return libc === undefined ? Bun.stdin.text() : readWhole(libc.readStdin, () => Bun.stdin.bytes());
}

/** The state of the supervision in a few words. */
interface ShownSupervision {
  readonly text: string;
  /** Follows the text, even if that is cut. */
  readonly end?: string;
  readonly tone: Tone | "busy";
}

interface Moment {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly isAlive: (pid: number) => boolean;
}

function shownSupervision({ isSupervised, review, isPrompted }: StatusRecord, moment: Moment): ShownSupervision {
  if (!isSupervised) return { text: "supervisor off", tone: "quiet" };
  if (review === undefined) return ON;
  if ("outcome" in review) return isPrompted ? ON : verdict(review);
  if ("stalled" in review) return isPrompted || isOver(review, moment) ? ON : stalled(review, moment);
  if (isRunning(review, moment)) return { ...running(review, moment), tone: "busy" };
  return isPrompted ? ON : NOT_REVIEWED;
}

const ON: ShownSupervision = { text: "supervisor on", tone: "quiet" };
const NOT_REVIEWED: ShownSupervision = { text: OUTCOMES.unreviewed.word, tone: OUTCOMES.unreviewed.tone };

/** A hook that was killed leaves its file behind, and another process may have its id later. */
function isRunning({ pid, ends_by }: RunningReview, { now, isAlive }: Moment): boolean {
  return now <= ends_by && isAlive(pid);
}

/** Users who continue after a limit do so soon. */
function isOver({ until }: StalledAgent, { now }: Moment): boolean {
  return until !== 0 && now > until + LATE_MS;
}

const LATE_MS = 600_000;

/** The command is not cut if there is any room for it: the user has to type it. */
function stalled({ stalled: what, until, is_waiting, command }: StalledAgent, { now }: Moment): ShownSupervision {
  const when = until === 0 ? "" : ` until ${clock(new Date(until), until - now > DAY_MS)}`;
  const text = is_waiting ? `waiting for the ${what}${when}` : `${what}${when}`;
  return { text, end: command === "" ? "" : `${SEPARATOR}${command}`, tone: is_waiting ? "busy" : "warn" };
}

const DAY_MS = 24 * 3_600_000;

/** In the user's zone, as "15:02", or "11-20 15:02". */
function clock(time: Date, hasDate: boolean): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = hasDate ? `${two(time.getMonth() + 1)}-${two(time.getDate())} ` : "";
  return `${date}${two(time.getHours())}:${two(time.getMinutes())}`;
}

function running({ round, limit, is_confirming: isConfirming, doing, since }: RunningReview, { now }: Moment) {
  const reviewing = `${isConfirming ? "confirming" : "reviewing"} ${round}/${limit}`;
  const step = doing.replace(/^Bash /, "");
  return {
    text: step === "" ? reviewing : `${reviewing}${SEPARATOR}${step}`,
    // After the clock was set back, the time is unknown.
    end: since === 0 || since > now ? "" : `${SEPARATOR}${shortDuration((now - since) / 1000)}`,
  };
}

function verdict({ outcome, met, of, confirmed_by: by, nudges }: EndedReview): ShownSupervision {
  const known = recordedOutcome(outcome);
  if (known === undefined) return ON;
  if (nudges !== undefined) return { text: `${known.word} ${nudges} of ${MOST_NUDGES}`, tone: known.tone };
  const confirmed = by === undefined ? "" : `, confirmed by ${by}`;
  return { text: `${known.word}${of === 0 ? "" : ` ${met} of ${of}`}${confirmed}`, tone: known.tone };
}

/** The scarcest quota when `ccc usage` last asked, as "5h 37% (12m ago)"; empty if that is out of date. */
function shownUsage(last: LastUsage | undefined, now: number): string {
  if (last === undefined) return "";
  const hours = (now - last.time) / HOUR_MS;
  // After the clock was set back, the age is unknown.
  if (hours < 0 || hours > OLDEST_HOURS) return "";
  let fullest: QuotaWindow | undefined;
  for (const figure of last.figures) {
    if (isCurrent(figure, hours, now) && figure.used_percent > (fullest?.used_percent ?? -1)) fullest = figure;
  }
  const text =
    fullest === undefined ? balanceIn(last.figures) : `${fullest.name} ${wholePercent(fullest.used_percent)}%`;
  return text === "" ? "" : `${text} (${age(hours)})`;
}

const HOUR_MS = 3_600_000;
const OLDEST_HOURS = 24;

/** Whether the window has not been reset since. A session does not use up the quota of web tools. */
function isCurrent(figure: UsageFigure, ageInHours: number, now: number): figure is QuotaWindow {
  if (figure.kind !== "window" || figure.name === "tools") return false;
  if (figure.resets_at !== null) return Date.parse(figure.resets_at) > now;
  return figure.hours === null || ageInHours < figure.hours;
}

/** Only for a provider without windows. If all its windows have been reset, nothing is shown. */
function balanceIn(figures: readonly UsageFigure[]): string {
  const [first] = figures;
  return first?.kind === "balance" ? `${first.amount.toFixed(2)} ${first.currency}` : "";
}

function age(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes < 1) return "just now";
  return minutes < 60 ? `${minutes}m ago` : `${Math.round(hours)}h ago`;
}

interface Status {
  readonly provider: string | undefined;
  /** Whether the session's folder is pinned to it. */
  readonly isPinned: boolean;
  readonly model: string | undefined;
  /** In percent. */
  readonly contextUsed: number | undefined;
  /** The provider's quota and how old that figure is; empty if unknown. */
  readonly usage: string;
  readonly supervision: ShownSupervision;
  /** The width of the terminal, if known. */
  readonly columns: number | undefined;
  readonly hasColor: boolean;
}

/** One line, as "glm · glm-5 · context 42% · reviewing 2/10 · npm test · 40 s". Its values cannot contain terminal codes. */
function statusLine(status: Status): string {
  const shown = fitted(partsOf(status), (status.columns ?? DEFAULT_COLUMNS) - MARGIN);
  const paint = status.hasColor ? painted : ({ text }: Part) => text;
  return shown.map(paint).join(SEPARATOR);
}

interface Part {
  readonly text: string;
  readonly end?: string;
  readonly tone: ShownSupervision["tone"] | "name";
  /** In a narrow terminal, the part with the highest rank is left out first. One without a rank is cut instead. */
  readonly rank?: number;
}

/** From left to right. */
function partsOf({ provider, isPinned, model, contextUsed, usage, supervision }: Status): Part[] {
  const parts: Part[] = [
    { text: cutToWidth(oneLine(provider ?? ""), LONGEST_NAME), tone: "name", rank: 1 },
    { text: isPinned ? "pinned" : "", tone: "quiet", rank: 5 },
    { text: cutToWidth(oneLine(model ?? ""), LONGEST_NAME), tone: "quiet", rank: 2 },
    { text: contextUsed === undefined ? "" : `context ${Math.round(contextUsed)}%`, tone: "quiet", rank: 3 },
    { text: cutToWidth(oneLine(usage), LONGEST_NAME), tone: "quiet", rank: 4 },
    { text: oneLine(supervision.text), end: supervision.end ?? "", tone: supervision.tone },
  ];
  return parts.filter(({ text }) => text !== "");
}

function fitted(parts: readonly Part[], width: number): readonly Part[] {
  let room = width;
  let needed = ENOUGH;
  let worst: Part | undefined;
  for (const part of parts) {
    const end = part.end?.length ?? 0;
    const columns = Bun.stringWidth(part.text) + end;
    if (part.rank === undefined) needed = Math.min(needed + end, columns);
    else room -= columns + SEPARATOR.length;
    if ((part.rank ?? 0) > (worst?.rank ?? 0)) worst = part;
  }
  if (worst !== undefined && room < needed) {
    return fitted(
      parts.filter((part) => part !== worst),
      width,
    );
  }
  return parts.map((part) => (part.rank === undefined ? { ...part, text: cutBeforeEnd(part, room) } : part));
}

/** Without room for both, the end is left out. */
function cutBeforeEnd({ text, end = "" }: Part, room: number): string {
  return room - end.length < LEAST ? cutToWidth(text, room) : cutToWidth(text, room - end.length) + end;
}

const SEPARATOR = " · ";
const DEFAULT_COLUMNS = 80;
/** Claude Code indents the line. */
const MARGIN = 4;
const LONGEST_NAME = 30;
/** Enough to recognize the reviewer's current step, and to say that it reviews. */
const ENOUGH = 26;
const LEAST = 16;

const RESET = "\u001b[0m";
/** The terminal's own colors, on light and dark screens. Claude Code shows the rest in gray. */
const COLORS: Readonly<Record<Part["tone"], string>> = {
  name: "\u001b[1m",
  quiet: "",
  busy: "\u001b[36m",
  good: "\u001b[32m",
  open: "\u001b[33m",
  warn: "\u001b[31m",
  bad: "\u001b[31m",
};

function painted({ text, tone }: Part): string {
  return COLORS[tone] === "" ? text : `${COLORS[tone]}${text}${RESET}`;
}
