import { type ApiFailure, type ApiFailureKind, classifyFailure, noResult } from "../../claude/failures.ts";
import { savedSession } from "../../claude/sessions.ts";
import { readStreamLine, type StreamEvent, type StreamResult, type Usage, usageMeter } from "../../claude/stream.ts";
import { type ChildRequest, limited } from "../../os/child.ts";
import { type Json, parseJson } from "../../text/json.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { refusedKey, retriedFailure, SESSION_ADVICE, sessionProblem } from "../limits.ts";

/** One run of the agent until it stops. */
interface AgentJob {
  readonly child: Omit<ChildRequest, "onLine">;
  /** The agent's settings, which name the server. */
  readonly settings: Json;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onSession: (id: string) => void;
  readonly onNoise: (line: string) => void;
  /** Masks secrets. */
  readonly clean: (text: string) => string;
  /** Whether the session can continue on another provider, so that no retry is worth a wait for a quota. */
  readonly canRelay: boolean;
}

export type AgentPhase = { readonly usage: Usage } & (
  | { readonly kind: "answered"; readonly answer: string }
  | { readonly kind: "interrupted" }
  /** `cause` is undefined if the API was not the reason. */
  | { readonly kind: "failed"; readonly why: string; readonly cause?: ApiFailureKind | undefined }
  | ({ readonly kind: "limited" } & LimitReached)
);

/** A limit of the provider that ends by itself. */
interface LimitReached {
  readonly why: string;
  /** In seconds; undefined if it is not known. */
  readonly resetAt: number | undefined;
}

/** Lets the agent work until it stops: with `-p`, that is when claude exits. */
export async function runAgent(world: World, job: AgentJob): Promise<AgentPhase> {
  let result: StreamResult | undefined;
  let session: string | undefined;
  let limit: LimitReached | undefined;
  let refusal: string | undefined;
  let noCredit: string | undefined;
  const meter = usageMeter();
  let lastNoise = "";
  const onNoise = limited(job.onNoise, NOISE, "more lines that are not JSON were omitted");
  const ended = await world.run({
    ...job.child,
    onLine: (line) => {
      const value = line === undefined ? undefined : parse(line);
      if (value === undefined) {
        // On a terminal claude mixes notices into its output.
        const noise =
          line === undefined ? "a line that was too long" : Bun.stripANSI(new TextDecoder().decode(line)).trim();
        if (noise === "") return false;
        lastNoise = noise;
        onNoise(noise);
        return false;
      }
      const event = readStreamLine(value);
      if (event.session !== undefined) job.onSession(event.session);
      session ??= event.session;
      if (event.kind === "result") result = event.result;
      meter.read(event);
      job.onEvent(event);
      if (event.kind === "retry") {
        const transcript = session && savedSession(world.files, world, session)?.transcript;
        const failure = transcript ? retriedFailure(world, transcript) : undefined;
        limit ??= failure && lastingLimit(failure, world.now(), job.canRelay);
        if (job.canRelay && failure?.kind === "no credit") noCredit ??= `API Error: ${failure.text}`;
        // The transcript may be a little behind, with another error.
        const { status = failure?.status, attempt = failure?.attempt } = event;
        const known = failure?.status === status ? failure : undefined;
        refusal ??= refusedKey({ ...known, status, attempt }, job.settings, job.clean);
      }
      return limit !== undefined || refusal !== undefined || noCredit !== undefined;
    },
  });
  const usage = meter.total();
  if (ended.ending === "interrupted") return { kind: "interrupted", usage };
  if (limit !== undefined) {
    // Claude itself would have said so after its last retry.
    job.onEvent({ kind: "text", text: limit.why, tools: [], usage: undefined });
    return { kind: "limited", ...limit, usage };
  }
  const fail = (why: string, cause?: ApiFailureKind): AgentPhase => ({ kind: "failed", why, cause, usage });
  if (refusal !== undefined) return fail(refusal, "refused");
  if (noCredit !== undefined) return fail(noCredit, "no credit");
  if (result === undefined) {
    if (ended.ending === "timeout") {
      const seconds = counted((job.child.timeoutMs ?? 0) / 1000, "second");
      return fail(`the agent did not stop within ${seconds} (agent_timeout_seconds in ccc.json)`);
    }
    return fail(noResult(ended, ended.stderr || lastNoise, job.clean));
  }
  const answer = typeof result.answer === "string" ? result.answer : "";
  if (result.isError) {
    const why = `claude reports an error: ${answer || result.errors.join("; ") || result.subtype}`;
    const failure = classifyFailure({ status: result.status, text: why }, world.now());
    const reached = limitReached(why, failure);
    if (reached !== undefined) return { kind: "limited", ...reached, usage };
    const problem = sessionProblem(why);
    const isApi = failure.status !== undefined || failure.kind !== "other" || problem !== undefined;
    const advised = problem === undefined ? why : `${why.replace(/\.?$/, ".")} ${SESSION_ADVICE[problem]}`;
    return fail(advised, isApi ? failure.kind : undefined);
  }
  return { kind: "answered", answer, usage };
}

/** How much is logged of output that is not part of the stream. */
const NOISE = { texts: 100, characters: 100_000 };

/** On a terminal, escape codes and partial lines may precede the JSON. */
function parse(line: Uint8Array): unknown {
  const text = Bun.stripANSI(new TextDecoder().decode(line));
  const start = text.indexOf("{");
  return start === -1 ? undefined : parseJson(text.slice(start));
}

/** The limit in an error of the API, if it is one. */
function limitReached(why: string, { kind, resetAt }: Pick<ApiFailure, "kind" | "resetAt">): LimitReached | undefined {
  if (kind !== "usage limit" && kind !== "rate limit") return undefined;
  return { why, resetAt: resetAt === undefined ? undefined : resetAt.getTime() / 1000 };
}

/**
 * The usage limit that claude is retrying after, if it lasts longer than the retries: those take about three minutes. If
 * there is another provider, a limit without an end counts, too.
 */
function lastingLimit(
  failure: ApiFailure & { readonly text: string },
  now: Date,
  canRelay: boolean,
): LimitReached | undefined {
  const unknown = canRelay ? Number.POSITIVE_INFINITY : 0;
  const lasts = failure.resetAt === undefined ? unknown : failure.resetAt.getTime() - now.getTime();
  return failure.kind === "usage limit" && lasts > RETRIES_MS
    ? limitReached(`API Error: ${failure.text}`, failure)
    : undefined;
}

const RETRIES_MS = 180_000;
