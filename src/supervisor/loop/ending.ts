import { join } from "node:path";
import * as v from "valibot";
import { LONGEST_ARGUMENT } from "../../claude/arguments.ts";
import { pluginFolder, withPlugin } from "../../claude/hook-settings.ts";
import { agentArguments } from "../../claude/runs.ts";
import { savedSession } from "../../claude/sessions.ts";
import { readReviewerName } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import { EXIT } from "../../errors.ts";
import type { Plan } from "../../launch/plan.ts";
import { createLog } from "../../terminal/dialog.ts";
import type { Footer } from "../../terminal/footer.ts";
import { prettyJson } from "../../text/json.ts";
import type { Redactor } from "../../text/redact.ts";
import { printable } from "../../text/shown.ts";
import { wrap } from "../../text/table.ts";
import { counted, grouped, sentence, shortDuration, shownDuration } from "../../text/words.ts";
import type { EndSignal, Env, ProgramEnd, World } from "../../world.ts";
import { checkEnvironment } from "../checks/run.ts";
import { notifyUser, throughTmux } from "../notify.ts";
import { ENDINGS, type EndingName, STOP_VERDICTS } from "../outcome.ts";
import { bestEffort, projectFiles, stateFolder } from "../project.ts";
import { launchRecords } from "../record/launch.ts";
import { RelaysSchema, UsageLimitSchema } from "../record/session.ts";
import { ConfirmationFieldsSchema, type UsageFields, UsageFieldsSchema } from "../record/stops.ts";
import { providerKeyFinder } from "../secrets.ts";
import type { HandOver } from "../setup/prepare.ts";
import type { LoopLaunch } from "./engine.ts";
import type { LoopResult } from "./loop.ts";

export interface EndedLoop {
  readonly result: LoopResult;
  /** The provider that the loop began with. */
  readonly provider: string;
  readonly startedAt: string;
  readonly signals: readonly EndSignal[];
  /** Messages of the user that were not sent to the agent yet. */
  readonly queued: readonly string[];
  /** What the user was typing; empty if nothing. */
  readonly unsent: string;
  /** The agent's environment. */
  readonly env: Env;
  readonly redactor: Redactor;
  readonly footer: Pick<Footer, "print" | "isAnimated">;
}

/** Reports how the loop ended. Then hands the session over to the user, or prints the answer. Returns the exit code. */
export async function endLoop(world: World, launch: LoopLaunch, ended: EndedLoop): Promise<number> {
  const { plan } = launch;
  const { result, startedAt, signals, queued, env, redactor, footer } = ended;
  const id = result.session_id;
  // Claude Code saves a session with its first answer.
  const canContinue = id !== null && savedSession(world.files, world, id) !== undefined;
  const isHandedOver = launch.handOver.kind !== "none" && canContinue && isOneCtrlCAtMost(signals);
  const code = exitCodeOf(result, signals);
  const report: Report = {
    ...result,
    provider: ended.provider,
    reviewer: launch.supervision.provider ?? plan.provider,
    exit_code: code,
    started_at: startedAt,
    ended_at: world.now().toISOString(),
    handed_over: isHandedOver,
    prompts: [...result.prompts, ...queued],
  };
  const path = leaveReport(report, redactor, world);
  const { whole, below } = loopEnd({ ...result, session_id: canContinue ? id : null }, plan.provider, isHandedOver);
  await notifyOfLoopEnd(world, launch, result, {
    message: redactor.text(whole[0] ?? ""),
    seconds: (world.now().getTime() - Date.parse(startedAt)) / 1000,
    say: footer.print,
  });
  const message = queued.join("\n\n");
  const isTooLong = isHandedOver && message.length > LONGEST_ARGUMENT;
  const unsent = [...(isTooLong ? [tooLong(path)] : []), ...(ended.unsent === "" ? [] : [`not sent: ${ended.unsent}`])];
  const next = isHandedOver ? handOverLine(launch.handOver, launch.supervision.max_iterations) : [];
  for (const line of [...unsent, ...below, ...next])
    footer.print(footer.isAnimated ? wrap(line, world.columns(2)) : line);
  if (isHandedOver) {
    const notice = printable(redactor.text([...unsent, ...whole, ...next].join("\n")));
    return handOverSession(world, launch, {
      id,
      message: isTooLong ? "" : message,
      env,
      notice,
      code,
      outcome: result.outcome,
    });
  }
  // Programs may use the answer: mask known keys only, not what merely looks like a secret.
  const answer = redactor.known(result.answer);
  if (answer !== "") world.stdout(`${world.isTerminal(1) ? printable(answer) : answer}\n`);
  return code;
}

