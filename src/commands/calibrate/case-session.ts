import { savedSession } from "../../claude/sessions.ts";
import type { ReviewContext, SupervisorSettings } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { cccPaths, type Paths } from "../../config/paths.ts";
import { CccError, EXIT } from "../../errors.ts";
import type { ChildResult } from "../../os/child.ts";
import { join } from "../../os/path.ts";
import { type Script, sandboxEnvironment, startSandbox, type ToolCall, type Turn } from "../../sandbox/sandbox.ts";
import { recordBaseline } from "../../supervisor/changes/baseline.ts";
import { lastLines } from "../../supervisor/checks/result.ts";
import { runCheck } from "../../supervisor/checks/run.ts";
import { proveChecks } from "../../supervisor/proof/proof.ts";
import { rememberEnvironment } from "../../supervisor/record/launch.ts";
import { openSession } from "../../supervisor/record/session.ts";
import { readSessionFacts } from "../../supervisor/record/transcript.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import { withoutFallbackAdvice } from "../../supervisor/review/reviewer.ts";
import type { Redactor } from "../../text/redact.ts";
import type { Env, World } from "../../world.ts";
import { reviewResult } from "../review/command.ts";
import { type PreparedReviewers, reviewSession, type SessionReview } from "../review/review-session.ts";
import type { CalibrationCase, CaseTurn, FileTexts } from "./cases.ts";
import type { BegunRun, CalibrationReviewer } from "./plan.ts";
import { caseReview } from "./results.ts";
import type { CalibrationJob } from "./run.ts";

/** The session of a case after its scripted agent has stopped, recorded like a supervised one. */
export interface CaseSession {
  readonly id: string;
  readonly project: string;
  /** A temporary folder, removed afterwards. */
  readonly scratch: string;
  readonly transcript: string;
  /** Claude Code's configuration folder for this session, so that it leaves no trace in the user's own. */
  readonly configFolder: string;
  /** Where ccc records the session. */
  readonly paths: Paths;
  readonly env: Env;
}

