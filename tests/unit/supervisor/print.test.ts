import { describe, expect, test } from "bun:test";
import { waitsForEnd } from "../../../src/supervisor/print.ts";
import { noteRun, type RunNote } from "../../../src/supervisor/record/launch.ts";
import type { ProgramEnd } from "../../../src/world.ts";
import { type MemorySession, SESSION, startSession, verdict } from "./session-in-memory.ts";

describe("a supervised -p", () => {
  /** The exit code, and what ccc says after the launch, if the hooks leave these notes before claude ends. */
  async function print(notes: readonly RunNote[], end: ProgramEnd, options: readonly string[] = []) {
    const { exitCode, stderr } = await startSession({
      argv: ["--supervisor", "glm", "-p", "do it", ...options],
      during: async ({ files, paths }) => {
        const [launch] = files.list(`${paths.generated}/runs`).map((name) => name.replace(".jsonl", ""));
        for (const note of notes) noteRun({ files }, { configDir: paths.folder, launch }, note);
        return end;
      },
    });
    const [, said = ""] = stderr.split(/reviews per prompt, instructions from .*\n/);
    return { exitCode, said: said.split("\n").flatMap((line) => (line === "" ? [] : [line.replace("ccc: ", "")])) };
  }

  const START: RunNote = { event: "start", session: "S" };
  const PROMPT: RunNote = { event: "prompt", session: "S" };
  const STOP: RunNote = { event: "stop", session: "S" };
  const outcome = (code: number | null, ...lines: string[]): RunNote => ({ event: "outcome", code, lines });
  const stopped = (code: number | null, ...lines: string[]) => [START, PROMPT, STOP, outcome(code, ...lines)];

  const EXITED: ProgramEnd = { exitCode: 0, signal: null, isInterrupted: false };
  const FAILED = { ...EXITED, exitCode: 1 };
  const KILLED = { ...EXITED, exitCode: 137, signal: "SIGKILL" };
  /** Claude Code exits with 0 at Ctrl-C. */
  const INTERRUPTED = { ...EXITED, isInterrupted: true };

  const GO_ON = "to continue: ccc glm --resume S";
  const LOGGED = `${GO_ON}; the log is .claude/ccc/supervisor.log`;
  const CUT_OFF = "NOT reviewed: ccc's Stop hook was killed before the review finished";
  const SEE_LOG = "see .claude/ccc/supervisor.log";
  const DOCTOR = "Run `ccc doctor` to see whether hooks work";

  describe("whose key is refused", () => {
    /** How it ends if its transcript ends in this error, and whether ccc ended it. */
    async function refused(error: object, retryAttempt = 3, options: readonly string[] = []) {
      let wasEnded = false;
      let pauses = 0;
      const ended = Promise.withResolvers<void>();
      const { exitCode, stderr } = await startSession({
        argv: ["--supervisor", "glm", "-p", "do it", ...options],
        paused: async () => void (++pauses === 5 && ended.resolve()),
        during: async ({ files, paths }, cancelled) => {
          const [launch] = files.list(`${paths.generated}/runs`).map((name) => name.replace(".jsonl", ""));
          const note: RunNote = { event: "prompt", session: SESSION };
          noteRun({ files }, { configDir: paths.folder, launch }, note);
          const line = { type: "system", subtype: "api_error", error, retryAttempt };
          files.content[`/home/u/.claude/projects/-project/${SESSION}.jsonl`] = `${JSON.stringify(line)}\n`;
          const end = () => {
            wasEnded = true;
          };
          await Promise.race([ended.promise, cancelled?.then(end)]);
          return { exitCode: wasEnded ? 143 : 1, signal: wasEnded ? "SIGTERM" : null };
        },
      });
      return { exitCode, wasEnded, said: stderr.split("\n").filter((line) => line.includes("rejects the key")) };
    }

    test("is ended at once, with the words of doctor and exit code 1", async () =>
      expect(await refused({ status: 401, formatted: "401 invalid secret-key-of-glm" })).toEqual({
        exitCode: 1,
        wasEnded: true,
        said: [
          'ccc: NOT reviewed: https://glm.test rejects the key (status 401, "invalid ***"). Check that the key is complete, not expired, and made for this address: keys are often bound to a region or plan.',
        ],
      }));

    const others: [name: string, error: object, attempt?: number][] = [
      ["at a quota that is a 403", { status: 403, formatted: "403 You've reached your weekly usage limit" }],
      ["at the first refusal: the next key may be another", { status: 401, formatted: "401 no" }, 1],
      ["at an error of the server", { status: 529, formatted: "529 Overloaded" }],
    ];
    test.each(others)("claude continues %s", async (_, error, attempt) =>
      expect(await refused(error, attempt)).toEqual({ exitCode: 1, wasEnded: false, said: [] }),
    );

    test("claude continues if a client talks to it, which waits for its result", async () => {
      const options = ["--input-format", "stream-json"];
      expect(await refused({ status: 401, formatted: "401 no" }, 3, options)).toMatchObject({ wasEnded: false });
    });
  });

  describe("how it ends", () => {
    const table: [name: string, notes: RunNote[], end: ProgramEnd, code: number, ...lines: string[]][] = [
      ["done", stopped(0, "done after 1 round"), EXITED, 0, "done after 1 round"],
      ["the limit", stopped(3, "NOT done"), EXITED, 3, "NOT done", LOGGED],
      ["needs the user", stopped(5, "needs you: which one?"), EXITED, 5, "needs you: which one?", LOGGED],
      ["the budget", stopped(6, "NOT done"), EXITED, 6, "NOT done", LOGGED],
      [
        "not reviewed, and the log is named once",
        stopped(4, `failed; ${SEE_LOG}`),
        EXITED,
        4,
        `failed; ${SEE_LOG}`,
        GO_ON,
      ],
      [
        "findings follow",
        stopped(0, "done", "SUPERVISOR.md was changed"),
        EXITED,
        0,
        "done",
        "SUPERVISOR.md was changed",
      ],
      [
        "the last stop counts",
        [...stopped(0, "done"), PROMPT, STOP, outcome(3, "NOT done")],
        EXITED,
        3,
        "NOT done",
        LOGGED,
      ],
      [
        "the last session counts",
        [...stopped(3, "NOT done"), { event: "start", session: "T" }, { event: "prompt", session: "T" }],
        EXITED,
        4,
        `NOT reviewed: Claude Code ended without running ccc's Stop hook. ${DOCTOR}`,
        "to continue: ccc glm --resume T; the log is .claude/ccc/supervisor.log",
      ],
      ["a start after the last stop changes nothing", [...stopped(0, "done"), START], EXITED, 0, "done"],
      ["no hook was heard", [], EXITED, 4, `NOT reviewed: Claude Code ran none of ccc's hooks. ${DOCTOR}`],
      ["no prompt", [START], EXITED, 0, "No review: no prompt reached the agent"],
      ["a hook that was killed", [START, PROMPT, STOP], EXITED, 4, `${CUT_OFF}; ${SEE_LOG}`, GO_ON],
      [
        "an event that could not be read has no session",
        [{ event: "outcome", code: 4, lines: ["could not review"] }],
        EXITED,
        4,
        "could not review",
      ],
      [
        "the agent did not go on",
        stopped(null, "not done"),
        EXITED,
        3,
        "NOT done: Claude Code ended before the agent had done what ccc asked for last",
        LOGGED,
      ],
      ["claude failed before there was a session", [], FAILED, 1],
      ["claude failed before there was a prompt", [START], FAILED, 1],
      [
        "claude failed in the first turn",
        [START, PROMPT],
        FAILED,
        1,
        "NOT reviewed: claude exited with code 1 before the agent stopped",
        GO_ON,
      ],
      [
        "claude failed after a review",
        stopped(null, "not done"),
        FAILED,
        1,
        "NOT done: claude exited with code 1 before the agent had done what ccc asked for last",
        LOGGED,
      ],
      ["claude failed after all was done", stopped(0, "done"), FAILED, 1, "done"],
      ["claude failed at the limit", stopped(3, "NOT done"), FAILED, 1, "NOT done", LOGGED],
      [
        "claude was killed",
        [START, PROMPT],
        KILLED,
        137,
        "NOT reviewed: claude was killed by SIGKILL before the agent stopped",
        GO_ON,
      ],
      ["Ctrl-C before there was a session", [], INTERRUPTED, 130],
      [
        "Ctrl-C while the agent worked",
        [START, PROMPT],
        INTERRUPTED,
        130,
        "NOT reviewed: claude was interrupted before the agent stopped",
        GO_ON,
      ],
      ["Ctrl-C during a review", [START, PROMPT, STOP], INTERRUPTED, 130, `${CUT_OFF}; ${SEE_LOG}`, GO_ON],
      ["Ctrl-C after all was done", stopped(0, "done"), INTERRUPTED, 0, "done"],
    ];
    for (const [name, notes, end, code, ...lines] of table) {
      test(name, async () => {
        const { exitCode, said } = await print(notes, end);
        expect(exitCode).toBe(code);
        expect(lines.length === 0 ? said : said.slice(-lines.length)).toEqual(lines);
      });
    }
  });

  describe("has claude's exit code if a client talks to it, and says the same", () => {
    const table: [name: string, notes: RunNote[], end: ProgramEnd, code: number, said: string][] = [
      ["not done", stopped(3, "NOT done"), EXITED, 0, "NOT done"],
      ["needs the user", stopped(5, "needs you"), EXITED, 0, "needs you"],
      ["a hook that was killed", [START, PROMPT, STOP], EXITED, 0, `${CUT_OFF}; ${SEE_LOG}`],
      [
        "an interrupt",
        [START, PROMPT],
        INTERRUPTED,
        0,
        "NOT reviewed: claude was interrupted before the agent stopped",
      ],
      ["a failure", stopped(3, "NOT done"), FAILED, 1, "NOT done"],
    ];
    for (const options of [["--input-format", "stream-json"], ["--input-format=stream-json"]])
      test.each(table)("%s", async (_, notes, end, code, line) => {
        const { exitCode, said } = await print(notes, end, options);
        expect([exitCode, said[0]]).toEqual([code, line]);
      });
    test("but not if it only reads JSON", async () => {
      const options = ["--input-format", "text", "--output-format", "stream-json"];
      expect((await print(stopped(3, "NOT done"), EXITED, options)).exitCode).toBe(3);
    });
  });

  describe("reports each review that something follows, in a line", () => {
    const no = outcome(null, "Review 1 of 10: not done", "a finding, which the ending repeats");
    const table: [name: string, notes: RunNote[], ...said: string[]][] = [
      ["no review yet", [START, PROMPT, STOP], `${CUT_OFF}; ${SEE_LOG}`, GO_ON],
      [
        "the agent continues",
        [START, PROMPT, STOP, no],
        "Review 1 of 10: not done",
        "NOT done: Claude Code ended before the agent had done what ccc asked for last",
        LOGGED,
      ],
      [
        "the end is announced at the end",
        [START, PROMPT, STOP, no, STOP, outcome(0, "Done")],
        "Review 1 of 10: not done",
        "Done",
      ],
      [
        "another turn follows",
        [...stopped(0, "Done"), PROMPT],
        "Done",
        `NOT reviewed: Claude Code ended without running ccc's Stop hook. ${DOCTOR}`,
        LOGGED,
      ],
    ];
    test.each(table)("%s", async (_, notes, ...said) => expect((await print(notes, EXITED)).said).toEqual(said));
  });
});