/** What agent and reviews used, in a line: "2 agent runs (1m12s): 30 tokens in, 15 out. 1 review (41 s): …" */
function figures(report: Pick<Report, "agent" | "reviews" | "nudges" | "waited_seconds" | "relays">): string {
  const { agent, reviews, nudges, waited_seconds, relays } = report;
  const parts = [
    `${counted(agent.phases, "agent run")}${time(agent.seconds)}: ${tokens(agent)}.`,
    ...(reviews.count === 0
      ? []
      : [`${counted(reviews.count, "review")}${time(reviews.seconds)}: ${tokens(reviews)}.`]),
    ...(nudges === 0 ? [] : [`${counted(nudges, "nudge")}.`]),
    ...(waited_seconds === 0 ? [] : [`Waited ${shownDuration(waited_seconds)} for a usage limit.`]),
    ...(relays.length === 0 ? [] : [`Continued on ${relays.map(({ to }) => to).join(", then on ")}.`]),
    ...(agent.cost_usd === null || reviews.cost_usd === null
      ? []
      : [`Cost: $${(agent.cost_usd + reviews.cost_usd).toFixed(4)}.`]),
  ];
  return parts.join(" ");
}

function time(seconds: number): string {
  return seconds === 0 ? "" : ` (${shortDuration(seconds)})`;
}

/** "1,200 tokens in (1,000 from the cache), 30 out" */
export function tokens(usage: UsageFields): string {
  const all = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const cached = usage.cache_read_tokens === 0 ? "" : ` (${grouped(usage.cache_read_tokens)} from the cache)`;
  return `${counted(all, "token")} in${cached}, ${grouped(usage.output_tokens)} out`;
}

/** The session to hand over. */
interface HandedSession {
  readonly id: string;
  /** What the user has typed since the agent's last run; empty if nothing. */
  readonly message: string;
  readonly env: Env;
  /** A message for the user in the session: Claude Code clears the screen. */
  readonly notice: string;
  /** How the loop ended, and the exit code for it. */
  readonly outcome: LoopResult["outcome"];
  readonly code: number;
}

/**
 * Hands the session to the user in Claude Code itself and waits for its end. Its hooks record whether the user continued.
 */
async function handOverSession(world: World, launch: LoopLaunch, session: HandedSession): Promise<number> {
  const { plan, paths, record, args, isRelayed } = launch;
  const run = {
    isRelayed,
    settings: (plan.settings.handOver ?? plan.settings.agent).path,
    options: args.options,
    sessionId: session.id,
    message: session.message || undefined,
    isHandedOver: true,
  };
  const launches = launchRecords(world.files, paths);
  if (launch.handOver.kind === "supervised")
    launches.save({ ...record, notice: session.notice, waiting_since: world.now().toISOString() });
  const notes = launches.openNotes(launch.supervision.launch);
  try {
    const end = await world.handOver({
      file: plan.file,
      args: withPluginOf(plan, paths, agentArguments(run)),
      env: session.env,
    });
    const hasPrompt = notes.read().some(({ event }) => event === "prompt");
    const { code, line } = afterHandOver(session.code, end, hasPrompt, session.outcome);
    if (line !== undefined) createLog(world).info(line);
    return code;
  } finally {
    notes.remove();
  }
}

/** With ccc's commands, if the plan has prepared them. */
function withPluginOf({ files }: Plan, { generated }: Paths, args: readonly string[]): readonly string[] {
  const folder = pluginFolder(generated);
  return files.some(({ path }) => path.startsWith(folder)) ? withPlugin(folder, args) : args;
}

