import { join } from "node:path";
import { type CaseSession, prepareProject, recordPrompt, toolCall } from "../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import { cccPaths } from "../../src/config/paths.ts";
import type { World } from "../../src/world.ts";
import { type AppliedTurn, turnApplier, turnsByPrompt } from "./apply-turns.ts";
import type { casePlace } from "./case-place.ts";

/**
 * The session of a case without Claude Code, for tests that must be quick: the same commands and edits, and a transcript
 * with as much as ccc reads of it.
 */
export async function applySession(
  world: World,
  given: CalibrationCase,
  { scratch, project, env }: Pick<ReturnType<typeof casePlace>, "scratch" | "project" | "env">,
): Promise<CaseSession> {
  const paths = cccPaths({ env, platform: world.platform });
  const session = { id: crypto.randomUUID(), project, scratch, configFolder: paths.folder, paths, env };
  const transcript = join(scratch, `${session.id}.jsonl`);
  await prepareProject(world, given, project, env);
  const apply = turnApplier(world, project, env);
  const entries: object[] = [];
  for (const { prompt, turns } of turnsByPrompt(given)) {
    await recordPrompt(world, session, prompt);
    entries.push(entry("user", prompt, project));
    for (const turn of turns) entries.push(...transcribed(await apply(turn), project, entries.length));
  }
  world.files.create(transcript, entries.map((each) => `${JSON.stringify(each)}\n`).join(""));
  return { ...session, transcript };
}

function transcribed({ turn, output, hasFailed }: AppliedTurn, project: string, count: number): object[] {
  if ("say" in turn) return [entry("assistant", [{ type: "text", text: turn.say }], project)];
  const { use: name, input } = toolCall(turn, project);
  const id = `toolu_${count}`;
  return [
    entry("assistant", [{ type: "tool_use", id, name, input }], project),
    entry("user", [{ type: "tool_result", tool_use_id: id, is_error: hasFailed, content: output }], project),
  ];
}

function entry(type: "user" | "assistant", content: unknown, cwd: string): object {
  return { type, message: { role: type, content, ...(type === "assistant" && { model: "scripted" }) }, cwd };
}
