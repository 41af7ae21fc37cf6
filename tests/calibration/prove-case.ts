import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CaseSession } from "../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import { runShell } from "./quick-claude.ts";

/**
 * Whether the work of a case is done, according to its proof. The command runs in a copy of the project, so that it leaves
 * no traces in the one that is reviewed.
 */
export async function proveCase(
  { prove, proof, turns }: Pick<CalibrationCase, "prove" | "proof" | "turns">,
  { project, scratch, env }: Pick<CaseSession, "project" | "scratch" | "env">,
) {
  const copy = join(scratch, "proof");
  await cp(project, copy, { recursive: true });
  for (const [path, text] of Object.entries(proof)) await Bun.write(join(copy, path), text);
  const last = turns.at(-1);
  const answer = last !== undefined && "say" in last ? last.say : "";
  const proved = await runShell(prove, copy, { ...env, ANSWER: answer });
  await rm(copy, { recursive: true });
  return proved;
}
