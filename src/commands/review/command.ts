import { parseArgs } from "node:util";
import { defineCommand } from "citty";
import * as v from "valibot";
import { docsPage } from "../../build-info.ts";
import { NO_USAGE } from "../../claude/stream.ts";
import { REVIEW_CONTEXTS } from "../../config/defaults.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { launchPins, otherProviderProblem } from "../../config/pins.ts";
import { EXIT, type ExitCode, usageError } from "../../errors.ts";
import { tally } from "../../supervisor/criteria.ts";
import { tokens } from "../../supervisor/loop/ending.ts";
import { ENDINGS, meaningOf, STOP_VERDICTS, type StopVerdict } from "../../supervisor/outcome.ts";
import { sessionProviders } from "../../supervisor/record/resumed.ts";
import { criterionSchema } from "../../supervisor/record/state.ts";
import {
  ConfirmationFieldsSchema,
  confirmationFields,
  ProofFieldsSchema,
  type StopNotes,
  UsageFieldsSchema,
  usageFields,
} from "../../supervisor/record/stops.ts";
import { readSessionFacts } from "../../supervisor/record/transcript.ts";
import { sessionRedactor } from "../../supervisor/secrets.ts";
import { settleProject } from "../../supervisor/setup/prepare.ts";
import { pinnedReviewers, planSupervision } from "../../supervisor/setup/supervision.ts";
import { createLog } from "../../terminal/dialog.ts";
import { createFooter } from "../../terminal/footer.ts";
import { prettyJson } from "../../text/json.ts";
import { printable } from "../../text/shown.ts";
import { colored, outputWidth, wrap } from "../../text/table.ts";
import { shortDuration } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG, requireProvider } from "../arguments.ts";
import { chooseReviewer, findSession, prepareReviewers, reviewSession, type SessionReview } from "./review-session.ts";

const DESCRIPTION = `Review a session now, whether it was supervised or not, and exit with the verdict. Nothing is
changed: not the project, not the session, not what ccc has on record about it.

Exit codes
  0      done
  1      failure
  2      usage error
  3      NOT done, or a check failed
  4      NOT reviewed: no verdict, or no session with an answer
  5      needs you
  127    claude not found
  130    Ctrl-C

JSON
  explained, with a pre-push hook as an example, in
  ${docsPage("review.md")}`;

export function reviewCommand(world: World) {
  return defineCommand({
    meta: {
      name: "review",
      description: DESCRIPTION,
    },
    args: {
      session: {
        type: "positional",
        required: false,
        description: "its id, or the beginning of it (default: the last session in this folder)",
      },
      provider: {
        type: "string",
        valueHint: "NAME",
        description: "who reviews (default: supervisor.provider, else the provider that the session last ran on)",
      },
      model: { type: "string", valueHint: "MODEL", description: "the reviewer's model (default: its provider's)" },
      check: {
        type: "string",
        valueHint: "COMMAND",
        description: "this command must pass first; if it fails, no model is asked. Repeatable",
      },
      context: {
        type: "enum",
        options: [...REVIEW_CONTEXTS],
        description: "what the reviewer sees: the session, or a digest of it (default: supervisor.context)",
      },
      anyway: {
        type: "boolean",
        default: false,
        description: "review even with a provider that this folder's pin refuses",
      },
      json: JSON_FLAG,
    },
    run: ({ args, rawArgs }) => review(world, { ...args, checks: everyValue(rawArgs, "check") }),
  });
}

