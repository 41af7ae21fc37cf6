import { supervisorSettings } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { CccError } from "../../errors.ts";
import {
  type Received,
  runScripted,
  type Script,
  type ScriptedResult,
  sandboxEnvironment,
} from "../../sandbox/sandbox.ts";
import { findSandbox } from "../../supervisor/review/sandbox.ts";
import type { World } from "../../world.ts";

/** The result of one check. Names are stable: scripts may rely on them. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do; empty if nothing. */
  readonly advice: string;
}

/** The checks that run this claude: its arguments, its sandbox, and a supervised session on a scripted model. */
export async function* liveChecks(
  world: World,
  paths: Paths,
  claude: FoundClaude,
  loaded: LoadedConfig | CccError,
): AsyncGenerator<Check> {
  const args = loaded instanceof CccError ? [] : (loaded.config.claude_args ?? []);
  yield* await checkClaudeArguments(world, claude.file, args);
  world.stderr("  … running claude on a scripted model, for a few seconds\n");
  yield await checkSandbox(world, paths, claude, loaded);
  yield* await checkLive(world, claude.file);
}

interface FoundClaude {
  readonly file: string;
  readonly version: string | undefined;
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail, advice: "" };
}

export function warn(name: string, detail: string, advice: string): Check {
  return { name, status: "warn", detail, advice };
}

export function fail(name: string, detail: string, advice: string): Check {
  return { name, status: "fail", detail, advice };
}

/** Whether fresh reviews run in a sandbox, and if not, why. */
async function checkSandbox(
  world: World,
  paths: Paths,
  { file: claude, version }: FoundClaude,
  loaded: LoadedConfig | CccError,
): Promise<Check> {
  const { sandbox } = supervisorSettings(loaded instanceof CccError ? {} : loaded.config);
  if (sandbox === false) return ok("sandbox", "off: supervisor.sandbox is false");
  const found = await findSandbox(world, paths, { claude, version }, true);
  if (found.why === undefined)
    return ok("sandbox", "available: a fresh review may run anything, in a copy of the project");
  if (sandbox === true)
    return fail("sandbox", `${found.why}; supervisor.sandbox is true, so nothing is reviewed`, found.advice);
  const how = found.advice === "" ? "" : ` (${found.advice.replace(/\.$/, "")})`;
  return ok("sandbox", `${found.why}${how}; the guard decides what reviewers may run`);
}

/** Whether claude accepts the `claude_args` of ccc.json. Without a prompt it only parses its options, and exits. */
async function checkClaudeArguments(world: World, claude: string, args: readonly string[]): Promise<Check[]> {
  if (args.length === 0) return [];
  const scratch = world.scratch();
  try {
    const { stderr } = await world.run({
      program: { file: claude, args: ["-p", ...args], env: sandboxEnvironment(world.env, scratch.path, claude) },
      cwd: scratch.path,
      stdin: "",
      timeoutMs: LONGEST_MS,
      onLine: () => false,
    });
    const [, problem] = OPTION_ERROR.exec(stderr) ?? [];
    if (problem === undefined) return [ok("claude_args", "claude accepts them")];
    return [fail("claude_args", `claude refuses them: ${problem}`, "Correct claude_args in ccc.json.")];
  } finally {
    scratch.remove();
  }
}

const LONGEST_MS = 30_000;

/** How claude reports a wrong option. Its other errors begin with a capital. */
const OPTION_ERROR = /^error: (.+)/m;

/** Runs this claude supervised on a scripted model: the first stop is refused, the second allowed, and confirmed. */
function checkLive(world: World, claude: string): Promise<Check[]> {
  const run = { claude, engine: "hook" as const, task: TASK, options: [], instructions: INSTRUCTIONS, script };
  return runScripted(world, run, findings);
}

const TASK = "Say that you are done.";

const INSTRUCTIONS = "These are the instructions of ccc doctor.";

const FEEDBACK = "This is the feedback of ccc doctor.";

function script(): Script {
  let reviews = 0;
  return ({ role }) => {
    if (role !== "reviewer") return { say: "I am done." };
    reviews++;
    return { verdict: { completed: reviews > 1, feedback: FEEDBACK } };
  };
}

/** What the requests of the agent and of its reviewer show. */
function findings({ ended, received }: Pick<ScriptedResult, "ended" | "received">): Check[] {
  const reviews = received.filter(({ role }) => role === "reviewer");
  const agent = received.filter((request) => request.role === "agent" && said(request).includes(TASK));
  const sentBack = agent.filter((request) => said(request).includes(FEEDBACK)).length;
  const why = `claude ended with exit code ${ended.exitCode}${ended.stderr === "" ? "" : `: ${ended.stderr.slice(-300)}`}`;
  const advice = "Run ccc demo to see where it fails. ccc may not support a very new claude yet.";
  const live = (name: string, isFine: boolean, detail: string) =>
    isFine ? ok(name, detail) : fail(name, `not seen; ${why}`, advice);
  return [
    live("live: the Stop hook fires", reviews.length > 0, "a review was requested"),
    live("live: a block is obeyed", sentBack > 0, "the agent continued with the feedback"),
    live(
      "live: a verdict is returned",
      reviews.length > 1 && sentBack <= 1 && ended.exitCode === 0,
      "the next review let the agent stop",
    ),
    live(
      "live: SUPERVISOR.md is seen",
      reviews.every((request) => said(request).includes(INSTRUCTIONS)) && reviews.length > 0,
      "in every review request",
    ),
  ];
}

function said({ body }: Received): string {
  return JSON.stringify(body.messages);
}
