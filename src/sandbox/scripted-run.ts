import { dirname, join } from "node:path";
import { QUIET_ENV } from "../claude/places.ts";
import type { Engine } from "../config/defaults.ts";
import type { ChildResult } from "../os/child.ts";
import type { Env, World } from "../world.ts";
import { type Sandbox, type Script, startSandbox } from "./messages-api.ts";

/** A supervised run with the real ccc, the real claude and a scripted model, isolated from the user's files. */
export interface ScriptedRun {
  readonly claude: string;
  readonly engine: Engine;
  readonly task: string;
  /** Options for claude. */
  readonly options: readonly string[];
  /** Commands that must pass at every stop. */
  readonly checks?: readonly string[];
  /** The reviewer's instructions, instead of the default ones. */
  readonly instructions?: string;
  /** The scripted model; gets the folder that the agent works in. */
  readonly script: (project: string) => Script;
}

/** What can be inspected before the run's files are removed. */
export interface ScriptedResult {
  readonly ended: ChildResult;
  readonly received: Sandbox["received"];
  readonly project: string;
}

const LONGEST_MS = 120_000;

export async function runScripted<T>(world: World, run: ScriptedRun, look: (result: ScriptedResult) => T): Promise<T> {
  const scratch = world.scratch();
  const project = join(scratch.path, "project");
  const sandbox = startSandbox(run.script(project));
  try {
    const provider = { env: { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "no-key-needed" } };
    world.files.writePrivate(
      join(scratch.path, "home/.claude/ccc.json"),
      JSON.stringify({ providers: { scripted: provider } }),
    );
    world.files.makeFolder(project);
    if (run.instructions !== undefined) world.files.create(join(project, "SUPERVISOR.md"), run.instructions);
    const print = run.engine === "hook" ? ["-p"] : [];
    const checks = run.checks?.flatMap((check) => ["--check", check]) ?? [];
    const ended = await world.run({
      program: {
        file: world.self,
        args: ["--supervisor", "--engine", run.engine, ...checks, "scripted", ...print, ...run.options, "--", run.task],
        env: sandboxEnvironment(world.env, scratch.path, run.claude),
      },
      cwd: project,
      stdin: "",
      timeoutMs: LONGEST_MS,
      onLine: () => false,
    });
    return look({ ended, received: sandbox.received, project });
  } finally {
    await sandbox.stop();
    scratch.remove();
  }
}

/** An environment with a home in the scratch folder: without the user's files, keys and settings. */
export function sandboxEnvironment(env: Env, scratch: string, claude: string): Env {
  const home = join(scratch, "home");
  return {
    PATH: `${dirname(claude)}:${env.PATH ?? ""}`,
    CCC_CLAUDE: claude,
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    TMPDIR: scratch,
    LANG: env.LANG ?? "C.UTF-8",
    ...QUIET_ENV,
  };
}