/** What `ccc review --json` prints. docs/review.md explains it. */
export const ReviewResultSchema = v.object({
  session: v.string(),
  folder: v.string(),
  verdict: v.picklist(STOP_VERDICTS),
  exit_code: v.number(),
  /** In the reviewer's words: what is missing, what only the user can do, or what was checked. */
  feedback: v.string(),
  /** Why there is no verdict; empty if there is one. */
  reason: v.string(),
  criteria: v.array(v.pick(criterionSchema(), ["id", "text", "status", "evidence"])),
  /** If the verdict is "check failed", the last one failed. All others passed. */
  checks: v.array(
    v.object({ command: v.string(), passed: v.boolean(), ending: v.string(), seconds: v.number(), output: v.string() }),
  ),
  /** What the checks said in copies; null if they did not run there. */
  proof: v.nullable(ProofFieldsSchema),
  /** Warnings about the session. */
  findings: v.array(v.string()),
  /** "provider" or "provider:model"; null if no model was asked. */
  reviewer: v.nullable(v.string()),
  /** Why the reviewers tried before this one could not review. */
  instead: v.nullable(v.string()),
  /** What the reviewer saw; null if no model was asked. */
  context: v.nullable(v.picklist(["session", "fresh"])),
  /** Whether it could run anything, in a sandbox. */
  sandbox: v.boolean(),
  /** What the reviewer opened and ran. */
  looked: v.array(v.string()),
  /** What each answer lacked for which the reviewer was asked again. */
  asked_again: v.array(v.string()),
  /** The fresh review of a "done" that was reached with the conversation; null without one. The totals below include it. */
  confirmation: v.nullable(ConfirmationFieldsSchema),
  seconds: v.number(),
  ...UsageFieldsSchema.entries,
});

export type ReviewResult = v.InferOutput<typeof ReviewResultSchema>;

export function reviewResult(session: string, folder: string, review: SessionReview): ReviewResult {
  const { outcome, notes, findings } = review;
  const { verdict } = meaningOf(outcome);
  const reviewer = ("reviewer" in outcome && outcome.reviewer) || null;
  return {
    session,
    folder,
    verdict,
    exit_code: reviewExitCode(review),
    feedback: verdict === "check failed" || verdict === "not reviewed" ? "" : (notes.feedback ?? ""),
    reason: outcome.kind === "unreviewed" ? outcome.why : "",
    criteria: criteriaOf(outcome).map(({ id, text, status, evidence }) => ({ id, text, status, evidence })),
    checks: (notes.checks ?? []).map(({ isPassed: passed, isReused: _, ...check }) => ({ ...check, passed })),
    proof: proofOf(notes.proof, outcome),
    findings: [...findings],
    reviewer,
    instead: ("instead" in outcome && outcome.instead) || null,
    context: notes.way === undefined ? null : notes.way === "fresh" ? "fresh" : "session",
    sandbox: notes.isSandboxed ?? false,
    looked: "looked" in outcome ? [...outcome.looked] : [],
    asked_again: [...(notes.questions ?? [])],
    confirmation: "confirmation" in outcome && outcome.confirmation ? confirmationFields(outcome.confirmation) : null,
    seconds: "seconds" in outcome ? outcome.seconds : 0,
    ...usageFields("usage" in outcome ? outcome.usage : NO_USAGE),
  };
}

/** Every value of a repeatable option, in order. */
export function everyValue(words: readonly string[], name: string): readonly string[] {
  const options = { [name]: { type: "string", multiple: true } } as const;
  const { values } = parseArgs({ args: [...words], options, strict: false });
  const found = values[name];
  return Array.isArray(found) ? found.map(String) : [];
}

function proofOf(proof: StopNotes["proof"], outcome: SessionReview["outcome"]): ReviewResult["proof"] {
  if (proof === undefined) return null;
  const { why = null, isReused: reused, runs, points } = proof;
  const ids = new Map(criteriaOf(outcome).map(({ id, text }) => [text, id]));
  return {
    why,
    reused,
    runs: runs.map(({ isPassed: passed, ...run }) => ({ ...run, passed })),
    points: points.map(({ text }) => ({ id: ids.get(text), text })),
  };
}

interface ReviewArguments {
  readonly session?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly context?: (typeof REVIEW_CONTEXTS)[number] | undefined;
  readonly checks: readonly string[];
  readonly anyway: boolean;
  readonly json: boolean;
}

