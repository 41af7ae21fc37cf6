import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { figures } from "../../../../src/supervisor/loop/figures.ts";
import { leaveReport, type Report, ReportSchema, reportSummary } from "../../../../src/supervisor/loop/report.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";
import { fakeWorld } from "../../fakes.ts";

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
