import { readStreamLine, type StreamEvent, type StreamResult, sessionOf } from "../../claude/stream.ts";
import type { Usage } from "../../claude/token-usage.ts";
import { usageMeter } from "../../claude/usage-meter.ts";
import type { ChildRequest, ChildResult } from "../../os/child.ts";
import { parseJson } from "../../text/json.ts";
import { limited } from "../../text/limited.ts";
import { noResult } from "../no-result.ts";

/** One run of the agent until it stops. */
export interface AgentJob {
  readonly child: Omit<ChildRequest, "onLine">;
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onSession: (id: string) => void;
  readonly onNoise: (line: string) => void;
  /** Masks secrets. */
  readonly clean: (text: string) => string;
}

export type AgentPhase = { readonly usage: Usage } & (
  | { readonly kind: "answered"; readonly answer: string }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly why: string }
);

/** Lets the agent work until it stops: with `-p`, that is when claude exits. */
export async function runAgent(job: AgentJob): Promise<AgentPhase> {
  let result: StreamResult | undefined;
  const meter = usageMeter();
  let lastNoise = "";
  const onNoise = limited(job.onNoise, NOISE, "more lines that are not JSON were omitted");
  const ended = await job.run({
    ...job.child,
    onLine: (line) => {
      const value = line === undefined ? undefined : parse(line);
      if (value === undefined) {
        // On a terminal claude mixes notices into its output.
        lastNoise =
          line === undefined ? "a line that was too long" : Bun.stripANSI(new TextDecoder().decode(line)).trim();
        if (lastNoise !== "") onNoise(lastNoise);
        return false;
      }
      const session = sessionOf(value);
      if (session !== undefined) job.onSession(session);
      const event = readStreamLine(value);
      if (event.kind === "result") result = event.result;
      meter.read(event);
      job.onEvent(event);
      return false;
    },
  });
  const usage = meter.total();
  if (ended.ending === "interrupted") return { kind: "interrupted", usage };
  const fail = (why: string): AgentPhase => ({ kind: "failed", why, usage });
  if (result === undefined) {
    if (ended.ending === "timeout") return fail(`the agent did not stop within ${job.child.timeoutMs / 1000} seconds`);
    return fail(noResult(ended, ended.stderr || lastNoise, job.clean));
  }
  const answer = typeof result.answer === "string" ? result.answer : "";
  if (result.isError) return fail(`claude reports an error: ${answer || result.errors.join("; ") || result.subtype}`);
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
