import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFiles } from "../../../../src/os/disk.ts";
import { eventPrompts } from "../../../../src/supervisor/hooks/event-prompts.ts";
import { claimRound, type StateFile } from "../../../../src/supervisor/record/state.ts";
import { memoryFiles } from "../../fakes.ts";

const files = diskFiles(process.pid);
let folder = "";
let transcript = "";
const line = (uuid: string, promptId: string | undefined, content: string) =>
  `${JSON.stringify({ type: "user", uuid, promptId, message: { content } })}\n`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  transcript = join(folder, "t.jsonl");
  await writeFile(transcript, line("u1", "p1", "first") + line("u2", "p2", "second"));
});
afterAll(() => rm(folder, { recursive: true }));

type Event = Parameters<typeof eventPrompts>[1];
const prompts = (event: Partial<Event>, seen?: string) =>
  eventPrompts(files, event as Event, seen === undefined ? [] : [stateAfter(seen)]);

/** The state after a stop that has seen this prompt. */
function stateAfter(seen: string): StateFile {
  const state = { path: "/s", edit: memoryFiles().edit.bind(undefined, "/s") };
  claimRound(state, { sessionId: "s", userPromptId: seen, seen, limit: 9, now: "", agentTokens: 0 }, () => {});
  return state;
}

describe("the prompts of a session without a record", () => {
  test("are those of the transcript, and the event says which one is answered", async () =>
    expect(await prompts({ transcript_path: transcript, prompt_id: "p1" })).toEqual({
      ...{ prompts: ["first", "second"], userPromptId: "p1" },
    }));
  test("without an id in the event, it is the last one", async () =>
    expect(await prompts({ transcript_path: transcript })).toMatchObject({
      ...{ prompts: ["first", "second"], userPromptId: "u2", seen: "u2" },
    }));
  test("without an id, an agent that goes on after a review still answers the same one", async () =>
    expect(await prompts({ transcript_path: transcript, stop_hook_active: true }, "u2")).toEqual({
      ...{ prompts: ["first", "second"], userPromptId: undefined, seen: "u2" },
    }));
  test("are not known without a transcript", async () =>
    expect(await prompts({ prompt_id: "p1" })).toEqual({ prompts: [], userPromptId: "p1" }));
});
