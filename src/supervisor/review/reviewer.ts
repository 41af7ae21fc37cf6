import {
  type ApiFailure,
  type ApiFailureKind,
  classifyFailure,
  isTooLong,
  noResult,
  serverWords,
} from "../../claude/failures.ts";
import type { ReviewWay } from "../../claude/runs.ts";
import {
  lookCollector,
  type Retry,
  type ReviewerLook,
  readStreamLine,
  type StreamEvent,
  type StreamResult,
} from "../../claude/stream.ts";
import { readReviewerName } from "../../config/defaults.ts";
import { type ChildRequest, type ChildResult, limited } from "../../os/child.ts";
import { parseJson } from "../../text/json.ts";
import { counted, shownTime } from "../../text/words.ts";
import type { Program } from "../../world.ts";
import { INTERRUPTED } from "../record/stops.ts";
import { decideVerdict, type Verdict } from "./verdict.ts";

/** A provider, with a model, that can be asked for a review. */
export interface Reviewer {
  /** "provider" or "provider:model"; empty if that is not known. */
  readonly name: string;
  /** What it sees first. */
  readonly way: ReviewWay;
  /** The program that reviews. `cwd` is the agent's current folder, `prompts` a file with the user's prompts. */
  readonly program: (way: ReviewWay, cwd: string, prompts?: string) => Promise<Program>;
}

export interface ReviewJob {
  /** The first way to ask. */
  readonly way: ReviewWay;
  /** Whether a reviewer can do without the conversation. */
  readonly canBeFresh: boolean;
  /** The reviewer's process, for a message that says what its last answer lacks. */
  readonly child: (way: ReviewWay, lacking: Lacking | undefined) => Promise<Omit<ChildRequest, "onLine" | "timeoutMs">>;
  /** What a verdict lacks, in sentences, after these looks. */
  readonly missing: (verdict: Verdict, looks: readonly ReviewerLook[]) => readonly string[];
  readonly timeoutSeconds: number;
  readonly marker: string;
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  readonly clock: () => number;
  /** Masks secrets. It must run before a text is cut: half a key would not be recognized. */
  readonly clean: (text: string) => string;
  /** The reviewer's text, as it streams. */
  readonly onText: (text: string) => void;
  /** A JSON line of the stream, unchanged. */
  readonly onLine: (line: Uint8Array) => void;
  /** The same line, read. */
  readonly onEvent: (event: StreamEvent) => void;
  /** Who is asked: "provider" or "provider:model"; empty if that is not known. */
  readonly reviewer: string;
  /** What the user should know while the review lasts. */
  readonly onTrouble: (message: string) => void;
  /** Any other output, and notices. */
  readonly onNoise: (line: string) => void;
}

/** A verdict that does not count yet, and why. */
export interface Lacking {
  readonly verdict: Verdict;
  readonly missing: readonly string[];
}

type AskedReview = Review & {
  /** Who was asked last. */
  readonly reviewer: string;
  /** Why those before could not review. */
  readonly instead: string | undefined;
};

/** Asks the first reviewer, and the next one if it is unavailable. Each has the whole time of a review. */
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

type Failed = Extract<Review, { readonly failure: string }>;

function named({ name }: Reviewer, { failure }: Failed): string {
  return `${name}: ${failure}`;
}

/** Without a launch the reviewer has no name, and there is no fallback. */
function alone({ name }: Reviewer, { failure, isUnavailable }: Failed): string {
  if (!isUnavailable || name === "") return failure;
  return failure + FALLBACK_ADVICE;
}

const FALLBACK_ADVICE = ". To have another provider review in such a case, name it in supervisor.fallback";

/** A failure, for those who want this reviewer and no other. */
export function withoutFallbackAdvice(failure: string): string {
  return failure.replace(FALLBACK_ADVICE, "");
}

type Review = Found & {
  /** What the reviewer opened and ran. */
  readonly looks: readonly ReviewerLook[];
};

/**
 * Asks for a verdict: a second time if there is none or if it lacks something, and without the conversation if that is
 * too long.
 */
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

