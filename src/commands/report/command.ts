import { dirname, join, resolve } from "node:path";
import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { cccPaths, type Paths } from "../../config/paths.ts";
import { CccError, usageError } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { shownName } from "../../os/names.ts";
import { type KnownSession, knownSessions, openSession } from "../../supervisor/record/session.ts";
import { readSession } from "../../supervisor/record/stops.ts";
import { sessionRedactor } from "../../supervisor/secrets.ts";
import { createLog } from "../../terminal/dialog.ts";
import { prettyJson } from "../../text/json.ts";
import { clipped, oneLine, shownText } from "../../text/shown.ts";
import { colored, columns, outputWidth, wrap } from "../../text/table.ts";
import { counted, sentence, shortCount, shortDuration, shownTime } from "../../text/words.ts";
import { optional, programFolders, type World } from "../../world.ts";
import { JSON_FLAG } from "../arguments.ts";
import { reportPage } from "./page.ts";
import {
  allTokens,
  type PromptView,
  type ReportView,
  type RoundView,
  type SessionReport,
  sessionReport,
  sessionTitle,
  viewReport,
} from "./report.ts";

const DESCRIPTION = `Show what happened in a supervised session: how it ended, each review with its verdict, the criteria, checks,
changed files, time and tokens. It works while the session runs, asks no model, and masks known keys.

Examples
  ccc report                the last supervised session in this folder
  ccc report --list         all of them: date, outcome, reviews, tokens, first prompt
  ccc report 8a6a1b3b --open

Exit codes
  0    shown
  1    no such session, or the page could not be written or opened
  2    usage error

JSON
  explained in ${docsPage("report.md")}`;

export function reportCommand(world: World) {
  return defineCommand({
    meta: { name: "report", description: DESCRIPTION },
    args: {
      html: { type: "string", valueHint: "FILE", description: "write one self-contained page instead" },
      open: {
        type: "boolean",
        default: false,
        description: "open the page in the browser; without --html it is a private temporary file",
      },
      list: { type: "boolean", default: false, description: "list the supervised sessions of this folder instead" },
      all: { type: "boolean", default: false, description: "with --list: of all folders" },
      json: JSON_FLAG,
      session: {
        type: "positional",
        required: false,
        description: "a session's id or its beginning (default: the last supervised one in this folder)",
      },
    },
    run: async ({ args }) => {
      if (args.json && (args.html !== undefined || args.open))
        throw usageError(`--json cannot be combined with ${args.open ? "--open" : "--html"}`);
      if (args.html === "") throw usageError("--html needs the name of a file");
      const shown = [
        args.html !== undefined && "--html",
        args.open && "--open",
        args.session !== undefined && "a session",
      ];
      const other = shown.find(Boolean);
      if (args.list && other) throw usageError(`--list cannot be combined with ${other}`);
      if (args.all && !args.list) throw usageError("--all needs --list");
      if (args.list) return showList(world, args.all, args.json);
      const report = loadReport(world, args.session);
      if (args.json) world.stdout(prettyJson(report));
      else if (args.html === undefined && !args.open) {
        world.stdout(colored(`${reportText(report, outputWidth(world))}\n`, world));
        if (world.isTerminal(1)) createLog(world).info("to see it in the browser, add --open");
      } else {
        const path = makePage(world, report, args.html);
        createLog(world).info(`wrote ${path}`);
        if (args.open) await openFile(world, path);
      }
    },
  });
}

/**
 * The path of the page that `--html FILE` names; an error if nothing can be written there. If FILE is a folder, the advice
 * names `example` in it.
 */
export function pagePath({ cwd, files }: Pick<World, "cwd" | "files">, file: string, example: string): string {
  const path = resolve(cwd, file);
  const found = files.identify(path);
  if (found?.isFolder) throw usageError(`${path} is a folder`, `Name a file in it: --html ${join(file, example)}`);
  if (found?.isFile === false) throw usageError(`${path} is not a regular file`);
  files.refuseWrite(path);
  return path;
}

/** Writes a page that only its owner can read, because it quotes prompts and output. */
export function writePage({ files }: Pick<World, "files">, path: string, page: string): void {
  const target = files.entry(path)?.kind === "link" ? files.realPath(path) : path;
  files.guarded(dirname(target)).replace(target, page);
}

