import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as v from "valibot";
import { leaveReport } from "../../../../src/supervisor/loop/leave-report.ts";
import { type Report, ReportSchema } from "../../../../src/supervisor/loop/report.ts";
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
    started_at: "2026-01-01T00:00:00.000Z",
    ended_at: "2026-01-01T00:00:01.000Z",
    prompts: [words],
    rounds: [{ verdict: "not done", feedback: words, seconds: 2, ...USED }],
    agent: { phases: 1, ...USED },
    reviews: { count: 1, ...USED },
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
