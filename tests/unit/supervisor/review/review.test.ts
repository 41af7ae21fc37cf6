import { afterAll, describe, expect, test } from "bun:test";
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReviewWay } from "../../../../src/claude/runs.ts";
import type { SessionStep } from "../../../../src/claude/transcript.ts";
import { supervisorSettings } from "../../../../src/config/defaults.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import type { Changes } from "../../../../src/supervisor/changes/changes.ts";
import { announcement, meaningOf } from "../../../../src/supervisor/outcome.ts";
import type { StateFile } from "../../../../src/supervisor/record/state.ts";
import type { StopNotes } from "../../../../src/supervisor/record/stops.ts";
import { notReviewed, reviewStop, skipReview } from "../../../../src/supervisor/review/review.ts";
import { assembleStop, type Stop } from "../../../../src/supervisor/review/stop.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, messagesOn } from "../../fakes.ts";

const root = await mkdtemp(join(tmpdir(), "ccc-test-"));
afterAll(() => rm(root, { recursive: true }));

/** The output of the reviews of a session in a project of its own, which has this much already. */
async function newOutput(size = 0) {
  const project = await mkdtemp(join(root, "project-"));
  const path = join(project, "supervisor-s-output.jsonl");
  if (size > 0) await writeFile(path, `${"x".repeat(size - 1)}\n`);
  const said: string[] = [];
  return {
    path,
    aside: `${path}.1`,
    said,
    /** A review that streams these lines. */
    review: async (lines: readonly object[]) => {
      const { stop } = newStop({}, 0, lines);
      const log = { say: (message: string) => void said.push(message) };
      await reviewStop({ ...stop, files: diskFiles(process.pid).guarded(project), outputFile: path, log });
    },
  };
}

const MB = 1_000_000;
const linesIn = async (path: string) =>
  (await readFile(path, "utf8"))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

describe("the reviewer's output", () => {
  test("HOOK-13 HOOK-14 HOOK-15 is appended, review after review, for the user alone", async () => {
    const { path, review } = await newOutput();
    await review([{ line: 1 }, { line: 2 }]);
    await review([{ line: 3 }]);
    expect((await linesIn(path)).filter(({ line }) => line !== undefined)).toEqual([
      { line: 1 },
      { line: 2 },
      { line: 3 },
    ]);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
  });

  test("is set aside once it has more than 20 MB, and only the last one is kept", async () => {
    const { path, aside, review } = await newOutput(20 * MB);
    await review([{ line: 1 }]);
    expect(await readdir(join(path, ".."))).toHaveLength(1);
    await review([{ line: 2 }]);
    expect((await stat(aside)).size).toBeGreaterThan(20 * MB);
    expect((await linesIn(path))[0]).toEqual({ line: 2 });
    await writeFile(path, "x".repeat(20 * MB + 1));
    await review([{ line: 3 }]);
    expect(await readdir(join(path, ".."))).toHaveLength(2);
    expect((await linesIn(path))[0]).toEqual({ line: 3 });
  });

  test("is set aside between two whole lines, also within one review with endless output", async () => {
    const { path, aside, review } = await newOutput(20 * MB - 5);
    await review([{ line: 1 }, { line: 2 }]);
    expect(await readFile(aside, "utf8")).toEndWith('x\n{"line":1}\n');
    expect((await linesIn(path))[0]).toEqual({ line: 2 });
  });

  test("of two reviews at once loses no line, also while it is set aside", async () => {
    const { path, aside, review } = await newOutput(20 * MB - 100);
    const numbered = (from: number) => Array.from({ length: 30 }, (_, at) => ({ line: from + at }));
    await Promise.all([review(numbered(0)), review(numbered(30))]);
    const text = (await readFile(aside, "utf8")) + (await readFile(path, "utf8"));
    const found = [...text.matchAll(/^\{"line":(\d+)\}$/gm)].map(([, line]) => Number(line));
    expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at));
  });
});

