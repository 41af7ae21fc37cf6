import { defineCommand } from "citty";
import { docsPage } from "../build-info.ts";
import { ANTHROPIC } from "../claude/connection.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import type { Identity } from "../providers/identity.ts";
import { lastUsagePath, lastUsageText } from "../providers/quota/last.ts";
import type { QuotaWindow, UsageFigure } from "../providers/quota/readers.ts";
import { type UsageSource, usageSource, usageUrl } from "../providers/quota/sources.ts";
import { OUTCOME_KINDS, OUTCOMES } from "../supervisor/outcome.ts";
import { knownSessions, openSession } from "../supervisor/record/session.ts";
import { readSession } from "../supervisor/record/stops.ts";
import { createLog } from "../terminal/dialog.ts";
import { parseJson, prettyJson } from "../text/json.ts";
import { withoutUrlSecrets } from "../text/redact.ts";
import { colored, columns, outputWidth } from "../text/table.ts";
import { counted, exact, shortCount, shortDuration, wholePercent } from "../text/words.ts";
import type { World } from "../world.ts";
import { askedProviders, JSON_FLAG, PROVIDER_OR_CURRENT, timeoutIn } from "./arguments.ts";
import { allTokens, type SessionReport, sessionReport } from "./report/report.ts";
import { type Answer, askServer, otherRoute, requestIdentity } from "./validate/validate.ts";

const TIMEOUT_MS = 10_000;

const DESCRIPTION = `Show what is left of a provider's plan or balance. One request, with the provider's own key and
to the host of its own address; it costs nothing. The status line shows the last answer with its age.
With --reviews: what the reviews of the last 30 days took, in all folders, from ccc's own record; no request.

Supported: Z.ai and BigModel, Kimi Code, Moonshot, MiniMax, DeepSeek, OpenRouter, SiliconFlow, StepFun.

Exit codes
  0    every provider that can be asked has answered
  1    a provider did not answer, its answer was not understood, or there is nothing to ask
  2    usage error, or unknown provider

JSON
  with --reviews: { since, sessions, prompts, reviews, review_seconds, tokens, cached_tokens,
  first_done: { false, of } }, else
  { ok, providers: [{ name, status, cause, detail, advice, figures: [{ kind, … }] }] }, explained in
  ${docsPage("usage.md#json")}`;

export function usageCommand(world: World) {
  return defineCommand({
    meta: { name: "usage", description: DESCRIPTION },
    args: {
      all: { type: "boolean", default: false, description: "ask all providers in ccc.json, at once" },
      reviews: { type: "boolean", default: false, description: "what the reviews of the last 30 days took" },
      json: JSON_FLAG,
      timeout: {
        type: "string",
        valueHint: "SECONDS",
        description: `timeout for each provider (default: ${TIMEOUT_MS / 1000})`,
      },
      provider: PROVIDER_OR_CURRENT,
    },
    run: ({ args }) => {
      if (args.reviews) {
        const other = args.all ? "--all" : args.timeout === undefined ? args.provider && "a provider" : "--timeout";
        if (other) throw usageError(`--reviews cannot be combined with ${other}`);
        return showReviews(world, args.json);
      }
      const loaded = loadConfig(world);
      const names = askedProviders(loaded, args.provider, args.all, world);
      return showUsage(world, loaded, names, { timeoutMs: timeoutIn(args.timeout) ?? TIMEOUT_MS, asJson: args.json });
    },
  });
}

/** What reviews took. docs/usage.md explains the fields. */
interface ReviewTotals {
  readonly since: string;
  readonly sessions: number;
  readonly prompts: number;
  readonly reviews: number;
  readonly review_seconds: number;
  readonly tokens: number;
  readonly cached_tokens: number;
  /** The prompts whose first stop was judged (`of`), and those whose work was not done then (`false`). */
  readonly first_done: { readonly false: number; readonly of: number };
}

function showReviews(world: World, asJson: boolean): number {
  const totals = reviewTotals(world);
  if (asJson) world.stdout(prettyJson(totals));
  else world.stdout(reviewsText(totals, outputWidth(world)));
  return EXIT.ok;
}