/** A supervised session in a list. */
interface ListedSession {
  readonly session: string;
  readonly folder: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly outcome: SessionReport["outcome"];
  readonly reviews: number;
  /** Of all reviews. */
  readonly tokens: number;
  /** The first one, masked. */
  readonly prompt: string;
}

/** The supervised sessions of this folder, or of all folders, the last one first. */
export function listedSessions(world: World, all = false, most = Number.POSITIVE_INFINITY): ListedSession[] {
  const { files, cwd } = world;
  const paths = cccPaths(world);
  const known = all ? knownSessions(files, paths) : sessionsIn(files, paths, cwd);
  const redactor = sessionRedactor(world, []);
  return known.slice(0, most).flatMap(({ id }) => {
    const session = readSession(openSession(files, paths, id), world.isAlive);
    if (session === undefined) return [];
    const { folder, started_at, ended_at, outcome, totals, prompts } = sessionReport(session);
    const prompt = redactor.text(prompts[0]?.text ?? "");
    const used = { outcome, reviews: totals.reviews, tokens: allTokens(totals) };
    return [{ session: id, folder, started_at, ended_at, ...used, prompt }];
  });
}

function showList(world: World, all: boolean, json: boolean): void {
  if (json) {
    world.stdout(prettyJson(listedSessions(world, all)));
    return;
  }
  const found = listedSessions(world, all, MOST_LISTED + 1);
  if (found.length === 0) {
    const where = all ? "" : ` in ${world.cwd}`;
    const advice = adviceFor(knownSessions(world.files, cccPaths(world)));
    throw new CccError(`no supervised session on record${where}`, { advice });
  }
  const rows = found
    .slice(0, MOST_LISTED)
    .map((each) => [
      each.session.slice(0, SHORT_ID),
      each.started_at === null ? "" : shownTime(Date.parse(each.started_at) / 1000).replace(" UTC", ""),
      sessionTitle(each.outcome),
      `${each.reviews}`,
      each.tokens === 0 ? "" : shortCount(each.tokens),
      ...(all ? [shownName(each.folder ?? "")] : []),
      oneLine(each.prompt, LONGEST_FIRST),
    ]);
  const header = ["SESSION", "STARTED (UTC)", "OUTCOME", "REVIEWS", "TOKENS", ...(all ? ["FOLDER"] : []), "PROMPT"];
  world.stdout(columns([header, ...rows], outputWidth(world)));
  const log = createLog(world);
  if (found.length > MOST_LISTED) log.info(`these are the last ${MOST_LISTED}; all of them: ccc report --list --json`);
  if (world.isTerminal(1)) log.info("to see one: ccc report SESSION");
}

const MOST_LISTED = 20;
const SHORT_ID = 8;
const LONGEST_FIRST = 80;

/** Masks the record again: it may be older than a key, and prompts are recorded as typed. */
function loadReport(world: World, wanted: string | undefined): SessionReport {
  const paths = cccPaths(world);
  const id = findRecordedSession(world.files, paths, world.cwd, wanted);
  const session = readSession(openSession(world.files, paths, id), world.isAlive);
  if (session === undefined)
    throw new CccError(`the record of session ${id} cannot be read`, { advice: "Show another: ccc report --list" });
  return sessionRedactor(world, []).value(sessionReport(session));
}

function makePage(world: World, report: SessionReport, file: string | undefined): string {
  const name = `report-${report.session}.html`;
  const path = file === undefined ? join(world.scratch().path, name) : pagePath(world, file, "report.html");
  writePage(world, path, reportPage(report, world.version));
  return path;
}

/** Opens a file with the system's program for it. */
async function openFile(world: World, path: string): Promise<void> {
  const { name, args } = OPENERS[world.platform] ?? OTHER;
  const file = programFolders(world.env, world.platform)
    .map((folder) => join(folder, name))
    .find((each) => world.files.programSize(each) !== undefined);
  const advice = `Open it yourself: ${path}`;
  if (file === undefined) throw new CccError(`cannot open the report: no ${name} on your PATH`, { advice });
  const { exitCode } = await world.handOver({ file, args: [...args, path], env: world.env });
  if (exitCode !== 0) throw new CccError(`cannot open the report: ${name} failed (exit ${exitCode})`, { advice });
}