describe("in a hostile project, setting the output aside", () => {
  const FULL = 20 * MB + 1;

  test("replaces a link in its way, and not what that points to", async () => {
    const { path, aside, review } = await newOutput(FULL);
    const precious = join(root, "precious");
    await writeFile(precious, "precious");
    await symlink(precious, aside);
    await review([{ line: 1 }]);
    expect((await lstat(aside)).isFile()).toBe(true);
    expect(await readFile(precious, "utf8")).toBe("precious");
    expect((await linesIn(path))[0]).toEqual({ line: 1 });
  });

  test("leaves the other name of a hard link unchanged", async () => {
    const { path, review } = await newOutput(FULL);
    const shared = join(root, "shared");
    await link(path, shared);
    await review([{ line: 1 }]);
    expect((await stat(shared)).size).toBe(FULL);
    expect((await linesIn(path))[0]).toEqual({ line: 1 });
  });

  test("fails if a folder is in its way, and the review continues", async () => {
    const { path, aside, review, said } = await newOutput(FULL);
    await mkdir(aside);
    await review([{ line: 1 }, { line: 2 }]);
    expect(said.filter((line) => line.startsWith("could not"))).toEqual([
      expect.stringContaining(`could not save the review: cannot write ${path}`),
    ]);
    expect((await stat(path)).size).toBe(FULL);
  });
});

describe("the status line is told what a review does:", () => {
  const SECRET = "a-secret-of-the-session-0123456789";
  const says = (...calls: [name: string, input: object][]) => ({
    type: "assistant",
    message: { content: calls.map(([name, input], index) => ({ type: "tool_use", id: `t${index}`, name, input })) },
  });
  const bash = (command: string) => says(["Bash", { command }]);
  const retry = (error_status: number | null) => ({ type: "system", subtype: "api_retry", attempt: 1, error_status });

  /** What it is told in a review with this stream, and a check before it. */
  async function told(lines: readonly object[], parts: Partial<Stop> = {}) {
    const { stop } = newStop({ max_iterations: 10, checks: ["npm test"], check_timeout_seconds: 100 }, 0, lines);
    const seen: { doing: string }[] = [];
    const said: string[] = [];
    await reviewStop({
      ...stop,
      record: { now: { save: (now: { doing: string }) => void seen.push(now) } } as unknown as Stop["record"],
      redactor: createRedactor([SECRET]),
      log: { say: (message: string) => void said.push(message) },
      ...parts,
    });
    return { seen, said, steps: seen.map(({ doing }) => doing) };
  }

  test("the process, the round, and when it is over at the latest", async () =>
    expect((await told([])).seen[0]).toEqual({
      pid: 42,
      round: 1,
      limit: 10,
      doing: "",
      since: 0,
      ends_by: 860_000,
    } as never));

  test("first the checks, then each step of the reviewer", async () =>
    expect((await told([bash("ls"), bash("cat a")])).steps).toEqual([
      "",
      "check npm test",
      "",
      "Bash ls",
      "Bash cat a",
    ]));

  const steps: [what: string, line: object, doing: string][] = [
    [
      "the last of several calls",
      says(["Read", { file_path: "/p/a.ts" }], ["Read", { file_path: "/p/b.ts" }]),
      "Read /p/b.ts",
    ],
    ["one line of a script", bash("a\n\u001b[31mb"), "Bash a b"],
    ["a secret", bash(`curl -H ${SECRET}`), "Bash curl -H ***"],
    ["a secret at the cut", bash(`${"x".repeat(185)} ${SECRET}`), `Bash ${"x".repeat(185)} ***`],
    ["a long command", bash("x".repeat(500)), `Bash ${"x".repeat(195)}`],
    ["an error of the server", retry(529), "HTTP 529, trying again"],
    ["a server that is not there", retry(null), "server not reached, trying again"],
  ];
  test.each(steps)("%s", async (_, line, doing) => expect((await told([line])).steps[3]).toBe(doing));

  test("not every call of a reviewer that makes very many, nor the same one twice", async () => {
    const { steps } = await told(Array.from({ length: 500 }, (_, at) => bash(`cat ${at}`)));
    expect(steps).toHaveLength(20);
    expect((await told([bash("ls"), bash("ls"), bash("pwd")])).steps.slice(3)).toEqual(["Bash ls", "Bash pwd"]);
  });

  test("again after a second", async () => {
    let seconds = 0;
    const { stop } = newStop({}, 0);
    // Each look at the clock is two seconds later.
    const world = { ...stop.world, now: () => new Date(2000 * seconds++) };
    const lines = Array.from({ length: 100 }, (_, at) => bash(`cat ${at}`));
    const run: World["run"] = async ({ onLine }) => {
      for (const line of lines) onLine(new TextEncoder().encode(JSON.stringify(line)));
      return { exitCode: 0, ending: "exited", stderr: "" };
    };
    expect((await told([], { world: { ...world, run }, checks: stop.checks })).steps).toContain("Bash cat 99");
  });

  test("that the reviewer is asked for what its answer lacks, also in the log and in the record", async () => {
    const notes: StopNotes[] = [];
    const prose = { type: "result", subtype: "success", is_error: false, result: `fine, ${SECRET}` };
    const { steps, said } = await told([prose], { note: (note) => void notes.push(note) });
    expect(steps).toContain("asked again: it has no verdict that ccc can read");
    expect(said).toContain(
      "the reviewer's answer does not count yet: it has no verdict that ccc can read; asking for that",
    );
    expect(notes.findLast(({ questions }) => questions !== undefined)?.questions).toEqual(
      Array(2).fill("it has no verdict that ccc can read"),
    );
  });

  test("what cannot be saved is reported once", async () => {
    const save = () => {
      throw new Error("the disk is full");
    };
    const { said } = await told([bash("ls")], { record: { now: { save } } as unknown as Stop["record"] });
    expect(said.filter((line) => line.includes("what the review does"))).toEqual([
      "could not save what the review does: the disk is full",
    ]);
  });

  test("nothing, in a session without a record", async () =>
    expect((await told([bash("ls")], { record: undefined })).steps).toEqual([]));
});