describe("the hooks of a supervised -p", () => {
  const print = (during: (session: MemorySession) => Promise<Partial<ProgramEnd> | undefined>) =>
    startSession({ argv: ["--supervisor", "glm", "-p", "do it"], env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, during });

  describe("a supervised -p", () => {
    test("ends with 0 when a review says done, and leaves no notes behind", async () => {
      const { exitCode, stderr, files } = await print(async ({ start, prompt, stop }) => {
        expect((await start()).answer).toEqual({});
        await prompt("do it");
        await stop(verdict(false, "no"));
        await stop(verdict(true, "fine"), { stop_hook_active: true });
      });
      expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Review 2 of 10: done. fine")]);
      expect(Object.keys(files.content).filter((path) => path.includes("notes"))).toEqual([]);
    });

    test("ends with 4 when the review failed, and says how to continue", async () => {
      const { exitCode, stderr } = await print(async ({ start, prompt, stop }) => {
        await start();
        await prompt("do it");
        await stop({ exitCode: 1 });
      });
      expect(exitCode).toBe(4);
      expect(stderr).toContain(`to continue: ccc glm --resume ${SESSION}`);
    });

    test("ends with 3 when claude gives up before it is done", async () => {
      const { exitCode, stderr } = await print(async ({ start, prompt, stop }) => {
        await start();
        await prompt("do it");
        await stop(verdict(false, "no"));
      });
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining("NOT done: Claude Code ended before")]);
    });

    test("ends like claude, if that failed", async () =>
      expect((await print(async () => ({ exitCode: 9 }))).exitCode).toBe(9));

    test("ends with 4 when no hook ran", async () => {
      const { exitCode, stderr } = await print(async () => {});
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining("Claude Code ran none of ccc's hooks")]);
    });
  });
});

