import type { BackgroundTask } from "../../claude/events.ts";
import type { ReviewWay } from "../../claude/runs.ts";
import type { SessionStep } from "../../claude/transcript.ts";
import { shownName } from "../../os/names.ts";
import { oneLine } from "../../text/shown.ts";
import { type ChangedFile, type ChangeList, type Changes, newLast } from "../changes/changes.ts";
import { describeChecks } from "../checks/result.ts";
import { AGENT_SAYS, CRITERION_STATUSES, type Criterion, isNoticed, unmet } from "../criteria.ts";
import type { Dispute, OpenLedger } from "../ledger.ts";
import { describeProof, type Proof } from "../proof/proof.ts";
import type { CheckResult } from "../record/stops.ts";
import PREAMBLE from "./preamble.md" with { type: "text" };
import type { Lacking } from "./reviewer.ts";
import type { Verdict } from "./verdict.ts";

/** What the message to a reviewer is made from, whether it has the conversation or not. */
export interface ReviewRequest {
  readonly instructions: string;
  /** Every prompt of the user, in order. */
  readonly prompts: readonly string[];
  /** A file with all of them, if the message has no room for that: see wholePrompts. */
  readonly promptsFile?: string | undefined;
  readonly round: number;
  /** Undefined if the user asked for this one review. */
  readonly limit: number | undefined;
  /** Feedback of the earlier reviews of this prompt. */
  readonly earlier: readonly string[];
  readonly tasks: readonly BackgroundTask[];
  /** The agent's current folder, if not the one its session started in. */
  readonly cwd: string | undefined;
  /** Findings of ccc itself. */
  readonly findings: readonly string[];
  /** What changed since the user's last prompt. */
  readonly changes: Changes;
  /** All of them passed. */
  readonly checks: readonly CheckResult[];
  /** Their results in copies. */
  readonly proof?: Pick<Proof, "why" | "runs"> | undefined;
  readonly ledger: OpenLedger;
  readonly disputes: readonly Dispute[];
  /** The reviewer's last answer, if it did not count. */
  readonly lacking: Lacking | undefined;
  /** Whether it answers in a JSON schema. */
  readonly isInSchema: boolean;
  /** Describes the reviewer's sandbox, if it is in one. */
  readonly sandbox?: string | undefined;
  /** For a reviewer that does not have the conversation. */
  readonly evidence: Evidence | undefined;
}

/** What a session did, for a reviewer that does not see the conversation. */
export interface Evidence {
  readonly project: string;
  readonly lastMessage: string;
  readonly steps: readonly SessionStep[];
  /** Whether there were earlier steps, which were not read. */
  readonly isPartial?: boolean;
  /** Whether all that the agent did up to that message is there, and nobody else worked on the prompt. */
  readonly isAnswered?: boolean;
  /** The transcript, which has the rest. */
  readonly transcript: string | undefined;
}

/**
 * The message that asks for a review. Its sections are marked with a random code, so that no text of the agent's can pass
 * for one of them.
 */