test("the record of a stop says whether its review ran in a sandbox", async () => {
  const isNoted = async (sandbox: string | undefined) => {
    const { stop } = newStop({}, 0);
    const notes: StopNotes[] = [];
    const [reviewer] = stop.reviewers;
    const start = async () => ({ program: { file: "/bin/claude", args: [], env: {} }, cwd: "/project", sandbox });
    await reviewStop({ ...stop, reviewers: [{ ...reviewer, start }], note: (note) => void notes.push(note) });
    return notes.some(({ isSandboxed }) => isSandboxed);
  };
  expect([await isNoted("You may write in the copy."), await isNoted(undefined)]).toEqual([true, false]);
});

describe("checks that passed are remembered until the reviewer runs tests, which may change what they depend on:", () => {
  test.each([
    ["git diff; cat go.mod", 0],
    ["npm test", 1],
    ["cd sub && CI=1 pnpm run test:unit", 1],
  ])("%s", async (command, removed) => {
    const call = { type: "tool_use", id: "t1", name: "Bash", input: { command } };
    const { stop } = newStop({}, 0, [{ type: "assistant", message: { content: [call] } }]);
    let count = 0;
    const memory = { read: () => undefined, save: () => {}, modified: () => undefined, remove: () => void count++ };
    await reviewStop({ ...stop, checks: { ...stop.checks, memory } });
    expect(count > 0).toBe(removed > 0);
  });
});

const DELETED = "a.test.ts was deleted";
const KILLED = 137;

