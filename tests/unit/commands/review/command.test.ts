import { describe, expect, test } from "bun:test";
import { chmodSync, utimesSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { run } from "../../../../src/cli/run.ts";
import {
  ReviewResultSchema,
  renderReview,
  reviewResult,
  showProgress,
} from "../../../../src/commands/review/command.ts";
import type { SessionReview } from "../../../../src/commands/review/review-session.ts";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { diskFiles, makeScratch } from "../../../../src/os/disk.ts";
import { newCriterion } from "../../../../src/supervisor/ledger.ts";
import type { EndSignal } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { type Answer, SESSION, verdict } from "../../supervisor/session-in-memory.ts";

describe("command", () => {
  const server = (name: string) => ({
    env: {
      ANTHROPIC_BASE_URL: `https://${name}.test`,
      ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}`,
      ANTHROPIC_MODEL: `model-of-${name}`,
    },
  });
  const CONFIG = { current_provider: "glm", providers: { glm: server("glm"), kimi: server("kimi") } };

  /** When the session was last written to, in seconds. */
  const WRITTEN = 1_000_000;

  interface Given {
    readonly config?: object;
    readonly configIn?: (project: string) => object;
    /** More files in the home. */
    readonly home?: Readonly<Record<string, string>>;
    /** What the reviewer answers. */
    readonly answer?: Answer;
    /** What a check prints, and its exit code. */
    readonly check?: Answer;
    /** Arrives while the reviewer works. */
    readonly signal?: EndSignal;
    /** How long ago the session was last written to. */
    readonly minutesAgo?: number;
    /** Where the agent was last, in the project. */
    readonly agentIn?: string;
    /** What the transcript has after the agent's answer. */
    readonly later?: readonly object[];
    /** More files in the project. */
    readonly project?: Readonly<Record<string, string>>;
  }

  /** `ccc review` in a folder with one session, in which the agent has answered. */
  async function review(args: readonly string[], given: Given = {}) {
    const scratch = makeScratch();
    try {
      const [home, cwd, bin] = ["home", "project", "bin"].map((name) => join(scratch.path, name)) as [
        string,
        string,
        string,
      ];
      const files = diskFiles(process.pid);
      const transcript = join(home, ".claude/projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${SESSION}.jsonl`);
      const entries = [
        { type: "user", promptId: "p1", cwd, message: { content: "write add.py" } },
        {
          ...{ type: "assistant", timestamp: "2026-01-01T10:00:00Z", cwd: join(cwd, given.agentIn ?? "") },
          message: { stop_reason: "end_turn", model: "model-of-glm", content: [{ type: "text", text: "I wrote it." }] },
        },
        ...(given.later ?? []),
      ];
      files.writePrivate(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      utimesSync(transcript, WRITTEN, WRITTEN);
      files.writePrivate(
        join(home, ".claude/ccc.json"),
        JSON.stringify({ ...CONFIG, ...given.config, ...given.configIn?.(cwd) }),
      );
      for (const [name, text] of Object.entries(given.project ?? { "add.py": "" }))
        files.writePrivate(join(cwd, name), text);
      for (const [name, text] of Object.entries(given.home ?? {})) files.writePrivate(join(home, name), text);
      const claude = join(bin, "claude");
      files.writePrivate(claude, "");
      chmodSync(claude, 0o755);
      const asked: ChildRequest[] = [];
      const ran: string[] = [];
      let onSignal: (signal: EndSignal) => void = () => {};
      let isListening = false;
      const answerTo = (request: ChildRequest): Answer => {
        if (request.program.args[0] === "--version") return { lines: ["2.1.325 (Claude Code)"] };
        if (request.program.file === claude) {
          asked.push(request);
          if (given.signal !== undefined) onSignal(given.signal);
          return given.answer ?? verdict(true, "All there.");
        }
        if (!request.program.args.includes("-c")) return { exitCode: 128 };
        ran.push(request.program.args.at(-1) ?? "");
        return given.check ?? {};
      };
      const { world, said } = fakeWorld({
        ...{ argv: ["review", ...args], cwd, env: { HOME: home, PATH: bin } },
        files,
        now: () => new Date(WRITTEN * 1000 + (given.minutesAgo ?? 0) * 60_000),
        onSignal: (handler) => {
          onSignal = handler;
          isListening = true;
          return () => {
            isListening = false;
          };
        },
        run: async (request) => {
          const { lines = [], ...end } = answerTo(request);
          const bytes = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
          const isStopped = bytes.some((line) => request.onLine(new TextEncoder().encode(line)));
          return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
        },
      });
      const exitCode = await run(world);
      const generated = join(home, ".claude/ccc");
      const settings = files
        .list(generated)
        .filter((name) => name.includes("-supervisor+"))
        .map((name) => ({ provider: name.split("-")[1], text: files.read(join(generated, name)) ?? "" }));
      return {
        exitCode,
        ...said,
        cwd,
        asked,
        ran,
        isListening,
        settings,
        isRecorded: files.list(join(generated, "sessions")).length > 0,
      };
    } finally {
      scratch.remove();
    }
  }

  describe("ccc review", () => {
    test("asks the session's own provider, prints the verdict, and keeps nothing of it", async () => {
      const { asked, ...result } = await review([]);
      expect(result).toMatchObject({
        exitCode: 0,
        stdout: "Done.\n\nThe reviewer says:\n  All there.\n\nReviewed by glm in 1 s: 0 tokens in, 0 out.\n",
        stderr: `… reviewing session ${SESSION}: glm\n`,
        ...{ settings: [{ provider: "glm" }], isListening: false, isRecorded: false },
      });
      expect(asked).toHaveLength(1);
      expect(asked[0]?.stdin).toContain("1. write add.py\n");
      expect(asked[0]?.stdin).toContain("The user asked for it. The verdict goes to the user, and not to the agent.");
    });

    describe("warns of", () => {
      const prompt = (content: string) => ({ type: "user", promptId: "p2", message: { content } });
      const record = (name: string, value: object) => ({
        [`.claude/ccc/sessions/${SESSION}/${name}`]: `${JSON.stringify(value)}\n`,
      });
      const LAUNCH = {
        ...{ cwd: "/p", claude: "/claude", instructions: { path: "/p/SUPERVISOR.md", text: "look" } },
        environment: { salt: "", plain: {}, hashed: [] },
      };
      const BASELINE = {
        at: "2026-01-01T09:00:00Z",
        prompt_id: "p1",
        repository: "/r",
        bytes: 0,
        trees: [],
        store: SESSION,
      };
      /** Only the last 2 MB of a transcript are read for the last answer. */
      const LONG = { type: "other", text: "x".repeat(2_100_000) };
      const ANSWER = {
        type: "assistant",
        timestamp: "2026-01-01T10:05:00Z",
        message: { stop_reason: "end_turn", model: "model-of-glm", content: [{ type: "text", text: "Done." }] },
      };
      const UNFINISHED = "The agent's last turn did not end by itself:";
      test.each<[string, Given, string | undefined]>([
        ["nothing, in an ordinary session", {}, undefined],
        ["a later prompt without an answer", { later: [prompt("now this")] }, UNFINISHED],
        ["no answer: the user interrupted it", { later: [prompt("[Request interrupted by user]")] }, UNFINISHED],
        ["no prompt that is too far back to be found", { later: [LONG, ANSWER] }, undefined],
        ["no command of Claude Code's after it", { later: [prompt("<local-command-stdout>x")] }, undefined],
        [
          "instructions that changed since the launch",
          { home: record("launch.json", LAUNCH) },
          "The reviewer's instructions came from /p/SUPERVISOR.md when the session started",
        ],
        [
          "a baseline that is older than the last prompt",
          { home: record("baseline.json", BASELINE) },
          "The session continued without supervision",
        ],
      ])("%s", async (_, given, warning) => {
        const { stdout } = await review(["--json"], given);
        const { findings } = JSON.parse(stdout);
        expect(findings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
      });
    });

    test("--json prints one value", async () => {
      const { stdout, exitCode } = await review(["--json", "--provider", "kimi"], {
        answer: verdict(false, "No test."),
      });
      expect(exitCode).toBe(3);
      expect(JSON.parse(stdout)).toMatchObject({
        ...{ session: SESSION, verdict: "not done", exit_code: 3, feedback: "No test." },
        ...{ reviewer: "kimi", findings: [] },
      });
    });

    test("a check that fails is the verdict, and nobody is asked", async () => {
      const { exitCode, stdout, asked, ran } = await review(["--check", "npm test"], {
        check: { exitCode: 1, lines: ["1 failed"] },
      });
      expect({ exitCode, asked, ran }).toEqual({ exitCode: 3, asked: [], ran: ["npm test"] });
      expect(stdout).toStartWith("NOT done: a check failed: npm test (exit 1).\n");
    });

    test.each([
      [["--check", "true", "--check", " "], "--check takes a command"],
      [["--model", " "], "--model takes the name of a model"],
      [["--provider", "kimmi"], 'unknown provider "kimmi"'],
    ])("%j is refused before anything is asked or written", async (args, says) => {
      const { exitCode, stdout, stderr, asked, settings } = await review(args);
      expect({ exitCode, stdout, asked, settings }).toEqual({ exitCode: 2, stdout: "", asked: [], settings: [] });
      expect(stderr).toContain(says);
    });

    test("keys are masked in what the reviewer and the checks say, also those that ccc.json only refers to", async () => {
      const config = { providers: { glm: { env: { ...server("glm").env, ANTHROPIC_AUTH_TOKEN: "file:~/key" } } } };
      const answer = verdict(false, "add.py has the key key-in-a-file in it");
      for (const args of [[], ["--json"]]) {
        const { stdout, stderr, settings } = await review(args, { config, answer, home: { key: "key-in-a-file\n" } });
        expect(stdout).toContain("add.py has the key *** in it");
        expect(`${stdout}${stderr}${JSON.stringify(settings)}`).not.toContain("key-in-a-file");
      }
    });

    test.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)("%s ends it without a verdict: exit %d", async (signal, code) => {
      const { exitCode, stdout, stderr, asked, isListening } = await review([], {
        signal,
        answer: { exitCode: null, ending: "interrupted" },
      });
      expect({ exitCode, stdout, isListening }).toEqual({ exitCode: code, stdout: "", isListening: false });
      expect(stderr).toEndWith("ccc: interrupted; nothing was changed\n");
      expect(asked).toHaveLength(1);
    });
  });

  describe("in a folder that is pinned to glm only", () => {
    const pinned = (cwd: string) => ({ folders: { [cwd]: { provider: "glm", only: true } } });
    const here = (more: object = {}) => ({ configIn: (cwd: string) => ({ ...pinned(cwd), ...more }) });

    test("another provider that is named is refused, and told how to allow it", async () => {
      const { exitCode, stderr, asked, settings } = await review(["--provider", "kimi"], here());
      expect({ exitCode, asked, settings }).toEqual({ exitCode: 2, asked: [], settings: [] });
      expect(stderr).toContain("is pinned to glm only: kimi must not see its files");
      expect(stderr).toContain("ccc review --anyway --provider kimi");
    });

    test("--anyway allows it", async () => {
      const { exitCode, settings } = await review(["--provider", "kimi", "--anyway"], here());
      expect(exitCode).toBe(0);
      expect(settings.map(({ provider }) => provider)).toEqual(["kimi"]);
    });

    test("glm itself may review", async () =>
      expect(await review(["--provider", "glm"], here())).toMatchObject({
        exitCode: 0,
        settings: [{ provider: "glm" }],
      }));

    test("a reviewer in ccc.json is replaced by glm, and that is said", async () => {
      const { exitCode, settings, stderr } = await review([], here({ supervisor: { provider: "kimi" } }));
      expect({ exitCode, providers: settings.map(({ provider }) => provider) }).toEqual({
        exitCode: 0,
        providers: ["glm"],
      });
      expect(stderr).toContain("kimi");
    });
  });

  describe("what the reviewer sees", () => {
    const shared = async (args: readonly string[], minutesAgo: number, config: object = {}) => {
      const { stdout } = await review([...args, "--json"], { minutesAgo, config });
      return JSON.parse(stdout).context;
    };
    test.each([
      ["the session, while its prompt cache is warm", [], 4, "session"],
      ["a digest, once that would be paid for in full", [], 5, "fresh"],
      ["the session whatever it costs, if the user says so", ["--context", "session"], 60, "session"],
      ["a digest, if the user says so", ["--context", "fresh"], 0, "fresh"],
    ])("%s", async (_, args, minutesAgo, wanted) => expect(await shared(args, minutesAgo)).toBe(wanted));

    test("as ccc.json has it, without an option", async () =>
      expect(await shared([], 60, { supervisor: { context: "session" } })).toBe("session"));

    test.each([
      ["where the agent was last", { "sub/add.py": "" }, true],
      ["the project, if that folder is gone", { "add.py": "" }, false],
      ["the project, if that is a file now", { sub: "" }, false],
    ])("%s", async (_, project, isThere) => {
      const { asked, cwd } = await review([], { agentIn: "sub", project });
      expect(String(asked[0]?.stdin).includes(`${join(cwd, "sub")}, which is not where you are: look there.`)).toBe(
        isThere,
      );
    });

    test("the agent's own settings, which share its prompt cache, but another provider only its own", async () => {
      const config = { claude_args: ["--settings", '{"env":{"MINE":"1"}}'] };
      const [own] = (await review([], { config })).settings;
      const [other] = (await review(["--provider", "kimi"], { config })).settings;
      expect(own?.text).toContain('"MINE": "1"');
      expect(other?.text).not.toContain("MINE");
    });
  });
});

describe("render review", () => {
  const USAGE = { inputTokens: 1000, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 30, costUsd: undefined };
  const MET = { ...newCriterion("C1", "it adds"), status: "met", evidence: "add.py:1" } as const;
  const UNMET = { ...newCriterion("C2", "tests pass"), evidence: "\u001b[31mr\u200be\u2060d" };
  const LOOKED = { usage: USAGE, seconds: 41, looked: ["Read: add.py"], reviewer: "glm" };
  const CHECK = { command: "npm test", ending: "exit 1", isPassed: false, seconds: 3, output: "1 failed" };
  const PASSED = { ...CHECK, command: "true", ending: "exit 0", isPassed: true };

  /** Only the parts that matter: outcomes have more. */
  function reviewed(outcome: object, notes: SessionReview["notes"] = {}, rest: Partial<SessionReview> = {}) {
    const review = { outcome, notes, findings: [], signal: undefined, ...rest } as unknown as SessionReview;
    const result = reviewResult("id", "/p", review);
    expect(v.is(ReviewResultSchema, result)).toBe(true);
    return { result, text: renderReview(result, Number.POSITIVE_INFINITY) };
  }

  const COST = "Reviewed by glm in 41 s: 1,200 tokens in (200 from the cache), 30 out.\n";

  test("docs/review.md explains every field of the JSON", async () => {
    const docs = await Bun.file(join(import.meta.dir, "../../../../docs/review.md")).text();
    const [, section = ""] = docs.split("\n## JSON\n");
    const fields = Object.keys(ReviewResultSchema.entries);
    expect(fields.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  });

  describe("a review", () => {
    test("that says done", () => {
      const done = { kind: "done", rounds: 1, feedback: "fine", criteria: [MET], ...LOOKED };
      const { result, text } = reviewed(done, { feedback: "fine", way: "fresh", checks: [PASSED] });
      expect(result).toMatchObject({ verdict: "done", exit_code: 0, context: "fresh", reviewer: "glm", instead: null });
      expect(text).toBe(
        `Done: 1 of 1 met.\n\n✓ C1: it adds\n    add.py:1\n\n✓ check: true (exit 0)\n\nThe reviewer says:\n  fine\n\n${COST}`,
      );
    });

    test("that says not done has the reviewer's own words, without terminal codes", () => {
      const outcome = { kind: "rework", round: 1, feedback: "for the agent", criteria: [MET, UNMET], ...LOOKED };
      const { result, text } = reviewed(outcome, { feedback: "one\ntwo\u0007", way: "shared" });
      expect(result).toMatchObject({
        verdict: "not done",
        exit_code: 3,
        feedback: "one\ntwo\u0007",
        context: "session",
      });
      expect(text).toBe(
        `NOT done: 1 of 2 met.\n\n✓ C1: it adds\n    add.py:1\n✗ C2: tests pass\n    red\n\nWhat is missing:\n  one\n  two\n\n${COST}`,
      );
    });

    test("that a check prevented asked nobody, and rules on nothing", () => {
      const outcome = {
        kind: "rework",
        round: 1,
        feedback: "A check failed",
        check: "npm test (exit 1)",
        criteria: [UNMET],
      };
      const { result, text } = reviewed({ ...outcome, looked: [], seconds: 41 }, { checks: [PASSED, CHECK] });
      expect(result).toMatchObject({
        verdict: "check failed",
        exit_code: 3,
        reviewer: null,
        context: null,
        criteria: [],
      });
      expect(result.checks.map(({ passed }) => passed)).toEqual([true, false]);
      expect(text).toBe(
        "NOT done: a check failed: npm test (exit 1).\n\n✓ check: true (exit 0)\n\nThe last lines of its output:\n  1 failed\n\nNo model was asked. It took 41 s.\n",
      );
    });

    test.each([
      [0.9, "No model was asked.\n"],
      [1, "No model was asked. It took 1 s.\n"],
    ])("that a check prevented after %d s, silently", (seconds, ending) => {
      const outcome = { kind: "rework", round: 1, feedback: "x", check: "npm test (exit 1)", criteria: [], looked: [] };
      const { text } = reviewed({ ...outcome, seconds }, { checks: [{ ...CHECK, output: " \n" }] });
      expect(text).toBe(`NOT done: a check failed: npm test (exit 1).\n\nIt printed nothing.\n\n${ending}`);
    });

    test("that needs the user", () => {
      const outcome = { kind: "needs_user", rounds: 1, feedback: "Which one?", criteria: [], ...LOOKED };
      const { result, text } = reviewed(outcome, { feedback: "Which one?" });
      expect(result).toMatchObject({ verdict: "needs you", exit_code: 5 });
      expect(text).toBe(`Needs you.\n\nWhat you have to decide or to do:\n  Which one?\n\n${COST}`);
    });

    test("without a verdict says why, and who could not", () => {
      const outcome = { kind: "unreviewed", why: "the API refused the key.", ...LOOKED, instead: "kimi: no credit" };
      const { result, text } = reviewed(outcome, { feedback: "a verdict that does not count" });
      expect(result).toMatchObject({ verdict: "not reviewed", exit_code: 4, feedback: "", criteria: [] });
      const cost = COST.replace("Reviewed by glm in 41 s", "glm was asked for 41 s");
      expect(text).toBe(
        `NOT reviewed: the API refused the key.\n\nOthers could not review. kimi: no credit.\n\n${cost}`,
      );
    });

    test.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 143],
    ] as const)("that %s ended has exit code %d", (signal, code) =>
      expect(reviewed({ kind: "unreviewed", why: "x", ...LOOKED }, {}, { signal }).result.exit_code).toBe(code),
    );

    test("fits a narrow terminal: what is missing stays in its column", () => {
      const outcome = { kind: "rework", round: 1, feedback: "", criteria: [], ...LOOKED };
      const feedback = "Say in README.md what add.py does, with an example.";
      const { result } = reviewed(outcome, { feedback });
      expect(renderReview(result, 40)).toStartWith(
        "NOT done.\n\nWhat is missing:\n  Say in README.md what add.py does,\n  with an example.\n\nReviewed by glm",
      );
    });
  });
});

