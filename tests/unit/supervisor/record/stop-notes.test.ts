import { expect, test } from "bun:test";
import type { ChangedFile } from "../../../../src/supervisor/baseline/changes.ts";
import { noteFields, type StopNotes } from "../../../../src/supervisor/record/stop-notes.ts";

const file = (path: string): ChangedFile => ({ path, kind: "modified", from: undefined, added: 1, deleted: 0 });
const CHECK = { command: "npm test", ending: "exit 0", isPassed: true, seconds: 3, output: "ok" };
const RECORDED = { command: "npm test", ending: "exit 0", passed: true, reused: false, seconds: 3, output: "ok" };

test.each<[name: string, notes: StopNotes, fields: object]>([
  ["nothing, if nothing was noted", {}, {}],
  ["nothing that is empty", { checks: [], agentTokens: 0 }, {}],
  ["the limit of reviews", { limit: 10 }, { limit: 10 }],
  ["how the reviewer was asked", { way: "fresh" }, { context: "fresh" }],
  ["the reviewer's own words", { feedback: "look" }, { feedback: "look" }],
  ["what the agent used, be it a single token", { agentTokens: 1 }, { agent_tokens: 1 }],
  ["a check that ran", { checks: [CHECK] }, { checks: [RECORDED] }],
  ["one that ran earlier", { checks: [{ ...CHECK, isReused: true }] }, { checks: [{ ...RECORDED, reused: true }] }],
  ["why the changes are unknown", { changes: { why: "too slow" } }, { changes: { why: "too slow" } }],
])("the record of a stop has %s", (_, notes, fields) => {
  expect(noteFields(notes, [])).toEqual(fields);
});

test("what is suspicious comes first, with the id under which a review ruled on it, if one did", () => {
  const criterion = (id: string, text: string) => {
    return { id, text, status: "met", evidence: "", unmet_reviews: 0, unmet_files: null } as const;
  };
  const suspicion = (text: string) => ({ kind: "deleted test", path: "a.test.ts", text }) as const;
  const changes = {
    ...{ since: "12:00", top: "/p", worktree: undefined, more: 5, tree: "t" },
    files: [file("a.ts"), file("a.test.ts"), file("b.ts")],
    suspicious: [suspicion("ruled on"), suspicion("new")],
  };
  expect(noteFields({ changes }, [criterion("C1", "it works"), criterion("T1", "ruled on")])).toEqual({
    changes: {
      since: "12:00",
      files: [file("a.test.ts"), file("a.ts"), file("b.ts")],
      more: 5,
      suspicious: [
        { id: "T1", ...suspicion("ruled on") },
        { id: undefined, ...suspicion("new") },
      ],
    },
  });
});
