import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withToolHook } from "../../src/claude/quick-events.ts";
import { type CaseSession, reviewCase } from "../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import { hookCommand } from "../../src/launch/session-plan.ts";
import { GUARD_COMMAND } from "../../src/markers.ts";
import { DEFAULT_INSTRUCTIONS } from "../../src/supervisor/review/instructions.ts";
import { createRedactor } from "../../src/text/redact.ts";
import type { World } from "../../src/world.ts";
import { withMessage } from "../unit/fakes.ts";

/** What a reviewer of the session would be sent: a digest of it, or a message after the conversation. Asks no model. */
export async function caseRequests(world: World, session: CaseSession): Promise<{ fresh: string; session: string }> {
  const transcript = await readFile(session.transcript, "utf8");
  return {
    fresh: await requestMessage(world, session, "fresh"),
    session: `${readable(transcript)}\n${await requestMessage(world, session, "session")}`,
  };
}

/** The message that asks a reviewer for its verdict. */
export async function requestMessage(
  world: World,
  session: CaseSession,
  context: "fresh" | "session",
): Promise<string> {
  const claude = "the reviewer's claude";
  let message = "";
  const run: World["run"] = async (request) => {
    if (request.program.file !== claude) return world.run(request);
    message = String((await withMessage(request)).stdin);
    return { exitCode: 1, ending: "exited", stderr: "not asked" };
  };
  // Without the guard, a reviewer always gets the conversation.
  const settings = join(session.scratch, "reviewer.json");
  await writeFile(settings, JSON.stringify(withToolHook({}, hookCommand("shell", world.self, [GUARD_COMMAND]))));
  await reviewCase({ ...world, run }, session, {
    loaded: { config: {}, providers: new Map(), path: "ccc.json", stamp: "", isStamped: true },
    reviewers: {
      record: { claude, version: "2.1.325", reviewer: "nobody", same_model: false, fallback: [] },
      settings,
      contents: [],
      keys: [],
    },
    instructions: { path: null, text: DEFAULT_INSTRUCTIONS },
    context,
    confirm: false,
    redactor: createRedactor([]),
    usesLogin: false,
  });
  return message;
}

/** The texts of a transcript as the model gets them. */
function readable(transcript: string): string {
  return transcript.replaceAll(/\\n/g, "\n").replaceAll(/\\(["\\])/g, "$1");
}

/** What a reviewer needs and the request lacks: the prompts, the changed files, and what the case names. */
export function missingIn({ prompts, turns, visible }: CalibrationCase, text: string): string[] {
  const changed = turns.flatMap((turn) => ("write" in turn ? [turn.write] : "edit" in turn ? [turn.edit] : []));
  return [...new Set([...prompts, ...changed, ...visible])].filter((each) => !oneLine(text).includes(oneLine(each)));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