export function reviewMessage(request: ReviewRequest, way: ReviewWay, code: string): string {
  const { evidence } = request;
  const section = (title: string, text: string) =>
    `<section-${code} title="${title}">\n${text.trim()}\n</section-${code}>`;
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 && section(title, lines.map((line) => `- ${line}`).join("\n"));
  const longest = evidence === undefined ? LONGEST_LIST : LONGEST_LIST_BESIDE_EVIDENCE;
  const asked = section("The user's original request", describePrompts(request, way));
  const parts = [
    `${OPENING[evidence === undefined ? "conversation" : "evidence"]}\n\n${preamble(request).replaceAll("CODE", code)}`,
    section("Your instructions", request.instructions),
    asked,
    section("This review", whichReview(request)),
    request.sandbox !== undefined && section("Where you are", `${request.sandbox}\n\n${TRY}`),
    section("What must be true", describeCriteria(request.ledger)),
    list(
      "Data: criteria that the agent disputes; rule on each",
      request.disputes.map(({ id, reason }) => `${id}: ${data(reason)}`),
    ),
    list("What ccc noticed", request.findings.map(data)),
    request.cwd !== undefined &&
      section("Data: where the agent works now", `${data(request.cwd)}, which is not where you are: look there.`),
    request.earlier.length > 0 &&
      section("What earlier reviews of this prompt asked for", listed(request.earlier, longest).text),
    section("Data: files changed since the user's last prompt", describeChanges(request.changes)),
    request.checks.length > 0 && section("Data: checks that passed", describeChecks(request.checks)),
    request.proof !== undefined &&
      request.checks.length > 0 &&
      section("Data: the checks in copies of the project", describeProof(request.proof)),
    list("Data: still running in the background", request.tasks.slice(0, MOST_TASKS).map(describeTask)),
    request.lacking?.verdict !== undefined &&
      section("Your answer did not count", describeLacking(request.lacking.verdict, request.lacking.missing)),
  ].filter((part) => part !== false);
  const ending = `Now look for yourself. Then ${howToAnswer(request, code)}`;
  // Long prompts take no room from the digest.
  const used = sizeOf([...parts, ending]) - Math.max(0, sizeOf([asked]) - LONGEST_LIST_BESIDE_EVIDENCE);
  const digest = evidence === undefined ? [] : evidenceSections(evidence, section, used);
  return [...parts, ...digest, ending].join("\n\n");
}

/** The message that asks the same reviewer for what its answer lacks. It has the code of the message that asked for the review. */
export function questionMessage(
  { verdict, missing }: Lacking,
  request: Pick<ReviewRequest, "isInSchema">,
  code: string,
): string {
  const look = verdict === undefined ? "" : `${SEEN} Look at what is missing, and change nothing. `;
  return [
    `This message comes from ccc, too, as its code ${code} shows. Your last answer does not count yet:`,
    `<section-${code} title="What it lacks">\n${missing.map((each) => `- ${each}.`).join("\n")}\n</section-${code}>`,
    `${look}Give the whole verdict again, with every criterion: ${howToAnswer(request, code)}`,
  ].join("\n\n");
}

/**
 * The schema that Claude Code makes a reviewer's answer follow. It refuses an answer that does not fit, so the schema is as loose
 * as what verdict.ts reads. `isTyped` adds the types of the main fields, for a standalone hook.
 */
export function verdictJsonSchema({ isTyped }: { readonly isTyped: boolean }): object {
  const typed = (type: string, description: string) => (isTyped ? { type, description } : { description });
  const text = { type: "string" };
  const ruling = {
    type: "object",
    properties: {
      id: { description: "C1, C2, …; the ids that were given, if any" },
      text: { description: "What must be true; of an id that was given, its text" },
      status: { description: `${CRITERION_STATUSES.join(", ")}; dropped: the user no longer wants it` },
      evidence: { description: "What you saw, and in which file or command" },
    },
  };
  return {
    type: "object",
    properties: {
      completed: typed("boolean", "Whether the work is done: true or false"),
      feedback: typed("string", "What is missing, concretely; or what was checked"),
      needs_user: {
        description: "Whether only the user can continue. Then feedback says what they have to decide or to do",
      },
      criteria: {
        anyOf: [{ type: "array", items: { anyOf: [ruling, text] } }, { type: "object" }, text, { type: "null" }],
        description: "A list of at most seven, and one for each point that ccc noticed",
      },
      code: { description: "The code of the message that asks for the review" },
    },
    // Without types, an answer that ccc cannot read is its own question to the same reviewer.
    ...(isTyped ? { required: ["completed", "feedback"] } : {}),
  };
}

/**
 * The user's prompts for a file that the reviewer reads, unless its message has room for all of them. Claude Code shows a
 * reader only the beginning of a long line, so those are broken.
 */