async function verdictOf(job: ReviewJob, looks: () => readonly ReviewerLook[]): Promise<Found> {
  const endsAt = job.clock() + job.timeoutSeconds * 1000;
  let asked = 0;
  let lacking: Lacking | undefined;
  for (let way = job.way; ; ) {
    const answer = await ask(job, way, endsAt - job.clock(), lacking);
    if (typeof answer === "object") {
      const missing = "verdict" in answer ? job.missing(answer.verdict, looks()) : [];
      if (!("verdict" in answer) || missing.length === 0) return answer;
      if (lacking !== undefined) {
        return answer.verdict.completed
          ? failedReview(`the reviewer's "done" does not count: ${missing.join("; ")}`)
          : answer;
      }
      job.onNoise(`the verdict does not count yet: ${missing.join("; ")}; asking once more`);
      lacking = { verdict: answer.verdict, missing };
      continue;
    }
    if (answer === "no verdict" && ++asked === 2) return failedReview("the reviewer gave no verdict, twice");
    const next = nextWay(way, answer, job.canBeFresh);
    if (next === undefined) return unavailable("the session is too long for the reviewer's model");
    job.onNoise(
      answer === "no verdict"
        ? "the reviewer gave no verdict; asking once more"
        : "the session is too long for the reviewer; asking with a digest of it",
    );
    way = next;
  }
}

/** How to ask again after an answer without a verdict, or one that the session was too long for. */
function nextWay(way: ReviewWay, problem: "no verdict" | "too long", canBeFresh: boolean): ReviewWay | undefined {
  if (problem === "too long") return way !== "fresh" && canBeFresh ? "fresh" : undefined;
  return way === "shared" ? "schema" : way;
}

async function ask(
  job: ReviewJob,
  way: ReviewWay,
  timeoutMs: number,
  lacking: Lacking | undefined,
): Promise<Found | "no verdict" | "too long"> {
  const listener = {
    ...job,
    onNoise: limited(job.onNoise, NOISE, "more lines that are not JSON were omitted"),
    onText: limited(job.onText, TEXT, "the rest was omitted"),
  };
  let bytes = 0;
  let result: StreamResult | undefined;
  let verdict: Verdict | undefined;
  let isRefused = false;
  let apiErrors = 0;
  let said = "";
  let message: string | undefined;
  let isShortened = false;
  const isEndless = () => bytes > LARGEST_REVIEW;
  const ended = await job.run({
    ...(await job.child(way, lacking)),
    timeoutMs,
    onLine: (line) => {
      bytes += line?.length ?? 0;
      const event = read(listener, line);
      if (event?.kind === "compaction") isShortened = true;
      if (event?.kind === "text") {
        said = lastWords(said, event, message);
        message = event.usage?.messageId;
        apiErrors = event.isApiError === true ? apiErrors + 1 : 0;
      }
      if (event?.kind === "result") {
        ({ result } = event);
        // Without a schema, only the reviewer's own last words count: not what it resumed or was told.
        verdict = decideVerdict(result.structured, way === "shared" ? said : result.answer, job.marker);
      }
      if (event?.kind === "retry") job.onTrouble(retrying(event, job.reviewer));
      // No retry helps. After a 403 one waits for the text of the error, which may be about a quota.
      if (event?.kind === "retry" && event.status === 401) isRefused = true;
      // A verdict ends the review, even if something still runs.
      const isAnswered = verdict !== undefined && result?.isError === false;
      return isShortened || isRefused || apiErrors > 1 || isEndless() || isAnswered;
    },
  });
  if (isShortened) return "too long";
  if (verdict !== undefined && result?.isError === false) return { verdict };
  // The API may hang, so another reviewer may still be available.
  if (ended.ending === "timeout")
    return { ...unavailable(`no verdict within ${counted(job.timeoutSeconds, "second")}`), cause: "other" };
  if (isEndless()) return failedReview(`no verdict within ${LARGEST_REVIEW / 1e6} MB of output`);
  if (ended.ending === "interrupted") return failedReview(INTERRUPTED);
  const asked = { reviewer: job.reviewer, now: new Date(job.clock()), clean: job.clean };
  if (isRefused) return apiUnavailable({ status: 401, text: "" }, asked);
  // Older versions keep asking for the answer in the schema, even after errors of the API.
  if (apiErrors > 1) return apiUnavailable({ status: undefined, text: said }, asked);
  if (result === undefined) return unavailable(noResult(ended, ended.stderr, job.clean));
  if (isTooLong(result)) return "too long";
  if (result.isError)
    return apiUnavailable({ status: result.status, type: result.errorType, text: wordsOf(result) }, asked);
  return "no verdict";
}

/** What a reviewer said last. A message of several blocks comes in several lines; whatever precedes a tool call is not the last. */
function lastWords(
  said: string,
  { text, tools, usage }: Extract<StreamEvent, { readonly kind: "text" }>,
  message: string | undefined,
): string {
  if (tools.length > 0) return "";
  const isSameMessage = message !== undefined && usage?.messageId === message;
  return isSameMessage && said !== "" ? `${said}\n${text}` : text;
}

