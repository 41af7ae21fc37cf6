import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { StopEventSchema } from "../../../../src/claude/events.ts";
import type { When } from "../../../../src/config/defaults.ts";
import type { SkipReason } from "../../../../src/supervisor/outcome.ts";
import type { DoneMark } from "../../../../src/supervisor/record/state.ts";
import { nothingToReview, type SkipFacts, whySkipped } from "../../../../src/supervisor/review/skip.ts";

describe("nothing to review", () => {
  const NOTICE = "<task-notification>\n<status>completed</status>\n</task-notification>";
  const FAILURE = "<task-notification>\n<status>failed</status>\n</task-notification>";

  const prompt = (prompt_id: string | null, text: string, by_user = true, mode = "default") => ({
    ...{ at: "", prompt_id, text, by_user, mode },
  });
  const P1 = prompt("p1", "do it");
  const P2 = prompt("p2", NOTICE, false);

  const entry = (promptId: string) => ({ type: "user", promptId, message: { content: "x" } });
  const says = (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } });
  const USES = { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: {} }] } };
  const MEGABYTE = { type: "attachment", text: "x".repeat(1_000_000) };
  const WORKED = [entry("p1"), USES, says("done")];
  const NOTICED = [...WORKED, entry("p2"), says("noticed")];

  interface Situation {
    readonly event?: object;
    readonly recorded?: readonly ReturnType<typeof prompt>[] | undefined;
    readonly done?: DoneMark | undefined;
    /** What identifies the files now; undefined: not known. */
    readonly files?: string | undefined;
    readonly when?: When;
    readonly transcript: readonly object[];
  }

  const DONE = { prompts: 1, files: "tree" };
  const AFTER_DONE: Situation = {
    event: { prompt_id: "p2", last_assistant_message: "noticed" },
    recorded: [P1, P2],
    done: DONE,
    transcript: NOTICED,
  };
  const NO_FILES = { since: "", top: "/", worktree: undefined, files: [], more: 0, suspicious: [] };
  const NOT_KNOWN = { why: "too slow" } as const;
  const TALKED: Situation = {
    event: { last_assistant_message: "hello" },
    transcript: [entry("p1"), says("hello")],
    when: "changes",
  };

  describe("nothingToReview", () => {
    const table: [name: string, situation: Situation, why: SkipReason | undefined][] = [
      ["the agent worked", { transcript: WORKED }, undefined],
      [
        "plan mode",
        { event: { permission_mode: "plan" }, recorded: [{ ...P1, mode: "plan" }], transcript: [] },
        "plan",
      ],
      ["plan mode that the agent entered", { event: { permission_mode: "plan" }, transcript: [] }, undefined],
      ["a plan that was accepted", { recorded: [{ ...P1, mode: "plan" }], transcript: WORKED }, undefined],
      ["a task ended after done", AFTER_DONE, "unchanged"],
      ["a task changed files after done", { ...AFTER_DONE, files: "other" }, undefined],
      ["the files are not known any more", { ...AFTER_DONE, files: undefined }, undefined],
      [
        "the files were never known",
        { ...AFTER_DONE, done: { prompts: 1, files: null }, files: undefined },
        "unchanged",
      ],
      ["a task failed after done", { ...AFTER_DONE, recorded: [P1, { ...P2, text: FAILURE }] }, undefined],
      [
        "a tool ran after done",
        { ...AFTER_DONE, transcript: [...WORKED, entry("p2"), USES, says("noticed")] },
        undefined,
      ],
      ["a task ended after a review that did not say done", { ...AFTER_DONE, done: undefined }, undefined],
      [
        "a hook of the user's made the agent go on",
        { ...AFTER_DONE, event: { last_assistant_message: "noticed" } },
        undefined,
      ],
      [
        "the user asked for more after done",
        { ...AFTER_DONE, recorded: [P1, { ...P2, text: "more", by_user: true }] },
        undefined,
      ],
      [
        "the second of two tasks ended after done",
        {
          event: { prompt_id: "p3", last_assistant_message: "again" },
          recorded: [P1, P2, prompt("p3", NOTICE, false)],
          done: DONE,
          transcript: [...NOTICED, entry("p3"), says("again")],
        },
        "unchanged",
      ],
      [
        "a tool ran after the first of them",
        {
          event: { prompt_id: "p3", last_assistant_message: "again" },
          recorded: [P1, P2, prompt("p3", NOTICE, false)],
          done: DONE,
          transcript: [...WORKED, entry("p2"), USES, says("x"), entry("p3"), says("again")],
        },
        undefined,
      ],
      ["only talk", { ...TALKED, when: "always" }, undefined],
      ["only talk, and changes count", TALKED, "talk"],
      ["work, and changes count", { when: "changes", transcript: WORKED }, undefined],
      [
        "talk after feedback, and changes count",
        { ...TALKED, event: { last_assistant_message: "hello", stop_hook_active: true } },
        undefined,
      ],
      [
        "work long before a message that was typed meanwhile, and changes count",
        {
          ...TALKED,
          transcript: [entry("p0"), entry("p1"), USES, MEGABYTE, MEGABYTE, entry("p1"), says("hello")],
        },
        undefined,
      ],
      [
        "work for the prompt before, far above, and changes count",
        { ...TALKED, transcript: [entry("p0"), USES, MEGABYTE, entry("p0"), entry("p1"), says("hello")] },
        "talk",
      ],
      [
        "a transcript that ends with the prompt, and changes count",
        { ...TALKED, transcript: [entry("p1")] },
        undefined,
      ],
      ["a version without ids, and changes count", { ...TALKED, recorded: [prompt(null, "do it")] }, undefined],
      ["no prompts on record, and changes count", { ...TALKED, recorded: undefined }, undefined],
    ];
    for (const [name, situation, why] of table) {
      test(name, async () => {
        const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
        const transcript_path = join(folder, "t.jsonl");
        await writeFile(transcript_path, situation.transcript.map((line) => JSON.stringify(line)).join("\n"));
        const { recorded = "recorded" in situation ? undefined : [P1], done, when = "always" } = situation;
        const event = v.parse(StopEventSchema, {
          ...{ session_id: "s", transcript_path, prompt_id: "p1", last_assistant_message: "done" },
          ...situation.event,
        });
        const files = "files" in situation ? situation.files : "tree";
        const changes = async () => (files === undefined ? NOT_KNOWN : { ...NO_FILES, tree: files });
        expect(
          await nothingToReview({ event, stop: { recorded, changes, options: { when } }, done, hasWakeUp: false }),
        ).toBe(why);
        await rm(folder, { recursive: true });
      });
    }

    test("waits for a transcript that is written after the event", async () => {
      const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
      const transcript_path = join(folder, "t.jsonl");
      const event = v.parse(StopEventSchema, { ...{ session_id: "s", transcript_path }, ...AFTER_DONE.event });
      const changes = async () => NOT_KNOWN;
      const reason = nothingToReview({
        event,
        stop: { recorded: [P1, P2], changes, options: { when: "always" } },
        done: DONE,
        hasWakeUp: false,
      });
      const lines = [...WORKED, entry("p2"), USES, says("noticed")].map((line) => `${JSON.stringify(line)}\n`);
      await writeFile(transcript_path, lines.slice(0, 4).join(""));
      await writeFile(transcript_path, lines.join(""));
      expect(await reason).toBeUndefined();
      await rm(folder, { recursive: true });
    });
  });
});

