import { join } from "node:path";
import { sessionSteps } from "../../src/claude/transcript.ts";
import { withCaseSession } from "../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import { readTranscript } from "../../src/supervisor/record/transcript.ts";
import { caseWorld } from "./case-place.ts";
import { caseRequests, missingIn } from "./case-requests.ts";
import { proveCase } from "./prove-case.ts";
import { withQuickSession } from "./quick-claude.ts";

/**
 * What is wrong with a case, checked with the real Claude Code: the agent's tools must work, the proof must agree with the
 * truth but not before the agent has worked, and a reviewer must be sent what it needs.
 */
export async function checkCase(given: CalibrationCase, claude: string): Promise<string[]> {
  const world = caseWorld();
  const isDone = given.truth === "done";
  const atFirst =
    isDone && (await isProvenBefore(given)) ? ["the proof passes before the agent has done anything"] : [];
  return withCaseSession(world, claude, given, async (session) => {
    const { isPassed, output } = await proveCase(given, session);
    const proof = isPassed === isDone ? [] : [`it is ${given.truth}, but the proof says otherwise:\n${output}`];
    const requests = Object.entries(await caseRequests(world, session)).flatMap(([name, text]) =>
      missingIn(given, text).map((what) => `the ${name} request does not show: ${what}`),
    );
    return [...atFirst, ...(await failedTools(session.transcript)), ...proof, ...requests];
  });
}

async function isProvenBefore(given: CalibrationCase): Promise<boolean> {
  const idle = { ...given, turns: [] };
  return withQuickSession(caseWorld(), idle, async (session) => (await proveCase(idle, session)).isPassed);
}

/** Commands may fail: some cases are about that. */
async function failedTools(transcript: string): Promise<string[]> {
  const { add, log } = sessionSteps();
  await readTranscript(transcript, add);
  return log().steps.flatMap((step) =>
    step.kind !== "prompt" && step.hasFailed && step.name !== "Bash" ? [`${step.name} failed: ${step.output}`] : [],
  );
}

/** The pinned Claude Code. */
export const PINNED_CLAUDE = join(import.meta.dir, "../../node_modules/.bin/claude");
