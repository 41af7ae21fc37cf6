import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import type { ChangedFile } from "../../../../src/supervisor/changes/changes.ts";
import type { Outcome } from "../../../../src/supervisor/outcome.ts";
import { wasReviewed } from "../../../../src/supervisor/record/missed.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { openStop, readSession, type StopNotes } from "../../../../src/supervisor/record/stops.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/review.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import { memoryFiles } from "../../fakes.ts";

const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });
const SKIPPED = { outcome: "skipped", why: "plan" };

/** What is on record of a stop that ended so, besides its id and time. */
function recorded(outcome: Outcome, notes: StopNotes = {}) {
  const record = openSession(memoryFiles(), PATHS, "s1");
  const about = { promptId: undefined, clean: <T>(value: T) => value, write: (action: () => void) => action() };
  const open = openStop({ pid: 1, now: () => new Date(0) }, record, about);
  open.note(notes);
  open.close(outcome);
  const { stop: _, at: __, ...entry } = record.stops.read()?.[1] ?? { stop: "", at: "" };
  return JSON.parse(JSON.stringify(entry));
}

describe("read session", () => {
  const USAGE = { inputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 0, outputTokens: 2, costUsd: undefined };

  function newSession() {
    const files = memoryFiles();
    const record = openSession(files, PATHS, "s1");
    let seconds = 0;
    const now = () => new Date(Date.UTC(2026, 0, 1, 12, 0, seconds++));
    const { value: clean } = createRedactor(["the-whole-secret"]);
    const open = (pid = 1) => openStop({ pid, now }, record, { promptId: "p1", clean, write: (action) => action() });
    const read = (isAlive = false) => readSession(record, () => isAlive);
    return { files, record, open, read };
  }

  const file = (path: string): ChangedFile => ({ path, kind: "modified", from: undefined, added: 1, deleted: 0 });

  test("what was noted about a stop is on record with its outcome, masked and bounded", () => {
    const { files, record, open, read } = newSession();
    record.prompts.append({ at: "12:00", prompt_id: "p1", by_user: true, text: "work", mode: null });
    const stop = open();
    stop.note({ limit: 10, way: "shared" });
    const text = "a.test.ts was deleted";
    stop.note({
      way: "fresh",
      isSandboxed: true,
      feedback: `${"long ".repeat(10_000)}`,
      agentTokens: 7,
      checks: [{ command: "t the-whole-secret", ending: "exit 0", isPassed: true, seconds: 3, output: "ok" }],
      changes: {
        since: "11:59",
        more: 5,
        files: [...Array.from({ length: 300 }, (_, at) => file(`${at}.ts`)), { ...file("a.test.ts"), kind: "deleted" }],
        suspicious: [{ kind: "deleted test", path: "a.test.ts", text }],
      },
      proof: { why: undefined, isReused: false, runs: [], points: [{ text }] },
    });
    const criterion = { id: "T1", text, status: "met", evidence: "", unmet_reviews: 0, unmet_files: null } as const;
    const looked = ["Read: the-whole-secret"];
    stop.close({
      kind: "done",
      rounds: 2,
      feedback: "told",
      criteria: [{ ...criterion, id: "C1", text: "it works" }, criterion],
      usage: USAGE,
      seconds: 41.5,
      total: { seconds: 60, tokens: 30 },
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
          outcome: "done",
          round: 2,
          limit: 10,
          seconds: 41.5,
          isRunning: false,
          promptId: "p1",
          context: "fresh",
          sandbox: true,
          reviewer: "glm",
          looked: ["Read: ***"],
          agent_tokens: 7,
          criteria: [{ id: "C1" }, criterion],
          proof: { points: [{ id: "T1", text }] },
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
    const { record, read } = newSession();
    record.stops.append({ stop: "a", at: start, pid: 1, prompt_id: null });
    record.stops.append({ stop: "a", at: end, outcome: "skipped", why: "plan" });
    expect(read()?.stops.map((stop) => stop.seconds)).toEqual([seconds]);
  });

  test("what cannot be read counts as missing, and the rest is shown", () => {
    const { files, open, read } = newSession();
    expect(read()).toBeUndefined();
    const lines = [
      '{"half',
      '{"stop":"a","at":"x","outcome":"done","round":"one","criteria":7,"feedback":"seen"}',
      "[]",
    ];
    files.append("/home/u/.claude/ccc/sessions/s1/stops.jsonl", `${lines.join("\n")}\n`, Number.POSITIVE_INFINITY);
    open();
    expect(read()?.stops).toMatchObject([
      { outcome: "done", feedback: "seen", round: undefined, criteria: undefined },
      { outcome: undefined, endedAt: undefined },
    ]);
  });

  test("a stop whose outcome only a newer version knows has ended all the same", () => {
    const { record, read } = newSession();
    record.stops.append({ stop: "a", at: "12:00", pid: 7 }, { stop: "a", at: "12:01", outcome: "postponed" });
    expect(read(true)?.stops).toMatchObject([{ outcome: undefined, endedAt: "12:01", isRunning: false }]);
  });
});

describe("stop notes", () => {
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
    expect(recorded({ kind: "skipped", why: "plan" }, notes)).toEqual({ ...SKIPPED, ...fields });
  });

  test("what is suspicious comes first, with the id under which a review ruled on it, if one did", () => {
    const criterion = (id: string, text: string) => {
      return { id, text, status: "met", evidence: "", unmet_reviews: 0, unmet_files: null } as const;
    };
    const suspicion = (text: string) => ({ kind: "deleted test", path: "a.test.ts", text }) as const;
    const changes = {
      since: "12:00",
      top: "/p",
      worktree: undefined,
      more: 5,
      tree: "t",
      files: [file("a.ts"), file("a.test.ts"), file("b.ts")],
      suspicious: [suspicion("ruled on"), suspicion("new")],
    };
    const criteria = [criterion("C1", "it works"), criterion("T1", "ruled on")];
    const outcome = { kind: "rework", round: 1, feedback: "", ...NOT_LOOKED, criteria } as const;
    expect(recorded(outcome, { changes }).changes).toEqual({
      since: "12:00",
      files: ["a.test.ts", "a.ts", "b.ts"].map((path) => ({ path, kind: "modified", added: 1, deleted: 0 })),
      more: 5,
      suspicious: [{ id: "T1", ...suspicion("ruled on") }, suspicion("new")],
    });
  });
});

