import type { ReviewWay } from "../../claude/reviewer-command.ts";
import type { SessionStep } from "../../claude/session-steps.ts";
import type { BackgroundTask } from "../../claude/stop-event.ts";
import type { Changes } from "../baseline/changes.ts";
import { type CheckResult, describeChecks } from "../checks/describe-checks.ts";
import type { Dispute } from "../ledger/disputes.ts";
import type { OpenLedger } from "../ledger/ledger.ts";
import { describeChanges } from "./changed-files.ts";
import { describeCriteria, describeLacking } from "./describe-criteria.ts";
import { digestOf } from "./digest.ts";
import { inline, shortened } from "./inline.ts";
import { listed } from "./listed.ts";
import PREAMBLE from "./preamble.md" with { type: "text" };
import type { Lacking } from "./reviewer.ts";

/** What the reviewer is told, whatever else it sees. */
export interface ReviewRequest {
  readonly instructions: string;
  /** Every prompt of the user, in order. */
  readonly prompts: readonly string[];
  readonly round: number;
  /** Undefined if the user asked for this one review. */
  readonly limit: number | undefined;
  /** Feedback of the earlier reviews of this prompt. */
  readonly earlier: readonly string[];
  readonly tasks: readonly BackgroundTask[];
  /** The agent's current folder, if not the one its session started in. */
  readonly cwd: string | undefined;
  /** What ccc itself noticed. */
  readonly findings: readonly string[];
  /** What changed since the user's last prompt. */
  readonly changes: Changes;
  /** Passed, all of them. */
  readonly checks: readonly CheckResult[];
  readonly ledger: OpenLedger;
  readonly disputes: readonly Dispute[];
  /** The reviewer's last answer, if it did not count. */
  readonly lacking: Lacking | undefined;
  /** Instead of the conversation, for a reviewer that does not have it. */
  readonly evidence: Evidence | undefined;
}

/** What a session did, for a reviewer that does not see the conversation. */
export interface Evidence {
  readonly project: string;
  readonly lastMessage: string;
  readonly steps: readonly SessionStep[];
  /** Whether there were earlier steps, which were not read. */
  readonly isPartial?: boolean;
  /** The transcript, which has the rest. */
  readonly transcript: string | undefined;
}

/**
 * The message that asks for a review. Its sections are marked with a random code, so that no text of the agent's can pass
 * for one of them.
 */
export function reviewMessage(request: ReviewRequest, way: ReviewWay, code: string = newCode()): string {
  const { evidence } = request;
  const section = (title: string, text: string) =>
    `<section-${code} title="${title}">\n${text.trim()}\n</section-${code}>`;
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 && section(title, lines.map((line) => `- ${line}`).join("\n"));
  const longest = evidence === undefined ? LONGEST_LIST : LONGEST_LIST_BESIDE_EVIDENCE;
  const parts = [
    `${OPENING[evidence === undefined ? "conversation" : "evidence"]}\n\n${PREAMBLE.trim().replaceAll("CODE", code)}`,
    section("Your instructions", request.instructions),
    section("The user's original request", listed(request.prompts, longest) || NO_PROMPTS),
    section("This review", whichReview(request)),
    section("What must be true", describeCriteria(request.ledger)),
    list(
      "Data: criteria that the agent disputes; rule on each",
      request.disputes.map(({ id, reason }) => `${id}: ${data(reason)}`),
    ),
    list("What ccc noticed", request.findings.map(data)),
    request.cwd !== undefined &&
      section("Data: where the agent works now", `${data(request.cwd)}, which is not where you are: look there.`),
    request.earlier.length > 0 &&
      section("What earlier reviews of this prompt asked for", listed(request.earlier, longest)),
    section("Data: files changed since the user's last prompt", describeChanges(request.changes)),
    request.checks.length > 0 && section("Data: checks that passed", describeChecks(request.checks)),
    list("Data: still running in the background", request.tasks.slice(0, MOST_TASKS).map(describeTask)),
    request.lacking !== undefined && section("Your answer did not count", describeLacking(request.lacking)),
  ].filter((part) => part !== false);
  const ending = `Now look for yourself. ${ANSWER[way]}`;
  const told = evidence === undefined ? [] : evidenceSections(evidence, section, sizeOf([...parts, ending]));
  return [...parts, ...told, ending].join("\n\n");
}

function whichReview({ round, limit }: ReviewRequest): string {
  if (limit === undefined) return "The user asked for it. The verdict goes to the user, and not to the agent.";
  return `Round ${round} of at most ${limit} for the user's last prompt.`;
}

const OPENING = {
  conversation:
    "From now on you are the supervisor: an independent reviewer, not the agent. The conversation above is the work under review.\nDo not continue it.",
  evidence:
    "You are the supervisor: an independent reviewer. A coding agent worked in this folder and wants to stop. You do not see its\nconversation; below is what the user asked for and what the agent did.",
};

const FIELDS = `"criteria" (a list of {"id", "text", "status": "met", "unmet" or "dropped", "evidence": what you saw, and in which file or
command}), "completed" (boolean), "needs_user" (boolean: only the user can go on), "feedback" (string)`;

const ANSWER: Readonly<Record<ReviewWay, string>> = {
  shared: `Then end your answer with the verdict as one JSON object, and nothing after it: ${FIELDS}.`,
  schema: `Then answer with the structured output: ${FIELDS}.`,
  fresh: `Then answer with the structured output: ${FIELDS}.`,
};

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

function newCode(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** In bytes. A forked reviewer has the prompts in its conversation too. */
const LONGEST_LIST = 40_000;
const LONGEST_LIST_BESIDE_EVIDENCE = 8_000;
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
