/**
 * The report of a supervised session: its record as one value, for `--json`, and a view of that in words, which the text
 * and the page share.
 */
import * as v from "valibot";
import { ENGINES } from "../../config/defaults.ts";
import { CRITERION_STATUSES, tally } from "../../supervisor/criteria.ts";
import {
  ENDINGS,
  OUTCOME_KINDS,
  OUTCOMES,
  type ReportedOutcome,
  recordedOutcome,
  type Tone,
} from "../../supervisor/outcome.ts";
import type { RecordedPrompt } from "../../supervisor/record/prompts.ts";
import { type LoopEnd, RelaysSchema, UsageLimitSchema } from "../../supervisor/record/session.ts";
import {
  ChangeFieldsSchema,
  CheckFieldsSchema,
  type ConfirmationFields,
  ConfirmationFieldsSchema,
  type ProofFields,
  ProofFieldsSchema,
  type RecordedStop,
  type SupervisedSession,
  type UsageFields,
  UsageFieldsSchema,
} from "../../supervisor/record/stops.ts";
import { counted, exact, sentence, shortDuration, shortTokens } from "../../text/words.ts";

/** How a supervised session ended, or its current state. */
const SESSION_ENDINGS = {
  ...ENDINGS,
  reviewing: { title: "Being reviewed", tone: "quiet" },
  /** The agent was working when the record ends. */
  unfinished: { title: "Unfinished", tone: "warn" },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly tone: Tone }>>;

/** "Done", "NOT done" */
export function sessionTitle(outcome: SessionReport["outcome"]): string {
  return SESSION_ENDINGS[outcome].title;
}

export const SESSION_OUTCOMES = Object.keys(SESSION_ENDINGS) as (keyof typeof SESSION_ENDINGS)[];

/** What a stop of the agent led to. */
type RoundVerdict = ReportedOutcome | keyof typeof OTHER_VERDICTS;

interface ShownVerdict {
  readonly word: string;
  readonly tone: Tone;
  /** Why it is not done, unless the review says so. */
  readonly reason: string;
}

/** Verdicts that are no outcome of a stop. */
const OTHER_VERDICTS = {
  "check failed": { word: "check failed", tone: "open", reason: "" },
  running: { word: "under review", tone: "quiet", reason: "" },
} as const satisfies Readonly<Record<string, ShownVerdict>>;

const SHOWN_VERDICTS = {
  ...Object.fromEntries(OUTCOME_KINDS.map((kind) => [OUTCOMES[kind].reported, OUTCOMES[kind]])),
  ...OTHER_VERDICTS,
} as Readonly<Record<RoundVerdict, ShownVerdict>>;

export const VERDICTS = Object.keys(SHOWN_VERDICTS) as RoundVerdict[];

const RoundSchema = v.strictObject({
  /** Counts the reviews of the prompt; null for a stop without one. */
  number: v.nullable(v.number()),
  limit: v.nullable(v.number()),
  at: v.string(),
  verdict: v.picklist(VERDICTS),
  /** Why there was no review, or which check failed. */
  why: v.nullable(v.string()),
  feedback: v.string(),
  reviewer: v.nullable(v.string()),
  /** Why the reviewers tried before this one could not review. */
  instead: v.nullable(v.string()),
  context: v.nullable(v.picklist(["shared", "schema", "fresh"])),
  /** Whether the reviewer could run anything, in a sandbox. */
  sandbox: v.boolean(),
  /** How long the agent worked before the stop, and the checks and the review took. */
  agent_seconds: v.nullable(v.number()),
  seconds: v.nullable(v.number()),
  usage: v.nullable(UsageFieldsSchema),
  /** Known with the loop engine only. */
  agent_tokens: v.nullable(v.number()),
  criteria: v.array(
    v.strictObject({
      id: v.string(),
      text: v.string(),
      status: v.picklist(CRITERION_STATUSES),
      evidence: v.string(),
    }),
  ),
  checks: v.array(CheckFieldsSchema),
  /** What they said in copies; null if they did not run there. */
  proof: v.nullable(ProofFieldsSchema),
  looked: v.array(v.string()),
  /** What each answer lacked for which the reviewer was asked again. */
  asked_again: v.array(v.string()),
  /** The fresh review of its "done"; null if there was none. Time and tokens are part of the above, the rest is its own. */
  confirmation: v.nullable(ConfirmationFieldsSchema),
});