function reviewTotals(world: World): ReviewTotals {
  const { files } = world;
  const paths = cccPaths(world);
  const since = new Date(world.now().getTime() - REVIEWS_MS).toISOString();
  const reports = knownSessions(files, paths).flatMap(({ id }) => {
    const session = readSession(openSession(files, paths, id), world.isAlive);
    const report = session && sessionReport(session);
    return report === undefined || (report.ended_at ?? "") < since ? [] : [report];
  });
  const prompts = reports.flatMap((report) => report.prompts);
  const firsts = prompts.flatMap(
    ({ rounds }) => rounds.find(({ verdict }) => FIRST_VERDICTS.has(verdict))?.verdict ?? [],
  );
  const sum = (figure: (totals: SessionReport["totals"]) => number) =>
    exact(reports.reduce((all, { totals }) => all + figure(totals), 0));
  return {
    since,
    sessions: reports.length,
    prompts: prompts.length,
    reviews: sum(({ reviews }) => reviews),
    review_seconds: sum(({ review_seconds }) => review_seconds),
    tokens: sum(allTokens),
    cached_tokens: sum(({ cache_read_tokens }) => cache_read_tokens),
    first_done: { false: firsts.filter((verdict) => verdict !== "done").length, of: firsts.length },
  };
}

const REVIEW_DAYS = 30;
const REVIEWS_MS = REVIEW_DAYS * 24 * 3600 * 1000;

/** Verdicts that say whether the work was done when the agent stopped. */
const FIRST_VERDICTS: ReadonlySet<string> = new Set([
  "check failed",
  ...OUTCOME_KINDS.map((kind) => OUTCOMES[kind])
    .filter(({ hasVerdict, verdict }) => hasVerdict && verdict !== "needs you")
    .map(({ reported }) => reported),
]);

function reviewsText({ first_done: first, ...totals }: ReviewTotals, width: number): string {
  const share = (part: number, whole: number) => (whole === 0 ? "" : ` (${wholePercent((part / whole) * 100)}%)`);
  const cached = totals.tokens === 0 ? "" : `, ${shortCount(totals.cached_tokens)} from the cache`;
  const rows = [
    ["sessions", `${totals.sessions}, with ${counted(totals.prompts, "prompt")}`],
    ["reviews", `${totals.reviews}${totals.reviews === 0 ? "" : `, in ${shortDuration(totals.review_seconds)}`}`],
    ["tokens", `${shortCount(totals.tokens)}${cached}${share(totals.cached_tokens, totals.tokens)}`],
    ['first "done"', `false for ${first.false} of ${counted(first.of, "prompt")}${share(first.false, first.of)}`],
  ].map(([what = "", value = ""]) => [`  ${what}`, value]);
  return `Reviews of the last ${REVIEW_DAYS} days, in all folders\n${columns(rows, width)}`;
}

interface UsageOptions {
  readonly timeoutMs: number;
  readonly asJson: boolean;
}

async function showUsage(
  world: World,
  loaded: LoadedConfig,
  names: readonly string[],
  { timeoutMs, asJson }: UsageOptions,
): Promise<number> {
  const asked = names.map(async (name) => ({ name, ...(await usageOf(name, loaded, world, timeoutMs)) }));
  const { NO_COLOR: noColor, TERM: terminal } = world.env;
  const view = { width: outputWidth(world), hasColor: world.isTerminal(1) && !noColor && terminal !== "dumb" };
  // In the order of ccc.json, each as soon as it and all before it are known.
  for (const each of asJson ? [] : asked) {
    const { name, ...answer } = await each;
    world.stdout(colored(renderUsage(name, answer, { ...view, now: world.now().getTime() }), world));
  }
  const providers = await Promise.all(asked);
  const has = (status: UsageAnswer["status"]) => providers.some((each) => each.status === status);
  const ok = has("answered") && !has("failed");
  if (asJson) world.stdout(prettyJson({ ok, providers }));
  return ok ? EXIT.ok : EXIT.failure;
}