describe("show progress", () => {
  function shown(isTerminal: boolean, columns = 60) {
    const { world, said } = fakeWorld({ isTerminal: () => isTerminal, columns: () => columns });
    const progress = showProgress(world);
    progress.start("s1", "glm", 2);
    progress.step("check npm test");
    progress.step("");
    progress.step(`Read ${"very/long/".repeat(20)}`);
    progress.trouble("glm: HTTP 429");
    progress.stop();
    return said;
  }

  test("a script gets a line, and one for each trouble", () =>
    expect(shown(false)).toEqual({
      stdout: "",
      stderr: "… reviewing session s1: 2 checks first, then glm\n… glm: HTTP 429\n",
    }));

  test("a terminal also shows what the review does, in lines that fit", () => {
    const { stderr, stdout } = shown(true);
    expect(stdout).toBe("");
    const lines = stderr.split(/[\r\n]+/).map((line) => Bun.stripANSI(line));
    const LONG = expect.stringMatching(/^glm is reviewing: Read very\/long\/.* 0 s$/);
    expect(lines.map((line) => line.replace(/^\p{So} /u, ""))).toEqual([
      "… reviewing session s1: 2 checks first, then glm",
      "preparing the review 0 s",
      "check npm test 0 s",
      "glm is reviewing 0 s",
      LONG,
      "… glm: HTTP 429",
      LONG,
      "",
    ]);
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
  });

  test.each([
    [0, "… reviewing session s1: glm\n"],
    [1, "… reviewing session s1: a check first, then glm\n"],
  ])("%d checks", (checks, line) => {
    const { world, said } = fakeWorld();
    showProgress(world).start("s1", "glm", checks);
    expect(said.stderr).toBe(line);
  });
});
