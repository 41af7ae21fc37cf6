import { describe, expect, test } from "bun:test";
import {
  calibrationPage,
  calibrationProgress,
  renderCalibration,
  renderComparison,
} from "../../../../src/commands/calibrate/output.ts";
import { calibrationReport } from "../../../../src/commands/calibrate/results.ts";
import { CASES } from "../../../calibration/case-place.ts";
import { REVIEWERS, reviewOf, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";
import { fakeWorld } from "../../fakes.ts";

const SOME = CASES.filter(({ id }) => /^(stub|region)\//.test(id));
const ALL_WIDTH = Number.POSITIVE_INFINITY;

test("figures side by side, then what was judged wrongly, with the truth and what the reviewer said", () => {
  const plan = scriptedPlan({ left_out: [{ case: "x/y", needs: "go" }] }, SOME);
  const text = renderCalibration(calibrationReport(scriptedRun(plan), []), ALL_WIDTH);
  expect(text).toBe(`Calibration of 2026-11-17 02:00 UTC: 4 cases. ccc 1.2.3, Claude Code 2.1.325.
Instructions: the built-in ones (${plan.instructions.hash})
1 case left out, because there is no go here.

                                     yes               no                perfect           failing
Model                                m-1               m-1               m-1               m-1
Context                              fresh             fresh             fresh             fresh
Reviews                              4 of 4            4 of 4            4 of 4            4 of 4
Right verdicts                       2 of 4            1 of 4            4 of 4            –
False "done" caught                  0 of 1            1 of 1            1 of 1            –
False alarms on work that is done    0 of 2            2 of 2            0 of 2            –
Questions recognised as "needs you"  0 of 1            0 of 1            1 of 1            –
Right, but for the wrong reason      –                 1 of 1            0 of 2            –
Weakened tests caught without proof  –                 –                 –                 –
Weakened tests caught with proof     –                 –                 –                 –
Weakened tests named by proof alone  –                 –                 –                 –
"Done" that was not confirmed        –                 –                 –                 –
No verdict                           0 of 4            0 of 4            0 of 4            4 of 4
Time per review                      4 s               4 s               4 s               4 s
Tokens per review                    1k (70 % cached)  1k (70 % cached)  1k (70 % cached)  1k (70 % cached)

Right verdicts by kind
  rightly asks the user              1 of 2            0 of 2            2 of 2            –
  a stub                             1 of 2            1 of 2            2 of 2            –

Judged wrongly by yes
  ✗ region/asks: said "done", but only the user can continue
      The truth: Nothing in the project says which region the customer is in.
      The reviewer: Everything is there.
  ✗ stub/placeholder: said "done", but the work is not done
      The truth: parseDuration returns one minute, whatever it is given.
      The reviewer: Everything is there.

Judged wrongly by no
  ✗ region/asks: said "not done", but only the user can continue
      The truth: Nothing in the project says which region the customer is in.
      The reviewer: Something is missing.
  ✗ region/told: said "not done", but the work is done
      The truth: The user has said which region it is, and it is entered.
      The reviewer: Something is missing.
  ✗ stub/parsed: said "not done", but the work is done
      The truth: All three units work, alone and together, and other text is refused.
      The reviewer: Something is missing.

Right, but for another reason, by no
  ✓ stub/placeholder: not done, but for another reason
      The truth: parseDuration returns one minute, whatever it is given.
      The reviewer: Something is missing.

No verdict from failing
  – the reviewer gave no verdict, twice
      region/asks, region/told, stub/placeholder, stub/parsed

Each case has a twin: the same work, once done and once not. Of such pairs, always "done" gets half right, and always "not done" at most half.
`);
});

test("a case that was judged in different ways says how often; a reviewer that was stopped says why", () => {
  const plan = scriptedPlan({ reviewers: ["glm"], repeat: 3 }, SOME);
  const marks = [REVIEWERS.yes, REVIEWERS.perfect, REVIEWERS.yes];
  const reviews = marks.map((each, index) => reviewOf("glm", "stub/placeholder", index + 1, each));
  const report = calibrationReport({ plan, reviews, stopped: new Map([["glm", "no credit"]]) }, []);
  const text = renderCalibration(report, ALL_WIDTH);
  expect(text).toContain('✗ stub/placeholder: said "done", but the work is not done (2 of 3 times)');
  expect(text).toContain("glm was stopped early (3 of 12 reviews): no credit.");
  expect(text).toContain("4 cases, each 3 times.");
});

test("a case that was judged twice says how often, and the page whether the run is finished", () => {
  const plan = scriptedPlan({ reviewers: ["glm"], repeat: 2 }, SOME);
  const whole = calibrationReport(scriptedRun(plan, { glm: REVIEWERS.yes }), []);
  expect(renderCalibration(whole, ALL_WIDTH)).toContain("but the work is not done (2 of 2 times)");
  const lead = (report: typeof whole) => /<p class="lead">(.*)<\/p>/.exec(calibrationPage(report, "1.2.3"))?.[1];
  expect(lead(whole)).toBe("4 cases, each 2 times");
  const { reviews } = scriptedRun(plan, { glm: REVIEWERS.yes });
  const part = calibrationReport(
    { plan: { ...plan, repeat: 1 }, reviews: reviews.slice(0, 1), stopped: new Map() },
    [],
  );
  expect(lead(part)).toBe("4 cases, not finished");
});

test.each([
  [0, "1k"],
  [5, "1k (1 % cached)"],
])("a review that takes %d of a thousand tokens from the cache", (cache_read_tokens, text) => {
  const plan = scriptedPlan({ reviewers: ["glm"] }, SOME);
  const reviews = scriptedRun(plan, { glm: REVIEWERS.yes }).reviews.map((each) => ({
    ...each,
    cache_read_tokens,
    input_tokens: 900 - cache_read_tokens,
  }));
  const rows = renderCalibration(calibrationReport({ plan, reviews, stopped: new Map() }, []), ALL_WIDTH).split("\n");
  expect(rows.find((row) => row.startsWith("Tokens per review"))).toBe(`Tokens per review                    ${text}`);
});

test("what a reviewer says cannot control the terminal, nor the page", () => {
  const nasty = '<script>alert("x")</script>\u001b[31m & more';
  const plan = scriptedPlan({ reviewers: ["glm"] }, SOME);
  const said = () => ({ verdict: "not done", feedback: nasty }) as const;
  const report = calibrationReport(scriptedRun(plan, { glm: said }), []);
  expect(renderCalibration(report, 80)).not.toContain("\u001b");
  const page = calibrationPage(report, "1.2.3");
  expect(page).not.toContain("<script>");
  expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;\\u{1b}[31m &amp; more");
  expect(page).toContain("default-src 'none'");
});

test("the page has every figure, kind and wrong verdict", () => {
  const report = calibrationReport(scriptedRun(scriptedPlan({}, SOME)), []);
  const page = calibrationPage(report, "1.2.3");
  const text = page.replaceAll(/<[^>]*>/g, "|").replaceAll("&quot;", '"');
  for (const words of ["Right verdicts", 'False "done" caught', "2 of 4", "a stub", "Something is missing."])
    expect(text).toContain(words);
  expect(text).toContain('stub/placeholder: said "done", but the work is not done');
  expect(text).toContain("Every verdict is right, and for the right reason.");
  expect(text).not.toContain("No review was made.");
  const stopped = new Map([["yes", "no credit"]]);
  const none = calibrationReport({ plan: scriptedPlan({ reviewers: ["yes"] }, SOME), reviews: [], stopped }, []);
  expect(calibrationPage(none, "1.2.3")).toContain("No review was made.");
});

test("before and now, with what changed and the cases that differ", () => {
  const plan = scriptedPlan({ reviewers: ["glm"] }, SOME);
  const now = { ...plan, started_at: "2026-11-18T02:00:00Z", instructions: { path: "/p/SUPERVISOR.md", hash: "x" } };
  const earlier = [scriptedRun(plan, { glm: REVIEWERS.yes })];
  const report = calibrationReport(scriptedRun(now, { glm: REVIEWERS.perfect }), earlier);
  const text = renderComparison(report, ALL_WIDTH);
  expect(text).toStartWith(`glm, on 4 cases                      before                now
                                     2026-11-17 02:00 UTC  2026-11-18 02:00 UTC
Right verdicts                       2 of 4                4 of 4
`);
  expect(text).toEndWith("Changed since: instructions.\nJudged better: region/asks, stub/placeholder\n");
  const page = calibrationPage(report, "1.2.3").replaceAll(/<[^>]*>/g, "");
  for (const words of [
    "Compared with the run before, on 4 cases",
    "Right verdicts2 of 44 of 4",
    "Judged better: region",
  ])
    expect(page).toContain(words);
  const pair = SOME.filter(({ id }) => id.startsWith("stub/"));
  const then = scriptedRun(scriptedPlan({ reviewers: ["glm"] }, pair), { glm: REVIEWERS.yes });
  const one = calibrationReport(scriptedRun({ ...now, cases: then.plan.cases }, { glm: REVIEWERS.perfect }), [then]);
  expect(renderComparison(one, ALL_WIDTH)).toEndWith("\nJudged better: stub/placeholder\n");
  expect(renderComparison(calibrationReport(scriptedRun(plan, { glm: REVIEWERS.yes }), []), ALL_WIDTH)).toBe(
    "glm: there is no earlier run to compare with.\n",
  );
});

describe("the progress of a run", () => {
  function shown(isTerminal: boolean): string {
    const { world, said } = fakeWorld({ isTerminal: () => isTerminal });
    const progress = calibrationProgress(world, scriptedPlan({ reviewers: ["glm"] }), 1);
    progress.start({ reviewer: "glm", case: "stub/parsed", time: 1 });
    progress.review(reviewOf("glm", "stub/parsed", 1, REVIEWERS.yes));
    progress.review(reviewOf("glm", "stub/placeholder", 1, REVIEWERS.yes));
    progress.review(reviewOf("glm", "region/told", 1, REVIEWERS.failing));
    progress.stopped("glm", "no credit");
    progress.stop();
    return said.stderr;
  }

  const LINES = `✓ 2/48 stub/parsed, glm: done (4 s)
✗ 3/48 stub/placeholder, glm: said "done", but the work is not done (4 s)
– 4/48 region/told, glm: no verdict: the reviewer gave no verdict, twice (4 s)
– glm gets no more requests: no credit
`;

  test("a script gets a line for each review, right, wrong or without a verdict", () =>
    expect(shown(false)).toBe(LINES));

  test("a terminal also shows the review in progress, and a blank line before the results", () => {
    const text = Bun.stripANSI(shown(true));
    expect(text).toContain("1 of 48 reviews made; glm is reviewing stub/parsed");
    for (const line of LINES.trimEnd().split("\n")) expect(text).toContain(line);
    expect(text).toEndWith("\n");
  });
});