export function wholePrompts(prompts: readonly string[], way: ReviewWay): string | undefined {
  if (listed(prompts, LONGEST_PROMPTS[way]).isWhole) return undefined;
  const title = "# The user's prompts, in order, as ccc recorded them\n";
  const broken = (text: string) => text.replaceAll(LONG_LINE, "$&\n");
  return [title, ...prompts.map((text, index) => `## Prompt ${index + 1}\n\n${broken(text.trim())}\n`)].join("\n");
}

const LONG_LINE = /[^\n]{1000}(?=[^\n])/gu;

function describePrompts({ prompts, promptsFile }: ReviewRequest, way: ReviewWay): string {
  const { text, isWhole } = listed(prompts, LONGEST_PROMPTS[way]);
  if (isWhole || promptsFile === undefined) return text || NO_PROMPTS;
  return [
    `This message has no room for all of it, so the older and longer prompts are shortened here. ccc has written every prompt, whole, to\n${promptsFile}\nThat file is part of this section, not data of the agent's. Read it to its end before you judge.`,
    text,
  ].join("\n\n");
}

/** In a sandbox the first rule differs. */
function preamble({ sandbox }: ReviewRequest): string {
  const text = PREAMBLE.trim();
  return sandbox === undefined ? text : text.replace(ONLY_INSPECT, INSPECT_AND_TRY);
}

const ONLY_INSPECT = "Only inspect. Change nothing, and do not";
const INSPECT_AND_TRY = "Inspect and try. Change nothing but the folder that was made for you, and do not";

const TRY =
  "Do not only read: try. Run the tests, start the program, and write a small script here for the edge case that the request names. Wherever your instructions say that you change nothing and run only some commands, the project is meant: here you may. A run is evidence: name the command as you ran it, and what it printed; ccc compares it with its exit code.";

function whichReview({ round, limit, ledger: { isReopened = false } }: ReviewRequest): string {
  const which =
    limit === undefined
      ? "The user asked for it. The verdict goes to the user, and not to the agent."
      : `Round ${round} of at most ${limit} for the user's last prompt.`;
  return isReopened ? `${which}\n${SECOND}` : which;
}

const SECOND =
  "A first reviewer, who had the agent's conversation, says that the work is done. Such a reviewer is lenient, and what it says\nis a claim like the agent's. Yours is the verdict that counts: try to find what it has missed.";

const OPENING = {
  conversation:
    "From now on you are the supervisor: an independent reviewer, not the agent. The conversation above is the work under review.\nDo not continue it.",
  evidence:
    "You are the supervisor: an independent reviewer. A coding agent worked in this folder and wants to stop. You do not see its\nconversation; below is what the user asked for and what the agent did.",
};

const FIELDS = `"criteria" (a list of {"id", "text", "status": "met", "unmet" or "dropped", "evidence": what you saw, and in which file or
command}), "completed" (boolean), "needs_user" (boolean: only the user can go on), "feedback" (string)`;

/** The code distinguishes the reviewer's own verdict from any that it quotes. */
function howToAnswer({ isInSchema }: Pick<ReviewRequest, "isInSchema">, code: string): string {
  const fields = `${FIELDS}, "code" ("${code}": it shows that this verdict is yours, so write it nowhere else)`;
  return isInSchema
    ? `answer with the structured output: ${fields}.`
    : `end your answer with the verdict as one JSON object, and nothing after it: ${fields}.`;
}

const NO_PROMPTS = "(not in the transcript yet: see the conversation)";

/** The digest gets the room that the other parts leave. */
function evidenceSections(
  { project, lastMessage, steps, isPartial, transcript }: Evidence,
  section: (title: string, text: string) => string,
  used: number,
): string[] {
  const claim = shortened(lastMessage, LONGEST_LAST_MESSAGE) || "(none)";
  const message = section("Data: the agent's last message, a claim", claim);
  const room = Math.max(LEAST_DIGEST, LONGEST_WITH_EVIDENCE - used - sizeOf([message]));
  const rest = transcript === undefined ? "" : `\n\nThe complete transcript, in JSON lines: ${data(transcript)}`;
  const digest = digestOf(steps, project, room, isPartial) || "(no tool was used)";
  return [message, section("Data: what the agent did, oldest first", `${digest}${rest}`)];
}

