import type { StreamEvent } from "../../claude/stream.ts";
import { addUsage, NO_USAGE, type Usage } from "../../claude/token-usage.ts";
import { messageOf } from "../../errors.ts";
import { usageFields } from "../record/usage-fields.ts";
import { type Outcome, SKIPPED } from "../review/outcome.ts";
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
  readonly review: (sessionId: string, stop: LoopStop) => Promise<Outcome>;
  /** What the user typed since the last call. */
  readonly typed: () => readonly string[];
  readonly isInterrupted: () => boolean;
  readonly show: LoopView;
  readonly seconds: () => number;
}

export interface LoopStop {
  /** All prompts of the user so far. */
  readonly prompts: readonly string[];
  /** Counts the reviews since the last of them. */
  readonly round: number;
  /** Whether the agent used a tool since the last review that said done. */
  readonly usedTools: boolean;
}

export interface AgentListener {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onSession: (id: string) => void;
}

export interface LoopView {
  readonly event: (event: StreamEvent) => void;
  readonly outcome: (outcome: Outcome) => void;
}

export type LoopResult = Pick<
  Report,
  "session_id" | "outcome" | "reason" | "prompts" | "rounds" | "agent" | "reviews" | "answer"
>;

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

type LoopProgress = Pick<LoopResult, "session_id" | "prompts" | "rounds" | "answer"> & {
  agent: { phases: number; usage: Usage };
  reviews: { count: number; usage: Usage };
};

function newProgress(firstPrompt: string): LoopProgress {
  return {
    session_id: null,
    prompts: [firstPrompt],
    rounds: [],
    agent: { phases: 0, usage: NO_USAGE },
    reviews: { count: 0, usage: NO_USAGE },
    answer: "",
  };
}

function end(progress: LoopProgress, outcome: Report["outcome"], reason: string): LoopResult {
  const { agent, reviews } = progress;
  return {
    ...progress,
    agent: { phases: agent.phases, ...usageFields(agent.usage) },
    reviews: { count: reviews.count, ...usageFields(reviews.usage) },
    outcome,
    reason,
  };
}

async function turns(progress: LoopProgress, firstPrompt: string, parts: LoopParts): Promise<LoopResult> {
  const { prompts, rounds, agent, reviews } = progress;
  let round = 0;
  let usedTools = false;
  await parts.onPrompt();
  for (let message = firstPrompt; ; ) {
    const phase = await parts.agent(message, progress.session_id ?? undefined, {
      onEvent: (event) => {
        if (event.kind === "text" && event.tools.length > 0) usedTools = true;
        parts.show.event(event);
      },
      onSession: (id) => {
        progress.session_id ??= id;
      },
    });
    agent.phases++;
    agent.usage = addUsage(agent.usage, phase.usage);
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
    const outcome = await parts.review(progress.session_id, { prompts, round: ++round, usedTools });
    if ("usage" in outcome && !isFailedCheck(outcome)) {
      reviews.count++;
      reviews.usage = addUsage(reviews.usage, outcome.usage);
    }
    if (parts.isInterrupted()) return end(progress, "interrupted", "");
    parts.show.outcome(outcome);
    const entry = roundOf(outcome, Math.round(parts.seconds() - startedAt));
    if (entry !== undefined) rounds.push(entry);

    if (outcome.kind === "done") usedTools = false;
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
    // Only a review can say done.
    if (outcome.kind === "skipped") return end(progress, "not reviewed", SKIPPED[outcome.why]);
    return end(progress, "not done", "review limit reached; the last changes were not reviewed");
  }
}

/** Then nobody reviewed anything. */
function isFailedCheck(outcome: Outcome): boolean {
  return outcome.kind === "rework" && outcome.check !== undefined;
}

const VERDICTS = { done: "done", rework: "not done", unreviewed: "not reviewed" } as const;

function roundOf(outcome: Outcome, seconds: number): Report["rounds"][number] | undefined {
  if (!("usage" in outcome)) return undefined;
  const feedback = outcome.kind === "unreviewed" ? "" : outcome.feedback;
  const verdict = isFailedCheck(outcome) ? "check failed" : VERDICTS[outcome.kind];
  return { verdict, feedback, seconds, ...usageFields(outcome.usage) };
}