/** How the loop ended, what it used, and how to continue. */
interface EndLines {
  /** All lines, for when nothing else is shown. */
  readonly whole: readonly string[];
  /** Those below the line of the last review, which says how it ended. */
  readonly below: readonly string[];
}

function loopEnd(result: LoopResult, provider: string, isHandedOver: boolean): EndLines {
  const { outcome, reason } = result;
  const isReviewed = outcome !== "failed" && outcome !== "interrupted";
  const used = result.agent.phases === 0 ? "" : figures(result);
  const what = outcome === "interrupted" ? reason : ENDINGS[outcome].title + (reason && `: ${reason}`);
  const whole = [`${sentence(what)} ${used}`.trimEnd(), ...next(result, provider, isHandedOver)];
  return { whole, below: isReviewed ? [used, ...whole.slice(1)] : whole };
}

function next({ outcome, reason, session_id }: LoopResult, provider: string, isHandedOver: boolean): string[] {
  if (isHandedOver || outcome === "done" || reason.includes("--resume")) return [];
  if (session_id === null) return ["No session was started."];
  return [`To continue: ccc ${provider} --resume ${session_id}`];
}

/** The last line before claude takes over the terminal. */
function handOverLine(handOver: HandOver, limit: number): string[] {
  if (handOver.kind === "none") return [];
  const continues = "The session continues in Claude Code";
  if (handOver.kind === "unsupervised") return [`${continues}, NOT supervised: ${handOver.why}.`];
  return [`${continues}, supervised by the hook engine: at most ${counted(limit, "review")} per prompt.`];
}

/** How ccc ends after a hand-over. Without a prompt of the user, the outcome of the loop counts. */
function afterHandOver(
  loopCode: number,
  { exitCode }: ProgramEnd,
  hasPrompt: boolean,
  outcome: LoopResult["outcome"],
): { readonly code: number; readonly line: string | undefined } {
  if (hasPrompt || loopCode === EXIT.ok) return { code: exitCode, line: undefined };
  return { code: loopCode, line: `you sent no prompt, so the outcome stands: ${outcome} (exit code ${loopCode})` };
}

function exitCodeOf({ outcome }: Pick<LoopResult, "outcome">, signals: readonly EndSignal[]): number {
  const isTerminated = outcome === "interrupted" && signals.some((signal) => signal !== "SIGINT");
  return isTerminated ? EXIT.terminated : ENDINGS[outcome].exitCode;
}

/** One Ctrl-C means "let me take over"; a second one, or another signal, means "quit". */
function isOneCtrlCAtMost(signals: readonly EndSignal[]): boolean {
  return signals.length === 0 || (signals.length === 1 && signals[0] === "SIGINT");
}

function tooLong(report: string | undefined): string {
  const what = "not sent, because it is too long: your last message.";
  if (report === undefined) return `${what} The report could not be written either, so send it again.`;
  return `${what} The report has it: ${report}`;
}

/**
 * Writes the report into the project, and the job summary on GitHub. A failure is only a warning. Returns the path of the
 * report, if it could be written.
 */
function leaveReport(whole: Report, redactor: Redactor, world: World): string | undefined {
  const report = redactor.value(whole);
  const folder = stateFolder(world.cwd);
  const path = join(folder, `supervisor-${report.session_id ?? "none"}-report.json`);
  const warn = (message: string) => createLog(world).warn(message);
  const written = bestEffort(warn, "write the report", () => {
    projectFiles(world.files, world.cwd, folder).replace(path, prettyJson(report));
    return path;
  });
  const { GITHUB_STEP_SUMMARY: summary } = world.env;
  if (summary)
    bestEffort(warn, "write the GitHub job summary", () =>
      world.files.append(summary, reportSummary(report), Number.POSITIVE_INFINITY),
    );
  return written;
}