describe("why skipped", () => {
  const WORKED: SkipFacts = {
    tasks: [],
    isPlanning: false,
    hasWakeUp: false,
    changedSinceDone: undefined,
    usedTools: true,
    when: "always",
  };
  const task = (type: string, status = "running") => ({ type, status, description: "", command: "" });

  describe("whySkipped", () => {
    const table: [name: string, facts: Partial<SkipFacts>, why: SkipReason | undefined][] = [
      ["the agent worked", {}, undefined],
      ["a delegated agent works", { tasks: [task("subagent")] }, "delegated"],
      ["a delegated agent has finished", { tasks: [task("subagent", "completed")] }, undefined],
      ["a shell runs", { tasks: [task("shell")] }, undefined],
      ["plan mode", { isPlanning: true }, "plan"],
      ["a wake-up is scheduled", { hasWakeUp: true }, "scheduled"],
      ["nothing changed since done", { changedSinceDone: false }, "unchanged"],
      ["something changed since done", { changedSinceDone: true }, undefined],
      ["the agent only talked", { usedTools: false }, undefined],
      ["the agent only talked, and changes count", { usedTools: false, when: "changes" }, "talk"],
      ["the agent worked, and changes count", { when: "changes" }, undefined],
      ["nobody knows whether it worked, and changes count", { usedTools: undefined, when: "changes" }, undefined],
      ["a delegated agent works in plan mode", { tasks: [task("teammate")], isPlanning: true }, "delegated"],
    ];
    for (const [name, facts, why] of table) test(name, () => expect(whySkipped({ ...WORKED, ...facts })).toBe(why));
  });
});