async function usageOf(name: string, loaded: LoadedConfig, world: World, timeoutMs: number): Promise<UsageAnswer> {
  try {
    const identity = await requestIdentity(loaded, name, world);
    const answer = await askUsage(name, identity, world, timeoutMs);
    if (answer.status === "answered") remember(world, name, answer);
    return answer;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return failed("configuration", withoutUrlSecrets(error.message), error.advice ?? "Fix it in ccc.json.");
  }
}

/** Saves the figures for the status line. If that fails, the command still succeeds. */
function remember(world: World, name: string, { figures }: UsageAnswer): void {
  const text = lastUsageText({ time: world.now().getTime(), figures });
  try {
    world.files.writePrivate(lastUsagePath(cccPaths(world), name), text);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    createLog(world).warn(`the status line will not show this: ${error.message}`);
  }
}

/** The result for one provider. Names are stable: scripts may rely on them. */
export interface UsageAnswer {
  /** "none": this provider cannot be asked. */
  readonly status: "answered" | "failed" | "none";
  readonly cause: UsageCause;
  /** Empty if it answered. */
  readonly detail: string;
  /** What to do; empty if nothing. */
  readonly advice: string;
  readonly figures: readonly UsageFigure[];
}

export type UsageCause =
  | "answered"
  | "uses_login" // none
  | "other_route" // none: a cloud
  | "unknown_server" // none
  | "configuration" // no request was made: ccc.json or a referenced key is wrong
  | "unreachable"
  | "redirected"
  | "key_refused"
  | "rate_limited"
  | "gone" // nothing answers at this address any more
  | "refused"
  | "server_error"
  | "not_understood";

function failed(cause: UsageCause, detail: string, advice: string): UsageAnswer {
  return { status: "failed", cause, detail, advice, figures: [] };
}

function nothingToAsk(cause: UsageCause, detail: string): UsageAnswer {
  return { status: "none", cause, detail, advice: "", figures: [] };
}

/** Asks a provider what is left, with its own key and at its own host. References must be resolved already. */
async function askUsage(
  name: string,
  { env }: Identity,
  { fetch, now, version }: Pick<World, "fetch" | "now" | "version">,
  timeoutMs: number,
): Promise<UsageAnswer> {
  const other = otherRoute(env);
  if (other !== undefined) return nothingToAsk("other_route", `with ${other} a cloud does the billing: look there`);
  const key = env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY || "";
  if (key === "")
    return nothingToAsk("uses_login", "a Claude login has no quota that ccc could ask for: see /usage in Claude Code");
  const base = env.ANTHROPIC_BASE_URL || ANTHROPIC;
  const source = usageSource(base);
  if (source === undefined) return nothingToAsk("unknown_server", `ccc does not know how to ask ${shown(base)}`);
  const url = usageUrl(source);
  // The provider's custom headers are for its Messages API only.
  const headers = { accept: "application/json", authorization: `Bearer ${key}`, "user-agent": `ccc/${version}` };
  const { answer, found, clean } = await askServer({ url, headers }, env, fetch, {
    timeoutMs,
    longest: LONGEST_ANSWER,
  });
  if (answer === undefined)
    return failed(found.cause === "configuration" ? "configuration" : "unreachable", found.detail, found.advice);
  return understood(name, answer, source, clean, now());
}

const LONGEST_ANSWER = 1_000_000;

function shown(base: string): string {
  return withoutUrlSecrets(URL.parse(base)?.origin ?? base);
}

function understood(
  name: string,
  answer: Answer,
  source: UsageSource,
  clean: (text: string) => string,
  now: Date,
): UsageAnswer {
  const url = usageUrl(source);
  if (answer.status >= 300) return refused(name, answer, source);
  const read = source.read(parseJson(answer.body), now.getTime());
  if ("figures" in read)
    return { status: "answered", cause: "answered", detail: "", advice: "", figures: read.figures };
  if ("refusal" in read) {
    const words = clean(read.refusal);
    if (read.isAboutKey) return keyRefused(name, url, `"${words}"`);
    return failed("refused", `${url} answers "${words}"`, `Look it up at ${source.page}`);
  }
  return failed("not_understood", `the answer of ${url} could not be understood: ${read.unclear}`, later(source));
}

