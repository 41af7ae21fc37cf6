import { afterAll, describe, expect, test } from "bun:test";
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReviewWay } from "../../../../src/claude/reviewer-command.ts";
import type { StreamEvent } from "../../../../src/claude/stream.ts";
import { CccError, EXIT } from "../../../../src/errors.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import type { Changes } from "../../../../src/supervisor/changes/changes.ts";
import { EMPTY_LEDGER, newCriterion } from "../../../../src/supervisor/ledger.ts";
import { supervisorOptions } from "../../../../src/supervisor/options.ts";
import { exitCodeFor, NO_COST } from "../../../../src/supervisor/outcome.ts";
import { type StateFile, stateIn } from "../../../../src/supervisor/record/state.ts";
import {
  claimReview,
  type DecidedReview,
  decideOutcome,
  keepOutput,
  NOT_LOOKED,
  notReviewed,
  reviewProgress,
  reviewStop,
} from "../../../../src/supervisor/review/review.ts";
import type { Session, Stop } from "../../../../src/supervisor/review/session.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

describe("claim review", () => {
  const broken: StateFile = {
    path: "broken.json",
    edit: () => {
      throw new Error("the disk is full");
    },
  };

  function working(): StateFile {
    let text: string | undefined;
    const edit: StateFile["edit"] = (change) => {
      text = change(text) ?? text;
    };
    return { path: "state.json", edit };
  }

  /** Claims a review of a session with these places for its state. */
  function claimed(states: readonly StateFile[], isRepeated = false) {
    const said: string[] = [];
    const log = { say: (message: string) => void said.push(message) };
    const session = { world: fakeWorld().world, id: "s", states, options: supervisorOptions({ supervisor: {} }), log };
    const stop = { asked: { prompts: ["do it"], userPromptId: "p1" }, isRepeated, agentTokens: 20 };
    return { ...claimReview(session, stop), said };
  }

  describe("a review is counted", () => {
    test("in the first place where the state can be saved", () => {
      const place = working();
      const states = [broken, place, working()];
      expect(claimed(states)).toMatchObject({ round: { number: 1 }, place });
      expect(claimed(states)).toMatchObject({
        round: { number: 2 },
        said: ["could not save the state: the disk is full"],
      });
    });
  });

  describe("where no state can be saved", () => {
    test("the first stop of a prompt is reviewed, as if nothing had been before", () =>
      expect(claimed([broken, broken])).toEqual({
        round: { number: 1, earlier: [], ledger: EMPTY_LEDGER, isSettled: false, tokens: 20, cost: NO_COST },
        place: undefined,
        said: Array(2).fill("could not save the state: the disk is full"),
      }));
    test("a repeated stop is not: without a count there would be no end", () =>
      expect(claimed([broken], true).round).toEqual({ earlier: [], ledger: EMPTY_LEDGER, cost: NO_COST }));
  });
});