async function review(world: World, args: ReviewArguments): Promise<number> {
  const log = createLog(world);
  if (args.checks.some((command) => command.trim() === ""))
    throw usageError("--check takes a command", 'For example: ccc review --check "npm test"');
  if (args.model?.trim() === "") throw usageError("--model takes the name of a model");
  const loaded = loadConfig(world);
  const paths = cccPaths(world);
  const session = await findSession(args.session, world.files, world, readSessionFacts);
  const { providers: ranOn, model: agentsModel } = sessionProviders({ session: session.id }, loaded, paths, world);
  const current = requireProvider(undefined, loaded, world);
  if (args.provider !== undefined) requireProvider(args.provider, loaded, world);
  const usual = chooseReviewer(
    { provider: args.provider, model: args.model, ranOn, agentsModel, current },
    planSupervision(loaded, world, undefined, args.checks),
  );
  const pins = args.anyway ? undefined : launchPins(loaded.config.claude_args ?? [], loaded, world);
  const anyway = `ccc review --anyway --provider ${args.provider}`;
  const problem = pins && args.provider !== undefined && otherProviderProblem(args.provider, pins, anyway);
  if (problem) throw problem;
  const [allowed] = pins?.strict ?? [];
  const pinned = pins && allowed && pinnedReviewers(usual.supervision, allowed.provider, pins);
  for (const notice of pinned?.notices ?? []) log.info(notice);
  const chosen = pinned === undefined ? usual : { ...usual, supervision: pinned.supervision };
  const reviewers = await prepareReviewers(world, chosen, loaded, paths);
  const { instructions, checks } = await settleProject(world, paths, chosen.supervision.checks);
  const redactor = sessionRedactor(world, reviewers.contents, reviewers.keys);
  const progress = showProgress(world);
  progress.start(session.id, reviewers.record.reviewer, checks.commands.length);
  const done = await reviewSession(world, {
    session,
    loaded,
    paths,
    reviewers,
    instructions,
    checks,
    redactor,
    context: args.context ?? loaded.config.supervisor?.context ?? "auto",
    confirm: chosen.supervision.confirm,
    onStep: progress.step,
    onTrouble: progress.trouble,
  }).finally(progress.stop);
  const result = redactor.value(reviewResult(session.id, world.cwd, done));
  for (const finding of result.findings) log.warn(finding);
  if (done.signal !== undefined) {
    log.info("interrupted; nothing was changed");
    return result.exit_code;
  }
  world.stdout(args.json ? prettyJson(result) : colored(renderReview(result, outputWidth(world)), world));
  return result.exit_code;
}

/** None after a failed check: the criteria are still those of an earlier review. */
function criteriaOf(outcome: SessionReview["outcome"]) {
  return "criteria" in outcome && meaningOf(outcome).verdict !== "check failed" ? outcome.criteria : [];
}

/** A verdict that would send the agent back to work ends here as "not done". */
function reviewExitCode({ outcome, signal }: SessionReview): ExitCode {
  if (signal !== undefined) return signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
  return meaningOf(outcome).exitCode ?? EXIT.notDone;
}

/** The verdict, the criteria, what is missing, and what the review cost. */
function renderReview(whole: ReviewResult, width: number): string {
  const result = visible(whole);
  const parts = [
    headline(result),
    result.criteria.map(criterion).join("\n"),
    result.checks
      .filter(({ passed }) => passed)
      .map(passedCheck)
      .join("\n"),
    proofText(result),
    wrap(details(result), width, 0),
    result.instead === null ? "" : `Reviewers that failed: ${result.instead}.`,
    result.confirmation?.instead ? `Confirming reviewers that failed: ${result.confirmation.instead}.` : "",
    cost(result),
  ];
  const text = parts.filter((part) => part !== "").join("\n\n");
  return `${wrap(text, width)}\n`;
}

