import {
  type ApiFailure,
  type ApiFailureKind,
  classifyFailure,
  isTooLong,
  noResult,
  serverWords,
} from "../../claude/failures.ts";
import { ANSWER_TOOL, userLine } from "../../claude/runs.ts";
import { type Retry, readStreamLine, type StreamEvent, type StreamResult, usageMeter } from "../../claude/stream.ts";
import { readReviewerName } from "../../config/defaults.ts";
import { type ChildRequest, type ChildResult, limited } from "../../os/child.ts";
import { parseJson } from "../../text/json.ts";
import { counted, shortTokens, shownTime } from "../../text/words.ts";
import { sessionProblem } from "../limits.ts";
import { totalTokens } from "../outcome.ts";
import { INTERRUPTED } from "../record/stops.ts";
import { type AnswerTerms, type AskedAbout, decideVerdict, type Verdict, whyUnread } from "./verdict.ts";

/** A reviewer's process, which is asked one thing after another. What was said before is served from the prompt cache. */
interface Conversation extends AsyncDisposable {
  readonly ask: (message: string) => Promise<Reply>;
}

type Reply =
  | { readonly verdict: Verdict }
  /** Why its answer is no verdict. */
  | { readonly unread: string }
  /** Its process has ended, after an earlier answer or after too many without a verdict. */
  | "gone"
  /** The session is too long for its model. */
  | "too long"
  | ReviewFailure;

/** Why there is no review. */
export interface ReviewFailure {
  readonly failure: string;
  /** Whether the reviewer was unavailable, so that another one may be asked. */
  readonly isUnavailable: boolean;
  /** Why its API gave no answer, if that is the reason. */
  readonly cause?: ApiFailureKind;
}

/** How to run a reviewer, and whom to tell what it does. */
export interface ConversationJob extends Pick<ChildRequest, "program" | "cwd" | "timeoutMs">, AnswerTerms {
  /** Whether it answers in a JSON schema. Otherwise the verdict is in its last words. */
  readonly isInSchema: boolean;
  /** The time for the whole review. */
  readonly timeoutSeconds: number;
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  readonly clock: () => number;
  /** Masks secrets. It must run before a text is cut: half a key would not be recognized. */
  readonly clean: (text: string) => string;
  /** The reviewer's text, as it streams, without the code: the agent may read it before the review ends. */
  readonly onText: (text: string) => void;
  /** A JSON line of the stream, also without the code. */
  readonly onLine: (line: Uint8Array) => void;
  /** The same line, parsed. */
  readonly onEvent: (event: StreamEvent) => void;
  /** "provider" or "provider:model"; empty if unknown. */
  readonly reviewer: string;
  /** Trouble that the user should know of while the review lasts. */
  readonly onTrouble: (message: string) => void;
  /** Any other output, and notices. */
  readonly onNoise: (line: string) => void;
}

/** Starts a reviewer, within bounds: Claude Code itself may ask a model for an answer in a schema forever. */
export function openConversation(job: ConversationJob): Conversation {
  const input = openInput();
  const answers: Reply[] = [];
  let onAnswer = (): void => {};
  const give = (answer: Reply) => {
    answers.push(answer);
    onAnswer();
  };
  const listener = listen(job);
  const { program, cwd, timeoutMs } = job;
  const onLine = (line: Uint8Array | undefined) => {
    const answer = listener.read(line);
    if (answer !== undefined) give(answer);
    return listener.isOver();
  };
  const ended = job.run({ program, cwd, timeoutMs, stdin: input.texts, onLine }).then((result) => {
    input.end();
    return listener.endOf(result);
  });
  // Whoever awaits this gets the error. If nobody does, it must not end ccc.
  ended.catch(() => {});
  return {
    ask: async (message) => {
      listener.listenAnew();
      input.write(userLine(message));
      const next = new Promise<void>((resolve) => {
        onAnswer = resolve;
      });
      if (answers.length === 0) await Promise.race([next, ended]);
      return answers.shift() ?? ended;
    },
    [Symbol.asyncDispose]: async () => {
      input.end();
      await ended.catch(() => {});
    },
  };
}