/** A stop of a session whose programs all print these lines and exit like this, and its state after each stop. */
function newStop(
  supervisor: Parameters<typeof supervisorSettings>[0]["supervisor"],
  exitCode: number,
  lines: readonly object[] = [],
) {
  let state: string | undefined;
  const ending = exitCode === KILLED ? "interrupted" : "exited";
  const told: string[] = [];
  const run: World["run"] = async ({ onLine, stdin, program }) => {
    if (program.file !== "/bin/claude") return { exitCode, ending, stderr: "" };
    told.push((await messagesOn(stdin).next()).value ?? "");
    for (const line of lines) {
      onLine(new TextEncoder().encode(JSON.stringify(line)));
      // Another review may go on.
      await Promise.resolve();
    }
    return { exitCode, ending, stderr: "" };
  };
  const { world } = fakeWorld({ run });
  // Only tests about confirmation have a second review.
  const options = supervisorSettings({ supervisor: { confirm: false, ...supervisor } });
  const commands = [...options.checks];
  const stop: Stop = {
    ...assembleStop({
      world,
      id: "s",
      project: "/project",
      cwd: "/project",
      paths: cccPaths(world),
      launch: {
        cwd: "/project",
        claude: "/bin/claude",
        version: null,
        same_model: false,
        reviewer: "glm",
        fallback: [],
        environment: { salt: "", plain: {}, hashed: [] },
        instructions: { path: "SUPERVISOR.md", text: "Review it." },
        checks: { commands, left_out: [] },
      },
      settings: undefined,
      isTerminal: false,
      options,
      redactor: createRedactor([]),
      log: { say: () => {} },
      asked: { prompts: ["make the tests pass"], userPromptId: "p1" },
      recorded: [{ at: "", prompt_id: "p1", by_user: true, text: "make the tests pass", mode: null }],
      transcript: undefined,
      answer: "They pass.",
      baseline: undefined,
      instructionsChange: undefined,
      record: undefined,
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
      note: () => {},
    }),
    reviewers: [
      {
        name: "glm",
        way: "shared",
        isInSchema: () => true,
        start: async () => ({
          program: { file: "/bin/claude", args: [], env: {} },
          cwd: "/project",
          sandbox: undefined,
        }),
      },
    ],
    evidence: undefined,
    changes: async () => ({
      since: "2026-11-17T00:00:00.000Z",
      top: "/project",
      worktree: undefined,
      files: [{ path: "a.test.ts", kind: "deleted", from: undefined, added: 0, deleted: 9 }],
      more: 0,
      tree: "1234",
      suspicious: [{ kind: "deleted test", path: "a.test.ts", text: DELETED }],
    }),
  };
  const criteria = () => {
    const { ledger } = JSON.parse(state ?? "{}");
    return ledger?.criteria.map(({ id, text }: { id: string; text: string }) => `${id} ${text}`);
  };
  return { stop, told, criteria };
}

