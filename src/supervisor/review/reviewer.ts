import type { ReviewWay } from "../../claude/runs.ts";
import { lookCollector, type ReviewerLook } from "../../claude/stream.ts";
import type { GuardedFiles } from "../../os/locks.ts";
import type { Redactor } from "../../text/redact.ts";
import { bestEffort, type SupervisorLog } from "../project.ts";
import { INTERRUPTED } from "../record/stops.ts";
import {
  type ConversationJob,
  failedReview,
  openConversation,
  type ReviewFailure,
  unavailable,
} from "./conversation.ts";
import type { Verdict } from "./verdict.ts";

/** A provider, with a model, that can be asked for a review. */
export interface Reviewer {
  /** "provider" or "provider:model"; empty if unknown. */
  readonly name: string;
  /** How it is asked first. */
  readonly way: ReviewWay;
  /** Whether it is asked for an answer in a JSON schema. */
  readonly isInSchema: (way: ReviewWay) => boolean;
  /** The program that reviews. `prompts` is a file with the user's prompts. */
  readonly start: (way: ReviewWay, prompts?: string) => Promise<StartedReviewer | ReviewFailure>;
}

/** A reviewer that is ready to run. */
interface StartedReviewer extends Pick<ConversationJob, "program" | "cwd"> {
  /** Describes its sandbox, for its message; undefined if it runs in the project, where the guard decides on its commands. */
  readonly sandbox: string | undefined;
  /** Makes a line of its output read as if it had worked in the project. */
  readonly translate?: (line: Uint8Array) => Uint8Array;
  /** Removes what was made for it. */
  readonly close?: () => void;
}

export interface ReviewJob extends Omit<ConversationJob, "program" | "cwd" | "timeoutMs" | "isInSchema" | "code"> {
  /** How to ask first. */
  readonly way: ReviewWay;
  /** Whether a reviewer can do without the conversation. */
  readonly canBeFresh: boolean;
  /** The reviewer's process, and what it is asked. An earlier reviewer's verdict may have lacked something. */
  readonly open: (way: ReviewWay, lacking: Lacking | undefined) => Promise<OpenReview | ReviewFailure>;
  /** What a verdict lacks, in sentences, after these looks. */
  readonly missing: (verdict: Verdict, looks: readonly ReviewerLook[]) => readonly string[];
  /** The reviewer is asked for what its answer lacks. */
  readonly onQuestion: (lacking: Lacking) => void;
}

interface OpenReview extends Omit<StartedReviewer, "sandbox">, Pick<ConversationJob, "isInSchema" | "code"> {
  /** Asks for the review. */
  readonly message: string;
  /** Asks for what the answer to it lacks. */
  readonly question: (lacking: Lacking) => string;
}

/** An answer that does not count yet, and why. */
export interface Lacking {
  /** Undefined if none was found in it. */
  readonly verdict: Verdict | undefined;
  readonly missing: readonly string[];
}

type AskedReview = Review & {
  /** Who was asked last. */
  readonly reviewer: string;
  /** Why earlier ones could not review. */
  readonly instead: string | undefined;
};

/** Asks the first reviewer, and the next one if it is unavailable. Each has the full time of a review. */
export async function askReviewers(
  [first, ...others]: readonly [Reviewer, ...Reviewer[]],
  jobFor: (reviewer: Reviewer) => ReviewJob,
): Promise<AskedReview> {
  const reasons: string[] = [];
  let reviewer = first;
  for (;;) {
    const job = jobFor(reviewer);
    const result = await review(job);
    const next = others.shift();
    const instead = reasons.length === 0 ? undefined : reasons.join(". ");
    if (!("failure" in result)) return { ...result, reviewer: reviewer.name, instead };
    if (next === undefined || !result.isUnavailable) {
      const failure = instead === undefined ? alone(reviewer, result) : `${instead}. ${named(reviewer, result)}`;
      return { ...result, failure, reviewer: reviewer.name, instead };
    }
    reasons.push(named(reviewer, result));
    job.onTrouble(`${named(reviewer, result)}. Asking ${next.name}`);
    reviewer = next;
  }
}

type Failed = Extract<Review, ReviewFailure>;

function named({ name }: Reviewer, { failure }: Failed): string {
  return `${name}: ${failure}`;
}

/** Without a launch the reviewer has no name, and there is no fallback. */
function alone({ name }: Reviewer, { failure, isUnavailable }: Failed): string {
  if (!isUnavailable || name === "") return failure;
  return failure + FALLBACK_ADVICE;
}

const FALLBACK_ADVICE = ". To have another provider review in such a case, name it in supervisor.fallback";

/** A failure, for a user who wants this reviewer and no other. */
export function withoutFallbackAdvice(failure: string): string {
  return failure.replace(FALLBACK_ADVICE, "");
}

type Review = Found & {
  /** What the reviewer opened and ran. */
  readonly looks: readonly ReviewerLook[];
};

/** Asks for a verdict: once more if the reviewer gave none, and without the conversation if that is too long. */
async function review(job: ReviewJob): Promise<Review> {
  const looked = lookCollector();
  const onEvent: ReviewJob["onEvent"] = (event) => {
    looked.read(event);
    job.onEvent(event);
  };
  const found = await verdictOf({ ...job, onEvent }, looked.looks);
  return { ...found, looks: looked.looks() };
}

type Found = { readonly verdict: Verdict } | ReviewFailure;

