import { join } from "node:path";
import { type CaseWorld, runIn } from "../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase, CaseTurn } from "../../src/commands/calibrate/cases.ts";
import type { Env } from "../../src/world.ts";

/** What the agent did in a turn, and what its tool returned. */
export interface AppliedTurn {
  readonly turn: CaseTurn;
  readonly output: string;
  readonly hasFailed: boolean;
}

/** Does what the agent of a case does, without Claude Code. Like it, it refuses to change a file that was not read. */
export function turnApplier(world: CaseWorld, project: string, env: Env) {
  const known = new Set<string>();
  return async (turn: CaseTurn): Promise<AppliedTurn> => {
    if ("say" in turn) return { turn, output: "", hasFailed: false };
    if ("run" in turn) {
      const { isPassed, output } = await runIn(world, project, env, turn.run);
      return { turn, output: isPassed ? output : `Exit code 1\n${output}`, hasFailed: !isPassed };
    }
    const [name = ""] = ["read" in turn ? turn.read : "write" in turn ? turn.write : turn.edit];
    const path = join(project, name);
    const text = world.files.read(path);
    if (text === undefined && !("write" in turn)) throw new Error(`${name} does not exist`);
    if (text !== undefined && !("read" in turn) && !known.has(name)) throw new Error(`${name} was not read before`);
    known.add(name);
    if ("write" in turn) world.files.create(path, turn.content);
    if ("edit" in turn) world.files.create(path, edited(text ?? "", turn, name));
    return { turn, output: "read" in turn ? (text ?? "") : `The file ${path} has been changed.`, hasFailed: false };
  };
}

function edited(text: string, { old, new: by }: Extract<CaseTurn, { readonly edit: string }>, name: string): string {
  const parts = text.split(old);
  if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times what is edited: ${old}`);
  return parts.join(by);
}

/** The prompts of a case, each with the turns that follow it. */
export function turnsByPrompt({ prompts, turns }: CalibrationCase): { prompt: string; turns: CaseTurn[] }[] {
  const groups = prompts.map((prompt) => ({ prompt, turns: [] as CaseTurn[] }));
  let at = 0;
  for (const turn of turns) {
    groups[at]?.turns.push(turn);
    if ("say" in turn) at += 1;
  }
  return groups;
}