interface Opener {
  readonly name: string;
  readonly args: readonly string[];
}

const OTHER: Opener = { name: "xdg-open", args: [] };

const OPENERS: Partial<Record<NodeJS.Platform, Opener>> = {
  darwin: { name: "open", args: [] },
  // `start` belongs to cmd.exe, which would read the path as a command line.
  win32: { name: "rundll32.exe", args: ["url.dll,FileProtocolHandler"] },
};

/** The session whose id begins with `wanted`; without it, the last one that was started in the folder. */
function findRecordedSession(files: Files, paths: Paths, cwd: string, wanted: string | undefined): string {
  if (wanted !== undefined) return byId(knownSessions(files, paths), wanted);
  const [last] = sessionsIn(files, paths, cwd);
  if (last !== undefined) return last.id;
  throw new CccError(`no supervised session on record in ${cwd}`, { advice: adviceFor(knownSessions(files, paths)) });
}

/** The sessions that were started in a folder, the last one first. Links are resolved. */
function sessionsIn(files: Files, paths: Paths, cwd: string): KnownSession[] {
  const here = realFolder(files, cwd);
  return knownSessions(files, paths).filter(({ folder }) => folder !== undefined && realFolder(files, folder) === here);
}

function byId(sessions: readonly KnownSession[], wanted: string): string {
  const found = sessions.filter(({ id }) => id === wanted || (wanted !== "" && id.startsWith(wanted)));
  const exact = found.find(({ id }) => id === wanted) ?? found[0];
  if (exact === undefined)
    throw new CccError(`no supervised session on record begins with "${wanted}"`, { advice: adviceFor(sessions) });
  if (found.length > 1 && exact.id !== wanted) {
    throw new CccError(`${found.length} sessions begin with "${wanted}"`, {
      advice: `Write more of the id: ${found
        .slice(0, MOST_NAMED)
        .map(({ id }) => id)
        .join(", ")}${found.length > MOST_NAMED ? ", …" : ""}`,
    });
  }
  return exact.id;
}

/** The folder as written, if it no longer exists. */
function realFolder(files: Files, folder: string): string {
  return optional(() => files.realPath(folder)) ?? folder;
}

function adviceFor(sessions: readonly KnownSession[]): string {
  if (sessions.length === 0) return "Sessions are recorded when they are supervised. Start one: ccc --supervisor";
  const last = sessions.slice(0, MOST_NAMED).map(({ id, folder }) => `  ${id}  ${folder ?? ""}`.trimEnd());
  return [
    "The last ones on record:",
    ...last,
    "Name one: ccc report SESSION. All of them: ccc report --list --all",
  ].join("\n");
}

const MOST_NAMED = 5;

/** The report for a terminal. */
export function reportText(report: SessionReport, width: number): string {
  const view = viewReport(report);
  const several = view.prompts.length > 1;
  const parts = [
    head(view),
    ...view.prompts.map((prompt, index) => promptText(prompt, several ? `Prompt ${index + 1}` : "Prompt", width)),
  ];
  return parts.map((part) => wrap(part, width)).join("\n\n");
}

function head(report: ReportView): string {
  const { reason, totals, agent, reviewer, engine } = report;
  const who = [
    ...(agent === null ? [] : [`agent on ${agent}`]),
    ...(reviewer === null ? [] : [`reviewed by ${reviewer}`]),
    ...(engine === null ? [] : [`${engine} engine`]),
  ];
  const times = [
    ...(report.started_at === null ? [] : [shownTime(Date.parse(report.started_at) / 1000)]),
    `agent ${shortDuration(totals.agent_seconds)}`,
    `reviews ${shortDuration(totals.review_seconds)}, ${report.tokens}`,
    ...(totals.nudges === 0 ? [] : [counted(totals.nudges, "nudge")]),
  ];
  return [
    report.headline,
    ...(reason === "" ? [] : [shownText(sentence(reason))]),
    ...report.open.map(({ id, text }) => `✗ ${id}: ${shownName(text)}`),
    `session ${report.session}${report.folder === null ? "" : ` in ${shownName(report.folder)}`}`,
    ...(who.length === 0 ? [] : [who.join(", ")]),
    times.join("; "),
  ].join("\n");
}