/** Bounds for a reviewer that does not stop talking. */
const NOISE = { texts: 20, characters: 10_000 };
const TEXT = { texts: Number.POSITIVE_INFINITY, characters: 1_000_000 };
const LARGEST_REVIEW = 500_000_000;

function read(
  job: Pick<ReviewJob, "clean" | "onText" | "onLine" | "onEvent"> & { readonly onNoise: ReturnType<typeof limited> },
  line: Uint8Array | undefined,
) {
  if (line === undefined) {
    job.onNoise("a line of the review was too long to keep");
    return undefined;
  }
  // Claude Code's lines are objects. Failed parses are slow, and a broken reviewer may print endless junk.
  const value = line[0] === OPENING_BRACE ? parseJson(new TextDecoder().decode(line)) : undefined;
  if (value === undefined) {
    job.onNoise(() => {
      const start = new TextDecoder().decode(line.subarray(0, LONGEST_CLEANED));
      return `not JSON: ${job.clean(start).slice(0, LONGEST_EXCERPT)}`;
    });
    return undefined;
  }
  job.onLine(line);
  const event = readStreamLine(value);
  job.onEvent(event);
  if (event.kind === "text" && event.text !== "") job.onText(event.text);
  return event;
}

const OPENING_BRACE = 0x7b;
const LONGEST_EXCERPT = 500;
/** Longer than an excerpt by more than a key. */
const LONGEST_CLEANED = 5_000;

function wordsOf({ answer, errors, subtype }: StreamResult): string {
  const said = typeof answer === "string" && answer !== "" ? answer : errors.join("; ");
  return said || subtype || "no details given";
}

/** A review without a verdict. */
interface ReviewFailure {
  readonly failure: string;
  /** Whether the reviewer was unavailable, so that another one may be asked. */
  readonly isUnavailable: boolean;
  /** Why its API gave no answer, if that is the reason. */
  readonly cause?: ApiFailureKind;
}

function unavailable(failure: string): ReviewFailure {
  return { failure, isUnavailable: true };
}

/** There was a review, and it failed. Another reviewer would be a second opinion, which the user did not ask for. */
function failedReview(failure: string): ReviewFailure {
  return { failure, isUnavailable: false };
}

/** An API that gave no answer: what happened, in its own words, and what to do. */
function apiUnavailable(
  { status: given, type = "", text }: FailedAnswer,
  { reviewer, now, clean }: { readonly reviewer: string; readonly now: Date; readonly clean: (text: string) => string },
): ReviewFailure {
  const found = classifyFailure({ status: given, text: `${type}\n${text}` }, now);
  // Before it is cut: half a key would not be recognized.
  const words = clean(serverWords(text)).slice(0, LONGEST_WORDS);
  const status = found.status === undefined ? "" : ` (HTTP ${found.status})`;
  const what = `${MEANINGS[found.kind]}${status}${words === "" ? "" : `: ${words.replace(/[.。]$/, "")}`}`;
  return { ...unavailable([what, advice(found, reviewer)].filter(Boolean).join("; ")), cause: found.kind };
}

/** A failed request that claude sends again. */
function retrying({ status, attempt, most }: Retry, reviewer: string): string {
  const what = status === undefined ? "the API cannot be reached" : `the API answers HTTP ${status}`;
  const count = attempt === undefined || most === undefined ? "" : ` (${attempt} of ${most})`;
  return `${reviewer === "" ? "" : `${reviewer}: `}${what}; claude is retrying${count}`;
}

interface FailedAnswer {
  readonly status: number | undefined;
  /** The type of the error. */
  readonly type?: string | undefined;
  /** The message, as Claude Code shows it. */
  readonly text: string;
}

const LONGEST_WORDS = 500;

const MEANINGS: Readonly<Record<ApiFailureKind, string>> = {
  refused: "the API refused the reviewer's key",
  "usage limit": "the reviewer's usage limit is reached",
  "no credit": "the reviewer's account is out of credit",
  "rate limit": "the API gets too many requests from the reviewer's account",
  "server error": "the reviewer's API has a server error",
  unreachable: "the reviewer's API cannot be reached",
  other: "claude reports an error",
};

function advice({ kind, resetAt }: ApiFailure, reviewer: string): string {
  const { provider } = readReviewerName(reviewer);
  switch (kind) {
    case "refused":
    case "unreachable":
      return provider === "" ? "check its provider" : `check it with \`ccc validate ${provider}\``;
    case "usage limit":
    case "rate limit":
      return resetAt === undefined ? "try again later" : `it resets at ${shownTime(resetAt.getTime() / 1000)}`;
    case "no credit":
      return "add credit at its provider";
    case "server error":
      return "try again later";
    case "other":
      return "";
  }
}