describe("waits for end", () => {
  const SCREEN = { isByEditor: false, isOnTerminal: true };
  const PIPE = { isByEditor: false, isOnTerminal: false };
  const EDITOR = { isByEditor: true, isOnTerminal: false };

  describe("ccc waits for a supervised claude", () => {
    const table: [args: string[], how: typeof SCREEN, waits: boolean][] = [
      [["-p", "hi"], SCREEN, true],
      [["-p", "hi"], PIPE, true],
      [["hi"], PIPE, true],
      [["hi"], SCREEN, false],
      [[], SCREEN, false],
      [["--bg", "hi"], SCREEN, false],
      [["--bg", "hi"], PIPE, false],
      [["-p", "--version"], PIPE, false],
      [["agents", "--json"], PIPE, false],
      [["mcp", "list"], PIPE, false],
      [["--output-format", "stream-json"], EDITOR, false],
      [["-p", "hi"], EDITOR, false],
    ];
    for (const [args, how, waits] of table) {
      const where = how === SCREEN ? "on a terminal" : how === PIPE ? "into a pipe" : "by an editor";
      test(`${JSON.stringify(args)}, ${where}: ${waits ? "yes" : "no"}`, () =>
        expect(waitsForEnd(args, how)).toBe(waits));
    }
  });
});
