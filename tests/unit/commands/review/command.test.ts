import { describe, expect, test } from "bun:test";
import { chmodSync, utimesSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { run } from "../../../../src/cli/run.ts";
import { everyValue, ReviewResultSchema } from "../../../../src/commands/review/command.ts";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { diskFiles, makeScratch } from "../../../../src/os/files.ts";
import { asObject, type Json } from "../../../../src/text/json.ts";
import type { EndSignal } from "../../../../src/world.ts";
import { fakeWorld, withMessage } from "../../fakes.ts";
import { type Answer, SESSION, verdict } from "../../supervisor/session-in-memory.ts";

describe("ccc review", () => {
  const server = (name: string) => ({
    env: {
      ANTHROPIC_BASE_URL: `https://${name}.test`,
      ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}`,
      ANTHROPIC_MODEL: `model-of-${name}`,
    },
  });
  const CONFIG = { current_provider: "glm", providers: { glm: server("glm"), kimi: server("kimi") } };
  /** For tests about other subjects than confirmation. */
  const ONE_REVIEW = { confirm: false };

  /** When the session was last written to, in seconds. */
  const WRITTEN = 1_000_000;

  function withOneReview(config: Json): Json {
    return { ...config, supervisor: { ...ONE_REVIEW, ...asObject(config.supervisor) } };
  }

  interface Given {
    readonly config?: object;
    readonly configIn?: (project: string) => object;
    /** More files in the home. */
    readonly home?: Readonly<Record<string, string>>;
    /** What the reviewer answers. */
    readonly answer?: Answer;
    /** What a reviewer answers that was asked before. */
    readonly firstAnswer?: Answer;
    /** What a check prints, and its exit code. */
    readonly check?: (command: string) => Answer;
    /** How long a check or the reviewer takes. */
    readonly seconds?: number;
    /** Arrives while the reviewer works. */
    readonly signal?: EndSignal;
    /** The width of the terminal; without one, a script reads the output. */
    readonly columns?: number;
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
          type: "assistant",
          timestamp: "2026-01-01T10:00:00Z",
          cwd: join(cwd, given.agentIn ?? ""),
          message: { stop_reason: "end_turn", model: "model-of-glm", content: [{ type: "text", text: "I wrote it." }] },
        },
        ...(given.later ?? []),
      ];
      files.writePrivate(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      utimesSync(transcript, WRITTEN, WRITTEN);
      files.writePrivate(
        join(home, ".claude/ccc.json"),
        JSON.stringify(withOneReview({ ...CONFIG, ...given.config, ...given.configIn?.(cwd) })),
      );
      for (const [name, text] of Object.entries(given.project ?? { "add.py": "" }))
        files.writePrivate(join(cwd, name), text);
      for (const [name, text] of Object.entries(given.home ?? {})) files.writePrivate(join(home, name), text);
      const claude = join(bin, "claude");
      files.writePrivate(claude, "");
      chmodSync(claude, 0o755);
      const asked: ChildRequest[] = [];
      const ran: string[] = [];
      let clock = WRITTEN * 1000 + (given.minutesAgo ?? 0) * 60_000;
      let onSignal: (signal: EndSignal) => void = () => {};
      let isListening = false;
      const answerTo = (request: ChildRequest): Answer => {
        if (request.program.args[0] === "--version") return { lines: ["2.1.325 (Claude Code)"] };
        if (request.program.file === claude) {
          asked.push(request);
          if (given.signal !== undefined) onSignal(given.signal);
          const first = asked.length === 1 ? given.firstAnswer : undefined;
          return first ?? given.answer ?? verdict(true, "All there.");
        }
        if (!request.program.args.includes("-c")) return { exitCode: 128 };
        const command = request.program.args.at(-1) ?? "";
        ran.push(command);
        return given.check?.(command) ?? {};
      };
      const { world, said } = fakeWorld({
        argv: ["review", ...args],
        cwd,
        env: { HOME: home, PATH: bin },
        files,
        now: () => new Date(clock),
        ...(given.columns === undefined ? {} : { isTerminal: () => true, columns: () => given.columns ?? 0 }),
        onSignal: (handler) => {
          onSignal = handler;
          isListening = true;
          return () => {
            isListening = false;
          };
        },
        run: async (request) => {
          const { lines = [], ...end } = answerTo(await withMessage(request));
          const bytes = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
          const isStopped = bytes.some((line) => request.onLine(new TextEncoder().encode(line)));
          if (asked.length + ran.length > 0) clock += (given.seconds ?? 0) * 1000;
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

  describe("a review", () => {
    test("asks the session's own provider, prints the verdict, and keeps nothing of it", async () => {
      const { asked, ...result } = await review([]);
      expect(result).toMatchObject({
        exitCode: 0,
        stdout: "Done.\n\nThe reviewer says:\n  All there.\n\nReviewed by glm in 1 s: 0 tokens in, 0 out.\n",
        stderr: `… reviewing session ${SESSION}: glm\n`,
        settings: [{ provider: "glm" }],
        isListening: false,
        isRecorded: false,
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
        cwd: "/p",
        claude: "/claude",
        instructions: { path: "/p/SUPERVISOR.md", text: "look" },
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
        ["no command of the shell's after it", { later: [prompt("<bash-input>ls</bash-input>")] }, undefined],
        [
          "no such command that the agent answered",
          { later: [prompt("<bash-input>ls</bash-input>"), prompt("<bash-stdout>a</bash-stdout>"), ANSWER] },
          undefined,
        ],
        [
          "no answer of the agent's to what such a command printed",
          { later: [prompt("<bash-stdout>a"), ANSWER] },
          undefined,
        ],
        [
          "instructions that changed since the launch",
          { home: record("launch.json", LAUNCH) },
          "The reviewer's instructions changed after the session started. This review uses the current ones.",
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
        session: SESSION,
        verdict: "not done",
        exit_code: 3,
        feedback: "No test.",
        reviewer: "kimi",
        findings: [],
      });
    });

    test("a check that fails is the verdict, and no model is asked", async () => {
      const { exitCode, stdout, asked, ran } = await review(["--check", "npm test"], {
        check: () => ({ exitCode: 1, lines: ["1 failed"] }),
      });
      expect({ exitCode, asked, ran }).toEqual({ exitCode: 3, asked: [], ran: ["npm test"] });
      expect(stdout).toStartWith("NOT done: a check failed: npm test (exit 1).\n");
    });

    test.each([
      [["--check", "true", "--check", " "], "--check takes a command"],
      [["--model", " "], "--model takes the name of a model"],
      [["--provider", "kimmi"], 'unknown provider "kimmi": did you mean "kimi"?'],
    ])("%j is refused before anything is asked or written", async (args, says) => {
      const { exitCode, stdout, stderr, asked, settings } = await review(args);
      expect({ exitCode, stdout, asked, settings }).toEqual({ exitCode: 2, stdout: "", asked: [], settings: [] });
      expect(stderr).toContain(says);
    });

    test("keys are masked in what the reviewer and the checks say, even those that ccc.json only refers to", async () => {
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
      ["SIGHUP", 143],
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

    test("another provider that is named is refused, with advice on how to allow it", async () => {
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

    test("a reviewer in ccc.json is replaced by glm, and ccc says so", async () => {
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

  describe("what is shown of", () => {
    const USAGE = { input_tokens: 1000, cache_read_input_tokens: 200, output_tokens: 30 };
    const MET = { id: "C1", text: "it adds", status: "met", evidence: "add.py:1" };
    const UNMET = { id: "C2", text: "tests pass", status: "unmet", evidence: "there \u001b[31mare none" };
    const LOOK = { type: "tool_use", id: "t1", name: "Read", input: { file_path: "add.py" } };

    /** A reviewer that reads add.py for 41 seconds, and then answers. */
    function answer(completed: boolean, feedback: string, more: object = {}): Given {
      const { lines: [result = {}] = [] } = verdict(completed, feedback, more);
      const seen = { type: "tool_result", tool_use_id: "t1", content: "def add" };
      const lines = [
        { type: "assistant", message: { content: [LOOK] } },
        { type: "user", message: { content: [seen] } },
        { ...Object(result), usage: USAGE },
      ];
      return { answer: { lines }, seconds: 41 };
    }

    const COST = "Reviewed by glm in 41 s: 1,200 tokens in (200 from the cache), 30 out.\n";

    test("done", async () => {
      const { stdout } = await review([], answer(true, "fine", { criteria: [MET] }));
      expect(stdout).toBe(`Done: 1 of 1 met.\n\n✓ C1: it adds\n    add.py:1\n\nThe reviewer says:\n  fine\n\n${COST}`);
    });

    test("a done that was given with the conversation, and is confirmed", async () => {
      const done = answer(true, "fine", { criteria: [MET] });
      const both = async (confirm: unknown, ...args: string[]) => {
        const { stdout } = await review([...args, "--json"], { ...done, config: { supervisor: { confirm } } });
        const { reviewer, context, confirmation, seconds, input_tokens } = JSON.parse(stdout);
        return { reviewer, context, by: confirmation?.reviewer, its: confirmation?.seconds, seconds, input_tokens };
      };
      const { stdout } = await review([], { ...done, config: { supervisor: { confirm: "kimi" } } });
      expect(stdout).toEndWith(
        "\n\nReviewed by glm, confirmed by kimi, in 1m22s: 2,400 tokens in (400 from the cache), 60 out.\n",
      );
      expect(await both("kimi")).toEqual({
        reviewer: "glm",
        context: "session",
        by: "kimi",
        its: 41,
        seconds: 82,
        input_tokens: 2 * USAGE.input_tokens,
      });
      // Who is named on the command line reviews alone.
      expect(await both("kimi", "--provider", "glm")).toMatchObject({ by: "glm", its: 41 });
      expect(await both(true, "--context", "fresh")).toMatchObject({ context: "fresh", by: undefined, seconds: 41 });
    });

    test("not done: the reviewer's own words, without terminal codes", async () => {
      const { stdout } = await review(
        [],
        answer(false, "one\n\u001b[31mt\u200bw\u2060o\u0007", { criteria: [MET, UNMET] }),
      );
      expect(stdout).toBe(
        `NOT done: 1 of 2 met.\n\n✓ C1: it adds\n    add.py:1\n✗ C2: tests pass\n    there are none\n\nWhat is missing:\n  one\n  two\n\n${COST}`,
      );
    });

    test("a check that failed: the checks before it, and its output", async () => {
      const check = (command: string) => ({ exitCode: command === "npm test" ? 1 : 0, lines: ["1 failed"] });
      const { stdout } = await review(["--check", "true", "--check", "npm test"], { check, seconds: 3 });
      expect(stdout).toBe(
        "NOT done: a check failed: npm test (exit 1).\n\n✓ check: true (exit 0)\n\nThe last lines of its output:\n  1 failed\n\nNo model was asked. It took 6 s.\n",
      );
    });

    test("a check that failed: it rules on no criterion of an earlier review", async () => {
      const state = {
        session_id: SESSION,
        count: 1,
        created_at: "2026-01-01T09:00:00Z",
        updated_at: "2026-01-01T09:00:00Z",
        ledger: { criteria: [UNMET], prompts: 1 },
      };
      const home = { [`.claude/ccc/sessions/${SESSION}/state.json`]: JSON.stringify(state) };
      const criteria = async (given: Given) =>
        JSON.parse((await review(["--json", "--check", "npm test"], { ...given, home })).stdout).criteria;
      expect(await criteria({ check: () => ({ exitCode: 1 }) })).toEqual([]);
      expect(await criteria({ answer: verdict(false, "No.", { criteria: [UNMET] }) })).toMatchObject([{ id: "C2" }]);
    });

    test.each([
      [0, "No model was asked.\n"],
      [1, "No model was asked. It took 1 s.\n"],
    ])("a check that failed silently after %d s", async (seconds, ending) => {
      const check = () => ({ exitCode: 1, lines: [" "] });
      const { stdout } = await review(["--check", "npm test"], { check, seconds });
      expect(stdout).toBe(`NOT done: a check failed: npm test (exit 1).\n\nIt printed nothing.\n\n${ending}`);
    });

    test("a question for the user", async () => {
      const { exitCode, stdout } = await review([], answer(false, "Which one?", { needs_user: true }));
      expect(exitCode).toBe(5);
      expect(stdout).toBe(`Needs you.\n\nWhat you have to decide or to do:\n  Which one?\n\n${COST}`);
    });

    const REFUSED = {
      lines: [{ type: "result", is_error: true, api_error_status: 401, result: "bad key", usage: USAGE }],
    };
    const WHY = (name: string) =>
      `the API refused the reviewer's key (HTTP 401): bad key; check it with \`ccc validate ${name}\``;

    test("no verdict: the reason", async () => {
      const given = { answer: REFUSED, seconds: 41 };
      const { exitCode, stdout } = await review([], given);
      expect(exitCode).toBe(4);
      const cost = COST.replace("Reviewed by glm in 41 s", "glm was asked for 41 s");
      expect(stdout).toStartWith(`NOT reviewed: ${WHY("glm")}. To have another provider review`);
      expect(stdout).toEndWith(`.\n\n${cost}`);
      expect(JSON.parse((await review(["--json"], given)).stdout)).toMatchObject({
        verdict: "not reviewed",
        exit_code: 4,
        reason: expect.stringContaining(WHY("glm")),
        feedback: "",
        criteria: [],
        instead: null,
      });
    });

    test("a fallback: why the reviewer before it could not review", async () => {
      const config = { supervisor: { provider: "kimi", fallback: ["glm"] } };
      const given = { config, firstAnswer: REFUSED, ...answer(true, "fine") };
      const { stdout } = await review([], given);
      expect(stdout).toContain(`\n\nReviewers that failed: kimi: ${WHY("kimi")}.\n\nReviewed by glm in `);
      expect(JSON.parse((await review(["--json"], given)).stdout)).toMatchObject({
        verdict: "done",
        reviewer: "glm",
        instead: `kimi: ${WHY("kimi")}`,
        looked: ["Read: add.py"],
      });
    });

    test("a narrow terminal: what is missing stays in its column", async () => {
      const feedback = "Say in README.md what add.py does, with an example.";
      const { stdout } = await review([], { ...answer(false, feedback), columns: 40 });
      expect(stdout).toStartWith(
        "NOT done.\n\nWhat is missing:\n  Say in README.md what add.py does,\n  with an example.\n\nReviewed by glm",
      );
    });

    test("the review in progress: a script gets one line, and one for each trouble", async () => {
      const retry = { type: "system", subtype: "api_retry", attempt: 1, max_retries: 10, error_status: 429 };
      const { lines = [] } = verdict(true, "fine");
      const { stderr } = await review(["--check", "true", "--check", "make"], { answer: { lines: [retry, ...lines] } });
      expect(stderr).toBe(
        `… reviewing session ${SESSION}: 2 checks first, then glm\n… glm: the API answers HTTP 429; claude is retrying (1 of 10)\n`,
      );
    });

    test("the review in progress: a terminal also shows what it does, in lines that fit", async () => {
      const { stdout, stderr } = await review(["--check", "npm test"], { ...answer(true, "fine"), columns: 30 });
      expect(stdout).toStartWith("Done.");
      const [first, id, then, ...lines] = stderr.split(/[\r\n]+/).map((line) => Bun.stripANSI(line));
      expect([first, id, then]).toEqual(["… reviewing session", `  ${SESSION}:`, "  a check first, then glm"]);
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(30);
      const shown = lines.map((line) => line.replace(/^\p{So} /u, ""));
      for (const wanted of ["check npm test 0 s", "glm is reviewing 0 s", ""]) expect(shown).toContain(wanted);
      expect(shown).toContainEqual(expect.stringMatching(/^glm is reviewing: .*… 0 s$/));
    });
  });

  test("docs/review.md explains every field of the JSON, which matches its schema", async () => {
    const docs = await Bun.file(join(import.meta.dir, "../../../../docs/review.md")).text();
    const [, section = ""] = docs.split("\n## JSON\n");
    const fields = Object.keys(ReviewResultSchema.entries);
    expect(fields.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
    const { stdout } = await review(["--json", "--check", "true"]);
    expect(v.safeParse(ReviewResultSchema, JSON.parse(stdout)).issues).toBeUndefined();
  });
});

describe("an option that may be given several times", () => {
  test.each([
    [[], []],
    [["id", "--json"], []],
    [
      ["--check", "a b", "--json", "--check=c", "id"],
      ["a b", "c"],
    ],
    [["--model", "m", "--check", "--odd"], ["--odd"]],
  ])("%p", (words, wanted) => expect(everyValue(words, "check")).toEqual(wanted));
});