/** A reviewer that could no longer be asked for what its answer lacks. */
interface Unanswered {
  readonly problem: "no verdict" | "too long";
  readonly lacking: Lacking | undefined;
}

async function verdictOf(job: ReviewJob, looks: () => readonly ReviewerLook[]): Promise<Found> {
  const endsAt = job.clock() + job.timeoutSeconds * 1000;
  let reviews = 0;
  let lacking: Lacking | undefined;
  for (let way = job.way; ; ) {
    const found = await converse(job, way, { lacking, looks, timeoutMs: endsAt - job.clock() });
    if (!("problem" in found)) return found;
    ({ lacking } = found);
    if (found.problem === "no verdict" && ++reviews === 2) return lastWord(lacking);
    const next = nextWay(way, found.problem, job.canBeFresh);
    if (next === undefined)
      return failedLater(job, unavailable("the session is too long for the reviewer's model"), lacking);
    job.onNoise(
      found.problem === "no verdict"
        ? "the reviewer gave no verdict that counts; reviewing once more"
        : "the reviewer's model cannot take the session; asking with a digest of it",
    );
    way = next;
  }
}

interface ConverseOptions {
  readonly lacking: Lacking | undefined;
  readonly looks: () => readonly ReviewerLook[];
  readonly timeoutMs: number;
}

/** One reviewer's process: the review, and a few questions about what the verdict lacks. */
async function converse(
  job: ReviewJob,
  way: ReviewWay,
  { lacking: before, looks, timeoutMs }: ConverseOptions,
): Promise<Found | Unanswered> {
  const opened = await job.open(way, before);
  if ("failure" in opened) return failedLater(job, opened, before);
  const { message, question, translate, close, ...child } = opened;
  using _made = { [Symbol.dispose]: () => close?.() };
  const run: ReviewJob["run"] = ({ onLine, ...request }) =>
    job.run({ ...request, onLine: (line) => onLine(line && (translate?.(line) ?? line)) });
  await using reviewer = openConversation({ ...job, ...child, run, timeoutMs });
  let lacking = before;
  let text = message;
  for (let questions = 0; ; questions++) {
    const answer = await reviewer.ask(text);
    if (answer === "too long") return { problem: answer, lacking };
    if (answer === "gone") return { problem: "no verdict", lacking };
    if ("failure" in answer) return failedLater(job, answer, lacking);
    lacking =
      "unread" in answer
        ? { verdict: undefined, missing: [answer.unread] }
        : { ...answer, missing: job.missing(answer.verdict, looks()) };
    const { verdict } = lacking;
    if (verdict !== undefined && lacking.missing.length === 0) return { verdict };
    if (questions === MOST_QUESTIONS)
      return verdict === undefined ? { problem: "no verdict", lacking } : lastWord(lacking);
    job.onQuestion(lacking);
    text = question(lacking);
  }
}

/** A "not done" counts although the reviewer failed before it added what that lacks. */
function failedLater({ onNoise }: ReviewJob, failed: ReviewFailure, lacking: Lacking | undefined): Found {
  const verdict = lacking?.verdict;
  if (verdict === undefined || verdict.completed || failed.failure === INTERRUPTED) return failed;
  onNoise(`${failed.failure}; the "not done" before that counts`);
  return { verdict };
}

/** For one process. More would not help a reviewer that has not understood two. */
const MOST_QUESTIONS = 2;

/** What counts if the reviewer is not asked again: "not done" whatever it lacks, "done" only if it lacks nothing. */
function lastWord(lacking: Lacking | undefined): Found {
  if (lacking?.verdict === undefined) return unavailable("the reviewer gave no verdict, twice");
  const { verdict, missing } = lacking;
  return verdict.completed ? failedReview(`the reviewer's "done" does not count: ${missing.join("; ")}`) : { verdict };
}

/** How to review again after answers without a verdict, or if the session was too long. */
function nextWay(way: ReviewWay, problem: Unanswered["problem"], canBeFresh: boolean): ReviewWay | undefined {
  if (problem === "too long") return way !== "fresh" && canBeFresh ? "fresh" : undefined;
  return way === "shared" ? "schema" : way;
}

/** Where the output of reviews goes. */
interface KeptOutput {
  /** ccc's files in the project; undefined if it cannot write there. */
  readonly files: Pick<GuardedFiles, "openAppend"> | undefined;
  readonly outputFile: string;
  readonly log: SupervisorLog;
  readonly redactor: Pick<Redactor, "line">;
}

/** Saves the review as it streams. A failure does not stop the review. A file that is too large is set aside, once. */
export function keepOutput({ files, outputFile, log, redactor }: KeptOutput) {
  const open = () => bestEffort(log.say, SAVE_REVIEW, () => files?.openAppend(outputFile, LARGEST_OUTPUT));
  let output = open();
  const close = () => {
    output?.close();
    output = undefined;
  };
  const line = (bytes: Uint8Array) => {
    if (output !== undefined && output.size() > LARGEST_OUTPUT) {
      close();
      output = open();
    }
    const isWritten = bestEffort(log.say, SAVE_REVIEW, () => {
      output?.write(Buffer.concat([redactor.line(bytes), NEWLINE]));
      return true;
    });
    if (!isWritten) close();
  };
  return { line, close };
}

/** A session can have twice as much, with the file that was set aside. */
const LARGEST_OUTPUT = 20_000_000;
const NEWLINE = Buffer.from("\n");
const SAVE_REVIEW = "save the review";
