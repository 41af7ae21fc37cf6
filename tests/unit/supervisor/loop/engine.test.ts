import { describe, expect, test } from "bun:test";
import { CccError } from "../../../../src/errors.ts";
import type { EndSignal, World } from "../../../../src/world.ts";
import { memoryFiles } from "../../fakes.ts";
import { type Answer, type Given, SESSION, startSession, verdict } from "../session-in-memory.ts";

describe("launch loop", () => {
  const usage = { input_tokens: 100, output_tokens: 10 };

  /** A run of the agent that ends with this answer. */
  function agent(answer: string, more: object = {}): Answer {
    const says = { type: "assistant", message: { content: [{ type: "text", text: `${answer}…` }] } };
    const result = { type: "result", subtype: "success", is_error: false, result: answer, usage, ...more };
    return { lines: [{ type: "system", subtype: "init", session_id: SESSION }, says, result] };
  }

  const loop = (claude: readonly Answer[], given: Given = {}) =>
    startSession({ argv: ["--supervisor", "--engine", "loop", "glm", "do it"], claude, ...given });

  describe("the loop runs agent and reviewer in turn", () => {
    test("until the reviewer says done; the last answer is on stdout", async () => {
      const { exitCode, stdout, stderr, asked, record } = await loop([
        agent("first"),
        verdict(false, "the tests are missing"),
        agent("second"),
        verdict(true, "fine"),
      ]);
      expect([exitCode, stdout]).toEqual([0, "second\n"]);
      expect(stderr).toContain("first…");
      expect(stderr).toContain("Review 1 of 10: not done");
      expect(stderr).toContain("  the tests are missing");
      expect(stderr).toContain("Review 2 of 10: done");
      expect(asked).toHaveLength(4);
      expect(asked[2]?.program.args).toEqual(expect.arrayContaining(["--resume", SESSION]));
      expect(asked[2]?.stdin).toMatchObject({ input: expect.stringContaining("the tests are missing") });
      expect(record().prompts.read()).toMatchObject([{ by_user: true, text: "do it" }]);
      expect(
        record()
          .stops.read()
          ?.flatMap(({ outcome }) => outcome ?? []),
      ).toEqual(["rework", "done"]);
    });

    test.each(["--output-format=json", "--no-session-persistence", "--bg"])("not with %s", async (option) => {
      const argv = ["--supervisor", "--engine", "loop", "glm", option, "do it"];
      const { exitCode, stderr, asked } = await loop([], { argv });
      expect(stderr).toContain(`${option} cannot be combined with --engine loop`);
      expect([exitCode, asked]).toEqual([2, []]);
    });

    test("the prompt is an argument only if ccc got it that way", async () => {
      const done = [agent("ok"), verdict(true, "fine")];
      const given = await loop(done);
      expect(given.asked[0]?.program.args.at(-1)).toBe("do it");
      const piped = await loop(done, {
        argv: ["--supervisor", "--engine", "loop", "glm"],
        parts: { stdin: () => " from a pipe \n" },
      });
      expect(piped.asked[0]?.program.args.join(" ")).not.toContain("from a pipe");
      expect(piped.asked[0]?.stdin).toEqual({ isTerminal: true, input: "from a pipe" });
    });

    test("a prompt that is too long for an argument goes to stdin", async () => {
      const runs = [30_000, 30_001].map(async (length) => {
        const long = "x".repeat(length);
        const { asked } = await loop([agent("ok"), verdict(true, "fine")], {
          argv: ["--supervisor", "--engine", "loop", "glm", long],
        });
        return [asked[0]?.program.args.includes(long), asked[0]?.stdin];
      });
      expect(await Promise.all(runs)).toEqual([
        [true, { isTerminal: true, input: undefined }],
        [false, { isTerminal: true, input: "x".repeat(30_001) }],
      ]);
    });

    test("keys are masked in what is shown and in the answer", async () => {
      const { stdout, stderr } = await loop([agent("the key is secret-key-of-kimi"), verdict(true, "fine")]);
      expect(stdout).toStartWith("the key is ");
      expect(stdout + stderr).not.toContain("secret-key-of-kimi");
    });
  });

  describe("on another provider", () => {
    const LIMIT = agent("API Error: 429 Usage limit reached. It resets at 2026-01-01T12:00:00Z", { is_error: true });
    const THINKING = agent("API Error: 400 reasoning_content is missing in assistant message", {
      is_error: true,
      api_error_status: 400,
    });
    const content = { [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: "{}\n" };
    const settingsOf = ({ program: { args } }: { program: { args: readonly string[] } }) =>
      args[args.indexOf("--settings") + 1]?.replace(/^.*settings-(\w+)[^/]*$/, "$1");

    test("agent and reviewer have its settings and its key, and nobody has another's", async () => {
      const { asked, exitCode, files, record } = await loop([LIMIT, agent("done"), verdict(true, "fine")], {
        config: { fallback: ["kimi"] },
        content,
      });
      expect([exitCode, asked.map(settingsOf)]).toEqual([0, ["glm", "kimi", "kimi"]]);
      for (const { program } of asked) expect(JSON.stringify(program)).not.toContain("secret-key");
      const kimis = Object.entries(files.content).filter(([path]) => path.includes("/ccc/settings-kimi"));
      expect(kimis.length).toBeGreaterThan(1);
      for (const [, text] of kimis) {
        expect(text).toContain("https://kimi.test");
        expect(text).not.toContain("glm.test");
      }
      expect(record().launch.read()).toMatchObject({ provider: "kimi", reviewer: "kimi", same_model: true });
    });

    test("a review continues there, too, if the quota runs out in one", async () => {
      const { asked, exitCode, stderr } = await loop([agent("done"), LIMIT, verdict(true, "fine")], {
        config: { fallback: ["kimi"] },
        content,
      });
      expect([exitCode, asked.map(settingsOf)]).toEqual([0, ["glm", "glm", "glm"]]);
      expect(stderr).toContain("Asking kimi");
    });

    test("a server that wants thinking of its own model is asked without thinking, from then on", async () => {
      const { asked, exitCode, stderr } = await loop(
        [LIMIT, THINKING, agent("a"), verdict(false, "no"), agent("b"), verdict(true, "fine")],
        { config: { fallback: ["kimi"] }, content },
      );
      expect(exitCode).toBe(0);
      expect(stderr).toContain("… kimi wants its own model's thinking in every answer; continuing without thinking");
      const thinking = asked.map(({ program }) => program.env.MAX_THINKING_TOKENS);
      expect(thinking).toEqual([undefined, undefined, "0", undefined, "0", undefined]);
    });
  });

  describe("the loop ends", () => {
    const ends: [situation: string, claude: Answer[], given: Given, exitCode: number, says: string][] = [
      [
        "at the limit",
        [agent("a"), verdict(false, "no"), agent("b")],
        { config: { supervisor: { max_iterations: 1 } } },
        3,
        "Stopped after 1 review: NOT done",
      ],
      [
        "with a question",
        [agent("a"), verdict(false, "Which colour?", { needs_user: true })],
        {},
        5,
        "Needs you: Which colour?",
      ],
      ["without a reviewer", [agent("a"), { exitCode: 1 }], {}, 4, "NOT reviewed: claude exited without a result"],
      [
        "when the agent crashes",
        [{ exitCode: 7, stderr: "boom" }],
        {},
        1,
        "claude exited without a result (exit code 7): boom",
      ],
      [
        "when the agent is too slow",
        [{ ending: "timeout" }],
        { config: { supervisor: { agent_timeout_seconds: 1 } } },
        1,
        "the agent did not stop within 1 second ",
      ],
      [
        "with an error of the API",
        [agent("API Error: 400 bad", { is_error: true })],
        {},
        1,
        "claude reports an error: API Error: 400 bad",
      ],
      [
        "with nothing to review",
        [agent("hello"), verdict(true, "fine")],
        { config: { supervisor: { when: "changes" } } },
        4,
        "No review: no tool ran",
      ],
    ];
    test.each(ends)("%s", async (_, claude, given, exitCode, says) => {
      const ended = await loop(claude, given);
      expect(ended.stderr).toContain(says);
      expect(ended.exitCode).toBe(exitCode);
    });

    test("at a usage limit: at once without a terminal, else if it lasts longer than six hours", async () => {
      const limited = agent("API Error: 429 Usage limit reached. It resets at 2026-01-02T10:00:00Z", {
        is_error: true,
      });
      const reason = async (isTerminal: boolean) =>
        (await loop([limited], { parts: { isTerminal: (fd) => isTerminal && fd === 2 } })).stderr.replaceAll(
          /\s+/g,
          " ",
        );
      expect(await reason(false)).toContain(
        "Waiting is off (supervisor.limit_wait_seconds is 0, the default without a terminal)",
      );
      expect(await reason(true)).toContain("The longest wait is 6h");
    });

    test("after the first review of a prompt, if reviews cannot be counted: it could continue forever", async () => {
      const edit = () => {
        throw new CccError("the disk is full");
      };
      const claude = [agent("a"), verdict(false, "no"), agent("b"), verdict(true, "ok")];
      const { exitCode, stderr, asked } = await loop(claude, { refuse: { edit } });
      expect(stderr).toContain("Review 1 of 10: not done");
      expect([exitCode, asked.length]).toEqual([3, 3]);
    });

    test("before it begins, without a prompt", async () => {
      for (const stdin of [() => undefined, () => " \n"]) {
        const { exitCode, stderr, asked } = await loop([], {
          argv: ["--supervisor", "--engine", "loop", "glm"],
          parts: { stdin },
        });
        expect([exitCode, asked]).toEqual([2, []]);
        expect(stderr).toContain("no prompt");
      }
      const { exitCode, stderr } = await loop([], { argv: ["--supervisor", "--engine", "loop", "glm", "a\0b"] });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("NUL character")]);
    });

    test("with the time limit of ccc.json for the agent, or none", async () => {
      const limits = [0, 90].map(async (agent_timeout_seconds) => {
        const { asked } = await loop([agent("a"), verdict(true, "ok")], {
          config: { supervisor: { agent_timeout_seconds } },
        });
        return asked[0]?.timeoutMs;
      });
      expect(await Promise.all(limits)).toEqual([undefined, 90_000]);
    });

    test("and says how to continue, if Claude Code has saved the session", async () => {
      const saved = `/home/u/.claude/projects/-project/${SESSION}.jsonl`;
      const said = async (content: Record<string, string>) =>
        (await loop([agent("a"), { exitCode: 1 }], { content })).stderr;
      expect(await said({ [saved]: "{}\n" })).toContain(`To continue: ccc glm --resume ${SESSION}`);
      expect(await said({})).toContain("No session was started.");
    });

    test("with a report in the project, and a summary where GitHub wants one", async () => {
      const report = `/project/.claude/ccc/supervisor-${SESSION}-report.json`;
      const done = [agent("a"), verdict(true, "fine")];
      const { files } = await loop(done, { env: { GITHUB_STEP_SUMMARY: "/summary" } });
      expect(JSON.parse(files.read(report) ?? "{}")).toMatchObject({
        outcome: "done",
        exit_code: 0,
        provider: "glm",
        reviewer: "glm",
        handed_over: false,
        prompts: ["do it"],
      });
      expect(files.read("/summary")).toContain("fine");
      expect((await loop(done)).files.read("/summary")).toBeUndefined();
    });

    test("with its report and its answer, even if the session record cannot be read", async () => {
      const providers = { glm: { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "a-key" } } };
      const disk = memoryFiles({
        "/bin/claude": "claude",
        "/self/ccc": "this is ccc",
        "/home/u/.claude/ccc.json": JSON.stringify({ providers }),
      });
      const read = (path: string) => {
        if (path.endsWith("/prompts.jsonl")) throw new CccError(`cannot read ${path}: permission denied`);
        return disk.read(path);
      };
      const { exitCode, stdout, stderr } = await loop([agent("the answer")], { refuse: { ...disk, read } });
      expect([exitCode, stdout]).toEqual([1, "the answer\n"]);
      expect(stderr).toContain("prompts.jsonl: permission denied");
      expect(disk.read(`/project/.claude/ccc/supervisor-${SESSION}-report.json`)).toContain("the answer");
    });
  });

  describe("on a terminal", () => {
    const terminal = {
      content: { [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: "{}\n" },
      parts: { isTerminal: () => true },
    };
    test("the session is handed over, with hooks, and its end is ccc's end", async () => {
      const { started, exitCode, stdout, stderr } = await loop([agent("a"), verdict(true, "fine")], {
        ...terminal,
        during: async () => ({ exitCode: 6 }),
      });
      expect(started().args).toEqual(expect.arrayContaining(["--resume", SESSION]));
      expect(stderr).toContain("The session continues in Claude Code, supervised by the hook engine");
      expect([exitCode, stdout]).toEqual([6, ""]);
    });

    test("the session is handed over on the provider that it continued on", async () => {
      const LIMIT = agent("API Error: 429 Usage limit reached. It resets at 2026-01-01T12:00:00Z", { is_error: true });
      let hooked: string | undefined;
      const { started } = await loop([LIMIT, agent("a"), verdict(true, "fine")], {
        ...terminal,
        argv: ["--supervisor", "--engine", "loop", "--fallback", "kimi", "glm", "--model", "glm-5", "do it"],
        during: async ({ files, started }) => {
          const { args } = started();
          hooked = files.read(args[args.indexOf("--settings") + 1] ?? "");
          return {};
        },
      });
      expect(hooked).toContain("https://kimi.test");
      expect(hooked).toContain('"Stop"');
      expect(started().args).not.toContain("--model");
    });

    test("the session has ccc's commands, if hooks run in it to answer them", async () => {
      const args = async (env: Record<string, string>) =>
        (await loop([agent("a"), verdict(true, "fine")], { ...terminal, env })).started().args;
      expect(await args({})).toEqual(expect.arrayContaining(["--plugin-dir", "/home/u/.claude/ccc/plugin"]));
      const without = await args({ CLAUDE_CODE_SIMPLE: "1" });
      expect(without).toContain(SESSION);
      expect(without).not.toContain("--plugin-dir");
    });

    test("the footer says whether checks run as well", async () => {
      const shown = async (checks: string[]) => {
        const { stderr } = await loop([agent("a"), verdict(true, "fine")], {
          parts: terminal.parts,
          config: { supervisor: { checks } },
          program: () => ({ exitCode: 0 }),
        });
        return ["the supervisor is reviewing", "checking and reviewing"].filter((what) => stderr.includes(what));
      };
      expect(await shown([])).toEqual(["the supervisor is reviewing"]);
      expect(await shown(["make test"])).toEqual(["checking and reviewing"]);
    });

    test("the last lines are wrapped to its width; elsewhere a line stays a line", async () => {
      const figures = async (isTerminal: boolean) => {
        const parts: Partial<World> = { isTerminal: (fd) => isTerminal && fd === 2, columns: () => 40 };
        const { stderr } = await loop([agent("a"), verdict(true, "fine")], { parts });
        return stderr.slice(stderr.indexOf("1 agent run: ")).trimEnd().split("\n");
      };
      expect(await figures(false)).toHaveLength(1);
      const wrapped = await figures(true);
      expect(wrapped.length).toBeGreaterThan(1);
      expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(40);
    });

    test("without a prompt of the user the outcome of the loop stands", async () => {
      const { exitCode, stderr } = await loop([agent("a"), { exitCode: 1 }], {
        ...terminal,
        during: async ({ start }) => {
          const { answer } = await start({ source: "resume" });
          expect(String(answer.systemMessage)).toContain("NOT reviewed: claude exited without a result");
        },
      });
      expect(exitCode).toBe(4);
      expect(stderr).toContain("you sent no prompt, so the outcome stands: not reviewed (exit code 4)");
    });

    test("with one, the session decides, and is still reviewed", async () => {
      const { exitCode, asked } = await loop([agent("a"), { exitCode: 1 }], {
        ...terminal,
        during: async ({ start, prompt, stop }) => {
          await start({ source: "resume" });
          await prompt("go on");
          expect((await stop(verdict(true, "fine"))).answer.systemMessage).toStartWith("Review 1 of 10: done");
        },
      });
      expect([exitCode, asked.length]).toEqual([0, 3]);
    });

    test("with --no-handover ccc ends instead", async () => {
      const { started, stdout } = await loop([agent("a"), verdict(true, "fine")], {
        ...terminal,
        argv: ["--supervisor", "--engine", "loop", "--no-handover", "glm", "do it"],
      });
      expect([started().file, stdout]).toEqual(["", "a\n"]);
    });
  });

  describe("the user interrupts", () => {
    const interruptedBy = (signals: EndSignal[], given: Given = {}) => {
      let handler: (signal: EndSignal) => void = () => {};
      const parts: Partial<World> = {
        onSignal: (added) => {
          handler = added;
          return () => {};
        },
        ...given.parts,
      };
      const before = () => {
        for (const signal of signals) handler(signal);
      };
      return loop([{ ...agent("a"), before }, verdict(false, "no"), agent("b"), verdict(true, "fine")], {
        ...given,
        parts,
      });
    };
    test("with Ctrl-C: the loop ends, and nothing is reviewed", async () => {
      const { exitCode, stderr, asked } = await interruptedBy(["SIGINT"]);
      expect([exitCode, asked.length]).toEqual([130, 1]);
      expect(stderr).toContain("stopping; press Ctrl-C again to quit now");
      expect(stderr).toContain("Ctrl-C while the agent was working");
    });
    test("by another signal", async () => {
      const { exitCode, stderr } = await interruptedBy(["SIGTERM"]);
      expect(exitCode).toBe(143);
      expect(stderr).toContain("SIGTERM while the agent was working");
      expect(stderr).not.toContain("press Ctrl-C again");
    });
    const terminal = {
      content: { [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: "{}\n" },
      parts: { isTerminal: () => true },
    };
    test("on a terminal, with one Ctrl-C, to take over", async () => {
      const { started } = await interruptedBy(["SIGINT"], terminal);
      expect(started().args).toContain(SESSION);
    });
    test("on a terminal, with two, to quit", async () => {
      const { started, exitCode } = await interruptedBy(["SIGINT", "SIGINT"], terminal);
      expect([started().file, exitCode]).toEqual(["", 130]);
    });
  });

  describe("a session that is resumed", () => {
    test("keeps its earlier prompts, and the reviewer learns all of them", async () => {
      const path = `/home/u/.claude/ccc/sessions/${SESSION}/prompts.jsonl`;
      const earlier = {
        at: "2025-01-01T00:00:00Z",
        prompt_id: null,
        by_user: true,
        text: "the first task",
        mode: null,
      };
      const { asked, record } = await loop([agent("a"), verdict(true, "fine")], {
        argv: ["--supervisor", "--engine", "loop", "glm", "--resume", SESSION, "and more"],
        content: { [path]: `${JSON.stringify(earlier)}\n` },
      });
      expect(
        record()
          .prompts.read()
          ?.map(({ text }) => text),
      ).toEqual(["the first task", "and more"]);
      expect(String(asked[1]?.stdin)).toContain("the first task");
    });

    test("keeps its baseline: files that took git too long are not read again at once", async () => {
      const git = {
        "/project/.git": null,
        "/project/.git/objects": null,
        "/project/.git/HEAD": "ref: refs/heads/main\n",
      };
      const slow = {
        at: "2026-01-01T09:59:00.000Z",
        prompt_id: null,
        repository: "/project/.git/objects",
        bytes: 0,
        trees: [],
        store: "11111111-2222-4333-8444-666666666666",
        why: "too slow",
      };
      const changes = async (resumed: string) => {
        const { asked } = await loop([agent("a"), verdict(true, "fine")], {
          argv: ["--supervisor", "--engine", "loop", "glm", "--resume", resumed, "go on"],
          content: { ...git, [`/home/u/.claude/ccc/sessions/${resumed}/baseline.json`]: JSON.stringify(slow) },
        });
        return /\(not known: (.*)\)/.exec(String(asked[1]?.stdin))?.[1];
      };
      expect(await changes(SESSION)).toBe("too slow");
      // Claude Code also finds a session by its name, but a name is no path.
      expect(await changes("../elsewhere")).toBe("git was not found");
    });
  });

  test("instructions that changed are reported at the first review after it, and only there", async () => {
    const project = memoryFiles({ "/project/SUPERVISOR.md": "before" });
    const change = () => project.guarded("/project").replace("/project/SUPERVISOR.md", "after");
    const claude = [{ ...agent("a"), before: change }, verdict(false, "no"), agent("b"), verdict(true, "fine")];
    const { stderr } = await loop(claude, { refuse: { guarded: project.guarded } });
    const said = stderr.split("\n").filter((line) => /SUPERVISOR\.md changed|^Review \d/.test(line));
    expect(said.map((line) => line.split(" ")[0])).toEqual(["…", "Review", "Review"]);
  });

  describe("what the user types meanwhile", () => {
    /** stdin is a terminal that shows lines only. */
    const typing = (messages: string[][], unsent = "", task?: string): Given => ({
      parts: {
        isTerminal: (fd) => fd === 0,
        typing: () => ({ take: () => messages.shift() ?? [], next: async () => task, stop: () => unsent }),
      },
    });
    test("is the agent's next message, before any review", async () => {
      const { asked, record } = await loop([agent("a"), agent("b"), verdict(true, "fine")], typing([["also this"]]));
      expect(asked).toHaveLength(3);
      expect(asked[1]?.stdin).toMatchObject({ input: "also this" });
      expect(
        record()
          .prompts.read()
          ?.map(({ text }) => text),
      ).toEqual(["do it", "also this"]);
    });
    test("is shown at the end, if it was not sent", async () => {
      expect((await loop([agent("a"), verdict(true, "fine")], typing([], " half a "))).stderr).toContain(
        "not sent: half a\n",
      );
      expect((await loop([agent("a"), verdict(true, "fine")], typing([], " "))).stderr).not.toContain("not sent");
    });
    test("is the task, if there is none on the command line", async () => {
      const argv = ["--supervisor", "--engine", "loop", "glm"];
      const { asked } = await loop([agent("a"), verdict(true, "fine")], { argv, ...typing([], "", "the task") });
      expect(asked[0]?.stdin).toMatchObject({ input: "the task" });
    });
  });

  test("on a terminal the answer has no control characters, elsewhere it is as the agent wrote it", async () => {
    const answer = async (isTerminal: boolean) =>
      (
        await loop([agent("a\u001b[2Jb"), verdict(true, "fine")], {
          parts: { isTerminal: (fd) => isTerminal && fd === 1 },
        })
      ).stdout;
    expect(await answer(false)).toBe("a\u001b[2Jb\n");
    expect(await answer(true)).not.toContain("\u001b");
  });

  test("the reviewer of a loop reads a session that no terminal shows", async () => {
    // A version that shares the cache of `-p` sessions, but not of those in a terminal.
    const { asked } = await loop([agent("a"), verdict(true, "fine")], { version: "2.1.300" });
    expect(asked[1]?.program.args).toContain("--fork-session");
  });
});