describe("a stop", () => {
  describe("what ccc noticed at a stop that no review ruled on stays on record:", () => {
    const stops: [how: string, Parameters<typeof newStop>[0], exitCode: number, last: string][] = [
      ["no reviewer was available", {}, 1, "unreviewed"],
      ["a check failed", { checks: ["npm test"] }, 1, "rework"],
      ["the limit was reached", { checks: ["npm test"], max_iterations: 1 }, 1, "limit"],
      ["no tokens were left", { budget_tokens: 10 }, 0, "budget"],
      ["the hook was ended", { checks: ["npm test"] }, KILLED, "unreviewed"],
    ];
    test.each(stops)("%s", async (_, supervisor, exitCode, last) => {
      const { stop, criteria } = newStop(supervisor, exitCode);
      if (last === "limit") await reviewStop({ ...stop, changes: async () => ({ why: "too slow" }) });
      const outcome = await reviewStop({ ...stop, agentTokens: last === "budget" ? 20 : 0 });
      expect(outcome.kind).toBe(last as typeof outcome.kind);
      expect(criteria()).toEqual([`T1 ${DELETED}`]);
    });
  });

  describe("a check that fails again", () => {
    const tree =
      (name: string): Stop["changes"] =>
      async () => ({
        since: "",
        top: "/project",
        worktree: undefined,
        files: [],
        more: 0,
        suspicious: [],
        tree: name,
      });
    const rounds = async (stalemate: number, ...trees: readonly string[]) => {
      const { stop } = newStop({ checks: ["npm test"], stalemate }, 1);
      const kinds: string[] = [];
      for (const name of trees) kinds.push((await reviewStop({ ...stop, changes: tree(name) })).kind);
      return kinds;
    };
    test("ends in a stalemate after three rounds with the same last lines, unless that is off", async () => {
      expect(await rounds(3, "1", "2", "3")).toEqual(["rework", "rework", "stalemate"]);
      expect(await rounds(0, "1", "2", "3", "4")).toEqual(Array(4).fill("rework"));
    });
    test("says why, with exit code 3, and nobody is asked", async () => {
      const { stop, told } = newStop({ checks: ["npm test"], stalemate: 2 }, 1);
      await reviewStop({ ...stop, changes: tree("1") });
      const outcome = await reviewStop({ ...stop, changes: tree("2") });
      const why = "The check failed 2 times in a row with the same last lines: npm test (exit 1)";
      expect(meaningOf(outcome)).toMatchObject({ exitCode: 3, feedback: undefined, verdict: "check failed", why });
      expect(announcement(outcome, 10, "")).toMatch(/^Stopped after 2 reviews: NOT done.*\. The check failed 2 times/);
      expect(told).toBeEmpty();
    });
    test("counts anew after the user's next prompt", async () => {
      const { stop } = newStop({ checks: ["npm test"], stalemate: 2 }, 1);
      await reviewStop({ ...stop, changes: tree("1") });
      const asked = { ...stop.asked, userPromptId: "p2" };
      expect((await reviewStop({ ...stop, asked, changes: tree("2") })).kind).toBe("rework");
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
      const { stop } = newStop({}, 0, DONE);
      const outcome = await reviewStop({ ...stop, changes: async () => found });
      expect(outcome.kind).toBe(kind as typeof outcome.kind);
    });
  });

  describe("a claim that the transcript contradicts", () => {
    const did: SessionStep[] = [
      { kind: "prompt", text: "do it" },
      { kind: "tool", name: "Edit", about: "/project/a.ts", output: "updated", hasFailed: false },
    ];
    const session = { project: "/project", transcript: undefined, isPartial: false, isAnswered: true };
    const evidence = async () => ({ ...session, steps: did, lastMessage: "All tests pass." });
    const CLAIM = 'the agent says "All tests pass", but no tests ran after its last edit (/project/a.ts)';
    const looked = [
      {
        type: "assistant",
        message: { content: [{ type: "tool_use", id: "1", name: "Bash", input: { command: "npm test" } }] },
      },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "1", content: "9 passed" }] } },
    ];
    const answer = (...criteria: object[]) => {
      const text = JSON.stringify({ completed: true, feedback: "fine", criteria });
      return [
        ...looked,
        { type: "assistant", message: { content: [{ type: "text", text }] } },
        { type: "result", subtype: "success", is_error: false, result: text },
      ];
    };
    const ruling = (status: string) => ({ id: "T1", text: CLAIM, status, evidence: "`npm test` passes" });
    const changes = async (): Promise<Changes> => ({ why: "too slow" });

    test("has to be ruled on, in every context, and stays on record", async () => {
      for (const way of ["shared", "schema", "fresh"] as const) {
        const { stop, told, criteria } = newStop({}, 0);
        await reviewStop({ ...stop, changes, evidence, reviewers: [{ ...stop.reviewers[0], way }] });
        expect(told[0]).toContain(`- T1: ${CLAIM}`);
        expect(told[0]).toContain("What the agent says is met if you have seen for yourself that it is true");
        expect(criteria()).toEqual([`T1 ${CLAIM}`]);
      }
    });

    test("leaves a done without a ruling, or with another one than met, without effect", async () => {
      const ended = async (...criteria: object[]) =>
        (await reviewStop({ ...newStop({}, 0, answer(...criteria)).stop, changes, evidence })).kind;
      expect(await ended()).toBe("unreviewed");
      expect(await ended(ruling("unmet"))).toBe("unreviewed");
      expect(await ended(ruling("met"))).toBe("done");
    });

    test("is kept at a stop that is skipped", async () => {
      const { stop, criteria } = newStop({}, 0);
      const baseline = { trees: [{}] } as unknown as Stop["baseline"];
      await skipReview({ ...stop, changes, evidence, baseline }, "scheduled", async () => true);
      expect(criteria()).toEqual([`T1 ${CLAIM}`]);
    });

    test("is none while something runs in the background, and without the transcript", async () => {
      const task = { id: "1", type: "shell", status: "running", description: "tests", command: "npm test" };
      for (const more of [{ evidence, tasks: [task] }, { evidence: undefined }]) {
        const { stop, told } = newStop({}, 0);
        await reviewStop({ ...stop, changes, ...more });
        expect(told[0]).not.toContain("T1");
      }
    });
  });

  test("a reviewer learns which round it is, or that the user asked for the review", async () => {
    const { stop, told } = newStop({ max_iterations: 7 }, 1);
    await reviewStop(stop);
    await reviewStop({ ...stop, isOnDemand: true });
    // Nobody can know the code of a message in advance.
    const codes = told.map((text) => /<section-(\w{8}) /.exec(text)?.[1]);
    expect(codes[0]).not.toBe(codes[1]);
    expect(told.map((text) => /"code" \("(\w{8})"/.exec(text)?.[1])).toEqual(codes);
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
      const { stop, told } = newStop({}, 0, lines);
      const [reviewer] = stop.reviewers;
      await reviewStop({ ...stop, reviewers: [{ ...reviewer, way }], evidence });
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

  describe("ends as", () => {
    const looked = { changes: async () => ({ why: "too slow" }) as const };
    const answer = (verdict: object, usage = {}) => [
      { type: "result", subtype: "success", is_error: false, result: "", structured_output: verdict, usage },
    ];
    const ended = async (verdict: object, supervisor = {}, usage = {}) => {
      const { stop } = newStop(
        supervisor,
        0,
        answer({ completed: false, feedback: "Make it fast.", ...verdict }, usage),
      );
      const [reviewer] = stop.reviewers;
      return reviewStop({ ...stop, ...looked, reviewers: [{ ...reviewer, way: "schema" }] });
    };
    test("needs you, never as done", async () =>
      expect((await ended({ completed: true, needs_user: true, feedback: "Which database?" })).kind).toBe(
        "needs_user",
      ));
    test("rework with the reviewer's words alone, if it names no criteria", async () =>
      expect(await ended({})).toMatchObject({ kind: "rework", round: 1, feedback: "Make it fast." }));
    test("rework, with the open criteria and how to dispute one", async () => {
      const criteria = [
        { id: "C1", text: "it builds", status: "met", evidence: "make" },
        { id: "C2", text: "it is fast", status: "unmet", evidence: "2 s" },
      ];
      expect(await ended({ criteria })).toMatchObject({
        kind: "rework",
        feedback:
          'Make it fast.\n\nNot met:\n- C2: it is fast (2 s)\nMet: C1.\n\nIf one of these is wrong, say so in your answer on a line of its own, with evidence: "C2 disputed: …". The next review will rule on it.',
      });
    });
    test("over the budget, as soon as it is used up, unless the work is done", async () => {
      const usage = { input_tokens: 4_000, output_tokens: 1_000 };
      expect((await ended({}, { budget_tokens: 5_000 }, usage)).kind).toBe("budget");
      expect((await ended({}, { budget_tokens: 5_001 }, usage)).kind).toBe("rework");
      expect((await ended({}, { budget_tokens: 0 }, usage)).kind).toBe("rework");
      expect((await ended({ completed: true }, { budget_tokens: 5_000 }, usage)).kind).toBe("done");
    });
    test("a stalemate, if reviews bring no progress", async () => {
      const criteria = [{ id: "C1", text: "it is fast", status: "unmet", evidence: "2 s" }];
      const { stop } = newStop({ stalemate: 2 }, 0, answer({ completed: false, feedback: "Make it fast.", criteria }));
      const same = { ...stop, ...looked, reviewers: [{ ...stop.reviewers[0], way: "schema" }] as const };
      expect([(await reviewStop(same)).kind, (await reviewStop(same)).kind]).toEqual(["rework", "stalemate"]);
    });
  });

  describe("is counted", () => {
    const broken: StateFile = {
      path: "broken.json",
      edit: () => {
        throw new Error("the disk is full");
      },
    };
    const claimed = async (states: (working: StateFile) => StateFile[], isRepeated = false) => {
      const { stop } = newStop({ max_iterations: 2 }, 1);
      const [working = broken] = stop.states;
      const said: string[] = [];
      const outcomes: string[] = [];
      const log = { say: (message: string) => void said.push(message) };
      for (let count = 0; count < 3; count++)
        outcomes.push((await reviewStop({ ...stop, states: states(working), isRepeated, log })).kind);
      return { outcomes, said: said.filter((line) => line.startsWith("could not save the state")) };
    };
    test("in the first place where the state can be saved, up to the limit", async () =>
      expect(await claimed((working) => [broken, working])).toEqual({
        outcomes: ["unreviewed", "unreviewed", "limit"],
        said: Array(3).fill("could not save the state: the disk is full"),
      }));
    test("nowhere, if no state can be saved: the first stop of a prompt is reviewed", async () =>
      expect((await claimed(() => [broken, broken])).outcomes).toEqual(Array(3).fill("unreviewed")));
    test("nowhere, and a repeated stop is not reviewed: without a count there would be no end", async () =>
      expect((await claimed(() => [broken], true)).outcomes).toEqual(Array(3).fill("limit")));
  });
});

test("an error of ccc's own ends as not reviewed, with the error and its advice", () => {
  expect(notReviewed(new Error("disk full"))).toMatchObject({ kind: "unreviewed", why: "disk full" });
  expect(notReviewed(new CccError("no claude", { advice: "Install it." }))).toMatchObject({
    kind: "unreviewed",
    why: "no claude. Install it.",
  });
});