/** Texts for a process that waits for them. */
function openInput() {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const ignore = () => {};
  return {
    texts: readable,
    write: (text: string) => void writer.write(text).catch(ignore),
    end: () => void writer.close().catch(ignore),
  };
}

/** Reads what a reviewer prints: its answers, and why it has to be ended. */
function listen(job: ConversationJob) {
  const listener = {
    ...job,
    onNoise: limited(job.onNoise, NOISE, "more lines that are not JSON were omitted"),
    onText: limited(job.onText, TEXT, "the rest was omitted"),
  };
  const used = usageBounds();
  let bytes = 0;
  let isAnswered = false;
  let hasSpoken = false;
  let isShortened = false;
  let isRefused = false;
  let apiErrors = 0;
  let said = "";
  let message: string | undefined;
  let asked: AskedAbout;
  const isEndless = () => bytes > LARGEST_REVIEW;
  const failed = { reviewer: job.reviewer, clean: job.clean };
  const now = () => new Date(job.clock());

  const answerOf = (result: StreamResult): Reply => {
    if (isTooLong(result)) return "too long";
    // A digest has neither thinking nor images of another model.
    if (result.isError && sessionProblem(wordsOf(result)) !== undefined) return "too long";
    if (result.isError) {
      const { status, errorType: type } = result;
      return apiUnavailable({ status, type, text: wordsOf(result) }, { ...failed, now: now() });
    }
    // Without a schema, only the reviewer's own last words count: not what it resumed or was told.
    const answer = job.isInSchema ? result.answer : said;
    const verdict = decideVerdict(result.structured, answer, job, asked);
    if (verdict !== undefined) {
      asked = undefined;
      return { verdict };
    }
    const { why, about } = whyUnread(answer, job);
    asked = about;
    return { unread: why };
  };

  return {
    /** An earlier answer is not the answer to the next question. */
    listenAnew: () => {
      said = "";
      message = undefined;
    },
    read: (line: Uint8Array | undefined): Reply | undefined => {
      bytes += line?.length ?? 0;
      const event = read(listener, line);
      if (event === undefined) return undefined;
      used.read(event);
      if (event.kind === "compaction") isShortened = true;
      if (event.kind === "text") {
        hasSpoken = true;
        said = lastWords(said, event, message);
        message = event.usage?.messageId;
        apiErrors = event.isApiError === true ? apiErrors + 1 : 0;
      }
      if (event.kind === "retry") job.onTrouble(retrying(event, job.reviewer));
      // Retries do not help. A 403 is not final before the text of its error, which may be about a quota.
      if (event.kind === "retry" && event.status === 401) isRefused = true;
      if (event.kind !== "result" || isShortened) return undefined;
      isAnswered = true;
      const isOwnTurn = !hasSpoken && isSilent(event.result);
      hasSpoken = false;
      return isOwnTurn ? undefined : answerOf(event.result);
    },
    isOver: () => isShortened || isRefused || apiErrors > 1 || isEndless() || used.isTooMuch() || used.isTalk(),
    /** The reply of a process that has ended. */
    endOf: ({ ending, ...ended }: ChildResult): Reply => {
      if (isShortened) return "too long";
      // The API may hang, so another reviewer may still be available.
      if (ending === "timeout")
        return { ...unavailable(`no verdict within ${counted(job.timeoutSeconds, "second")}`), cause: "other" };
      if (isEndless()) return failedReview(`no verdict within ${LARGEST_REVIEW / 1e6} MB of output`);
      if (ending === "interrupted") return failedReview(INTERRUPTED);
      if (isRefused) return apiUnavailable({ status: 401, text: "" }, { ...failed, now: now() });
      // Older versions keep asking for the answer in the schema, even after errors of the API.
      if (apiErrors > 1) return apiUnavailable({ status: undefined, text: said }, { ...failed, now: now() });
      if (used.isTooMuch()) return failedReview(`no verdict within ${shortTokens(used.most())}`);
      if (isAnswered || used.isTalk()) return "gone";
      return unavailable(noResult({ ending, ...ended }, ended.stderr, job.clean));
    },
  };
}