/** The report of a loop run: `supervisor-<session>-report.json`. */
export const ReportSchema = v.object({
  session_id: v.nullable(v.string()),
  provider: v.string(),
  reviewer: v.string(),
  outcome: v.picklist(Object.keys(ENDINGS) as EndingName[]),
  /** Why it is not done; empty for "done". */
  reason: v.string(),
  usage_limit: v.optional(UsageLimitSchema, null),
  /** For this outcome. ccc exits with claude's own code if the user continued in the handed over session. */
  exit_code: v.number(),
  /** Whether the user got the session at the end. */
  handed_over: v.optional(v.boolean(), false),
  started_at: v.string(),
  ended_at: v.string(),
  prompts: v.array(v.string()),
  rounds: v.array(
    v.object({
      verdict: v.picklist(STOP_VERDICTS),
      feedback: v.string(),
      seconds: v.number(),
      /** The reviewer; missing without a review, and in the reports of older versions. */
      reviewer: v.optional(v.string()),
      /** The fresh review of its "done", if there was one. Its time and tokens are part of the round's. */
      confirmation: v.optional(ConfirmationFieldsSchema),
      ...UsageFieldsSchema.entries,
    }),
  ),
  /** A phase is one run of the agent until it stops. */
  agent: v.object({ phases: v.number(), seconds: v.optional(v.number(), 0), ...UsageFieldsSchema.entries }),
  /** All rounds together, and a review that was interrupted. */
  reviews: v.object({ count: v.number(), seconds: v.optional(v.number(), 0), ...UsageFieldsSchema.entries }),
  /** Stops that were sent back without a review. */
  nudges: v.optional(v.number(), 0),
  /** For limits of the agent's provider. */
  waited_seconds: v.optional(v.number(), 0),
  /** Each time the agent continued on another provider. */
  relays: v.optional(RelaysSchema, () => []),
  answer: v.string(),
});

export type Report = v.InferOutput<typeof ReportSchema>;

/** The report in Markdown. */
function reportSummary(report: Report): string {
  const rounds = report.rounds.map((round, index) => {
    const { verdict, feedback, seconds, reviewer = report.reviewer, confirmation } = round;
    const by = readReviewerName(reviewer).provider === report.reviewer ? "" : ` (${reviewer})`;
    const confirmed =
      confirmation && `, ${confirmation.verdict === "done" ? "" : "not "}confirmed by ${confirmation.reviewer}`;
    return `| ${index + 1} | ${verdict}${by}${confirmed ?? ""} | ${seconds} s | ${tokens(round)} | ${cell(feedback)} |`;
  });
  return [
    `## ccc: ${report.outcome}`,
    report.reason,
    `Provider ${report.provider}, reviewed by ${report.reviewer}. ${figures(report)}`,
    rounds.length === 0
      ? ""
      : ["| round | verdict | time | usage | feedback |", "| ---: | --- | ---: | --- | --- |", ...rounds].join("\n"),
    report.answer === "" ? "" : `<details><summary>The agent's last answer</summary>\n\n${report.answer}\n\n</details>`,
  ]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}

/** Notifies the user of how a loop ended, unless they interrupted it themselves. */
async function notifyOfLoopEnd(
  world: World,
  { plan, keys, supervision, paths, record }: Pick<LoopLaunch, "plan" | "keys" | "supervision" | "paths" | "record">,
  { outcome, session_id }: Pick<LoopResult, "outcome" | "session_id">,
  { message, seconds, say }: { message: string; seconds: number; say: (message: string) => void },
): Promise<void> {
  const { notify } = supervision;
  if (outcome === "interrupted" || (notify === true && !world.isTerminal(2))) return;
  const { agent, reviewer } = plan.settings;
  const settings = [agent, ...(reviewer === undefined ? [] : [reviewer])].map(({ content }) => content);
  const bytes = await notifyUser(
    world,
    {
      ending: outcome,
      message,
      secondsSincePrompt: seconds,
      session: session_id ?? "",
      project: record.cwd,
    },
    {
      notify,
      terminal: world.env,
      cwd: paths.folder,
      say,
      commandEnv: () => checkEnvironment(world.env, providerKeyFinder(world, settings, keys)),
    },
  );
  if (bytes !== undefined) world.stderr(throughTmux(bytes, world.env));
}
