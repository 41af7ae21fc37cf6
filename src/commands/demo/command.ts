import { join } from "node:path";
import { defineCommand } from "citty";
import { ENGINES, type Engine, SUPERVISOR_DEFAULTS } from "../../config/defaults.ts";
import { CccError, EXIT } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { runScripted } from "../../sandbox/scripted-run.ts";
import { stateFolder } from "../../supervisor/project-folder.ts";
import type { World } from "../../world.ts";
import { COMMAND, FILE, storyScript, TASK } from "./story.ts";

const DESCRIPTION = `See the supervisor at work on your own Claude Code: no key, no network, no cost. The model is
scripted, on this machine; the rest is real, in a temporary home.

Exit codes
  0      it came to its end
  1      it did not
  2      a mistake on the command line
  127    there is no claude`;

/** `ccc demo`: the whole loop on the user's own Claude Code, against a scripted API on this machine. */
export function demoCommand(world: World) {
  return defineCommand({
    meta: {
      name: "demo",
      description: DESCRIPTION,
    },
    args: {
      engine: {
        type: "enum",
        options: [...ENGINES],
        default: SUPERVISOR_DEFAULTS.engine,
        description: "how stops are reviewed",
      },
      fast: { type: "boolean", default: false, description: "without pauses for reading" },
    },
    run: ({ args }) => demo(world, args.engine, args.fast),
  });
}

/** Nobody reads faster than this, on a terminal. */
const READING_MS = 900;

async function demo(world: World, engine: Engine, fast: boolean): Promise<number> {
  const claude = findClaude(world);
  const isSlow = world.isTerminal(1) && !fast;
  const say = (line = "") => world.stdout(`${line}\n`);
  const tell = (line: string) => {
    say(`  ${line}`);
    if (isSlow) Bun.sleepSync(READING_MS);
  };
  const readFile = (project: string) => world.files.read(join(project, FILE))?.trim() ?? "(not there)";

  say(`A scripted model on this machine, your Claude Code (${claude}), a temporary home. The task:`);
  say(`  "${TASK}"`);
  say();
  say(`$ ccc --supervisor ${engine === "loop" ? "--engine loop " : ""}scripted …`);
  const options = ["--permission-mode", "acceptEdits", "--allowedTools", `Bash(${COMMAND})`];
  const script = (project: string) => storyScript(join(project, FILE), () => readFile(project), tell);
  await runScripted(world, { claude, engine, task: TASK, options, script }, ({ ended, project }) => {
    if (ended.exitCode !== 0) {
      throw new CccError(
        `the demo did not come to its end (${ended.ending}, exit code ${ended.exitCode}): ${ended.stderr}`,
      );
    }
    const folder = stateFolder(project);
    const kept = world.files.list(folder).filter((name) => name !== ".gitignore");
    const state = kept.find((name) => /^supervisor-[0-9a-f-]+\.json$/.test(name)) ?? "none";
    say();
    say(`${FILE} at the end:         ${readFile(project)}`);
    say(`What the supervisor kept:  ${kept.join(", ")}`);
    say(`Its state:                 ${compact(world.files.read(join(folder, state)))}`);
  });
  say();
  say("That was the real Claude Code and the real ccc; only the model was scripted.");
  say("Next: ccc provider add, then: ccc --supervisor <provider>");
  return EXIT.ok;
}

function compact(json = "{}"): string {
  const { count, created_at, updated_at } = JSON.parse(json);
  return JSON.stringify({ count, created_at, updated_at });
}
