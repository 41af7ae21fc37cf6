import type { ReviewWay } from "../../claude/reviewer-command.ts";
import { readStreamLine, type StreamEvent, type StreamResult } from "../../claude/stream.ts";
import { isCompaction, isTooLong } from "../../claude/too-long.ts";
import type { ChildRequest, ChildResult } from "../../os/child.ts";
import { parseJson } from "../../text/json.ts";
import { limited } from "../../text/limited.ts";
import { noResult } from "../no-result.ts";
import { INTERRUPTED } from "../record/stop-record.ts";
import { nextWay } from "./review-way.ts";
import { decideVerdict, type Verdict } from "./verdict.ts";

export interface ReviewJob {
  /** The first way to ask. */
  readonly way: ReviewWay;
  /** Whether a reviewer can do without the conversation. */
  readonly canBeFresh: boolean;
  readonly child: (way: ReviewWay) => Promise<Omit<ChildRequest, "onLine" | "timeoutMs">>;
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
  /** Any other output, and notices. */
  readonly onNoise: (line: string) => void;
}

export type Review = { readonly verdict: Verdict } | { readonly failure: string };

/** Asks for a verdict, a second time if there is none, and without the conversation if that is too long. */
export async function review(job: ReviewJob): Promise<Review> {
  const endsAt = job.clock() + job.timeoutSeconds * 1000;
  let asked = 0;
  for (let way = job.way; ; ) {
    const answer = await ask(job, way, endsAt - job.clock());
    if (answer !== "no verdict" && answer !== "too long") return answer;
    if (answer === "no verdict" && ++asked === 2) return { failure: "the reviewer gave no verdict, twice" };
    const next = nextWay(way, answer, job.canBeFresh);
    if (next === undefined) return { failure: "the session is too long for the reviewer's model" };
    job.onNoise(
      answer === "no verdict"
        ? "the reviewer gave no verdict; asking once more"
        : "the session is too long for the reviewer; asking with a summary of it",
    );
    way = next;
  }
}

async function ask(job: ReviewJob, way: ReviewWay, timeoutMs: number): Promise<Review | "no verdict" | "too long"> {
  const listener = {
    ...job,
    onNoise: limited(job.onNoise, NOISE, "more lines that are not JSON were omitted"),
    onText: limited(job.onText, TEXT, "the rest was omitted"),
  };
  let bytes = 0;
  let result: StreamResult | undefined;
  let verdict: Verdict | undefined;
  let refused: number | undefined;
  let said = "";
  let isShortened = false;
  const ended = await job.run({
    ...(await job.child(way)),
    timeoutMs,
    onLine: (line) => {
      bytes += line?.length ?? 0;
      const event = read(listener, line, () => {
        isShortened = true;
      });
      if (event?.kind === "text") said = event.text;
      if (event?.kind === "result") {
        ({ result } = event);
        // Without a schema, only the reviewer's own last words count: not what it resumed or was told.
        verdict = decideVerdict(result.structured, way === "shared" ? said : result.answer, job.marker);
      }
      // Claude Code would retry a refused key ten times, for minutes.
      if (event?.kind === "retry" && isRefusal(event.status)) refused = event.status;
      // A verdict ends the review, whatever is still running.
      const isAnswered = verdict !== undefined && result?.isError === false;
      return isShortened || refused !== undefined || bytes > LARGEST_REVIEW || isAnswered;
    },
  });
  if (isShortened) return "too long";
  if (verdict !== undefined && result?.isError === false) return { verdict };
  if (ended.ending === "timeout") return { failure: `no verdict within ${seconds(job.timeoutSeconds)}` };
  if (bytes > LARGEST_REVIEW) return { failure: `no verdict within ${LARGEST_REVIEW / 1e6} MB of output` };
  if (ended.ending === "interrupted") return { failure: INTERRUPTED };
  refused ??= isRefusal(result?.status) ? result?.status : undefined;
  if (refused !== undefined)
    return { failure: `the API refused the reviewer's key (HTTP ${refused}); check the key of its provider` };
  if (result === undefined) return { failure: noResult(ended, ended.stderr, job.clean) };
  if (isTooLong(result)) return "too long";
  if (result.isError) return { failure: `claude reports an error${statusOf(result)}: ${excerpt(result, job.clean)}` };
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

function isRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

function statusOf({ status }: StreamResult): string {
  return status === undefined ? "" : ` (HTTP ${status})`;
}

function excerpt({ answer, errors, subtype }: StreamResult, clean: ReviewJob["clean"]): string {
  const told = typeof answer === "string" && answer !== "" ? answer : errors.join("; ");
  return clean(told || subtype || "no details given").slice(0, LONGEST_EXCERPT);
}
