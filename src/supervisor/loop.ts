import type { StreamEvent } from "../claude/stream.ts";
import type { AgentPhase, runAgent } from "./agent.ts";
import type { Outcome } from "./answer.ts";
import type { Report } from "./report.ts";

/** What the loop is made of; each part is handed in. */
export interface LoopParts {
  /** Runs one phase of the agent on a message. */
  readonly agent: (
    message: string,
    sessionId: string | undefined,
    listen: AgentListener,
  ) => ReturnType<typeof runAgent>;
  /** Reviews the session. `prompts` is all that the user asked. */
  readonly review: (sessionId: string, prompts: readonly string[]) => Promise<Outcome>;
  /** What the user typed since the last call. */
  readonly typed: () => readonly string[];
  /** Whether the user wants an end. */
  readonly isInterrupted: () => boolean;
  readonly show: LoopView;
  readonly seconds: () => number;
}

export interface AgentListener {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onSession: (id: string) => void;
}

/** What the user sees. */
export interface LoopView {
  readonly event: (event: StreamEvent) => void;
  readonly outcome: (outcome: Outcome) => void;
}

export type LoopResult = Pick<Report, "session_id" | "outcome" | "reason" | "prompts" | "rounds" | "agent" | "answer">;

/** Agent and reviewer in turn: agent → review → feedback → agent, until a review says done or there is no more. */
export async function runLoop(firstPrompt: string, parts: LoopParts): Promise<LoopResult> {
  const prompts = [firstPrompt];
  const rounds: Report["rounds"] = [];
  const agent = { phases: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 };
  let sessionId: string | undefined;
  let answer = "";
  const end = (outcome: Report["outcome"], reason: string): LoopResult => ({
    session_id: sessionId ?? null,
    outcome,
    reason,
    prompts,
    rounds,
    agent,
    answer,
  });

  for (let message = firstPrompt; ; ) {
    const phase: AgentPhase = await parts.agent(message, sessionId, {
      onEvent: parts.show.event,
      onSession: (id) => {
        sessionId ??= id;
      },
    });
    agent.phases++;
    if (phase.kind === "interrupted" || parts.isInterrupted()) return end("interrupted", "the user wanted an end");
    if (phase.kind === "failed") return end("failed", phase.why);
    ({ answer } = phase);
    agent.cost_usd += phase.result.costUsd;
    agent.input_tokens += phase.result.inputTokens;
    agent.output_tokens += phase.result.outputTokens;
    if (sessionId === undefined) return end("failed", "claude named no session, so there is nothing to review");

    const typed = parts.typed();
    if (typed.length > 0) {
      prompts.push(...typed);
      message = typed.join("\n\n");
      continue;
    }
    const startedAt = parts.seconds();
    const outcome = await parts.review(sessionId, prompts);
    if (parts.isInterrupted()) return end("interrupted", "the user wanted an end");
    parts.show.outcome(outcome);
    const seconds = Math.round(parts.seconds() - startedAt);
    const more = parts.typed();
    prompts.push(...more);
    switch (outcome.kind) {
      case "done":
        rounds.push({ verdict: "done", feedback: outcome.feedback, seconds, cost_usd: outcome.costUsd });
        if (more.length === 0) return end("done", "");
        message = more.join("\n\n");
        break;
      case "rework":
        rounds.push({ verdict: "not done", feedback: outcome.feedback, seconds, cost_usd: outcome.costUsd });
        message = [...more, outcome.feedback].join("\n\n");
        break;
      case "unreviewed":
        rounds.push({ verdict: "not reviewed", feedback: "", seconds, cost_usd: 0 });
        return end("not reviewed", outcome.why);
      default:
        return end("not done", "the limit of reviews is reached");
    }
  }
}
