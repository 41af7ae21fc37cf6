import { describe, expect, test } from "bun:test";
import type { SkipReason } from "../../../../src/supervisor/review/outcome.ts";
import { type StopFacts, whySkipped } from "../../../../src/supervisor/review/why-skipped.ts";

const WORKED: StopFacts = {
  tasks: [],
  isPlanning: false,
  hasWakeUp: false,
  changedSinceDone: undefined,
  usedTools: true,
  when: "always",
};
const task = (type: string, status = "running") => ({ type, status, description: "", command: "" });

describe("whySkipped", () => {
  const table: [name: string, facts: Partial<StopFacts>, why: SkipReason | undefined][] = [
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
