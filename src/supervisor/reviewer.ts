import { readStreamLine, type StreamResult } from "../claude/stream.ts";
import type { ChildRequest, ChildResult } from "../io/child.ts";
import { parseJson } from "../io/json.ts";
import { decideVerdict, type Verdict } from "./verdict.ts";

/** One review: how to run it, and what happens with what it says on the way. */
export interface ReviewJob {
  readonly child: Omit<ChildRequest, "onLine" | "timeoutMs">;
  readonly timeoutSeconds: number;
  readonly marker: string;
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  readonly clock: () => number;
  /** Text of the reviewer, as it comes. */
  readonly onText: (text: string) => void;
  /** A line of the stream that is JSON, as it came. */
  readonly onLine: (line: Uint8Array) => void;
  /** A line that is none. */
  readonly onNoise: (line: string) => void;
}

export type Review = { readonly verdict: Verdict; readonly costUsd: number } | { readonly failure: string };

/** Asks for a verdict. A reviewer that gives none is asked once more. */
export async function review(job: ReviewJob): Promise<Review> {
  const endsAt = job.clock() + job.timeoutSeconds * 1000;
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(job, endsAt - job.clock());
    if (answer !== "no verdict") return answer;
    if (attempt === 2) return { failure: "the reviewer gave no verdict, twice" };
    job.onNoise("the reviewer gave no verdict; it is asked once more");
  }
}

async function ask(job: ReviewJob, timeoutMs: number): Promise<Review | "no verdict"> {
  let result: StreamResult | undefined;
  let verdict: Verdict | undefined;
  let refused: number | undefined;
  const ended = await job.run({
    ...job.child,
    timeoutMs,
    onLine: (line) => {
      const event = read(job, line);
      if (event?.kind === "result") {
        ({ result } = event);
        verdict = decideVerdict(result.structured, result.answer, job.marker);
      }
      // Claude Code would try a refused key ten times over, for minutes.
      if (event?.kind === "retry" && isRefusal(event.status)) refused = event.status;
      // With its verdict the review is over, whatever it may have left running.
      return refused !== undefined || (verdict !== undefined && result?.isError === false);
    },
  });
  if (verdict !== undefined && result?.isError === false) return { verdict, costUsd: result.costUsd };
  if (ended.ending === "timeout") return { failure: `no verdict within ${job.timeoutSeconds} seconds` };
  if (ended.ending === "interrupted") return { failure: "the hook was ended" };
  refused ??= isRefusal(result?.status) ? result?.status : undefined;
  if (refused !== undefined)
    return { failure: `the API refused the reviewer's key (HTTP ${refused}); check the key of its provider` };
  if (result === undefined) return { failure: `claude ended without a result${howEnded(ended)}` };
  if (result.isError) return { failure: `claude reports an error${statusOf(result)}: ${excerpt(result)}` };
  return "no verdict";
}

function read(job: ReviewJob, line: Uint8Array | undefined) {
  if (line === undefined) {
    job.onNoise("a line of the review was too long to keep");
    return undefined;
  }
  const text = new TextDecoder().decode(line);
  const value = parseJson(text);
  if (value === undefined) {
    job.onNoise(`not JSON: ${text.slice(0, LONGEST_EXCERPT)}`);
    return undefined;
  }
  job.onLine(line);
  const event = readStreamLine(value);
  if (event.kind === "text" && event.text !== "") job.onText(event.text);
  return event;
}

const LONGEST_EXCERPT = 500;

function isRefusal(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

function howEnded({ exitCode, stderr }: ChildResult): string {
  const code = exitCode === null ? "by a signal" : `exit code ${exitCode}`;
  return ` (${code})${stderr === "" ? "" : `: ${stderr.slice(-LONGEST_EXCERPT)}`}`;
}

function statusOf({ status }: StreamResult): string {
  return status === undefined ? "" : ` (HTTP ${status})`;
}

function excerpt({ answer, errors, subtype }: StreamResult): string {
  const told = typeof answer === "string" && answer !== "" ? answer : errors.join("; ");
  return (told || subtype || "it does not say which").slice(0, LONGEST_EXCERPT);
}