/**
 * Whether no model was asked. A fork of a session whose background tasks still run begins with such a turn: Claude Code
 * notes that they are not its own.
 */
function isSilent({ turns = 0, isError, structured, answer, usage }: StreamResult): boolean {
  const isEmpty = !isError && structured === undefined && (answer ?? "") === "";
  // Some servers report no tokens.
  return isEmpty && turns === 0 && totalTokens(usage) === 0;
}

/** The reviewer's last message. One with several blocks comes in several lines; text before a tool call does not count. */
function lastWords(
  said: string,
  { text, tools, usage }: Extract<StreamEvent, { readonly kind: "text" }>,
  message: string | undefined,
): string {
  if (tools.length > 0) return "";
  const isSameMessage = message !== undefined && usage?.messageId === message;
  return isSameMessage && said !== "" ? `${said}\n${text}` : text;
}

/** Counts the tokens and the answers of a reviewer, and tells when there are too many. */
function usageBounds() {
  const meter = usageMeter();
  const answers = new Set<string>();
  let tokens = 0;
  let most: number | undefined;
  return {
    read: (event: StreamEvent) => {
      if (event.kind !== "text" || event.usage === undefined) return;
      meter.read(event);
      tokens = totalTokens(meter.total());
      most ??= Math.max(LEAST_BOUND, MOST_REQUESTS * tokens);
      const { messageId } = event.usage;
      // Text before a tool call is part of the same message.
      if (event.tools.every(({ name }) => name === ANSWER_TOOL)) answers.add(messageId);
      else answers.delete(messageId);
    },
    /** Each request sends the conversation again, so the bound grows with its length. */
    isTooMuch: () => tokens > (most ?? LEAST_BOUND),
    most: () => most ?? LEAST_BOUND,
    /** Whether it keeps answering, without a look and without a verdict. */
    isTalk: () => answers.size > MOST_ANSWERS,
  };
}

const MOST_ANSWERS = 6;
/** Each as large as the first. */
const MOST_REQUESTS = 100;
/** In tokens. A reviewer whose first request is small may still read a lot. */
const LEAST_BOUND = 5_000_000;

/** Bounds for a reviewer that does not stop talking. */
const NOISE = { texts: 20, characters: 10_000 };
const TEXT = { texts: Number.POSITIVE_INFINITY, characters: 1_000_000 };
const LARGEST_REVIEW = 500_000_000;

function read(
  job: Pick<ConversationJob, "clean" | "code" | "onText" | "onLine" | "onEvent"> & {
    readonly onNoise: ReturnType<typeof limited>;
  },
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
  job.onLine(withoutCode(line, job.code));
  const event = readStreamLine(value);
  job.onEvent(event);
  if (event.kind === "text" && event.text !== "") job.onText(event.text.replaceAll(job.code, HIDDEN));
  return event;
}

function withoutCode(line: Uint8Array, code: string): Uint8Array {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  return bytes.includes(code) ? Buffer.from(bytes.toString().replaceAll(code, HIDDEN)) : line;
}

const HIDDEN = "[code]";

const OPENING_BRACE = 0x7b;
const LONGEST_EXCERPT = 500;
/** Longer than an excerpt by more than a key. */
const LONGEST_CLEANED = 5_000;

function wordsOf({ answer, errors, subtype }: StreamResult): string {
  const said = typeof answer === "string" && answer !== "" ? answer : errors.join("; ");
  return said || subtype || "no details given";
}

/** There was no review. */
export function unavailable(failure: string): ReviewFailure {
  return { failure, isUnavailable: true };
}

/** There was a review, and it failed. Another reviewer would be a second opinion, which the user did not ask for. */
export function failedReview(failure: string): ReviewFailure {
  return { failure, isUnavailable: false };
}

/** For an API that gave no answer: what happened, in its own words, and what to do. */
function apiUnavailable(
  { status: reported, type = "", text }: FailedAnswer,
  { reviewer, now, clean }: { readonly reviewer: string; readonly now: Date; readonly clean: (text: string) => string },
): ReviewFailure {
  const found = classifyFailure({ status: reported, text: `${type}\n${text}` }, now);
  // Cleaned before it is cut: half a key would not be recognized.
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