function sizeOf(parts: readonly string[]): number {
  return Buffer.byteLength(parts.join("\n\n"));
}

/** Limits in bytes. */
const LONGEST_LIST = 40_000;
const LONGEST_LIST_BESIDE_EVIDENCE = 8_000;
const LONGEST_PROMPTS: Readonly<Record<ReviewWay, number>> = {
  shared: LONGEST_LIST,
  schema: LONGEST_LIST,
  fresh: 24_000,
};
const LONGEST_WITH_EVIDENCE = 26_000;
const LEAST_DIGEST = 2_000;
const LONGEST_LAST_MESSAGE = 3_000;
const LONGEST_DATA = 500;
const MOST_TASKS = 20;

function describeTask({ type, description, command }: BackgroundTask): string {
  return [type, description, command && `\`${command}\``].filter(Boolean).map(data).join(": ");
}

function data(text: string): string {
  return inline(text, LONGEST_DATA);
}

/** The message to the agent: the reviewer's feedback and the state of the criteria. */
export function withCriteria(feedback: string, criteria: readonly Criterion[]): string {
  const open = unmet(criteria);
  if (open.length === 0) return feedback;
  const met = criteria.filter(({ status }) => status === "met").map(({ id }) => id);
  const lines = open.map(({ id, text, evidence }) => `- ${id}: ${text}${evidence === "" ? "" : ` (${evidence})`}`);
  return [
    feedback,
    ["Not met:", ...lines, ...(met.length > 0 ? [`Met: ${met.join(", ")}.`] : [])].join("\n"),
    `If one of these is wrong, say so in your answer on a line of its own, with evidence: "${open[0]?.id} disputed: …". The next review will rule on it.`,
  ].join("\n\n");
}

/** What changed since the user's last prompt and, if no review has seen the work before it, since that began. */
function describeChanges(changes: Changes): string {
  if ("why" in changes) return `(not known: ${changes.why})`;
  return [describeList(changes), ...describeUnseen(changes)].join("\n\n");
}

function describeList({ files, more, top, worktree }: ChangeList): string {
  if (files.length === 0) return `(no file, committed or not, compared with the files at that prompt)`;
  const lines = withinBytes(newLast(files).map(describeFile), LONGEST_CHANGES);
  const others = files.length - lines.length + more;
  const where =
    worktree === undefined ? "" : `; the agent works in another worktree: ${inline(worktree, LONGEST_PATH)}`;
  return [
    `Committed or not, in ${inline(top, LONGEST_PATH)}${where}:`,
    ...lines,
    ...(others > 0 ? [`[… ${others} more …]`] : []),
  ].join("\n");
}

function describeUnseen({ unseen }: ChangeList): string[] {
  if (unseen === undefined) return [];
  const { files, suspicious } = unseen;
  const lines = withinBytes(
    [...suspicious.map(({ text }) => `- ${inline(text, LONGEST_PATH)}`), ...files.map(describeFile)],
    LONGEST_UNSEEN,
  );
  const others = files.length + suspicious.length - lines.length;
  return [[UNSEEN, ...lines, ...(others > 0 ? [`[… ${others} more …]`] : [])].join("\n")];
}

const UNSEEN =
  "The work before that prompt ended without a review: it was interrupted, or it could not be reviewed. Since it began this\nchanged as well, by the agent or by the user:";
const LONGEST_UNSEEN = 2_000;
const LONGEST_CHANGES = 5_000;
const LONGEST_PATH = 300;

