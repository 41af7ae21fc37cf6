import { SESSION_COMMAND } from "../../claude/plugin.ts";
import { tally, unmet } from "../ledger/criterion.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import type { SessionState } from "../record/state.ts";
import type { RecordedStop } from "../record/stop-record.ts";
import { type Outcome, skippedBecause } from "../review/outcome.ts";

/** What is on record of the supervision of a session. */
export interface SupervisionFacts {
  readonly isOn: boolean;
  /** Whether the next stop is reviewed in any case. */
  readonly isDue: boolean;
  readonly launch: LaunchRecord | undefined;
  readonly limit: number;
  readonly state: SessionState | undefined;
  readonly stops: readonly RecordedStop[];
}

/** The state of supervision, for the user. */
export function sessionStatus({ isOn, isDue, launch, limit, state, stops }: SupervisionFacts): string {
  const last = stops.findLast(({ outcome }) => outcome !== undefined);
  const lines = [
    isOn
      ? "Supervision is on in this session."
      : `Supervision is off in this session. To switch it on: ${SESSION_COMMAND} on`,
    ...(isOn && isDue ? ["The next stop is reviewed in any case."] : []),
    ...(launch?.reviewer
      ? [`Reviewer: ${[launch, ...launch.fallback].map(({ reviewer }) => reviewer).join(", else ")}`]
      : []),
    ...(state === undefined ? [] : reviews(state, limit)),
    ...(last === undefined ? (isOn ? ["No stop was reviewed yet."] : []) : [`Last stop: ${verdict(last, state)}`]),
  ];
  return lines.join("\n");
}

function reviews({ count, tokens, ledger }: SessionState, limit: number): string[] {
  const met = tally(ledger?.criteria ?? []);
  const used = `${tokens.toLocaleString("en-US")} ${tokens === 1 ? "token" : "tokens"}`;
  const open = unmet(ledger?.criteria ?? []).map(({ id, text }) => `  not met: ${id} ${text}`);
  return [`Last prompt: review ${count} of ${limit}${met === undefined ? "" : `, ${met}`}, ${used}`, ...open];
}

function verdict({ outcome, why }: RecordedStop, state: SessionState | undefined): string {
  const said = state?.feedback.at(-1)?.trim().split("\n")[0] ?? "";
  if (outcome === "rework") return said === "" ? "not done" : `not done: ${said.slice(0, LONGEST_SAID)}`;
  if (outcome === "skipped") return `no review: ${skippedBecause(why ?? "")}`;
  if (outcome === "unreviewed") return `could not be reviewed: ${why}`;
  return ENDS[outcome ?? ""] ?? `${outcome}`;
}

const LONGEST_SAID = 200;

const ENDS: Readonly<Record<string, string>> = {
  done: "done",
  needs_user: "needs you",
  limit: "NOT done: the limit of reviews was reached",
  stalemate: "NOT done: the last reviews brought no progress",
  budget: "NOT done: the token budget of the prompt was used up",
} satisfies Partial<Record<Outcome["kind"], string>>;
