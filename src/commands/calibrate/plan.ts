/** What a run of `ccc calibrate` will do: its plan, its reviewers, its cost. */
import type { ConsolaInstance } from "consola/core";
import { modelsIn } from "../../claude/models.ts";
import {
  type ReviewContext,
  type ReviewerName,
  readReviewerName,
  reviewerLabel,
  SUPERVISOR_DEFAULTS,
  type SupervisorSettings,
} from "../../config/defaults.ts";
import { writtenEnv } from "../../config/env.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { launchPins, otherProviderProblem } from "../../config/pins.ts";
import { CccError, usageError } from "../../errors.ts";
import { claudeVersion } from "../../launch/ask-claude.ts";
import { checkSource, type Instructions, shownInstructions } from "../../supervisor/review/instructions.ts";
import { sessionRedactor } from "../../supervisor/secrets.ts";
import { planSupervision } from "../../supervisor/setup/supervision.ts";
import type { Json } from "../../text/json.ts";
import type { Redactor } from "../../text/redact.ts";
import { counted, shortTokens } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { currentLaunch, requireProvider } from "../arguments.ts";
import { type PreparedReviewers, prepareReviewers } from "../review/review-session.ts";
import { type CalibrationCase, chooseCases, ownCases, withoutMissingPrograms } from "./cases.ts";
import { figuresOf } from "./results.ts";
import { type CalibrationPlan, type CalibrationRun, type KeptRun, openReviews } from "./run.ts";

/** What the user asks for. */
export interface CalibrationOptions {
  readonly providers: readonly string[];
  readonly model: string | undefined;
  readonly context: ReviewContext | undefined;
  readonly cases: readonly string[];
  readonly repeat: string | undefined;
  readonly resume: boolean;
}

/** A new or resumed run, before its next review. */
export interface BegunRun extends CalibrationRun {
  /** The file of a resumed run; undefined for a new one. */
  readonly path: string | undefined;
  readonly cases: readonly CalibrationCase[];
}

interface RunSetup {
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly claude: string;
  readonly instructions: Instructions;
  readonly earlier: readonly KeptRun[];
  readonly log: ConsolaInstance;
}

export async function planRun(world: World, options: CalibrationOptions, setup: RunSetup): Promise<BegunRun> {
  const version = (await claudeVersion(world, setup.claude, setup.paths)) ?? null;
  if (options.resume) return resumedRun(world, setup, version);
  const { loaded, instructions } = setup;
  const repeat = wholeNumber("--repeat", options.repeat, 1, MOST_REPEATS);
  const { provider, model, context: usualContext } = loaded.config.supervisor ?? {};
  const context = options.context ?? usualContext ?? "auto";
  const usual = { provider: provider ?? requireProvider(undefined, loaded, world), model };
  const reviewers = plannedNames(options.providers, options.model, usual);
  for (const each of reviewers) requireProvider(each.provider, loaded, world);
  const { cases, folder } = chooseCases(options.cases, ownCases(), world);
  const { runnable, leftOut } = withoutMissingPrograms(cases, world);
  if (runnable.length === 0) {
    const programs = [...new Set(leftOut.map(({ needs }) => needs))].join(", ");
    throw new CccError(`no case can run here: there is no ${programs}`, { advice: "Install it, or name other cases." });
  }
  const plan: CalibrationPlan = {
    version: 1,
    started_at: world.now().toISOString(),
    ccc_version: world.version,
    claude_version: version,
    reviewers: reviewers.map(reviewerLabel),
    context,
    // As in a real session. With another context, nobody confirms.
    confirm: context === "auto" && (loaded.config.supervisor?.confirm ?? SUPERVISOR_DEFAULTS.confirm),
    instructions: { path: instructions.path, hash: instructionsHash(instructions) },
    folder,
    cases: caseFacts(runnable),
    left_out: [...leftOut],
    repeat,
  };
  return { plan, reviews: [], stopped: new Map(), path: undefined, cases: runnable };
}

/** A reviewer that can be asked. */
export interface CalibrationReviewer {
  readonly reviewers: PreparedReviewers;
  readonly confirm: SupervisorSettings["confirm"];
  readonly redactor: Redactor;
  readonly usesLogin: boolean;
  /** Null if its provider leaves the choice to Claude Code. */
  readonly model: string | null;
}

