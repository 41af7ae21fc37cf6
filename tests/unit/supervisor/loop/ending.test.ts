import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { NO_USAGE } from "../../../../src/claude/stream.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { type EndedLoop, endLoop, ReportSchema } from "../../../../src/supervisor/loop/ending.ts";
import type { LoopLaunch } from "../../../../src/supervisor/loop/engine.ts";
import type { LoopResult } from "../../../../src/supervisor/loop/loop.ts";
import { usageFields } from "../../../../src/supervisor/record/stops.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import type { Program } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const ID = "3f2a0000-0000-4000-8000-000000000000";
const used = usageFields({ ...NO_USAGE, inputTokens: 10, outputTokens: 5, costUsd: undefined });
const FIGURES = "2 agent runs (1m12s): 10 tokens in, 5 out. 1 review (41 s): 10 tokens in, 5 out.";
const SECRETS = ["sk-0123456789abcdef", 'with"quote\\and-more', "reviewers-secret-key"];

const RESULT: LoopResult = {
  session_id: ID,
  outcome: "done",
  reason: "",
  usage_limit: null,
  prompts: [],
  rounds: [],
  nudges: 0,
  waited_seconds: 0,
  relays: [],
  answer: "",
  agent: { phases: 2, seconds: 72, ...used },
  reviews: { count: 1, seconds: 41, ...used },
};

interface Ending extends Partial<Pick<EndedLoop, "signals" | "queued" | "unsent">> {
  readonly handOver?: LoopLaunch["handOver"];
  readonly limit?: number;
  readonly notify?: boolean | string;
  readonly env?: Record<string, string>;
  readonly isTerminal?: boolean;
  /** Whether nothing can be written into the project. */
  readonly isReadOnly?: boolean;
  /** After a hand-over: how claude ended, and whether the user sent a prompt. */
  readonly claude?: { readonly exitCode: number; readonly hasPrompt: boolean };
}

/** Ends a loop whose session Claude Code has saved. */
async function ended(result: Partial<LoopResult>, ending: Ending = {}) {
  const { handOver = { kind: "none" }, limit = 10, notify = false, isTerminal = false, claude } = ending;
  const lines: string[] = [];
  const commands: ChildRequest[] = [];
  const handed: Program[] = [];
  const env = { HOME: "/home/u", PATH: "/bin", GITHUB_STEP_SUMMARY: "/summary.md", ...ending.env };
  const { world, said, files } = fakeWorld({
    env,
    content: { [`/home/u/.claude/projects/-project/${ID}.jsonl`]: "{}" },
    isTerminal: (fd) => fd === 2 && isTerminal,
    run: async (request) => {
      commands.push(request);
      return { exitCode: 0, ending: "exited", stderr: "" };
    },
    handOver: async (program) => {
      handed.push(program);
      const notes = Object.keys(files.content).find((path) => path.endsWith(`/runs/${ID}.jsonl`)) ?? "";
      if (claude?.hasPrompt) files.append(notes, '{"event":"prompt","session":"s"}\n', 1000);
      return { exitCode: claude?.exitCode ?? 0, signal: null, isInterrupted: false };
    },
  });
  const readOnly = () => {
    throw new CccError("read-only file system");
  };
  const launch = {
    plan: {
      provider: "glm",
      file: "/bin/claude",
      files: [],
      settings: { agent: { path: "/s.json", content: {} }, reviewer: undefined },
    },
    args: { options: [], prompt: undefined },
    supervision: { notify, max_iterations: limit, provider: "kimi", launch: ID },
    keys: ["the-fetched-key"],
    paths: cccPaths(world),
    record: { cwd: "/project" },
    handOver,
  };
  const disk = ending.isReadOnly === true ? { ...files, guarded: readOnly } : files;
  const code = await endLoop({ ...world, files: disk }, launch as never, {
    result: { ...RESULT, ...result },
    provider: "glm",
    startedAt: "1969-12-31T23:58:59.000Z",
    signals: ending.signals ?? [],
    queued: ending.queued ?? [],
    unsent: ending.unsent ?? "",
    env: {},
    redactor: createRedactor(SECRETS),
    footer: { print: (line) => lines.push(line), isAnimated: false },
  });
  const json = files.content[`/project/.claude/ccc/supervisor-${result.session_id ?? ID}-report.json`] ?? "";
  const summary = files.content["/summary.md"] ?? "";
  const notices = Object.values(files.content).filter((text) => text?.includes('"notice"'));
  return { code, lines, said, commands, handed, json, summary, notice: notices.join("") };
}