describe("decide outcome", () => {
  const met = { ...newCriterion("C1", "it builds"), status: "met" as const };
  const open = { ...newCriterion("C2", "it is fast"), evidence: "2 s", unmet_reviews: 1, unmet_files: "a" };
  const decided = (verdict: Partial<DecidedReview["verdict"]>, more: Partial<DecidedReview> = {}) =>
    decideOutcome({
      verdict: { completed: false, feedback: "Make it fast.", needsUser: false, rulings: [], ...verdict },
      ...{ round: 2, before: [], criteria: [met, open], spent: 5_000, ...NOT_LOOKED },
      options: { stalemate: 3, budgetTokens: 0 },
      ...more,
    });

  describe("a review ends as", () => {
    test("done", () => {
      const outcome = decided({ completed: true, feedback: "Seen." }, { criteria: [met] });
      expect(exitCodeFor(outcome)).toBe(EXIT.ok);
    });
    test("needs you, never as done", () => {
      const outcome = decided({ completed: true, needsUser: true, feedback: "Which database?" });
      expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["needs_user", 5]);
    });
    test("rework, with the open criteria and how to dispute one", () => {
      const outcome = decided({});
      expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["rework", undefined]);
      expect("feedback" in outcome && outcome.feedback).toBe(
        'Make it fast.\n\nNot met:\n- C2: it is fast (2 s)\nMet: C1.\n\nIf one of these is wrong, say so in your answer on a line of its own, with evidence: "C2 disputed: …". The next review will rule on it.',
      );
    });
    test("rework with the reviewer's words alone, if it names no criteria", () => {
      expect(decided({}, { criteria: [] })).toMatchObject({ kind: "rework", feedback: "Make it fast." });
    });
    test("a stalemate", () => {
      const outcome = decided({}, { before: [open], criteria: [met, { ...open, unmet_reviews: 2 }] });
      expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["stalemate", 3]);
    });
    test("over the budget", () => {
      const options = { stalemate: 3, budgetTokens: 5_000 };
      const outcome = decided({}, { options });
      expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["budget", 6]);
      expect(decided({ completed: true }, { options }).kind).toBe("done");
      expect(decided({}, { options: { stalemate: 3, budgetTokens: 5_001 } }).kind).toBe("rework");
      expect(decided({}, { options: { stalemate: 3, budgetTokens: 1 } }).kind).toBe("budget");
    });
    test("the limit", () => expect(exitCodeFor({ kind: "limit", criteria: [], total: NO_COST })).toBe(3));
  });

  test("a stop without a review is not reviewed, unless nothing happened since the last done", () => {
    expect(exitCodeFor({ kind: "skipped", why: "unchanged" })).toBe(EXIT.ok);
    expect(exitCodeFor({ kind: "skipped", why: "talk" })).toBe(EXIT.notReviewed);
    expect(exitCodeFor(notReviewed(new Error("no verdict")))).toBe(EXIT.notReviewed);
  });

  test("an error of ccc's own ends as not reviewed, with the error and its advice", () => {
    expect(notReviewed(new Error("disk full"))).toMatchObject({ kind: "unreviewed", why: "disk full" });
    expect(notReviewed(new CccError("no claude", { advice: "Install it." }))).toMatchObject({
      kind: "unreviewed",
      why: "no claude. Install it.",
    });
  });
});

const root = await mkdtemp(join(tmpdir(), "ccc-test-"));
afterAll(() => rm(root, { recursive: true }));

/** The output of a session in a project of its own. */
async function newOutput() {
  const project = await mkdtemp(join(root, "project-"));
  const path = join(project, "supervisor-s-output.jsonl");
  const said: string[] = [];
  const session = {
    ...{ files: diskFiles(process.pid).guarded(project), outputFile: path, redactor: createRedactor([]) },
    log: { say: (message: string) => void said.push(message) },
  };
  return {
    path,
    aside: `${path}.1`,
    said,
    /** A review that streams these lines. */
    review: (lines: readonly object[], largest?: number) => {
      const keep = keepOutput(session, largest);
      for (const line of lines) keep.line(Buffer.from(JSON.stringify(line)));
      keep.close();
    },
  };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ line: from + index }));