/** Runs the agent of a case in the real Claude Code, in a temporary folder that is removed afterwards. */
export async function withCaseSession<T>(
  world: World,
  claude: string,
  subject: CalibrationCase,
  use: (session: CaseSession) => Promise<T>,
): Promise<T> {
  const scratch = world.scratch();
  const project = join(scratch.path, "project");
  const sandbox = startSandbox(caseScript(subject, project));
  try {
    const env = sandboxEnvironment(world.env, scratch.path, claude);
    const { platform } = world;
    const paths = cccPaths({ env, platform });
    await prepareProject(world, subject, project, env);
    const id = crypto.randomUUID();
    const session = { id, project, scratch: scratch.path, configFolder: paths.folder, paths, env };
    for (const [index, prompt] of subject.prompts.entries()) {
      await recordCasePrompt(world, session, prompt);
      const identity = { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "no-key-needed" };
      const ended = await world.run({
        program: {
          file: claude,
          args: ["--print", index === 0 ? "--session-id" : "--resume", id, "--allowedTools", CASE_TOOLS],
          env: { ...env, ...identity },
        },
        cwd: project,
        stdin: prompt,
        timeoutMs: LONGEST_SESSION_MS,
        onLine: () => false,
      });
      if (ended.ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
      if (ended.exitCode !== 0)
        throw new CccError(
          `Claude Code could not run the session of the case ${subject.id} (${endingOf(ended)}): ${ended.stderr}`,
        );
    }
    const saved = savedSession(world.files, { env, platform, cwd: project }, id);
    if (saved === undefined) throw new CccError(`Claude Code did not save the session of the case ${subject.id}`);
    return await use({ ...session, transcript: saved.transcript });
  } finally {
    await sandbox.stop();
    scratch.remove();
  }
}

/**
 * Makes the session of a case once, and asks reviewers about it as about any session of the user. Each finds the project
 * as the agent left it.
 */
export function withReviewedCase(
  { plan, cases }: Pick<BegunRun, "plan" | "cases">,
  by: {
    readonly claude: string;
    readonly loaded: LoadedConfig;
    readonly instructions: Instructions;
    readonly reviewers: ReadonlyMap<string, CalibrationReviewer>;
  },
): CalibrationJob["withCase"] {
  return async (world, id, use) => {
    const subject = cases.find((each) => each.id === id);
    if (subject === undefined) throw new CccError(`the case ${id} is not in the plan`);
    await withCaseSession(world, by.claude, subject, async (session) => {
      const restore = await saveProject(world, session);
      const proved = await isNamedByProof(world, session, subject);
      // Removes what the check left behind.
      if (subject.check !== undefined) await restore();
      await use(async (planned) => {
        const reviewer = by.reviewers.get(planned.reviewer);
        if (reviewer === undefined) throw new CccError(`the reviewer ${planned.reviewer} is not in the plan`);
        await restore();
        const check = planned.with_proof ? subject.check : undefined;
        const review = await reviewCase(world, session, { ...by, context: plan.context, ...reviewer, check });
        const result = reviewer.redactor.value(reviewResult(session.id, session.project, review));
        const why = withoutFallbackAdvice(result.reason);
        const cause = review.outcome.kind === "unreviewed" ? review.outcome.cause : undefined;
        return {
          review: caseReview(subject, planned, { ...result, reason: why, model: reviewer.model, proved }),
          failed: cause && { cause, why },
        };
      });
    });
  };
}

/** Whether a proof raises a point about a case. Undefined without a check that passes. */
async function isNamedByProof(
  world: World,
  { id, project, paths, env }: CaseSession,
  { check: command }: CalibrationCase,
): Promise<boolean | undefined> {
  if (command === undefined) return undefined;
  const clean = (text: string) => text;
  const check = await runCheck(world, { command, cwd: project, env, timeoutMs: LONGEST_COMMAND_MS, clean });
  if (check?.isPassed !== true) return undefined;
  const proof = await proveChecks({
    world,
    isWanted: true,
    checks: [check],
    env,
    clean,
    memory: undefined,
    place: { paths, project, cwd: project, launch: { environment: rememberEnvironment(env) } },
    baseline: openSession(world.files, paths, id).baseline.read(),
    timeoutSeconds: LONGEST_COMMAND_MS / 1000,
    onRun: () => {},
    say: () => {},
  });
  return proof === undefined || proof.isTrouble ? undefined : proof.points.length > 0;
}

interface CaseOrder {
  readonly loaded: LoadedConfig;
  readonly reviewers: PreparedReviewers;
  readonly instructions: Instructions;
  readonly context: ReviewContext;
  readonly confirm: SupervisorSettings["confirm"];
  readonly redactor: Redactor;
  readonly usesLogin: boolean;
  /** If set, the review has this check and a proof. */
  readonly check?: string | undefined;
}

/** Reviews the session of a case as any session of the user. */
export async function reviewCase(world: World, session: CaseSession, order: CaseOrder): Promise<SessionReview> {
  const { id, transcript, project, paths, configFolder, scratch } = session;
  // A login belongs to the user's own configuration folder, and a fresh reviewer needs nothing of the session's.
  const folder = order.usesLogin ? {} : { CLAUDE_CONFIG_DIR: configFolder };
  const there: World = { ...world, cwd: project, env: { ...world.env, ...folder, TMPDIR: scratch } };
  // Otherwise a review that starts minutes later would not get the conversation.
  world.files.touch(transcript);
  return reviewSession(there, {
    ...order,
    session: { id, transcript, facts: await readSessionFacts(transcript) },
    paths,
    loaded: order.check === undefined ? order.loaded : withProof(order.loaded),
    checks: { commands: order.check === undefined ? [] : [order.check], left_out: [] },
    onStep: () => {},
    onTrouble: () => {},
  });
}

function withProof(loaded: LoadedConfig): LoadedConfig {
  return { ...loaded, config: { ...loaded.config, supervisor: { ...loaded.config.supervisor, proof: true } } };
}

/**
 * Copies the files of a project, and returns a function that restores them. The .git folder is left alone: reviewers cannot
 * change it, and the baseline belongs to this very repository.
 */
async function saveProject(
  world: CaseWorld,
  { project, scratch, env }: { readonly project: string; readonly scratch: string; readonly env: Env },
): Promise<() => Promise<void>> {
  const saved = join(scratch, "saved");
  const shell = async (command: string, from: string, to: string) => {
    const { isPassed, output } = await runIn(world, scratch, { ...env, FROM: from, TO: to }, command);
    if (!isPassed) throw new CccError(`cannot copy the project of a case: ${output}`);
  };
  await shell('cp -Rp "$FROM" "$TO" && rm -rf "$TO/.git"', project, saved);
  let isFirst = true;
  return async () => {
    if (!isFirst) await shell(RESTORE, saved, project);
    isFirst = false;
  };
}

const RESTORE = `cd "$TO" && find . -depth ! -path . ! -path ./.git ! -path './.git/*' -delete && cp -Rp "$FROM/." "$TO"`;

/** Creates the project of a case, with its files committed. */
async function prepareProject(world: CaseWorld, { before }: CalibrationCase, project: string, env: Env): Promise<void> {
  world.files.makeFolder(project);
  writeFiles(world, project, before);
  const { isPassed, output } = await runIn(world, project, env, COMMIT);
  if (!isPassed) throw new CccError(`cannot make a git repository for a case: ${output}`);
}

type CaseWorld = Pick<World, "files" | "run" | "platform">;

const AUTHOR = "-c user.name=Alex -c user.email=alex@example.com";
const COMMIT = `git init -q && git add -A && git ${AUTHOR} commit -q --allow-empty -m "Before"`;

function writeFiles({ files }: CaseWorld, folder: string, texts: FileTexts): void {
  for (const [path, text] of Object.entries(texts)) files.create(join(folder, path), text);
}

/** Runs a command in a POSIX shell. */
async function runIn(world: CaseWorld, cwd: string, env: Env, command: string) {
  const output = lastLines();
  const file = world.platform === "win32" ? "sh.exe" : "/bin/sh";
  const ended = await world.run({
    program: { file, args: ["-c", `exec 2>&1\n${command}`], env },
    cwd,
    stdin: "",
    timeoutMs: LONGEST_COMMAND_MS,
    onLine: (line) => {
      output.add(line);
      return false;
    },
  });
  if (ended.ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
  return { isPassed: ended.ending === "exited" && ended.exitCode === 0, output: output.text((text) => text) };
}

const LONGEST_COMMAND_MS = 120_000;

function endingOf({ ending, exitCode }: ChildResult): string {
  return ending === "exited" ? `exit code ${exitCode}` : ending;
}

const LONGEST_SESSION_MS = 300_000;

/** Records a prompt and the files at that time, as the hooks of a supervised session do. */
async function recordCasePrompt(
  world: World,
  { id, project, paths, env }: Omit<CaseSession, "transcript">,
  text: string,
): Promise<void> {
  const record = openSession(world.files, paths, id);
  const promptId = crypto.randomUUID();
  const place = { paths, launch: { environment: rememberEnvironment(env) }, project, cwd: project };
  // The clock stands still: the baseline's time limit is for users who wait, and must not change what the reviewer gets.
  const at = world.now();
  await recordBaseline({ ...world, now: () => at }, record, place, { prompt_id: promptId });
  record.prompts.append({ at: at.toISOString(), prompt_id: promptId, by_user: true, text, mode: null });
}

/** The scripted model of a case's agent, which works in `project`. */
function caseScript({ turns }: CalibrationCase, project: string): Script {
  const scripted = turns.map((turn) => scriptedTurn(turn, project));
  return ({ role }, index) => {
    const turn = role === "agent" ? scripted[index] : undefined;
    return turn ?? { say: "ok" };
  };
}

/** The tools that the agent of a case uses. */
const CASE_TOOLS = "Bash,Edit,Read,Write";

function scriptedTurn(turn: CaseTurn, project: string): Turn {
  return "say" in turn ? turn : toolCall(turn, project);
}

/** The tool that the agent uses in a turn. */
function toolCall(turn: Exclude<CaseTurn, { readonly say: string }>, project: string): ToolCall {
  const at = (path: string) => join(project, path);
  if ("run" in turn) return { use: "Bash", input: { command: turn.run, description: "Run a command" } };
  if ("read" in turn) return { use: "Read", input: { file_path: at(turn.read) } };
  if ("write" in turn) return { use: "Write", input: { file_path: at(turn.write), content: turn.content } };
  return { use: "Edit", input: { file_path: at(turn.edit), old_string: turn.old, new_string: turn.new } };
}