describe("stop record", () => {
  describe("since 12:00, a reviewer", () => {
    const stop = (at: string, outcome: string | undefined, check?: string) => ({
      stop: at,
      at,
      pid: 1,
      outcome,
      check,
    });
    test.each<[name: string, stops: ReturnType<typeof stop>[], expected: boolean]>([
      ["has said done", [stop("12:01", "done")], true],
      ["has said so right then", [stop("12:00", "done")], true],
      ["has sent the agent back to work", [stop("12:01", "rework")], true],
      ["has left it to the user", [stop("12:01", "needs_user")], true],
      ["has given up", [stop("12:01", "stalemate")], true],
      ["has, before other stops", [stop("12:01", "done"), stop("12:02", "skipped"), stop("12:03", undefined)], true],
      ["has not, at a session without stops", [], false],
      ["has not: that was earlier", [stop("11:59", "done")], false],
      ["has not, where a check failed before anybody was asked", [stop("12:01", "rework", "npm test (exit 1)")], false],
      ["has not, at a stop without a review", [stop("12:01", "skipped")], false],
      ["has not, where the review failed", [stop("12:01", "unreviewed")], false],
      ["has not, at the limit", [stop("12:01", "limit")], false],
      ["has not, without tokens for a review", [stop("12:01", "budget")], false],
      ["has not yet", [stop("12:01", undefined)], false],
    ])("%s", (_, stops, expected) => {
      const record = openSession(memoryFiles(), PATHS, "s1");
      record.stops.append(...stops);
      expect(wasReviewed(record, "12:00")).toBe(expected);
    });
  });

  describe("on record of an outcome", () => {
    const reviewed = { ...NOT_LOOKED, criteria: [], feedback: "" };

    test("the round has one name, whether the work was done in it or not", () => {
      for (const outcome of [
        { kind: "done", rounds: 3, ...reviewed },
        { kind: "rework", round: 3, ...reviewed },
      ] as const) {
        expect(recorded(outcome)).toMatchObject({ outcome: outcome.kind, round: 3 });
        expect(recorded(outcome)).not.toHaveProperty("rounds");
      }
      expect(recorded({ kind: "unreviewed", why: "no server", ...NOT_LOOKED })).not.toHaveProperty("round");
    });

    test("a text of 10,000 characters is whole, and a longer one is cut where that can be seen", () => {
      const longest = "x".repeat(10_000);
      const feedback = (text: string) => recorded({ kind: "rework", round: 1, ...reviewed, feedback: text }).feedback;
      expect(feedback(longest)).toBe(longest);
      expect(feedback(`${longest}y`)).toBe(`${longest}…`);
    });
  });
});
