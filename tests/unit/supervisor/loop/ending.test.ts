import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { NO_USAGE } from "../../../../src/claude/stream.ts";
import type { ChildRequest } from "../../../../src/os/child.ts";
import {
  afterHandOver,
  exitCodeOf,
  figures,
  handOverLine,
  isOneCtrlCAtMost,
  leaveReport,
  loopEnd,
  notifyOfLoopEnd,
  type Report,
  ReportSchema,
  reportSummary,
  signalName,
} from "../../../../src/supervisor/loop/ending.ts";
import type { LoopResult } from "../../../../src/supervisor/loop/loop.ts";
import { usageFields } from "../../../../src/supervisor/record/stops.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import { fakeWorld } from "../../fakes.ts";

describe("loop ending", () => {
  const used = usageFields({ ...NO_USAGE, inputTokens: 10, outputTokens: 5, costUsd: undefined });
  const FIGURES = "2 agent runs (1m12s): 10 tokens in, 5 out. 1 review (41 s): 10 tokens in, 5 out.";

  function result(parts: Partial<LoopResult>): LoopResult {
    return {
      ...{
        session_id: "s1",
        outcome: "done",
        reason: "",
        usage_limit: null,
        prompts: [],
        rounds: [],
        waited_seconds: 0,
        answer: "",
      },
      ...{ agent: { phases: 2, seconds: 72, ...used }, reviews: { count: 1, seconds: 41, ...used } },
      ...parts,
    };
  }

  describe("the last lines", () => {
    const GO_ON = "To continue: ccc --supervisor glm --resume s1";
    const cases: [name: string, parts: Partial<LoopResult>, isHandedOver: boolean, lines: string[]][] = [
      ["done", {}, false, [`Done. ${FIGURES}`]],
      ["not done", { outcome: "not done", reason: "limit." }, false, [`NOT done: limit. ${FIGURES}`, GO_ON]],
      ["needs you", { outcome: "needs you", reason: "Which one?" }, false, [`Needs you: Which one? ${FIGURES}`, GO_ON]],
      [
        "not done, in the user's hands",
        { outcome: "not done", reason: "limit" },
        true,
        [`NOT done: limit. ${FIGURES}`],
      ],
      [
        "interrupted",
        { outcome: "interrupted", reason: "interrupted by Ctrl-C while the agent was working" },
        false,
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
        false,
        ["Interrupted by Ctrl-C before the agent had started.", "No session was started."],
      ],
      [
        "a reason that says how to go on",
        { outcome: "failed", reason: "E. Continue with `ccc --resume s1` later" },
        false,
        [`Failed: E. Continue with \`ccc --resume s1\` later. ${FIGURES}`],
      ],
    ];
    for (const [name, parts, isHandedOver, lines] of cases)
      test(name, () => expect(loopEnd(result(parts), "glm", isHandedOver).whole).toEqual(lines));

    test("below the line of a review, which says how it ended, only the figures follow", () => {
      expect(loopEnd(result({}), "glm", false).below).toEqual([FIGURES]);
      expect(loopEnd(result({ outcome: "not done", reason: "limit" }), "glm", false).below).toEqual([FIGURES, GO_ON]);
      const failed = loopEnd(result({ outcome: "failed", reason: "no network" }), "glm", false);
      expect(failed.below).toEqual([`Failed: no network. ${FIGURES}`, GO_ON]);
    });
  });

  test("a hand-over says who supervises the session from then on", () => {
    expect([
      handOverLine({ kind: "none" }, 1),
      handOverLine({ kind: "supervised" }, 1),
      handOverLine({ kind: "supervised" }, 10),
      handOverLine({ kind: "unsupervised", why: "with --bare Claude Code runs no hooks" }, 10),
    ]).toEqual([
      [],
      ["The session continues in Claude Code, supervised by the hook engine: at most 1 review per prompt."],
      ["The session continues in Claude Code, supervised by the hook engine: at most 10 reviews per prompt."],
      ["The session continues in Claude Code, NOT supervised: with --bare Claude Code runs no hooks."],
    ]);
  });

  describe("the exit code after a hand-over", () => {
    const cases: [name: string, loop: number, claude: number, hasPrompt: boolean, code: number, isTold: boolean][] = [
      ["not done, and the user did nothing: 3", 3, 0, false, 3, true],
      ["not done, and the user went on: claude's own", 3, 0, true, 0, false],
      ["not done, the user went on, and claude failed", 3, 1, true, 1, false],
      ["interrupted, and the user did nothing", 130, 0, false, 130, true],
      ["done", 0, 0, false, 0, false],
      ["done, and claude failed", 0, 1, false, 1, false],
    ];
    for (const [name, loop, exitCode, hasPrompt, code, isTold] of cases)
      test(name, () => {
        const end = { exitCode, signal: null, isInterrupted: false };
        const after = afterHandOver(loop, end, hasPrompt, "not done");
        expect([after.code, after.line !== undefined]).toEqual([code, isTold]);
      });
  });

  test("one Ctrl-C lets the user take over; any other signal ends ccc", () => {
    expect([isOneCtrlCAtMost([]), isOneCtrlCAtMost(["SIGINT"])]).toEqual([true, true]);
    expect([isOneCtrlCAtMost(["SIGINT", "SIGINT"]), isOneCtrlCAtMost(["SIGHUP"])]).toEqual([false, false]);
    expect(exitCodeOf({ outcome: "interrupted" }, ["SIGINT"])).toBe(130);
    expect(exitCodeOf({ outcome: "interrupted" }, ["SIGINT", "SIGTERM"])).toBe(143);
    expect([signalName("SIGINT"), signalName("SIGTERM")]).toEqual(["Ctrl-C", "SIGTERM"]);
  });
});

