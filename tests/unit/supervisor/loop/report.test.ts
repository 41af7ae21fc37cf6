import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { leaveReport, type Report, ReportSchema, reportSummary } from "../../../../src/supervisor/loop/report.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";
import { fakeWorld } from "../../fakes.ts";

const PATH = "/project/.claude/ccc/supervisor-s1-report.json";
const SECRETS = ["sk-0123456789abcdef", 'with"quote\\and-more', "reviewers-secret-key"];

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
    started_at: "2026-01-01T00:00:00.000Z",
    ended_at: "2026-01-01T00:00:01.000Z",
    prompts: [words],
    rounds: [{ verdict: "not done", feedback: words, seconds: 2, cost_usd: 0 }],
    agent: { phases: 1, cost_usd: 0.25, input_tokens: 1, output_tokens: 2 },
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

test("the summary is readable, whatever is in the feedback", () => {
  const text = reportSummary({
    session_id: "s",
    provider: "glm",
    reviewer: "kimi",
    outcome: "not done",
    reason: "review limit reached; the last changes were not reviewed",
    exit_code: 3,
    started_at: "",
    ended_at: "",
    prompts: ["x"],
    rounds: [{ verdict: "not done", feedback: "a | b\nc", seconds: 2, cost_usd: 0 }],
    agent: { phases: 1, cost_usd: 0.25, input_tokens: 1, output_tokens: 2 },
    answer: "",
  });
  expect(text).toContain("## ccc: not done\n\nreview limit reached; the last changes were not reviewed\n");
  expect(text).toContain("| 1 | not done | 2 s | a \\| b c |");
  expect(text).toContain("1 agent run, $0.2500, 1 tokens in, 2 out.");
});