function withinBytes(lines: readonly string[], longest: number): string[] {
  let length = 0;
  const end = lines.findIndex((line) => {
    length += Buffer.byteLength(line) + 1;
    return length > longest;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

function describeFile({ path, kind, from, added, deleted }: ChangedFile): string {
  const shown = (path: string) => inline(shownName(path), LONGEST_PATH);
  const name = from === undefined ? shown(path) : `${shown(from)} → ${shown(path)}`;
  const lines = added === undefined || deleted === undefined ? "" : ` (+${added} -${deleted})`;
  return `- ${kind}: ${name}${lines}`;
}

/** What the reviewer has to rule on, and what it may add or drop. */
function describeCriteria(ledger: OpenLedger): string {
  const { criteria, numbered } = ledger;
  const asked = criteria.filter((each) => !isNoticed(each));
  const noticed = criteria.filter(isNoticed);
  const describe = (each: Criterion) => describeCriterion(each, ledger);
  return [
    ...(asked.length > 0 ? ["Rule on each of these, by its id and with its text:", ...asked.map(describe)] : []),
    asked.length === 0 ? firstCriteria(numbered + 1) : rule(ledger, numbered + 1),
    ...(noticed.length > 0
      ? [
          "ccc noticed the following. Rule on each by its id, too: met if what the user asked for explains it, unmet if it only makes the work look done.",
          ...(noticed.some(({ text }) => text.startsWith(AGENT_SAYS)) ? [ON_CLAIMS] : []),
          ...noticed.map(describe),
        ]
      : []),
  ].join("\n");
}

const ON_CLAIMS =
  "What the agent says is met if you have seen for yourself that it is true, or if the user's request or other facts explain it; else it is unmet.";

function firstCriteria(next: number): string {
  return `Write down what must be true for the user's request to be done: at most seven criteria, C${next}, C${next + 1}, …`;
}

function rule({ canAdd, canDrop, isReopened = false }: OpenLedger, next: number): string {
  const drop = canDrop.length > 0 ? `; drop one of ${canDrop.join(", ")} only if they no longer want it` : "";
  if (isReopened) {
    const add = canAdd ? `Add what the user asked for and the list lacks, from C${next} on` : "Add nothing";
    return `${add}${drop}. A "done" needs your own ruling and evidence on each.`;
  }
  if (canAdd && canDrop.length === 0)
    return `These always hold here. Add what the user's request asks for besides: at most seven criteria, from C${next} on.`;
  if (canAdd) return `The user has written a new prompt since: add what it asks for, from C${next} on${drop}.`;
  return `The list is complete: add nothing${drop}. A "done" needs your ruling on each: an earlier one counts only if no file has changed since.`;
}

function describeCriterion({ id, text, status, evidence }: Criterion, { isReopened = false }: OpenLedger): string {
  const said = isReopened ? "the first reviewer claims" : "last review";
  const last = evidence === "" ? "" : ` (${said}: ${status}, ${inline(evidence, LONGEST_EVIDENCE)})`;
  return `- ${id}: ${inline(text, LONGEST_TEXT)}${last}`;
}

const LONGEST_EVIDENCE = 200;
const LONGEST_TEXT = 300;

/** The last answer of a reviewer that can no longer be asked, and what is wrong with it. */
function describeLacking(verdict: Verdict, missing: readonly string[]): string {
  const { completed, needsUser: needs_user, rulings: criteria, feedback } = verdict;
  return [
    "You were asked before and answered:",
    JSON.stringify({ criteria, completed, needs_user, feedback: oneLine(feedback) }),
    "That does not count yet:",
    ...missing.map((each) => `- ${each}.`),
    `${SEEN} Look at what is missing, then answer again, with all criteria.`,
  ].join("\n");
}

const SEEN = "What you have seen already need not be looked at again.";

/**
 * One line for each tool call, with the last lines of what failed and of commands that ran tests, and, if there is room, of
 * all other commands. The oldest are left out first. If there were earlier steps than these (`isPartial`), how many lines
 * are left out is not known.
 */
function digestOf(steps: readonly SessionStep[], project: string, longest: number, isPartial = false): string {
  const full = steps.flatMap((step) => describeStep(step, project, OTHER_OUTPUT_LINES));
  const isFitting = full.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) <= longest;
  const lines = isFitting ? full : steps.flatMap((step) => describeStep(step, project, 0));
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.toReversed()) {
    length += Buffer.byteLength(line) + 1;
    if (length > longest) break;
    kept.unshift(line);
  }
  const left = lines.length - kept.length;
  const missing = isPartial ? "earlier lines are" : `${left} earlier ${left === 1 ? "line is" : "lines are"}`;
  return [...(left > 0 || isPartial ? [`[… ${missing} left out …]`] : []), ...kept].join("\n");
}

function describeStep(step: SessionStep, project: string, others: number): string[] {
  if (step.kind === "prompt") return [`- user: ${inline(step.text, LONGEST_PROMPT)}`];
  const about = inline(step.about.replaceAll(`${project}/`, ""), LONGEST_ABOUT);
  const line = `- ${inline(step.name, LONGEST_NAME)}${about === "" ? "" : `: ${about}`}${step.hasFailed ? " → FAILED" : ""}`;
  const isTelling = step.hasFailed || (step.name === "Bash" && RUNS_TESTS.test(step.about));
  return [line, ...lastLines(step.output, isTelling ? OUTPUT_LINES : step.name === "Bash" ? others : 0)];
}

const LONGEST_NAME = 60;
const LONGEST_ABOUT = 160;
const LONGEST_PROMPT = 120;
const LONGEST_OUTPUT_LINE = 160;
const OUTPUT_LINES = 8;
const OTHER_OUTPUT_LINES = 4;

/** Commands that usually run tests, type checks or builds. */
const RUNS_TESTS =
  /\b(test|tests|spec|check|lint|typecheck|build|tsc|pytest|unittest|tox|jest|vitest|mocha|cargo|ctest|make|mvn|gradle|rspec|phpunit)\b/i;

function lastLines(output: string, most: number): string[] {
  if (most === 0) return [];
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-most).map((line) => `    | ${inline(line, LONGEST_OUTPUT_LINE)}`);
}

