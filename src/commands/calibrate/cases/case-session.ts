import { savedSession } from "../../../claude/sessions.ts";
import { cccPaths, type Paths } from "../../../config/ccc-paths.ts";
import { CccError, EXIT } from "../../../errors.ts";
import type { ChildResult } from "../../../os/child.ts";
import { join } from "../../../os/path.ts";
import { sandboxEnvironment } from "../../../sandbox/scripted-run.ts";
import { startSandbox } from "../../../sandbox/server.ts";
import { recordBaseline } from "../../../supervisor/baseline/record-baseline.ts";
import { rememberEnvironment } from "../../../supervisor/record/launch-environment.ts";
import { appendPrompts } from "../../../supervisor/record/prompt-record.ts";
import { sessionRecord } from "../../../supervisor/record/session-record.ts";
import type { Env, World } from "../../../world.ts";
import type { CalibrationCase } from "./calibration-case.ts";
import { prepareProject } from "./case-project.ts";
import { CASE_TOOLS, caseScript } from "./case-turns.ts";

/** A session that the scripted agent has ended, as a supervised one is when the agent stops. */
export interface CaseSession {
  readonly id: string;
  readonly project: string;
  /** A temporary folder that is gone afterwards. */
  readonly scratch: string;
  readonly transcript: string;
  /** Claude Code's configuration folder for the session: the user's own has no trace of it. */
  readonly configFolder: string;
  /** Where ccc's own record of the session is. */
  readonly paths: Paths;
  readonly env: Env;
}

/** Runs the agent of a case in the real Claude Code, in a folder of its own, and removes everything afterwards. */
export async function withCaseSession<T>(
  world: World,
  claude: string,
  given: CalibrationCase,
  use: (session: CaseSession) => Promise<T>,
): Promise<T> {
  const scratch = world.scratch();
  const project = join(scratch.path, "project");
  const sandbox = startSandbox(caseScript(given, project));
  try {
    const env = sandboxEnvironment(world.env, scratch.path, claude);
    const { platform } = world;
    const paths = cccPaths({ env, platform });
    await prepareProject(world, given, project, env);
    const id = crypto.randomUUID();
    const session = { id, project, scratch: scratch.path, configFolder: paths.folder, paths, env };
    for (const [index, prompt] of given.prompts.entries()) {
      await recordPrompt(world, session, prompt);
      const identity = { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "no-key-needed" };
      const ended = await world.run({
        program: {
          file: claude,
          args: ["--print", index === 0 ? "--session-id" : "--resume", id, "--allowedTools", CASE_TOOLS],
          env: { ...env, ...identity },
        },
        cwd: project,
        stdin: prompt,
        timeoutMs: LONGEST_MS,
        onLine: () => false,
      });
      if (ended.ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
      if (ended.exitCode !== 0)
        throw new CccError(
          `Claude Code could not run the session of the case ${given.id} (${endingOf(ended)}): ${ended.stderr}`,
        );
    }
    const saved = savedSession(world.files, { env, platform, cwd: project }, id);
    if (saved === undefined) throw new CccError(`Claude Code did not save the session of the case ${given.id}`);
    return await use({ ...session, transcript: saved.transcript });
  } finally {
    await sandbox.stop();
    scratch.remove();
  }
}

function endingOf({ ending, exitCode }: ChildResult): string {
  return ending === "exited" ? `exit code ${exitCode}` : ending;
}

const LONGEST_MS = 300_000;

/** As the hooks of a supervised session do: what the user asked for, and the files at that time. */
export async function recordPrompt(
  world: World,
  { id, project, paths, env }: Omit<CaseSession, "transcript">,
  text: string,
): Promise<void> {
  const record = sessionRecord(paths, id);
  const promptId = crypto.randomUUID();
  const place = { paths, launch: { environment: rememberEnvironment(env) }, project, cwd: project };
  // Its time limit is for users who wait. A busy machine must not change what the reviewer is told.
  const at = world.now();
  await recordBaseline({ ...world, now: () => at }, record, place, promptId);
  appendPrompts(world.files, record, [{ at: at.toISOString(), prompt_id: promptId, by_user: true, text, mode: null }]);
}
