import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withToolHook } from "../../src/claude/tool-event.ts";
import type { CaseSession } from "../../src/commands/calibrate/cases/case-session.ts";
import { reviewCase } from "../../src/commands/calibrate/cases/review-case.ts";
import { DEFAULT_INSTRUCTIONS } from "../../src/supervisor/review/instructions.ts";
import { guardCommand } from "../../src/supervisor/tool-guard/guard-command.ts";
import { createRedactor } from "../../src/text/redactor.ts";
import type { World } from "../../src/world.ts";

/** What a reviewer of the session would be sent, without asking one: a summary of it, or a message after the conversation. */
export async function caseRequests(world: World, session: CaseSession): Promise<{ fresh: string; session: string }> {
  const transcript = await readFile(session.transcript, "utf8");
  return {
    fresh: await messageOf(world, session, "fresh"),
    session: `${readable(transcript)}\n${await messageOf(world, session, "session")}`,
  };
}

async function messageOf(world: World, session: CaseSession, context: "fresh" | "session"): Promise<string> {
  const claude = "the reviewer's claude";
  let message = "";
  const run: World["run"] = async (request) => {
    if (request.program.file !== claude) return world.run(request);
    message = String(request.stdin);
    return { exitCode: 1, ending: "exited", stderr: "not asked" };
  };
  // Without the guard, a reviewer always gets the conversation.
  const settings = join(session.scratch, "reviewer.json");
  await writeFile(settings, JSON.stringify(withToolHook({}, guardCommand("shell", world.self))));
  await reviewCase({ ...world, run }, session, {
    loaded: { config: {}, providers: new Map(), path: "ccc.json", stamp: "", isStamped: true },
    reviewers: {
      record: { claude, version: "2.1.325", reviewer: "nobody", same_model: false, fallback: [] },
      ...{ settings, contents: [], keys: [] },
    },
    instructions: { path: null, text: DEFAULT_INSTRUCTIONS },
    ...{ context, redactor: createRedactor([]), usesLogin: false },
  });
  return message;
}

/** The texts of a transcript as the model gets them. */
function readable(transcript: string): string {
  return transcript.replaceAll(/\\n/g, "\n").replaceAll(/\\(["\\])/g, "$1");
}