const linesIn = async (path: string) =>
  (await readFile(path, "utf8"))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("the reviewer's output is bounded", () => {
  test("HOOK-13 HOOK-14 HOOK-15 reviews are appended, and at the limit the file is set aside between two whole lines", async () => {
    const { path, aside, review, said } = await newOutput();
    for (let from = 0; from < 90; from += 10) review(numbered(from, from + 10), 500);
    const [older, newer] = [await linesIn(aside), await linesIn(path)];
    expect([...older, ...newer]).toEqual(numbered(older[0].line, 90));
    expect(older.length).toBeGreaterThan(30);
    for (const file of [path, aside]) expect((await stat(file)).size).toBeLessThanOrEqual(520);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
    expect(await readdir(join(path, ".."))).toHaveLength(2);
    expect(said).toEqual([]);
  });

  test("also within one review with endless output", async () => {
    const { path, aside, review } = await newOutput();
    review(numbered(0, 1000), 500);
    expect((await linesIn(path)).at(-1)).toEqual({ line: 999 });
    for (const file of [path, aside]) expect((await stat(file)).size).toBeLessThanOrEqual(520);
  });

  test("at 20 MB by default", async () => {
    const { path, aside, review } = await newOutput();
    const mb = { text: "x".repeat(1_000_000) };
    review(Array(20).fill(mb));
    expect(await readdir(join(path, ".."))).toHaveLength(1);
    review([mb]);
    expect((await stat(aside)).size).toBeGreaterThan(20_000_000);
    expect(await linesIn(path)).toEqual([mb]);
  });

  test("two reviews at once lose no line", async () => {
    const { path, aside, review } = await newOutput();
    review(numbered(0, 30), 500);
    const other = keepOutput(
      {
        ...{ files: diskFiles(process.pid).guarded(join(path, "..")), outputFile: path },
        ...{ redactor: createRedactor([]), log: { say: () => {} } },
      },
      500,
    );
    review(numbered(30, 45), 500);
    other.line(Buffer.from('{"line":"of the other"}'));
    other.close();
    expect([...(await linesIn(aside)), ...(await linesIn(path))]).toHaveLength(46);
  });
});

describe("in a hostile project, setting it aside", () => {
  const long = `${"x".repeat(600)}\n`;

  test("replaces a link in its way, and not what that points to", async () => {
    const { path, aside, review } = await newOutput();
    const precious = join(root, "precious");
    await writeFile(precious, "precious");
    await writeFile(path, long);
    await symlink(precious, aside);
    review([{ line: 1 }], 500);
    expect((await lstat(aside)).isFile()).toBe(true);
    expect(await readFile(precious, "utf8")).toBe("precious");
    expect(await linesIn(path)).toEqual([{ line: 1 }]);
  });

  test("leaves the other name of a hard link unchanged", async () => {
    const { path, review } = await newOutput();
    const shared = join(root, "shared");
    await writeFile(shared, long);
    await link(shared, path);
    review([{ line: 1 }], 500);
    expect(await readFile(shared, "utf8")).toBe(long);
    expect(await linesIn(path)).toEqual([{ line: 1 }]);
  });

  test("fails if a folder is in its way, and the review goes on", async () => {
    const { path, aside, review, said } = await newOutput();
    await writeFile(path, long);
    await mkdir(aside);
    review([{ line: 1 }, { line: 2 }], 500);
    expect(said).toEqual([expect.stringContaining(`could not save the review: cannot write ${path}`)]);
    expect(await readFile(path, "utf8")).toBe(long);
  });
});

