import { expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import type { ChangedFile } from "../../../../src/supervisor/baseline/changes.ts";
import { openStop } from "../../../../src/supervisor/record/open-stop.ts";
import { appendPrompts } from "../../../../src/supervisor/record/prompt-record.ts";
import { readSession } from "../../../../src/supervisor/record/read-session.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { recordOutcome, recordStop } from "../../../../src/supervisor/record/stop-record.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";
import { memoryFiles } from "../../fakes.ts";

const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });
const RECORD = sessionRecord(PATHS, "s1");
const USAGE = { inputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 0, outputTokens: 2, costUsd: undefined };

function newSession() {
  const files = memoryFiles();
  let seconds = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds++));
  const { value: clean } = createRedactor(["the-whole-secret"]);
  const open = (pid = 1) =>
    openStop({ files, pid, now }, RECORD, { promptId: "p1", clean, write: (action) => action() });
  const read = (isAlive = false) => readSession({ files, isAlive: () => isAlive }, PATHS, "s1");
  return { files, open, read };
}

const file = (path: string): ChangedFile => ({ path, kind: "modified", from: undefined, added: 1, deleted: 0 });

test("what was noted about a stop is on record with its outcome, masked and bounded", () => {
  const { files, open, read } = newSession();
  appendPrompts(files, RECORD, [{ at: "12:00", prompt_id: "p1", by_user: true, text: "work", mode: null }]);
  const stop = open();
  stop.note({ limit: 10, way: "shared" });
  const text = "a.test.ts was deleted";
  stop.note({
    way: "fresh",
    feedback: `${"long ".repeat(10_000)}`,
    agentTokens: 7,
    checks: [{ command: "t the-whole-secret", ending: "exit 0", isPassed: true, seconds: 3, output: "ok" }],
    changes: {
      ...{ since: "11:59", top: "/p", worktree: undefined, more: 5, tree: "t" },
      files: [...Array.from({ length: 300 }, (_, at) => file(`${at}.ts`)), { ...file("a.test.ts"), kind: "deleted" }],
      suspicious: [{ kind: "deleted test", path: "a.test.ts", text }],
    },
  });
  const criterion = { id: "T1", text, status: "met", evidence: "", unmet_reviews: 0, unmet_files: null } as const;
  const looked = ["Read: the-whole-secret"];
  stop.close({
    kind: "done",
    rounds: 2,
    feedback: "told",
    criteria: [criterion],
    ...{ usage: USAGE, seconds: 41.5, total: { seconds: 60, tokens: 30 } },
    looked,
    reviewer: "glm",
  });

  expect(JSON.stringify(files.content)).not.toContain("the-whole-secret");
  expect(read()).toMatchObject({
    id: "s1",
    launch: undefined,
    prompts: [{ text: "work" }],
    stops: [
      {
        ...{ outcome: "done", round: 2, limit: 10, seconds: 41.5, isRunning: false, promptId: "p1", context: "fresh" },
        ...{ reviewer: "glm", looked: ["Read: ***"], agent_tokens: 7, criteria: [criterion] },
        usage: { input_tokens: 10, cache_read_tokens: 5, output_tokens: 2, cost_usd: null },
        checks: [{ command: "t ***", ending: "exit 0", passed: true, reused: false, seconds: 3, output: "ok" }],
        changes: { more: 106, suspicious: [{ id: "T1", path: "a.test.ts", text }] },
      },
    ],
  });
  const { changes, feedback } = read()?.stops[0] ?? {};
  const listed = changes !== undefined && "files" in changes ? changes.files : [];
  expect([listed.length, listed[0]?.path]).toEqual([200, "a.test.ts"]);
  expect(feedback).toHaveLength(10_001);
});

test("a stop without an end runs, or was killed", () => {
  const { open, read } = newSession();
  open(7);
  const stop = { endedAt: undefined, seconds: undefined };
  expect(read(true)?.stops).toMatchObject([{ isRunning: true, ...stop }]);
  expect(read(false)?.stops).toMatchObject([{ isRunning: false, ...stop }]);
});

test.each<[name: string, start: string, end: string, seconds: number | undefined]>([
  ["the time between its start and its end", "2026-01-01T12:00:00Z", "2026-01-01T12:01:30.4Z", 90],
  ["none, if it ended at once", "2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z", 0],
  ["unknown, if the clock was set back", "2026-01-01T12:00:00Z", "2026-01-01T11:59:00Z", undefined],
  ["unknown, if a time is invalid", "noon", "2026-01-01T12:00:00Z", undefined],
])("how long a stop took that nobody measured: %s", (_, start, end, seconds) => {
  const { files, read } = newSession();
  recordStop(files, RECORD, { stop: "a", at: start, pid: 1, prompt_id: null });
  const outcome = { kind: "skipped", why: "plan" } as const;
  recordOutcome(files, RECORD, { stop: "a", at: end, outcome, notes: {} }, (value) => value);
  expect(read()?.stops.map((stop) => stop.seconds)).toEqual([seconds]);
});

test("what cannot be read counts as missing, and the rest is shown", () => {
  const { files, read } = newSession();
  expect(read()).toBeUndefined();
  const lines = ['{"half', '{"stop":"a","at":"x","outcome":"done","round":"one","criteria":7,"feedback":"seen"}', "[]"];
  files.append(RECORD.stops, lines.join("\n"), Number.POSITIVE_INFINITY);
  const [stop, ...others] = read()?.stops ?? [];
  expect(others).toEqual([]);
  expect(stop).toMatchObject({ outcome: "done", feedback: "seen", round: undefined, criteria: undefined });
});