describe("the last lines", () => {
  const GO_ON = `To continue: ccc glm --resume ${ID}`;
  const TAKEN = "The session continues in Claude Code, supervised by the hook engine: at most 10 reviews per prompt.";
  const supervised = { kind: "supervised" } as const;
  const cases: [name: string, result: Partial<LoopResult>, ending: Ending, lines: string[]][] = [
    ["done", {}, {}, [FIGURES]],
    ["not done", { outcome: "not done", reason: "limit." }, {}, [FIGURES, GO_ON]],
    ["not done, in the user's hands", { outcome: "not done" }, { handOver: supervised }, [FIGURES, TAKEN]],
    [
      "on other providers",
      {
        relays: [
          { at: "", from: "glm", to: "kimi", why: "limit" },
          { at: "", from: "kimi", to: "glm", why: "glm can be used again" },
        ],
      },
      {},
      [`${FIGURES} Continued on kimi, then on glm.`],
    ],
    ["what was not sent", {}, { unsent: "and then" }, ["not sent: and then", FIGURES]],
    ["failed", { outcome: "failed", reason: "no network" }, {}, [`Failed: no network. ${FIGURES}`, GO_ON]],
    [
      "interrupted",
      { outcome: "interrupted", reason: "interrupted by Ctrl-C while the agent was working" },
      {},
      [`Interrupted by Ctrl-C while the agent was working. ${FIGURES}`, GO_ON],
    ],
    [
      "interrupted early",
      {
        outcome: "interrupted",
        reason: "interrupted by Ctrl-C before the agent had started",
        session_id: null,
        agent: { phases: 0, seconds: 0, ...used },
      },
      { handOver: supervised },
      ["Interrupted by Ctrl-C before the agent had started.", "No session was started."],
    ],
    [
      "a session that Claude Code has not saved",
      { outcome: "not done", session_id: ID.replace("3", "4") },
      { handOver: supervised },
      [FIGURES, "No session was started."],
    ],
    [
      "a reason that says how to continue",
      { outcome: "failed", reason: "E. Continue with `ccc --resume s1` later" },
      {},
      [`Failed: E. Continue with \`ccc --resume s1\` later. ${FIGURES}`],
    ],
  ];
  for (const [name, result, ending, lines] of cases)
    test(name, async () => expect((await ended(result, ending)).lines).toEqual(lines));

  const sentences: [outcome: LoopResult["outcome"], reason: string, first: string][] = [
    ["not done", "limit.", "NOT done: limit."],
    ["not done", "limit", "NOT done: limit."],
    ["needs you", "Which one?", "Needs you: Which one?"],
  ];
  for (const [outcome, reason, first] of sentences)
    test(`somebody who sees only a notification reads: ${first}`, async () => {
      const { commands } = await ended({ outcome, reason }, { notify: "beep" });
      expect(commands[0]?.program.env.CCC_MESSAGE).toBe(`${first} ${FIGURES}`);
    });

  test("the answer is printed, unless the session is handed over", async () => {
    expect((await ended({ answer: "It works" })).said.stdout).toBe("It works\n");
    expect((await ended({})).said.stdout).toBe("");
    expect((await ended({ answer: "It works" }, { handOver: supervised })).said.stdout).toBe("");
  });
});