describe("review progress", () => {
  const SECRET = "a-secret-of-the-session-0123456789";
  const call = (name: string, what: string) => ({ id: "", name, what });
  const says = (...tools: ReturnType<typeof call>[]): StreamEvent => ({
    kind: "text",
    text: "",
    tools,
    usage: undefined,
  });
  const retry = (status: number | undefined): StreamEvent => ({ kind: "retry", status, attempt: 1, most: 10 });

  function progress(parts: Partial<Session> = {}) {
    const { world, files } = fakeWorld();
    const said: string[] = [];
    const session = {
      world,
      now: "/record/now.json",
      log: { say: (message: string) => said.push(message) },
      redactor: createRedactor([SECRET]),
      reviewers: [{}, {}],
      checks: { commands: ["npm test"], env: {}, memory: "" },
      options: { maxIterations: 10, timeoutSeconds: 600, checkTimeoutSeconds: 100 },
      ...parts,
    } as unknown as Session;
    return { ...reviewProgress(session, 2), said, now: () => JSON.parse(files.read("/record/now.json") ?? "null") };
  }

  describe("the progress of a review", () => {
    test("begins with the process, the round, and when it is over at the latest", () =>
      expect(progress().now()).toEqual({ pid: 42, round: 2, limit: 10, doing: "", ends_by: 1_360_000 }));

    const steps: [what: string, event: StreamEvent, doing: string][] = [
      ["a tool call", says(call("Bash", "npm test")), "Bash npm test"],
      ["the last of several", says(call("Read", "/p/a.ts"), call("Read", "/p/b.ts")), "Read /p/b.ts"],
      ["one line of a script", says(call("Bash", "a\n\u001b[31mb")), "Bash a [31mb"],
      ["a secret", says(call("Bash", `curl -H ${SECRET}`)), "Bash curl -H ***"],
      ["a secret at the cut", says(call("Bash", `${"x".repeat(185)} ${SECRET}`)), `Bash ${"x".repeat(185)} ***`],
      ["a long command", says(call("Bash", "x".repeat(500))), `Bash ${"x".repeat(195)}`],
      ["an error of the server", retry(529), "HTTP 529, trying again"],
      ["a server that is not there", retry(undefined), "server not reached, trying again"],
      ["words between two calls", says(), "check npm test"],
      ["results", { kind: "tool results", results: [] }, "check npm test"],
    ];
    test.each(steps)("shows %s", (_, event, doing) => {
      const { check, read, now, begin } = progress();
      check("npm test");
      read(event);
      expect(now().doing).toBe(doing);
      begin();
      expect(now().doing).toBe("");
    });

    test("that cannot be saved is reported once", () => {
      const { world } = fakeWorld();
      const files = {
        ...world.files,
        writePrivate: () => {
          throw new Error("the disk is full");
        },
      };
      const { check, said } = progress({ world: { ...world, files } });
      check("npm test");
      expect(said).toEqual(["could not save what the review does: the disk is full"]);
    });

    test("of a session without a record is not kept", () => {
      const { check, now, said } = progress({ now: undefined });
      check("npm test");
      expect([now(), said]).toEqual([null, []]);
    });
  });
});