function headline({ verdict, criteria, reason, checks }: ReviewResult): string {
  const failed = checks.find(({ passed }) => !passed);
  const met = tally(criteria);
  const more = failed === undefined ? met : `${failed.command} (${failed.ending})`;
  const title = verdict === "check failed" ? "NOT done: a check failed" : ENDINGS[verdict].title;
  const why = verdict === "not reviewed" ? reason.replace(/\.$/, "") : more;
  return `${title}${why === undefined || why === "" ? "" : `: ${why}`}.`;
}

const SIGNS = { met: "✓", unmet: "✗", dropped: "–" } as const;

function criterion({ id, text, status, evidence }: ReviewResult["criteria"][number]): string {
  return [`${SIGNS[status]} ${id}: ${text}`, ...(evidence === "" ? [] : [`    ${evidence}`])].join("\n");
}

function passedCheck({ command, ending }: ReviewResult["checks"][number]): string {
  return `✓ check: ${command} (${ending})`;
}

/** The points are among the criteria. */
function proofText({ proof, checks }: ReviewResult): string {
  const old = proof?.runs.filter(({ tests }) => tests === "before") ?? [];
  if (old.length > 0) return `tests as of the prompt: ${old.every(({ passed }) => passed) ? "pass" : "fail"}`;
  const why = checks.length === 0 ? null : proof?.why;
  return why ? `no proof: ${why}` : "";
}

const TITLES: Readonly<Record<StopVerdict, string>> = {
  done: "The reviewer says:",
  "not done": "What is missing:",
  "check failed": "The last lines of its output:",
  "needs you": "What you have to decide or to do:",
  "not reviewed": "",
};

function details({ verdict, feedback, checks }: ReviewResult): string {
  const failed = checks.find(({ passed }) => !passed);
  if (failed?.output.trim() === "") return "It printed nothing.";
  const text = failed?.output ?? feedback;
  return text.trim() === "" ? "" : `${TITLES[verdict]}\n${text.trim().replaceAll(/^/gm, "  ")}`;
}

function cost(result: ReviewResult): string {
  const { reviewer, seconds, verdict, confirmation: by } = result;
  const time = shortDuration(seconds);
  if (reviewer === null) return `No model was asked.${seconds < 1 ? "" : ` It took ${time}.`}`;
  if (verdict === "not reviewed") return `${reviewer} was asked for ${time}: ${tokens(result)}.`;
  const confirmed = by === null ? "" : `, ${by.verdict === "done" ? "" : "not "}confirmed by ${by.reviewer},`;
  return `Reviewed by ${reviewer}${confirmed} in ${time}: ${tokens(result)}.`;
}

/** Without terminal codes and invisible characters: a model and checks wrote these texts. */
function visible(result: ReviewResult): ReviewResult {
  const shown = (text: string) => printable(text).replaceAll(/[^\P{C}\n\t]/gu, "");
  return JSON.parse(JSON.stringify(result, (_, value: unknown) => (typeof value === "string" ? shown(value) : value)));
}

/** Shows on stderr that a review is running and, on a terminal, its current step. */
function showProgress(world: World) {
  const footer = createFooter(world);
  const width = world.isTerminal(2) ? world.columns(2) : Number.POSITIVE_INFINITY;
  const print = (text: string) => footer.print(wrap(`… ${text}`, width));
  let reviewer = "";
  return {
    start(session: string, name: string, checks: number): void {
      reviewer = name;
      const first = checks === 0 ? "" : `${checks === 1 ? "a check" : `${checks} checks`} first, then `;
      print(`reviewing session ${session}: ${first}${name}`);
      footer.start("preparing the review");
    },
    step(step: string): void {
      footer.start(step.startsWith("check ") ? step : `${reviewer} is reviewing${step === "" ? "" : `: ${step}`}`);
    },
    trouble(message: string): void {
      print(message);
    },
    stop: footer.stop,
  };
}
