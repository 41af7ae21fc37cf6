import { describe, expect, test } from "bun:test";
import { isByUser } from "../../../../src/supervisor/record/prompt-record.ts";
import { hasWakeUp, saveScheduled } from "../../../../src/supervisor/record/scheduled-prompts.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { memoryFiles } from "../../fakes.ts";

const cron = (id: string, recurring = false) => ({ id, prompt: `wake ${id}`, recurring });

/** Stops of a session one after the other: the prompt of the user's, and what is scheduled. Is the last one to wait? */
function waits(...stops: [userPromptId: string | undefined, crons: ReturnType<typeof cron>[]][]) {
  const files = memoryFiles();
  const record = sessionRecord({ generated: "/ccc" } as Parameters<typeof sessionRecord>[0], "s");
  let last = false;
  for (const [userPromptId, crons] of stops) {
    saveScheduled(files, record, crons, userPromptId);
    last = hasWakeUp(files, record, crons, userPromptId);
  }
  return { last, isByUser: (text: string) => isByUser(files, record, text), content: files.content };
}

describe("a scheduled prompt", () => {
  test("lets the review wait", () => expect(waits(["1:a", [cron("x")]]).last).toBe(true));
  test("until it has come", () => expect(waits(["1:a", [cron("x")]], ["1:a", []]).last).toBe(false));
  test("and again if that one schedules another", () =>
    expect(waits(["1:a", [cron("x")]], ["1:a", [cron("y")]]).last).toBe(true));
  test("of an earlier prompt of the user's does not", () =>
    expect(waits(["1:a", [cron("x")]], ["2:b", [cron("x")]]).last).toBe(false));
  test("that recurs does not", () => expect(waits(["1:a", [cron("x", true)]]).last).toBe(false));
  test("without a record of prompts does not", () => expect(waits([undefined, [cron("x")]]).last).toBe(false));
  test("is not the user's even with an earlier id or text", () => {
    const renamed = { ...cron("x"), prompt: "other" };
    const after = waits(["1:a", [cron("x")]], ["1:a", [renamed, { ...cron("y"), prompt: "wake x" }]]);
    expect(["wake x", "other"].map(after.isByUser)).toEqual([false, false]);
    expect(after.last).toBe(true);
  });
  test("is what it takes for anything to be written", () => expect(waits(["1:a", []]).content).toEqual({}));
  test("is not the user's", () => {
    const after = waits(["1:a", [cron("x"), cron("y", true)]], ["1:a", []]);
    expect(["wake x", "wake y", "wake z"].map(after.isByUser)).toEqual([false, false, true]);
  });
});