/** What `ccc report --json` prints. docs/report.md explains it. */
export const SessionReportSchema = v.strictObject({
  version: v.literal(1),
  session: v.string(),
  /** What the launch decided; null if the record does not say. */
  folder: v.nullable(v.string()),
  engine: v.nullable(v.picklist(ENGINES)),
  provider: v.nullable(v.string()),
  reviewer: v.nullable(v.string()),
  claude_version: v.nullable(v.string()),
  outcome: v.picklist(SESSION_OUTCOMES),
  /** Why it is not done. */
  reason: v.string(),
  /** The limit of the agent's provider that ended the loop engine. */
  usage_limit: UsageLimitSchema,
  /** Each time the loop engine continued on another provider. */
  relays: RelaysSchema,
  started_at: v.nullable(v.string()),
  /** When the last entry was recorded. */
  ended_at: v.nullable(v.string()),
  totals: v.strictObject({
    /** Failing checks included. */
    reviews: v.number(),
    /** Stops that were sent back without a review. */
    nudges: v.number(),
    agent_seconds: v.number(),
    review_seconds: v.number(),
    ...UsageFieldsSchema.entries,
    agent_tokens: v.nullable(v.number()),
  }),
  prompts: v.array(
    v.strictObject({
      at: v.string(),
      text: v.string(),
      rounds: v.array(RoundSchema),
      /** Since the prompt, as the last stop saw it; null if no stop looked. */
      changes: v.nullable(ChangeFieldsSchema),
    }),
  ),
});

export type SessionReport = v.InferOutput<typeof SessionReportSchema>;
type ReportedPrompt = SessionReport["prompts"][number];
export type ReportedRound = ReportedPrompt["rounds"][number];
type ReportedChanges = Exclude<NonNullable<ReportedPrompt["changes"]>, { readonly why: string }>;

/** Each prompt of the user, with the stops that followed it. */
export function sessionReport({ id, launch, prompts, stops, loopEnd }: SupervisedSession): SessionReport {
  const asked = withStops(
    prompts.filter((each) => each.by_user),
    stops,
  );
  const rounds = asked.flatMap((each) => each.rounds);
  const times = [...prompts.map(({ at }) => at), ...stops.flatMap(({ at, endedAt }) => [at, endedAt ?? at])].sort();
  return {
    version: 1,
    session: id,
    folder: launch?.cwd ?? null,
    engine: launch?.engine ?? null,
    provider: launch?.provider ?? null,
    reviewer: launch?.reviewer || null,
    claude_version: launch?.version ?? null,
    usage_limit: null,
    relays: loopEnd?.relays ?? [],
    ...(endOfLoop(loopEnd, times.at(-1)) ?? endOf(asked, stops.at(-1))),
    started_at: times[0] ?? null,
    ended_at: times.at(-1) ?? null,
    totals: totalsOf(rounds),
    prompts: asked,
  };
}

function withStops(prompts: readonly RecordedPrompt[], stops: readonly RecordedStop[]): ReportedPrompt[] {
  const [first] = stops;
  // A session whose recording began late may have no prompts on record.
  const known = prompts.length === 0 && first !== undefined ? [{ at: first.at, text: "" }] : prompts;
  return known.map(({ at, text }, index) => {
    const next = known[index + 1]?.at;
    const own = stops.filter((stop) => (index === 0 || stop.at >= at) && (next === undefined || stop.at < next));
    const changes = own.findLast((stop) => stop.changes !== undefined)?.changes ?? null;
    return { at, text, rounds: roundsOf(own, at), changes };
  });
}

function roundsOf(stops: readonly RecordedStop[], promptedAt: string): ReportedRound[] {
  let number = 0;
  let freeSince = promptedAt;
  return stops.map((stop) => {
    const verdict = verdictOf(stop);
    const { isReview } = OUTCOMES[stop.outcome ?? "unreviewed"];
    if (isReview) number = stop.round ?? number + 1;
    const agent_seconds = secondsBetween(freeSince, stop.at);
    freeSince = stop.endedAt ?? stop.at;
    return {
      number: isReview ? number : null,
      limit: stop.limit ?? null,
      at: stop.at,
      verdict,
      why: whyOf(stop),
      feedback: stop.feedback ?? "",
      reviewer: stop.reviewer || null,
      instead: stop.instead ?? null,
      context: stop.context ?? null,
      sandbox: stop.sandbox ?? false,
      agent_seconds,
      seconds: stop.seconds ?? null,
      usage: hasAsked(stop) ? (stop.usage ?? null) : null,
      agent_tokens: stop.agent_tokens ?? null,
      criteria: (stop.criteria ?? []).map(({ id, text, status, evidence }) => ({ id, text, status, evidence })),
      checks: stop.checks ?? [],
      proof: stop.proof ?? null,
      looked: stop.looked ?? [],
      asked_again: stop.asked_again ?? [],
      confirmation: stop.confirmation ?? null,
    };
  });
}