function refused(name: string, { status, location, error }: Answer, source: UsageSource): UsageAnswer {
  const url = usageUrl(source);
  const said = error === "" ? `status ${status}` : `status ${status}, "${error}"`;
  if (status < 400) {
    const target = location || "another address";
    return failed("redirected", `${url} redirects to ${target}; the key was not sent there`, later(source));
  }
  if (status === 401 || status === 403) return keyRefused(name, url, said);
  if (status === 404 || status === 405 || status === 410) {
    return failed("gone", `${url} is no longer there (${said})`, later(source));
  }
  if (status === 429) return failed("rate_limited", `${url} was asked too often (${said})`, "Wait a while.");
  if (status >= 500) return failed("server_error", `${url} has an internal error (${said})`, "Try again in a minute.");
  return failed("refused", `${url} rejects the request (${said})`, `Look it up at ${source.page}`);
}

function keyRefused(name: string, url: string, said: string): UsageAnswer {
  return failed(
    "key_refused",
    `${url} rejects the key (${said})`,
    `Find out whether it works at all: ccc validate ${name}`,
  );
}

/** Advice if ccc no longer understands the server. */
function later({ page }: UsageSource): string {
  return `Look it up at ${page} or try a newer ccc: ccc upgrade`;
}

interface UsageView {
  /** The width of the terminal; infinite elsewhere, where there are no bars. */
  readonly width: number;
  readonly hasColor: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** The lines for one provider: a heading and its figures on a terminal, one complete line per figure elsewhere. */
function renderUsage(name: string, answer: UsageAnswer, view: UsageView): string {
  const { status, detail, advice, figures } = answer;
  if (status !== "answered") {
    const label = `${status === "failed" ? "✗" : "-"} ${name}`;
    return columns([[label, detail], ...(advice === "" ? [] : [["", advice]])], view.width);
  }
  if (!Number.isFinite(view.width)) {
    return figures.map((figure) => `${name}  ${figure.label}: ${words(figure, view.now)}\n`).join("");
  }
  const bar = barWidth(figures, view);
  const rows = figures.map((figure) => [`  ${figure.label}`, ...cells(figure, bar, view)]);
  return `${name}\n${columns(rows, view.width)}`;
}

function cells(figure: UsageFigure, bar: number, view: UsageView): string[] {
  const text = words(figure, view.now);
  if (bar === 0) return [text];
  return [figure.kind === "window" ? painted(figure, bar, view.hasColor) : " ".repeat(bar), text];
}

/** "37% used, resets in 2h13m", "12.34 USD". */
function words(figure: UsageFigure, now: number): string {
  if (figure.kind !== "window") return `${figure.amount.toFixed(2)} ${figure.currency}`;
  const used = `${wholePercent(figure.used_percent)}% used`;
  if (figure.resets_at === null) return used;
  const seconds = (Date.parse(figure.resets_at) - now) / 1000;
  return `${used}, resets ${seconds <= 0 ? "now" : `in ${shortDuration(seconds)}`}`;
}

/** 0 if bar and text do not fit on a line. */
function barWidth(figures: readonly UsageFigure[], { width, now }: UsageView): number {
  if (!figures.some(({ kind }) => kind === "window")) return 0;
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => Bun.stringWidth(text)));
  const others = widest(figures.map(({ label }) => label)) + widest(figures.map((figure) => words(figure, now))) + 6;
  const room = Math.min(WIDEST_BAR, width - others);
  return room < NARROWEST_BAR ? 0 : room;
}

const WIDEST_BAR = 24;

const NARROWEST_BAR = 6;

function painted({ used_percent: used }: QuotaWindow, width: number, hasColor: boolean): string {
  const full = Math.round((wholePercent(used) / 100) * width);
  const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`;
  const color = used >= 90 ? "31" : used >= 70 ? "33" : "32";
  return hasColor ? `\u001b[${color}m${bar}\u001b[0m` : bar;
}
