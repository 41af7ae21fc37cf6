import { dirname, join } from "node:path";
import type { CommandDef } from "citty";
import { COMMAND, FILE, storyScript, TASK } from "../demo/story.ts";
import { CccError, EXIT } from "../io/errors.ts";
import { findClaude } from "../launch/find.ts";
import { startSandbox } from "../sandbox/server.ts";
import type { Env, World } from "../world.ts";

/** `ccc demo`: the whole loop on the user's own Claude Code, against a scripted API on this machine. */
export function demoCommand(world: World): CommandDef {
  return {
    meta: {
      name: "demo",
      description: "See the supervisor at work on your own Claude Code: no key, no network, no cost",
    },
    args: {
      engine: { type: "enum", options: ["hook", "loop"], default: "hook", description: "Which engine" },
      fast: { type: "boolean", description: "Without pauses for reading" },
    },
    run: ({ args }) => demo(world, args.engine === "loop" ? "loop" : "hook", args.fast === true),
  };
}

/** Nobody reads faster than this, on a terminal. */
const READING_MS = 900;
const LONGEST_MS = 120_000;

async function demo(world: World, engine: "hook" | "loop", fast: boolean): Promise<number> {
  const claude = findClaude(world);
  const scratch = world.scratch();
  const project = join(scratch.path, "project");
  const file = join(project, FILE);
  const isSlow = world.isTerminal(1) && !fast;
  const say = (line = "") => world.stdout(`${line}\n`);
  const readFile = () => world.files.read(file)?.trim() ?? "(not there)";
  const tell = (line: string) => {
    say(`  ${line}`);
    if (isSlow) Bun.sleepSync(READING_MS);
  };
  const sandbox = startSandbox(storyScript(file, readFile, tell));
  try {
    say(`A scripted model on ${sandbox.url}, your Claude Code (${claude}), a temporary home. The task:`);
    say(`  "${TASK}"`);
    say();
    say(`$ ccc --supervisor ${engine === "loop" ? "--engine loop " : ""}scripted …`);
    const config = {
      providers: { scripted: { env: { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "no-key-needed" } } },
    };
    world.files.writePrivate(join(scratch.path, "home/.claude/ccc.json"), JSON.stringify(config));
    world.files.makeFolder(project);
    const ended = await world.run({
      program: {
        file: world.self,
        args: launchArguments(engine),
        env: demoEnvironment(world.env, scratch.path, claude),
      },
      cwd: project,
      stdin: "",
      timeoutMs: LONGEST_MS,
      onLine: () => false,
    });
    if (ended.exitCode !== 0) {
      throw new CccError(
        `the demo did not come to its end (${ended.ending}, exit code ${ended.exitCode}): ${ended.stderr}`,
      );
    }
    say();
    say(`${FILE} at the end:         ${readFile()}`);
    say(
      `What the supervisor kept:  ${world.files
        .list(join(project, ".claude/ccc"))
        .filter((name) => name !== ".gitignore")
        .join(", ")}`,
    );
    say();
    say(
      "That was the real Claude Code and the real ccc; only the model was scripted. Next: put a provider into ccc.json",
    );
    say("(see ccc --help), then: ccc --supervisor <provider>");
    return EXIT.ok;
  } finally {
    await sandbox.stop();
    scratch.remove();
  }
}

function launchArguments(engine: "hook" | "loop"): string[] {
  const permissions = ["--permission-mode", "acceptEdits", "--allowedTools", `Bash(${COMMAND})`];
  return [
    "--supervisor",
    "--engine",
    engine,
    "scripted",
    ...(engine === "hook" ? ["-p"] : []),
    ...permissions,
    "--",
    TASK,
  ];
}

/** Nothing of the user's: not their home, not their keys, not their settings. */
function demoEnvironment(env: Env, scratch: string, claude: string): Env {
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
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}
