import { lookCollector, type ReviewerLook } from "../../claude/looks.ts";
import type { ReviewWay } from "../../claude/reviewer-command.ts";
import { readStreamLine, type StreamEvent, type StreamResult } from "../../claude/stream.ts";
import { isCompaction, isTooLong } from "../../claude/too-long.ts";
import type { ChildRequest, ChildResult } from "../../os/child.ts";
import { parseJson } from "../../text/json.ts";
import { limited } from "../../text/limited.ts";
import { noResult } from "../no-result.ts";
import { INTERRUPTED } from "../record/stop-record.ts";
import { apiUnavailable, failedReview, type ReviewFailure, retrying, unavailable } from "./review-failure.ts";
import { nextWay } from "./review-way.ts";
import { decideVerdict, type Verdict } from "./verdict.ts";

export interface ReviewJob {
  /** The first way to ask. */
  readonly way: ReviewWay;
  /** Whether a reviewer can do without the conversation. */
  readonly canBeFresh: boolean;
  /** The reviewer to run, told what its last answer lacks. */
  readonly child: (way: ReviewWay, lacking: Lacking | undefined) => Promise<Omit<ChildRequest, "onLine" | "timeoutMs">>;
  /** What a verdict lacks, in sentences, after these looks. */
  readonly missing: (verdict: Verdict, looks: readonly ReviewerLook[]) => readonly string[];
  readonly timeoutSeconds: number;
  readonly marker: string;
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  readonly clock: () => number;
  /** Removes secrets. Before a text is cut: half a key would not be recognized. */
  readonly clean: (text: string) => string;
  /** The reviewer's text, as it streams. */
  readonly onText: (text: string) => void;
  /** A JSON line of the stream, unchanged. */
  readonly onLine: (line: Uint8Array) => void;
  /** The same line, read. */
  readonly onEvent: (event: StreamEvent) => void;
  /** Who is asked: "provider" or "provider:model"; empty if that is not known. */
  readonly reviewer: string;
  /** What the user should know while it lasts. */
  readonly onTrouble: (message: string) => void;
  /** Any other output, and notices. */
  readonly onNoise: (line: string) => void;
}

/** A verdict that does not count yet, and why. */
export interface Lacking {
  readonly verdict: Verdict;
  readonly missing: readonly string[];
}

export type Review = Found & {
  /** What the reviewer opened and ran. */
  readonly looks: readonly ReviewerLook[];
};

/**
 * Asks for a verdict: a second time if there is none or if it lacks something, and without the conversation if that is
 * too long.
 */
export async function review(job: ReviewJob): Promise<Review> {
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
  let isShortened = false;
  const isEndless = () => bytes > LARGEST_REVIEW;
  const ended = await job.run({
    ...(await job.child(way, lacking)),
    timeoutMs,
    onLine: (line) => {
      bytes += line?.length ?? 0;
      const event = read(listener, line, () => {
        isShortened = true;
      });
      if (event?.kind === "text") {
        said = event.text;
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
      // A verdict ends the review, whatever is still running.
      const isAnswered = verdict !== undefined && result?.isError === false;
      return isShortened || isRefused || apiErrors > 1 || isEndless() || isAnswered;
    },
  });
  if (isShortened) return "too long";
  if (verdict !== undefined && result?.isError === false) return { verdict };
  // Its API may hang.
  if (ended.ending === "timeout")
    return { ...unavailable(`no verdict within ${seconds(job.timeoutSeconds)}`), cause: "other" };
  if (isEndless()) return failedReview(`no verdict within ${LARGEST_REVIEW / 1e6} MB of output`);
  if (ended.ending === "interrupted") return failedReview(INTERRUPTED);
  const asked = { reviewer: job.reviewer, now: new Date(job.clock()), clean: job.clean };
  if (isRefused) return apiUnavailable({ status: 401, text: "" }, asked);
  // Older versions go on asking for the answer in the schema, whatever the API says.
  if (apiErrors > 1) return apiUnavailable({ status: undefined, text: said }, asked);
  if (result === undefined) return unavailable(noResult(ended, ended.stderr, job.clean));
  if (isTooLong(result)) return "too long";
  if (result.isError)
    return apiUnavailable({ status: result.status, type: result.errorType, text: wordsOf(result) }, asked);
  return "no verdict";
}

/** Bounds for a reviewer that does not stop talking. */
const NOISE = { texts: 20, characters: 10_000 };
const TEXT = { texts: Number.POSITIVE_INFINITY, characters: 1_000_000 };
const LARGEST_REVIEW = 500_000_000;

function read(
  job: Pick<ReviewJob, "clean" | "onNoise" | "onText" | "onLine" | "onEvent">,
  line: Uint8Array | undefined,
  onCompaction: () => void,
) {
  if (line === undefined) {
    job.onNoise("a line of the review was too long to keep");
    return undefined;
  }
  // Claude Code's lines are objects. Failed parses are slow, and a broken reviewer may print endless junk.
  const value = line[0] === OPENING_BRACE ? parseJson(new TextDecoder().decode(line)) : undefined;
  if (value === undefined) {
    const start = new TextDecoder().decode(line.subarray(0, LONGEST_CLEANED));
    job.onNoise(`not JSON: ${job.clean(start).slice(0, LONGEST_EXCERPT)}`);
    return undefined;
  }
  job.onLine(line);
  if (isCompaction(value)) onCompaction();
  const event = readStreamLine(value);
  job.onEvent(event);
  if (event.kind === "text" && event.text !== "") job.onText(event.text);
  return event;
}

const OPENING_BRACE = 0x7b;
const LONGEST_EXCERPT = 500;
/** Longer than an excerpt by more than a key. */
const LONGEST_CLEANED = 5_000;

function seconds(count: number): string {
  return `${count} second${count === 1 ? "" : "s"}`;
}

function wordsOf({ answer, errors, subtype }: StreamResult): string {
  const told = typeof answer === "string" && answer !== "" ? answer : errors.join("; ");
  return told || subtype || "no details given";
}