function verdictOf({ outcome, check, isRunning }: RecordedStop): RoundVerdict {
  if (outcome === undefined) return isRunning ? "running" : OUTCOMES.unreviewed.reported;
  return check !== undefined && OUTCOMES[outcome].sendsBack ? "check failed" : OUTCOMES[outcome].reported;
}

/** Why there was no review, or which check failed. */
function whyOf({ outcome, why, check, isRunning }: RecordedStop): string | null {
  if (outcome === undefined) return isRunning ? null : "ccc was killed before the review finished";
  const known = recordedOutcome(outcome, why);
  return known.why ?? check ?? (known.isReview ? null : known.reason);
}

/** Whether a reviewer was asked: not after a failing check. */
function hasAsked({ context, usage }: RecordedStop): boolean {
  return context !== undefined || (usage !== undefined && usage.input_tokens + usage.output_tokens > 0);
}

function secondsBetween(start: string, end: string): number | null {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds) : null;
}

function totalsOf(rounds: readonly ReportedRound[]): SessionReport["totals"] {
  const sum = (numbers: readonly (number | null)[]) =>
    exact(numbers.reduce<number>((all, each) => all + (each ?? 0), 0));
  const asked = rounds.flatMap(({ usage }) => usage ?? []);
  const tokens = (name: Exclude<keyof UsageFields, "cost_usd">) => sum(asked.map((usage) => usage[name]));
  const agent = rounds.flatMap(({ agent_tokens }) => agent_tokens ?? []);
  return {
    reviews: rounds.filter(({ number }) => number !== null).length,
    nudges: rounds.filter(({ verdict }) => verdict === "nudged").length,
    agent_seconds: sum(rounds.map(({ agent_seconds }) => agent_seconds)),
    review_seconds: sum(rounds.map(({ seconds }) => seconds)),
    input_tokens: tokens("input_tokens"),
    cache_read_tokens: tokens("cache_read_tokens"),
    cache_write_tokens: tokens("cache_write_tokens"),
    output_tokens: tokens("output_tokens"),
    cost_usd: asked.some(({ cost_usd }) => cost_usd === null) ? null : sum(asked.map(({ cost_usd }) => cost_usd)),
    agent_tokens: agent.length === 0 ? null : sum(agent),
  };
}

/** How the session ended, by its last stop, and why. */
function endOf(prompts: readonly ReportedPrompt[], stop: RecordedStop | undefined): SessionEnd {
  const round = prompts.at(-1)?.rounds.at(-1);
  if (round === undefined || stop === undefined)
    return { outcome: "unfinished", reason: "the agent has not stopped since the last prompt" };
  if (round.verdict === "running") return { outcome: "reviewing", reason: "a review is running" };
  const { ending, reason, isPostponed, why = "" } = recordedOutcome(stop.outcome ?? "unreviewed", stop.why);
  if (isPostponed) return { outcome: "unfinished", reason: why };
  if (ending === undefined) {
    const state = "the agent is still working, or was killed before it stopped again";
    const last = round.number === null ? "a nudge" : `review ${round.number}`;
    return { outcome: "unfinished", reason: `the record ends after ${last}: ${state}` };
  }
  return { outcome: ending, reason: ending === "done" ? "" : reason || (round.why ?? round.feedback) };
}

type SessionEnd = Pick<SessionReport, "outcome" | "reason">;

/** How the loop engine ended outside a review, unless the session continued afterwards. */
function endOfLoop(
  end: LoopEnd | undefined,
  lastAt = "",
): Pick<SessionReport, "outcome" | "reason" | "usage_limit"> | undefined {
  if (end === undefined || end.at < lastAt) return undefined;
  const { outcome, reason, usage_limit } = end;
  return outcome === "failed" || outcome === "interrupted" ? { outcome, reason, usage_limit } : undefined;
}

