import { expect, test } from "bun:test";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { NO_APPROVAL, NUDGES } from "../../src/supervisor/outcome.ts";
import { inTurn } from "../harness.ts";
import { readReport } from "../loop-report.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

const LEAK: Turn = { say: '<tool_call>\n{"name": "Read", "arguments": {"file_path": "a.ts"}}\n</tool_call>' };
const EMPTY: Turn = { say: "" };
const CUT: Turn = { say: "The first file is changed, and in the second the", stopReason: "length" };
const ANNOUNCED: Turn = { say: "The fix is in place. Let me now run the tests:" };

/** How often a text is in the last request of the agent. */
const times = (turns: readonly string[], text: string) =>
  (turns.at(-1) ?? "").split(JSON.stringify(text).slice(1, -1)).length - 1;

test("the hook engine sends stops that are none back without a review, three in a row, then reviews", async () => {
  // Claude Code itself asks once more after an empty answer.
  const agent = [LEAK, EMPTY, EMPTY, CUT, ANNOUNCED, ANNOUNCED, { say: "All is done." }];
  await using place = await supervisedPlace(inTurn({ agent, reviewer: [notDone("Run the tests."), DONE] }));
  const run = await place.ccc(["--supervisor", "glm", "-p", "fix it"]);
  expect(run.exitCode).toBe(0);
  const lines = run.stderr.split("\n").flatMap((line) => /(Nudge|Review|Done).*/.exec(line)?.[0] ?? []);
  expect(lines).toEqual([
    `Nudge 1 of 3: ${NUDGES.tool_call.text}`,
    `Nudge 2 of 3: ${NUDGES.empty.text}`,
    `Nudge 3 of 3: ${NUDGES.cut_off.text}`,
    expect.stringMatching(/^Review 1 of 10: not done/),
    `Nudge 1 of 3: ${NUDGES.announcement.text}`,
    expect.stringMatching(/^Review 2 of 10: done/),
  ]);
  expect(place.reviews()).toHaveLength(2);
  for (const { feedback } of Object.values(NUDGES)) expect(times(place.turns(), feedback)).toBe(1);
  // Before each of them, and before the feedback of the review.
  expect(times(place.turns(), NO_APPROVAL)).toBe(5);
  expect(times(place.turns(), `${NO_APPROVAL}\n\nRun the tests.`)).toBe(1);

  const { stdout } = await place.ccc(["report", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: "done", totals: { reviews: 2, nudges: 4 } });
  const text = await place.ccc(["report"]);
  expect(text.stdout).toContain("4 nudges");
  expect(text.stdout).toContain("Stop: nudged\n  The agent wrote a tool call as text, so nothing ran.");
});

test("the loop engine does, too; supervisor.nudge: false switches it off", async () => {
  const script = () => inTurn({ agent: [LEAK, { say: "All is done." }], reviewer: [DONE] });
  await using place = await supervisedPlace(script());
  const run = await place.ccc(["--supervisor", "--engine", "loop", "glm", "fix it"]);
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain(`Nudge 1 of 3: ${NUDGES.tool_call.text}`);
  expect(run.stderr).toContain("1 nudge.");
  expect(times(place.turns(), `${NO_APPROVAL}\n\n${NUDGES.tool_call.feedback}`)).toBe(1);
  expect(await readReport(place)).toMatchObject({ outcome: "done", nudges: 1, rounds: [{ verdict: "done" }] });

  await using off = await supervisedPlace(script(), { supervisor: { nudge: false } });
  await off.ccc(["--supervisor", "--engine", "loop", "glm", "fix it"]);
  expect(await readReport(off)).toMatchObject({ outcome: "done", nudges: 0, agent: { phases: 1 } });
});