describe("review stop", () => {
  const DELETED = "a.test.ts was deleted";
  const KILLED = 137;

  const STOP: Stop = {
    asked: { prompts: ["make the tests pass"], userPromptId: "p1" },
    recorded: 1,
    tasks: [],
    cwd: "/project",
    isRepeated: false,
    lastMessage: async () => "They pass.",
    agentTokens: 0,
    findings: [],
    changes: async () => ({
      since: "2026-11-17T00:00:00.000Z",
      top: "/project",
      worktree: undefined,
      files: [{ path: "a.test.ts", kind: "deleted", from: undefined, added: 0, deleted: 9 }],
      more: 0,
      tree: "1234",
      suspicious: [{ kind: "deleted test", path: "a.test.ts", text: DELETED }],
    }),
    evidence: undefined,
  };

  /** A session whose programs all print these lines and exit like this, and its state after each stop. */
  function newSession(
    supervisor: Parameters<typeof supervisorOptions>[0]["supervisor"],
    exitCode: number,
    lines: readonly object[] = [],
  ) {
    let state: string | undefined;
    const ending = exitCode === KILLED ? "interrupted" : "exited";
    const told: string[] = [];
    const run: World["run"] = async ({ onLine, stdin }) => {
      if (typeof stdin === "string") told.push(stdin);
      for (const line of lines) onLine?.(new TextEncoder().encode(JSON.stringify(line)));
      return { exitCode, ending, stderr: "" };
    };
    const { world } = fakeWorld({ run });
    const options = supervisorOptions({ supervisor });
    const session: Session = {
      world,
      options,
      id: "s",
      project: "/project",
      states: [
        {
          path: "state.json",
          edit: (change) => {
            state = change(state) ?? state;
          },
        },
      ],
      files: undefined,
      outputFile: "output.jsonl",
      instructions: { path: "SUPERVISOR.md", text: "Review it." },
      checks: { commands: options.checks, env: {}, memory: undefined },
      reviewers: [{ name: "glm", way: "shared", program: async () => ({ file: "/bin/claude", args: [], env: {} }) }],
      onTrouble: () => {},
      note: () => {},
      log: { say: () => {} },
      redactor: createRedactor([]),
    };
    return { session, told, criteria: () => stateIn(state)?.ledger?.criteria.map(({ id, text }) => `${id} ${text}`) };
  }

  describe("what ccc noticed at a stop that no review ruled on stays on record:", () => {
    const stops: [how: string, Parameters<typeof newSession>[0], exitCode: number, last: string][] = [
      ["no reviewer was available", {}, 1, "unreviewed"],
      ["a check failed", { checks: ["npm test"] }, 1, "rework"],
      ["the limit was reached", { checks: ["npm test"], max_iterations: 1 }, 1, "limit"],
      ["no tokens were left", { budget_tokens: 10 }, 0, "budget"],
      ["the hook was ended", { checks: ["npm test"] }, KILLED, "unreviewed"],
    ];
    test.each(stops)("%s", async (_, supervisor, exitCode, last) => {
      const { session, criteria } = newSession(supervisor, exitCode);
      if (last === "limit") await reviewStop(session, { ...STOP, changes: async () => ({ why: "too slow" }) });
      const outcome = await reviewStop(session, { ...STOP, agentTokens: last === "budget" ? 20 : 0 });
      expect(outcome.kind).toBe(last as typeof outcome.kind);
      expect(criteria()).toEqual([`T1 ${DELETED}`]);
    });
  });

  describe('a "done" from a reviewer that looked at nothing', () => {
    const text = JSON.stringify({ completed: true, feedback: "fine" });
    const DONE = [
      { type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } },
      { type: "result", subtype: "success", is_error: false, result: text },
    ];
    const changes = { since: "", top: "/project", worktree: undefined, files: [], more: 0, tree: "1", suspicious: [] };
    const file = { path: "a.ts", kind: "added", from: undefined, added: 1, deleted: 0 } as const;
    const stops: [name: string, changes: Changes, kind: string][] = [
      ["counts if nothing changed", changes, "done"],
      ["does not if files changed", { ...changes, files: [file] }, "unreviewed"],
      ["or in work that no review has seen", { ...changes, unseen: { files: [file], suspicious: [] } }, "unreviewed"],
    ];
    test.each(stops)("%s", async (_, found, kind) => {
      const { session } = newSession({}, 0, DONE);
      const outcome = await reviewStop(session, { ...STOP, changes: async () => found });
      expect(outcome.kind).toBe(kind as typeof outcome.kind);
    });
  });

  test("a reviewer is told which round it is, or that the user asked for the review", async () => {
    const { session, told } = newSession({ max_iterations: 7 }, 1);
    await reviewStop(session, STOP);
    await reviewStop({ ...session, isOnDemand: true }, STOP);
    expect(told).toEqual([
      expect.stringContaining("Round 1 of at most 7 for the user's last prompt."),
      expect.stringContaining("The user asked for it. The verdict goes to the user, and not to the agent."),
    ]);
  });

  describe("what the agent did is told to a reviewer", () => {
    const step = { kind: "tool", name: "Bash", about: "npm run deploy", output: "", hasFailed: false } as const;
    const known = { project: "/project", transcript: undefined, steps: [step], isPartial: false, lastMessage: "Done." };
    const tooLong = [{ type: "result", subtype: "success", is_error: true, result: "prompt is too long" }];
    /** For each time that a reviewer is asked: whether it is told. */
    const isTold = async (way: ReviewWay, evidence: Stop["evidence"], lines: readonly object[] = []) => {
      const { session, told } = newSession({}, 0, lines);
      const [reviewer] = session.reviewers;
      await reviewStop({ ...session, reviewers: [{ ...reviewer, way }] }, { ...STOP, evidence });
      return told.map((message) => message.includes("npm run deploy"));
    };
    test("that does not have the conversation", async () => {
      expect(await isTold("fresh", async () => known)).toEqual([true]);
      expect(await isTold("shared", async () => known)).toEqual([false]);
    });
    test("for which the conversation is too long, if it is known", async () => {
      expect(await isTold("shared", async () => known, tooLong)).toEqual([false, true]);
      expect(await isTold("shared", undefined, tooLong)).toEqual([false]);
    });
  });
});