/** The words of a report, the same in its text and on its page. */
export interface ReportView extends Omit<SessionReport, "prompts"> {
  /** "Done", "NOT done" */
  readonly title: string;
  readonly tone: Tone;
  /** "Done: 4 of 4 criteria met after 2 reviews", "Done after 1 review" */
  readonly headline: string;
  /** Of the last prompt that was worked on: "4 of 5 criteria met after 2 reviews". */
  readonly achievement: string;
  /** The agent's providers: "glm, then on kimi"; null if they are not known. */
  readonly agent: string | null;
  /** What is still to do, unless the session is done. */
  readonly open: readonly CriterionHistory[];
  /** Of all reviews: "12k tokens, 80 % from the cache" */
  readonly tokens: string;
  /** In percent, of the tokens of all reviews. */
  readonly cached: number;
  readonly prompts: readonly PromptView[];
}

export interface PromptView extends Pick<ReportedPrompt, "text"> {
  readonly rounds: readonly RoundView[];
  /** The rounds, without stops that needed no review. */
  readonly reviews: readonly RoundView[];
  /** Empty where no review has ruled on anything. */
  readonly criteria: readonly CriterionHistory[];
  readonly changes: ChangesView | undefined;
  /** Why the changes are unknown, if a stop looked for them. */
  readonly whyUnknown: string | undefined;
}

type ReportedCriterion = ReportedRound["criteria"][number];

/** A criterion as it is now, with its status in each round. */
export interface CriterionHistory extends ReportedCriterion {
  /** In the order of the prompt's reviews; undefined where a review did not rule on it. */
  readonly statuses: readonly (ReportedCriterion["status"] | undefined)[];
}

export interface RoundView extends ReportedRound {
  /** "Review 2 of 10: not done, 3 of 5 met" */
  readonly title: string;
  readonly tone: Tone;
  /** Why there was no review, or why this stop ended the work. */
  readonly reason: string;
  /** "41 s", "3.1k tokens, 80 % from the cache", "by glm", "with the conversation" */
  readonly facts: readonly string[];
  /** What the review ruled. */
  readonly rulings: ReportedRound["criteria"];
  /** "tests as of the prompt: pass (npm test)" */
  readonly proved: readonly string[];
  /** About the fresh review of a "done"; empty without one. */
  readonly confirmed: string;
}

export interface ChangesView extends ReportedChanges {
  /** "3 changed files (+12 -4), 1 suspicious change" */
  readonly title: string;
}

export function viewReport(report: SessionReport): ReportView {
  const prompts = report.prompts.map(viewPrompt);
  const last = prompts.findLast(({ rounds }) => rounds.length > 0);
  const { title, tone } = SESSION_ENDINGS[report.outcome];
  const achievement = achievementOf(last);
  const open = report.outcome === "done" ? [] : (last?.criteria ?? []).filter(({ status }) => status === "unmet");
  return {
    ...report,
    title,
    tone,
    headline: `${title}${achievement.startsWith("after") ? "" : ":"} ${achievement}`,
    achievement,
    agent: agentOf(report),
    open,
    tokens: tokensWithCache(report.totals),
    cached: cachedShare(report.totals),
    prompts,
  };
}

function agentOf({ provider, relays }: SessionReport): string | null {
  const [first] = relays;
  return first === undefined ? provider : [first.from, ...relays.map(({ to }) => to)].join(", then on ");
}

function achievementOf(prompt: PromptView | undefined): string {
  const met = tally(prompt?.criteria ?? [])?.replace("met", "criteria met ") ?? "";
  const { length } = (prompt?.reviews ?? []).filter(({ verdict }) => verdict !== "running");
  return length === 0 ? "no review yet" : `${met}after ${counted(length, "review")}`;
}

function viewPrompt({ text, rounds: stops, changes }: ReportedPrompt): PromptView {
  const rounds = stops.map(viewRound);
  const reviews = rounds.filter(({ number }) => number !== null);
  const prompt = { text, rounds, reviews, criteria: criteriaByReview(reviews) };
  if (changes === null) return { ...prompt, changes: undefined, whyUnknown: undefined };
  if ("why" in changes) return { ...prompt, changes: undefined, whyUnknown: changes.why };
  return { ...prompt, changes: { ...changes, title: changesTitle(changes) }, whyUnknown: undefined };
}

function criteriaByReview(reviews: readonly RoundView[]): CriterionHistory[] {
  const latest = new Map(reviews.flatMap(({ rulings }) => rulings.map((each) => [each.id, each] as const)));
  return [...latest.values()].map((criterion) => ({
    ...criterion,
    statuses: reviews.map(({ rulings }) => rulings.find(({ id }) => id === criterion.id)?.status),
  }));
}

