import { join } from "node:path";
import type { CalibrationCase, CaseTurn } from "../../src/commands/calibrate/cases/calibration-case.ts";
import { type CaseWorld, runIn } from "../../src/commands/calibrate/cases/case-project.ts";
import { testCommands } from "../../src/supervisor/tool-guard/test-commands.ts";
import type { Env } from "../../src/world.ts";

/** Does what the agent of a case does, without Claude Code. Like it, it refuses to change a file that was not read. */
export async function applyTurns(
  world: CaseWorld,
  { turns }: CalibrationCase,
  project: string,
  env: Env,
): Promise<void> {
  const known = new Set<string>();
  for (const turn of turns) await applyTurn(world, turn, project, env, known);
}

async function applyTurn(
  world: CaseWorld,
  turn: CaseTurn,
  project: string,
  env: Env,
  known: Set<string>,
): Promise<void> {
  if ("say" in turn) return;
  if ("run" in turn) {
    if (!onlyTests(turn.run)) await runIn(world, project, env, turn.run);
    return;
  }
  const [name = ""] = ["read" in turn ? turn.read : "write" in turn ? turn.write : turn.edit];
  const path = join(project, name);
  const text = world.files.read(path);
  if (text === undefined && !("write" in turn)) throw new Error(`${name} does not exist`);
  if (text !== undefined && !("read" in turn) && !known.has(name)) throw new Error(`${name} was not read before`);
  known.add(name);
  if ("write" in turn) world.files.create(path, turn.content);
  if ("edit" in turn) {
    const parts = (text ?? "").split(turn.old);
    if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times what is edited: ${turn.old}`);
    world.files.create(path, parts.join(turn.new));
  }
}

/** Whether a command does no more than run tests: what a reviewer may run changes nothing, and takes long. */
function onlyTests(command: string): boolean {
  const runs = testCommands().flatMap((each) => each.runs);
  return !/[;&|<>$`\n]/.test(command) && runs.some((each) => `${command} `.startsWith(`${each} `));
}