/** Text of the agent's as one short line that cannot look like markup. */
function inline(text: string, longest: number): string {
  return shortened(oneLine(text), longest).replaceAll("\n", " ").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The beginning and the end of a text that is too long. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

/** In a long list, the first texts give the topic and the last ones the current request. */
const MOST_LISTED = 100;
const FIRST_LISTED = 10;

/** A numbered list of texts in about `longest` bytes. The oldest are shortened first. */
function listed(texts: readonly string[], longest: number): { readonly text: string; readonly isWhole: boolean } {
  const numbered = texts.map((text, index) => ({ number: index + 1, text: text.trim() }));
  const left = Math.max(0, texts.length - MOST_LISTED);
  const kept = [...numbered.slice(0, FIRST_LISTED), ...numbered.slice(FIRST_LISTED + left)];
  const lines: string[] = [];
  let isWhole = left === 0;
  let room = longest;
  for (const [older, { number, text }] of [...kept.entries()].toReversed()) {
    // Every older text keeps room for its beginning and end.
    const shown = inBytes(text, Math.max(SHORTEST, room - older * SHORTEST));
    if (shown !== text) isWhole = false;
    const line = `${number}. ${shown}`;
    room -= Buffer.byteLength(line);
    lines.unshift(line);
  }
  if (left > 0) lines.splice(FIRST_LISTED, 0, `[… ${left} more ${left === 1 ? "is" : "are"} left out here …]`);
  return { text: lines.join("\n\n"), isWhole };
}

const SHORTEST = 200;

function inBytes(text: string, longest: number): string {
  const bytes = Buffer.byteLength(text);
  return bytes <= longest ? text : shortened(text, Math.floor((longest * text.length) / bytes));
}