function viewRound(round: ReportedRound): RoundView {
  return {
    ...round,
    title: roundTitle(round),
    tone: SHOWN_VERDICTS[round.verdict].tone,
    reason: roundReason(round),
    facts: roundFacts(round),
    // After a failed check, the recorded criteria are still those of the previous review.
    rulings: hasFailedCheck(round) ? [] : round.criteria,
    proved: round.proof === null ? [] : proofLines(round.proof),
    confirmed: round.confirmation === null ? "" : confirmationLine(round.confirmation, round.sandbox),
  };
}

function proofLines({ why, runs, points }: ProofFields): string[] {
  return [
    ...runs.map(({ command, tests, passed }) =>
      tests === "before"
        ? `tests as of the prompt: ${passed ? "pass" : "fail"} (${command})`
        : `tests as they are now, on the code as of the prompt: ${passed ? "pass" : "fail, as they should"} (${command})`,
    ),
    ...points.map(({ id, text }) => `${id === undefined ? "" : `${id}: `}${text}`),
    ...(why === null ? [] : [`no proof: ${why}`]),
  ];
}

function roundTitle(round: ReportedRound): string {
  const { number, limit, verdict } = round;
  const name = number === null ? "Stop" : `Review ${number}${limit === null ? "" : ` of ${limit}`}`;
  const met = hasFailedCheck(round) ? undefined : tally(round.criteria);
  const confirmed = round.confirmation === null ? "" : `, ${confirmedBy(round.confirmation)}`;
  return `${name}: ${SHOWN_VERDICTS[verdict].word}${met === undefined ? "" : `, ${met}`}${confirmed}`;
}

/** "confirmed by kimi" */
function confirmedBy({ verdict, reviewer }: ConfirmationFields): string {
  return `${verdict === "done" ? "" : "not "}confirmed by ${reviewer}`;
}

/** "Confirmed by kimi (58 s, 9k tokens, without the conversation)" */
function confirmationLine(confirmation: ConfirmationFields, sandbox: boolean): string {
  const facts = roundFacts({ ...confirmation, usage: confirmation, reviewer: null, context: "fresh", sandbox });
  const by = confirmedBy(confirmation);
  return `${by[0]?.toUpperCase()}${by.slice(1)} (${facts.join(", ")})`;
}

function hasFailedCheck({ verdict, checks }: Pick<ReportedRound, "verdict" | "checks">): boolean {
  return verdict === "check failed" || checks.some(({ passed }) => !passed);
}

function roundReason({ verdict, why }: ReportedRound): string {
  const reason = why ?? SHOWN_VERDICTS[verdict].reason;
  // The reason of a failed check is a command, not a sentence.
  return reason === "" || verdict === "check failed" ? reason : sentence(reason);
}

function roundFacts({ seconds, usage, reviewer, context, sandbox }: RoundCost): string[] {
  return [
    ...(seconds === null || seconds === 0 ? [] : [shortDuration(seconds)]),
    ...(usage === null ? [] : [tokensWithCache(usage)]),
    ...(reviewer === null ? [] : [`by ${reviewer}`]),
    ...(context === null ? [] : [CONTEXTS[context]]),
    ...(sandbox && context === "fresh" ? ["reviewed in a sandbox"] : []),
  ];
}

type RoundCost = Pick<ReportedRound, "seconds" | "usage" | "reviewer" | "context" | "sandbox">;

const CONTEXTS = {
  shared: "with the conversation",
  schema: "with the conversation",
  fresh: "without the conversation",
} as const;

/** "12k tokens, 80 % from the cache" */
function tokensWithCache(usage: Omit<UsageFields, "cost_usd">): string {
  const share = cachedShare(usage);
  return `${shortTokens(allTokens(usage))}${share === 0 ? "" : `, ${share} % from the cache`}`;
}

function cachedShare(usage: Omit<UsageFields, "cost_usd">): number {
  return Math.round((usage.cache_read_tokens / Math.max(1, allTokens(usage))) * 100);
}

export function allTokens(usage: Omit<UsageFields, "cost_usd">): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
}

function changesTitle({ files, more, suspicious }: ReportedChanges): string {
  const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((all, each) => all + (each ?? 0), 0);
  const lines = `+${sum(files.map(({ added }) => added))} -${sum(files.map(({ deleted }) => deleted))}`;
  const suspected = suspicious.length === 0 ? "" : `, ${counted(suspicious.length, "suspicious change")}`;
  return `${counted(files.length + more, "changed file")} (${lines})${suspected}`;
}