describe("a hand-over", () => {
  const handOvers: [handOver: LoopLaunch["handOver"], limit: number, line: string][] = [
    [{ kind: "supervised" }, 1, "supervised by the hook engine: at most 1 review per prompt."],
    [{ kind: "supervised" }, 10, "supervised by the hook engine: at most 10 reviews per prompt."],
    [{ kind: "unsupervised", why: "Claude Code runs no hooks" }, 10, "NOT supervised: Claude Code runs no hooks."],
  ];
  for (const [handOver, limit, line] of handOvers)
    test(`says who supervises the session from then on: ${line}`, async () =>
      expect((await ended({}, { handOver, limit })).lines.at(-1)).toBe(
        `The session continues in Claude Code, ${line}`,
      ));

  test("resumes the session with what the user typed, and says there how the loop ended", async () => {
    const { handed, notice, json } = await ended({}, { handOver: { kind: "supervised" }, queued: ["one", "two"] });
    expect(handed).toMatchObject([
      { file: "/bin/claude", args: ["--settings", "/s.json", "--resume", ID, "--", "one\n\ntwo"] },
    ]);
    expect(notice).toContain(`Done. ${FIGURES}`);
    expect(JSON.parse(json)).toMatchObject({ handed_over: true, prompts: ["one", "two"] });
    expect((await ended({}, { handOver: { kind: "unsupervised", why: "x" } })).notice).toBe("");
  });

  test("sends no part of a message that is too long for an argument, and says where the whole is", async () => {
    const queued = ["a".repeat(30_000), "b"];
    const { handed, lines, notice, json } = await ended({}, { handOver: { kind: "supervised" }, queued });
    expect(handed[0]?.args).not.toContain("--");
    const line = /^not sent, because it is too long: your last message\. The report has it: .+-report\.json$/m;
    expect(lines.join("\n")).toMatch(line);
    expect(notice).toContain("not sent, because it is too long");
    expect(JSON.parse(json)).toMatchObject({ prompts: queued });
  });

  test("sends a message that just fits into an argument", async () => {
    const longest = "a".repeat(30_000);
    const { handed } = await ended({}, { handOver: { kind: "supervised" }, queued: [longest] });
    expect(handed[0]?.args.at(-1)).toBe(longest);
  });

  test("does not name a report that could not be written", async () => {
    const queued = ["a".repeat(30_001)];
    const { lines, notice } = await ended({}, { handOver: { kind: "supervised" }, queued, isReadOnly: true });
    const line =
      "not sent, because it is too long: your last message. The report could not be written either, so send it again.";
    expect(lines).toContain(line);
    expect(notice).toContain(line);
  });

  const codes: [name: string, outcome: LoopResult["outcome"], claude: number, hasPrompt: boolean, code: number][] = [
    ["not done, and the user did nothing: 3", "not done", 0, false, 3],
    ["not done, and the user went on: claude's own", "not done", 0, true, 0],
    ["not done, the user went on, and claude failed", "not done", 1, true, 1],
    ["interrupted, and the user did nothing", "interrupted", 0, false, 130],
    ["done", "done", 0, false, 0],
    ["done, and claude failed", "done", 1, false, 1],
  ];
  for (const [name, outcome, exitCode, hasPrompt, code] of codes)
    test(`ends with an exit code: ${name}`, async () => {
      const end = await ended({ outcome }, { handOver: { kind: "supervised" }, claude: { exitCode, hasPrompt } });
      expect(end.code).toBe(code);
      expect(end.said.stderr.includes("so the outcome stands")).toBe(code >= 3);
    });

  const signals: [signals: EndedLoop["signals"], isHandedOver: boolean, code: number][] = [
    [["SIGINT"], true, 130],
    [["SIGINT", "SIGINT"], false, 130],
    [["SIGINT", "SIGTERM"], false, 143],
    [["SIGHUP"], false, 143],
  ];
  for (const [sent, isHandedOver, code] of signals)
    test(`follows one Ctrl-C only; any other signal ends ccc: ${sent.join(", ")}`, async () => {
      const end = await ended({ outcome: "interrupted" }, { handOver: { kind: "supervised" }, signals: sent });
      expect([end.handed.length === 1, end.code]).toEqual([isHandedOver, code]);
    });
});