/** Prepares the reviewers of a run, by their names, as a launch in this folder would; without fallbacks. */
export async function prepareCalibration(
  world: World,
  plan: CalibrationPlan,
  setup: {
    readonly loaded: LoadedConfig;
    readonly paths: Paths;
    readonly instructions: Instructions;
    readonly anyway: boolean;
  },
): Promise<ReadonlyMap<string, CalibrationReviewer>> {
  const { loaded, paths, instructions } = setup;
  const supervision = planSupervision(loaded, world);
  const agent = requireProvider(undefined, loaded, world);
  const ready = new Map<string, CalibrationReviewer>();
  const confirm = typeof plan.confirm === "string" ? readReviewerName(plan.confirm) : plan.confirm;
  const isProjects = checkSource(instructions, paths.folder).isProjects && !setup.anyway;
  if (typeof confirm === "object" && isProjects) refusePinned(world, confirm.provider, loaded);
  for (const name of plan.reviewers) {
    const { provider, model } = readReviewerName(name);
    requireProvider(provider, loaded, world);
    if (isProjects) refusePinned(world, provider, loaded);
    const { usesLogin } = currentLaunch(world, loaded, provider);
    if (usesLogin && plan.context === "session") throw loginProblem(provider);
    if (typeof confirm === "object" && !usesLogin && currentLaunch(world, loaded, confirm.provider).usesLogin)
      throw confirmProblem(confirm.provider);
    const chosen = { ...supervision, provider, model, fallback: [], confirm };
    // A reviewer with a login cannot share the conversation: see loginProblem.
    const reviewers = await prepareReviewers(
      world,
      { agent: usesLogin ? "" : agent, supervision: chosen },
      loaded,
      paths,
    );
    const redactor = sessionRedactor(world, reviewers.contents, reviewers.keys);
    ready.set(name, { reviewers, confirm, redactor, usesLogin, model: modelIn(reviewers.contents[0]) });
  }
  return ready;
}

/**
 * What the open reviews of a run will roughly cost: "48 reviews, about 288 requests: roughly 2.3M tokens, most of them
 * input". `earlier` are the runs on record, the last one first; `agent` is the provider that agents in this folder run on.
 */
export function estimateRun(
  run: Pick<CalibrationRun, "plan" | "reviews">,
  earlier: readonly CalibrationRun[],
  agent: string,
): string {
  const { context } = run.plan;
  const each = openReviews(run).map(({ reviewer }) => {
    const usual = context === "auto" ? (reviewer === agent ? "session" : "fresh") : context;
    // About half of the cases are done, or look as if they were.
    const confirmed = usual === "session" && run.plan.confirm !== false ? PER_REVIEW.fresh / 2 : 0;
    return { tokens: measured(reviewer, run.plan, earlier), assumed: PER_REVIEW[usual] + confirmed };
  });
  const sum = each.reduce((all, { tokens, assumed }) => all + (tokens ?? assumed), 0);
  const amounts = `about ${each.length * REQUESTS} requests: roughly ${shortTokens(sum)}`;
  const isMeasured = each.every(({ tokens }) => tokens !== undefined);
  return `${counted(each.length, "review")}, ${amounts}, ${isMeasured ? "by the last run" : "most of them input"}`;
}

/** The value of an option that takes a whole number. */
export function wholeNumber(name: string, value: string | undefined, preset: number, most: number): number {
  const number = Number(value ?? preset);
  if (Number.isInteger(number) && number >= 1 && number <= most && value?.trim() !== "") return number;
  throw usageError(`${name} takes a whole number from 1 to ${most}`);
}

const MOST_REPEATS = 20;

/** The reviewers to calibrate: `--provider` and `--model`, else the reviewer of this folder. */
function plannedNames(
  providers: readonly string[],
  model: string | undefined,
  usual: ReviewerName,
): readonly ReviewerName[] {
  if (model?.trim() === "") throw usageError("--model takes the name of a model");
  const named = providers.map(readReviewerName);
  if (model !== undefined && (named.length > 1 || named[0]?.model !== undefined)) {
    throw usageError(
      "--model is the model of one provider",
      "Name each with its provider: ccc calibrate --provider glm:MODEL --provider kimi:MODEL",
    );
  }
  // The model in ccc.json belongs to the usual reviewer.
  const all = (named.length === 0 ? [usual] : named).map((each) => ({
    provider: each.provider,
    model: model ?? each.model ?? (each.provider === usual.provider ? usual.model : undefined),
  }));
  return [...new Map(all.map((each) => [reviewerLabel(each), each])).values()];
}

