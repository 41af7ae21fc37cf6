import type { StreamEvent, StreamResult } from "../../claude/stream.ts";
import { messageOf } from "../../errors.ts";
import type { Outcome } from "../review/outcome.ts";
import type { runAgent } from "./agent.ts";
import type { Report } from "./report.ts";

/** Everything the loop acts through. */
export interface LoopParts {
  /** Called before the agent starts on a prompt of the user. */
  readonly onPrompt: () => Promise<void>;
  /** Runs the agent on one message until it stops. */
  readonly agent: (
    message: string,
    sessionId: string | undefined,
    listen: AgentListener,
  ) => ReturnType<typeof runAgent>;
  /** Reviews the session. `prompts` are all prompts so far, `round` counts reviews since the last of them. */
  readonly review: (sessionId: string, prompts: readonly string[], round: number) => Promise<Outcome>;
  /** What the user typed since the last call. */
  readonly typed: () => readonly string[];
  readonly isInterrupted: () => boolean;
  readonly show: LoopView;
  readonly seconds: () => number;
}

export interface AgentListener {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onSession: (id: string) => void;
}

export interface LoopView {
  readonly event: (event: StreamEvent) => void;
  readonly outcome: (outcome: Outcome) => void;
}

export type LoopResult = Pick<Report, "session_id" | "outcome" | "reason" | "prompts" | "rounds" | "agent" | "answer">;

/** Agent → review → feedback → agent, until a review says done or the limit is reached. */
export async function runLoop(firstPrompt: string, parts: LoopParts): Promise<LoopResult> {
  const progress = newProgress(firstPrompt);
  try {
    return await turns(progress, firstPrompt, parts);
  } catch (error) {
    // Keep what was recorded so far.
    return end(progress, "failed", messageOf(error));
  }
}

type LoopProgress = Omit<LoopResult, "outcome" | "reason">;

function newProgress(firstPrompt: string): LoopProgress {
  const agent = { phases: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 };
  return { session_id: null, prompts: [firstPrompt], rounds: [], agent, answer: "" };
}

function end(progress: LoopProgress, outcome: Report["outcome"], reason: string): LoopResult {
  return { ...progress, outcome, reason };
}

async function turns(progress: LoopProgress, firstPrompt: string, parts: LoopParts): Promise<LoopResult> {
  const { prompts, rounds, agent } = progress;
  let round = 0;
  await parts.onPrompt();
  for (let message = firstPrompt; ; ) {
    const phase = await parts.agent(message, progress.session_id ?? undefined, {
      onEvent: parts.show.event,
      onSession: (id) => {
        progress.session_id ??= id;
      },
    });
    agent.phases++;
    if (phase.kind !== "interrupted" && phase.result !== undefined) addFigures(agent, phase.result);
    if (phase.kind === "interrupted" || parts.isInterrupted()) return end(progress, "interrupted", "");
    if (phase.kind === "failed") return end(progress, "failed", phase.why);
    progress.answer = phase.answer;
    if (progress.session_id === null)
      return end(progress, "failed", "claude reported no session ID, so there is nothing to review");

    const typed = parts.typed();
    if (typed.length > 0) {
      prompts.push(...typed);
      message = typed.join("\n\n");
      round = 0;
      continue;
    }
    const startedAt = parts.seconds();
    const outcome = await parts.review(progress.session_id, prompts, ++round);
    if (parts.isInterrupted()) return end(progress, "interrupted", "");
    parts.show.outcome(outcome);
    const entry = roundOf(outcome, Math.round(parts.seconds() - startedAt), agent.cost_usd);
    if (entry !== undefined) rounds.push(entry);

    const more = parts.typed();
    prompts.push(...more);
    if (more.length > 0) round = 0;
    // Until then, a prompt belongs to the work that is not done.
    if (more.length > 0 && outcome.kind !== "rework") await parts.onPrompt();
    const next = [...more, ...(outcome.kind === "rework" ? [outcome.feedback] : [])];
    if (next.length > 0) {
      message = next.join("\n\n");
      continue;
    }
    if (outcome.kind === "done") return end(progress, "done", "");
    if (outcome.kind === "unreviewed") return end(progress, "not reviewed", outcome.why);
    return end(progress, "not done", "review limit reached; the last changes were not reviewed");
  }
}

/** Claude Code reports the cost of the whole session, but the tokens of this run only. */
function addFigures(agent: LoopProgress["agent"], result: StreamResult): void {
  agent.cost_usd = Math.max(agent.cost_usd, result.costUsd);
  agent.input_tokens += result.inputTokens;
  agent.output_tokens += result.outputTokens;
}

/** A review runs on a copy of the session, so its reported cost includes the session's. */
function roundOf(outcome: Outcome, seconds: number, sessionCost: number): Report["rounds"][number] | undefined {
  if (outcome.kind === "unreviewed") return { verdict: "not reviewed", feedback: "", seconds, cost_usd: 0 };
  if (outcome.kind !== "done" && outcome.kind !== "rework") return undefined;
  const verdict = outcome.kind === "done" ? "done" : "not done";
  return { verdict, feedback: outcome.feedback, seconds, cost_usd: Math.max(0, outcome.costUsd - sessionCost) };
}