function promptText(prompt: PromptView, title: string, width: number): string {
  const text = prompt.text.trim() === "" ? "Not recorded." : prompt.text;
  return [
    `${title}\n${indented(clipped(shownText(text), LONGEST_PROMPT))}`,
    ...prompt.rounds.map(roundText),
    ...criteriaText(prompt, width),
    ...changesText(prompt, width),
  ].join("\n\n");
}

function roundText(round: RoundView): string {
  const { title, facts, reason } = round;
  const failed = round.checks.find(({ passed }) => !passed);
  return [
    `${title}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`,
    ...(reason === "" ? [] : [indented(shownText(reason))]),
    ...(failed === undefined || failed.output === "" ? [] : [indented(lastLines(shownText(failed.output)), 6)]),
    // With a failing check, the feedback only repeats its output.
    ...(round.feedback === "" || failed !== undefined ? [] : [indented(shownText(round.feedback))]),
    ...(round.instead === null ? [] : [indented(`Reviewers that failed: ${shownText(round.instead)}`)]),
    ...round.asked_again.map((what) => indented(`Asked again: ${shownText(what)}`)),
    ...(round.proved.length === 0 ? [] : [indented(["Proof:", ...round.proved.map(shownName)].join("\n  "))]),
    ...looks(round.looked),
    ...(round.confirmation === null ? [] : confirmationText(round.confirmed, round.confirmation)),
  ].join("\n");
}

function confirmationText(title: string, confirmation: NonNullable<RoundView["confirmation"]>): string[] {
  const { instead, asked_again, looked } = confirmation;
  return [
    indented(title),
    ...(instead === null ? [] : [indented(`Confirming reviewers that failed: ${shownText(instead)}`)]),
    ...asked_again.map((what) => indented(`Asked again: ${shownText(what)}`)),
    ...looks(looked),
  ];
}

function looks(looked: readonly string[]): string[] {
  return looked.length === 0 ? [] : [indented(`Looked: ${looked.map(shownName).join("; ")}`)];
}

function criteriaText({ criteria, reviews }: PromptView, width: number): string[] {
  if (criteria.length === 0) return [];
  const rounds = reviews.map(({ number }) => `${number ?? ""}`);
  const rows = criteria.map(({ id, text, statuses, evidence }) => [
    `  ${id}`,
    ...statuses.map((status) => SIGNS[status ?? "none"]),
    `${shownName(text)}${evidence === "" ? "" : ` (${shownName(evidence)})`}`,
  ]);
  return [columns([["  Review", ...rounds, "Criteria"], ...rows], width).trimEnd()];
}

const SIGNS = { met: "✓", unmet: "✗", dropped: "-", none: "" } as const;

function changesText({ changes, whyUnknown }: PromptView, width: number): string[] {
  if (changes === undefined) return whyUnknown === undefined ? [] : [`Changed files: not known (${whyUnknown})`];
  const rows = changes.files.map(({ path, kind, from, added, deleted }) => {
    const name = from === undefined ? shownName(path) : `${shownName(from)} → ${shownName(path)}`;
    const isSuspicious = changes.suspicious.some((each) => each.path === path);
    return [
      `${isSuspicious ? "!" : " "} ${kind}`,
      added === undefined ? "" : `+${added}`,
      deleted === undefined ? "" : `-${deleted}`,
      name,
    ];
  });
  return [
    [
      changes.title,
      ...(rows.length === 0 ? [] : [columns(rows, width).trimEnd()]),
      ...(changes.more === 0 ? [] : [`  and ${changes.more} more`]),
      ...changes.suspicious.map(({ id, text }) => `! ${id === undefined ? "" : `${id}: `}${shownName(text)}`),
    ].join("\n"),
  ];
}

function indented(text: string, by = 2): string {
  return text.replaceAll(/^/gm, " ".repeat(by));
}

function lastLines(text: string): string {
  return text.split("\n").slice(-MOST_LINES).join("\n");
}

const LONGEST_PROMPT = 1_000;
const MOST_LINES = 12;