/** The last unfinished run, if its instructions and cases have not changed. */
function resumedRun(world: World, { earlier, instructions, log }: RunSetup, version: string | null): BegunRun {
  const run = earlier.find((each) => openReviews(each).length > 0);
  if (run === undefined) throw usageError("there is no unfinished run to resume", "Start one: ccc calibrate");
  const { plan, process } = run;
  if (process !== null && process !== world.pid && world.isAlive(process))
    throw usageError(
      `that run is still in progress (process ${process})`,
      "Wait until it finishes, or stop it with Ctrl-C.",
    );
  if (instructionsHash(instructions) !== plan.instructions.hash) {
    throw usageError(
      "the reviewer's instructions are not those of the unfinished run",
      `They came from ${plan.instructions.path ?? "ccc itself"}. Continue with the same ones, or start a new run: ccc calibrate`,
    );
  }
  const { cases } = chooseCases(plan.folder === null ? [] : [plan.folder], ownCases(), world);
  const known = caseFacts(cases);
  const changed = plan.cases.find(({ id, hash }) => !known.some((each) => each.id === id && each.hash === hash));
  if (changed !== undefined)
    throw usageError(`the case ${changed.id} has changed since that run was started`, "Start a new run: ccc calibrate");
  if (version !== plan.claude_version)
    log.warn(`the run was started with Claude Code ${plan.claude_version}, and continues with ${version}`);
  return { ...run, cases: cases.filter(({ id }) => plan.cases.some((each) => each.id === id)) };
}

/** What a plan records about its cases. */
function caseFacts(cases: readonly CalibrationCase[]): CalibrationPlan["cases"] {
  return cases.map((each) => {
    const { id, kind, truth, why, check } = each;
    const proved = truth === "not_done" && check !== undefined ? { with_proof: true as const } : {};
    return { id, hash: shortHash(JSON.stringify(each)), kind, truth, why, ...proved };
  });
}

/** Covers what a reviewer reads: not the checks in the front matter. */
function instructionsHash(instructions: Instructions): string {
  return shortHash(shownInstructions(instructions));
}

function shortHash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 12);
}

function modelIn(settings: Json | undefined): string | null {
  const models = modelsIn(writtenEnv(settings?.env));
  return models.configured === undefined ? null : models.requested();
}

/** The instructions are a file of the project, so they are not shown to a provider that its pin refuses. */
function refusePinned(world: World, provider: string, loaded: LoadedConfig): void {
  const pins = launchPins(loaded.config.claude_args ?? [], loaded, world);
  const problem = otherProviderProblem(provider, pins, `ccc calibrate --anyway --provider ${provider}`);
  if (problem !== undefined) throw problem;
}

/** The conversation of a case is in a separate configuration folder, without a login. */
function loginProblem(provider: string) {
  return usageError(
    `${provider} uses your Claude login, which works only with --context fresh`,
    `ccc calibrate --context fresh --provider ${provider}`,
  );
}

function confirmProblem(provider: string) {
  return usageError(
    `supervisor.confirm names ${provider}, which uses your Claude login and cannot review the sessions of cases`,
    "To measure a reviewer alone: ccc calibrate --context session, or --context fresh",
  );
}

/** Roughly: it depends on how much the reviewer looks at. */
const REQUESTS = 6;

/**
 * In tokens. Requests about small cases have about 20 kB without the conversation, and 60 kB with it, because they contain
 * all tools of Claude Code. Some models get a longer system prompt, and each look makes the next request longer.
 */
const PER_REVIEW = { fresh: REQUESTS * 8_000, session: REQUESTS * 20_000 } as const;

function measured(
  reviewer: string,
  { context }: CalibrationPlan,
  earlier: readonly CalibrationRun[],
): number | undefined {
  for (const { plan, reviews } of earlier) {
    const own = reviews.filter((each) => each.reviewer === reviewer && each.verdict !== null);
    if (plan.context === context && own.length > 0) return figuresOf(plan, own).tokens ?? undefined;
  }
  return undefined;
}
