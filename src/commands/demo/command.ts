import { join } from "node:path";
import { defineCommand } from "citty";
import * as v from "valibot";
import { ENGINES, type Engine, SUPERVISOR_DEFAULTS } from "../../config/defaults.ts";
import { CccError, EXIT } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { runScripted } from "../../sandbox/scripted-run.ts";
import { tally } from "../../supervisor/ledger/criterion.ts";
import { LedgerSchema } from "../../supervisor/ledger/ledger.ts";
import { stateFolder } from "../../supervisor/project-folder.ts";
import type { World } from "../../world.ts";
import { checkFor, FILE, storyScript, TASK } from "./story.ts";

const DESCRIPTION = `Watch the supervisor work on your own Claude Code: no key, no network, no cost. Only the model is
scripted, on this machine; the rest is real, in a temporary home.

Exit codes
  0      finished
  1      failed
  2      usage error
  127    claude not found`;

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
      fast: { type: "boolean", default: false, description: "do not pause between steps" },
    },
    run: ({ args }) => demo(world, args.engine, args.fast),
  });
}

/** The pause after each line on a terminal, so that it can be read. */
const READING_MS = 900;

async function demo(world: World, engine: Engine, fast: boolean): Promise<number> {
  const claude = findClaude(world);
  const isSlow = world.isTerminal(1) && !fast;
  const say = (line = "") => world.stdout(`${line}\n`);
  const tell = (line: string) => {
    say(`  ${line}`);
    if (isSlow) Bun.sleepSync(READING_MS);
  };
  const readFile = (project: string) =>
    world.files.read(join(project, FILE))?.trim().replaceAll("\n", "\n             ") ?? "(not there)";
  const check = checkFor(world.platform);

  say(`A scripted model, your Claude Code (${claude}) and a temporary home. Task:`);
  say(`  "${TASK}"`);
  say();
  say(`$ ccc --supervisor ${engine === "loop" ? "--engine loop " : ""}--check '${check}' scripted …`);
  const options = ["--permission-mode", "acceptEdits"];
  const script = (project: string) => storyScript(join(project, FILE), () => readFile(project), tell);
  await runScripted(world, { claude, engine, task: TASK, options, checks: [check], script }, ({ ended, project }) => {
    if (ended.exitCode !== 0) {
      throw new CccError(`the demo failed (${ended.ending}, exit code ${ended.exitCode}): ${ended.stderr}`);
    }
    const folder = stateFolder(project);
    const kept = world.files.list(folder).filter((name) => name !== ".gitignore");
    const state = kept.find((name) => /^supervisor-[0-9a-f-]+\.json$/.test(name)) ?? "none";
    say();
    const { count, ledger } = JSON.parse(world.files.read(join(folder, state)) ?? "{}");
    const criteria = v.parse(LedgerSchema, ledger ?? {}).criteria;
    say(
      `Done: ${tally(criteria)} after ${count} reviews, one of them a failed check. What the supervisor has on record:`,
    );
    for (const { id, status, text, evidence } of criteria) say(`  ${id} ${status}: ${text} (${evidence})`);
    say(`Its files in the project: ${kept.join(", ")}`);
  });
  say();
  say("That was the real Claude Code and the real ccc; only the model was scripted.");
  say("Next: ccc provider add, then: ccc --supervisor <provider>");
  return EXIT.ok;
}