describe("report", () => {
  const PATH = "/project/.claude/ccc/supervisor-s1-report.json";
  const SECRETS = ["sk-0123456789abcdef", 'with"quote\\and-more', "reviewers-secret-key"];

  const USED = { input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 4, cost_usd: null };

  /** Leaves a report with these words in every place that holds words, and returns what was written. */
  function written(words: string) {
    const { world, files } = fakeWorld({ env: { GITHUB_STEP_SUMMARY: "/summary.md" } });
    const report: Report = {
      session_id: "s1",
      provider: "glm",
      reviewer: "kimi",
      outcome: "not done",
      reason: words,
      exit_code: 3,
      handed_over: false,
      started_at: "2026-01-01T00:00:00.000Z",
      ended_at: "2026-01-01T00:00:01.000Z",
      prompts: [words],
      rounds: [
        { verdict: "not done", feedback: words, seconds: 2, reviewer: "kimi:k2", ...USED },
        { verdict: "done", feedback: "", seconds: 1, reviewer: "glm", ...USED },
      ],
      agent: { phases: 1, seconds: 5, ...USED },
      reviews: { count: 1, seconds: 3, ...USED },
      waited_seconds: 0,
      usage_limit: null,
      answer: words,
    };
    leaveReport(report, createRedactor(SECRETS), world);
    const json = files.content[PATH] ?? "";
    return {
      whole: report,
      json,
      report: v.parse(ReportSchema, JSON.parse(json)),
      summary: files.content["/summary.md"] ?? "",
    };
  }

  test("a report of an older version can be read", () => {
    const { waited_seconds: _, handed_over: __, usage_limit: ____, ...older } = written("").whole;
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

    test("is valid and contains no secret", () => {
      fc.assert(
        fc.property(words, (text) => {
          const { json, report, summary } = written(text);
          expect(report).toMatchObject({ session_id: "s1", provider: "glm", outcome: "not done", exit_code: 3 });
          for (const secret of SECRETS) {
            expect(json).not.toContain(JSON.stringify(secret).slice(1, -1));
            expect(summary).not.toContain(secret);
          }
        }),
      );
    });

    test("is word for word if nothing in it is or looks like a secret", () => {
      fc.assert(
        fc.property(
          fc.string({ unit: "grapheme" }).filter((text) => !LOOKS_SECRET.test(text)),
          (text) => {
            const { whole, report } = written(text);
            expect(report).toEqual(whole);
          },
        ),
      );
    });
  });

  const fields = (input_tokens: number, cache_read_tokens: number, output_tokens: number, cost_usd: number | null) => ({
    ...{ input_tokens, cache_read_tokens, cache_write_tokens: 0, output_tokens, cost_usd },
  });

  test("the summary is readable, whatever is in the feedback", () => {
    const text = reportSummary({
      session_id: "s",
      provider: "glm",
      reviewer: "kimi",
      outcome: "not done",
      reason: "review limit reached; the last changes were not reviewed",
      exit_code: 3,
      handed_over: false,
      started_at: "",
      ended_at: "",
      prompts: ["x"],
      rounds: [{ verdict: "not done", feedback: "a | b\nc", seconds: 2, ...fields(2, 0, 3, 0) }],
      agent: { phases: 1, seconds: 0, ...fields(1, 0, 2, 0.25) },
      reviews: { count: 1, seconds: 0, ...fields(2, 0, 3, 0) },
      waited_seconds: 3700,
      usage_limit: null,
      answer: "",
    });
    expect(text).toContain("## ccc: not done\n\nreview limit reached; the last changes were not reviewed\n");
    expect(text).toContain("| 1 | not done | 2 s | 2 tokens in, 3 out | a \\| b c |");
    expect(text).toContain(
      "1 agent run: 1 token in, 2 out. 1 review: 2 tokens in, 3 out. Waited 1h 1m for a usage limit. Cost: $0.2500.",
    );
    expect(text).not.toContain("<details>");
  });

  test("the summary ends with the agent's last answer, folded", () =>
    expect(written("It works").summary).toEndWith(
      "<details><summary>The agent's last answer</summary>\n\nIt works\n\n</details>\n",
    ));

  describe("the figures", () => {
    const agent = { phases: 2, seconds: 72, ...fields(1200, 300, 15, 0.5) };
    const table: [name: string, reviews: Parameters<typeof figures>[0]["reviews"], line: string][] = [
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
      test(name, () => expect(figures({ agent, reviews, waited_seconds: 0 })).toBe(line));
  });

  test("the summary says who reviewed, if it was not the reviewer", () => {
    const { summary } = written("fine");
    expect(summary).toContain("| 1 | not done | 2 s |");
    expect(summary).toContain("| 2 | done (glm) | 1 s |");
  });
});

describe("loop notification", () => {
  const TOLD = { message: "Done. 1 agent run", seconds: 61, say: () => {} };
  const ENV = { HOME: "/home/u", PATH: "/bin", TERM: "foot", ANTHROPIC_API_KEY: "sk-a", OTHER: "the-fetched-key" };

  async function ended(outcome: "done" | "interrupted", notify: boolean | string, env: Record<string, string> = {}) {
    const ran: ChildRequest[] = [];
    const run = async (request: ChildRequest) => {
      ran.push(request);
      return { exitCode: 0, ending: "exited" as const, stderr: "" };
    };
    const { world, said } = fakeWorld({ env: { ...ENV, ...env }, isTerminal: (fd) => fd === 2 && env.CI !== "1", run });
    const launch = {
      plan: { settings: { agent: { content: {} }, reviewer: undefined } },
      supervision: { notify },
      ...{ keys: ["the-fetched-key"], paths: { folder: "/c" }, record: { cwd: "/project" } },
    };
    await notifyOfLoopEnd(world, launch as never, { outcome, session_id: "s" }, TOLD);
    return { bytes: said.stderr, ran };
  }

  test("a loop notifies by the terminal on stderr, also inside tmux, unless the user ended it", async () => {
    const bytes = "\u001b]777;notify;ccc;Done. 1 agent run\u0007";
    expect((await ended("done", true)).bytes).toBe(bytes);
    expect((await ended("done", true, { TMUX: "x" })).bytes).toBe(`\u001bPtmux;\u001b${bytes}\u001b\\`);
    expect((await ended("done", true, { CI: "1" })).bytes).toBe("");
    expect((await ended("interrupted", true)).bytes).toBe("");
    expect((await ended("done", false)).bytes).toBe("");
  });

  test("a loop's command gets no keys, and runs without a terminal too", async () => {
    const { bytes, ran } = await ended("done", "beep", { CI: "1" });
    expect(bytes).toBe("");
    expect(ran[0]?.program.env).toEqual({
      ...{ HOME: "/home/u", PATH: "/bin", TERM: "foot", CI: "1" },
      ...{ CCC_OUTCOME: "done", CCC_MESSAGE: "Done. 1 agent run", CCC_SESSION: "s", CCC_FOLDER: "/project" },
    });
  });
});