describe("report", () => {
  const USED = { input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 4, cost_usd: null };

  /** Ends a loop with these words in every place that holds words, and returns what was written. */
  async function written(words: string) {
    const { json, summary } = await ended({
      outcome: "not done",
      reason: words,
      prompts: [words],
      rounds: [
        { verdict: "not done", feedback: words, seconds: 2, reviewer: "kimi:k2", ...USED },
        { verdict: "done", feedback: "", seconds: 1, reviewer: "glm", ...USED },
      ],
      answer: words,
    });
    return { json, summary, report: v.parse(ReportSchema, JSON.parse(json)) };
  }

  test("a report of an older version can be read", async () => {
    const { waited_seconds: _, handed_over: __, usage_limit: ____, ...older } = (await written("")).report;
    const { seconds: ___, ...agent } = older.agent;
    const read = v.parse(ReportSchema, { ...older, agent });
    expect(read).toMatchObject({ waited_seconds: 0, handed_over: false, usage_limit: null, agent: { seconds: 0 } });
  });

  const LOOKS_SECRET = /:\/\/|bearer|basic|authorization|api|token/i;

  describe("for any conversation the report", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        ...SECRETS,
        '"',
        "\\",
        "https://",
        "?",
        "@",
        "Bearer ",
        'Authorization: "',
        "https://a:b@c/?d=",
        "\n",
      ),
    );
    const words = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

    test("is valid and contains no secret", async () => {
      await fc.assert(
        fc.asyncProperty(words, async (text) => {
          const { json, report, summary } = await written(text);
          expect(report).toMatchObject({ session_id: ID, provider: "glm", outcome: "not done", exit_code: 3 });
          for (const secret of SECRETS) {
            expect(json).not.toContain(JSON.stringify(secret).slice(1, -1));
            expect(summary).not.toContain(secret);
          }
        }),
      );
    });

    test("is word for word if nothing in it is or looks like a secret", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "grapheme" }).filter((text) => !LOOKS_SECRET.test(text)),
          async (text) => {
            const { report } = await written(text);
            expect([report.reason, report.answer, report.prompts, report.rounds[0]?.feedback]).toEqual([
              text,
              text,
              [text],
              text,
            ]);
          },
        ),
      );
    });
  });

  const fields = (input_tokens: number, cache_read_tokens: number, output_tokens: number, cost_usd: number | null) => ({
    input_tokens,
    cache_read_tokens,
    cache_write_tokens: 0,
    output_tokens,
    cost_usd,
  });

  test("the summary is readable, whatever is in the feedback", async () => {
    const { summary: text } = await ended({
      outcome: "not done",
      reason: "review limit reached; the last changes were not reviewed",
      rounds: [{ verdict: "not done", feedback: "a | b\nc", seconds: 2, ...fields(2, 0, 3, 0) }],
      agent: { phases: 1, seconds: 0, ...fields(1, 0, 2, 0.25) },
      reviews: { count: 1, seconds: 0, ...fields(2, 0, 3, 0) },
      waited_seconds: 3700,
    });
    expect(text).toContain("## ccc: not done\n\nreview limit reached; the last changes were not reviewed\n");
    expect(text).toContain("| 1 | not done | 2 s | 2 tokens in, 3 out | a \\| b c |");
    expect(text).toContain(
      "1 agent run: 1 token in, 2 out. 1 review: 2 tokens in, 3 out. Waited 1h 1m for a usage limit. Cost: $0.2500.",
    );
    expect(text).not.toContain("<details>");
  });

  test("the summary ends with the agent's last answer, folded", async () =>
    expect((await written("It works")).summary).toEndWith(
      "<details><summary>The agent's last answer</summary>\n\nIt works\n\n</details>\n",
    ));

  describe("the figures", () => {
    const agent = { phases: 2, seconds: 72, ...fields(1200, 300, 15, 0.5) };
    const table: [name: string, reviews: LoopResult["reviews"], line: string][] = [
      [
        "of agent and reviews",
        { count: 3, seconds: 41, ...fields(20, 100_000, 7, 0.25) },
        "2 agent runs (1m12s): 1,500 tokens in (300 from the cache), 15 out. 3 reviews (41 s): 100,020 tokens in (100,000 from the cache), 7 out. Cost: $0.7500.",
      ],
      [
        "have no cost if one is not known",
        { count: 1, seconds: 0, ...fields(20, 0, 7, null) },
        "2 agent runs (1m12s): 1,500 tokens in (300 from the cache), 15 out. 1 review: 20 tokens in, 7 out.",
      ],
      [
        "without a review",
        { count: 0, seconds: 0, ...fields(0, 0, 0, 0) },
        "2 agent runs (1m12s): 1,500 tokens in (300 from the cache), 15 out. Cost: $0.5000.",
      ],
    ];
    for (const [name, reviews, line] of table)
      test(name, async () => expect((await ended({ agent, reviews })).lines).toEqual([line]));
  });

  test("the summary says who reviewed, if it was not the reviewer", async () => {
    const { summary } = await written("fine");
    expect(summary).toContain("| 1 | not done | 2 s |");
    expect(summary).toContain("| 2 | done (glm) | 1 s |");
  });
});

describe("loop notification", () => {
  const ENV = { TERM: "foot", ANTHROPIC_API_KEY: "sk-a", OTHER: "the-fetched-key" };

  async function notified(outcome: "done" | "interrupted", ending: Ending) {
    return ended({ outcome }, { isTerminal: true, ...ending, env: { ...ENV, ...ending.env } });
  }

  test("a loop notifies by the terminal on stderr, also inside tmux, unless the user ended it", async () => {
    const bytes = `\u001b]777;notify;ccc;Done. ${FIGURES}\u0007`;
    const stderr = async (outcome: "done" | "interrupted", ending: Ending) =>
      (await notified(outcome, ending)).said.stderr;
    expect(await stderr("done", { notify: true })).toBe(bytes);
    expect(await stderr("done", { notify: true, env: { TMUX: "x" } })).toBe(`\u001bPtmux;\u001b${bytes}\u001b\\`);
    expect(await stderr("done", { notify: true, isTerminal: false })).toBe("");
    expect(await stderr("interrupted", { notify: true })).toBe("");
    expect(await stderr("done", { notify: false })).toBe("");
  });

  test("a loop's command gets no keys, and runs without a terminal too", async () => {
    const { said, commands } = await notified("done", { notify: "beep", isTerminal: false });
    expect(said.stderr).toBe("");
    expect(commands[0]?.program.env).toEqual({
      HOME: "/home/u",
      PATH: "/bin",
      TERM: "foot",
      GITHUB_STEP_SUMMARY: "/summary.md",
      CCC_OUTCOME: "done",
      CCC_MESSAGE: `Done. ${FIGURES}`,
      CCC_SESSION: ID,
      CCC_FOLDER: "/project",
    });
  });
});
