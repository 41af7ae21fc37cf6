import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { inTurn } from "../harness.ts";
import { type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "run" } });
const write = ({ project }: SupervisedPlace, name: string): Turn => ({
  use: "Write",
  input: { file_path: join(project, name), content: "x\n" },
});
const ruling = (id: string, text: string, status: "met" | "unmet", evidence: string) => ({
  id,
  text,
  status,
  evidence,
});
const RUN = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];

/** A project whose tests fail as long as a.ts is missing. */
async function placeWithTests(context: "session" | "fresh") {
  const turns: { agent: Turn[]; reviewer: Turn[] } = { agent: [], reviewer: [] };
  const place = await supervisedPlace(inTurn(turns), { supervisor: { context } });
  const script = "test -f a.ts && echo '9 passing' || { echo '8 passing'; echo '1 failing'; exit 1; }";
  await place.write(join(place.project, "package.json"), { scripts: { test: script } });
  return { place, turns };
}

test("a claim that the transcript contradicts has to be ruled on: first not true, then corrected, in a supervised -p", async () => {
  const { place, turns } = await placeWithTests("session");
  await using _ = place;
  const failed = 'the agent says "All tests pass", but the last test command, `npm test`, reports 1 failed';
  const gone = "the agent says that it wrote docs/api.md, but there is no such file";
  turns.agent.push(write(place, "b.ts"), bash("npm test"), { say: "All tests pass. I created `docs/api.md`." });
  turns.agent.push(write(place, "a.ts"), bash("npm test"), { say: "All 9 tests pass." });
  const c1 = ruling("C1", "the tests pass", "met", "`npm test` passes");
  turns.reviewer.push(bash("ls"), { verdict: { completed: true, feedback: "fine", criteria: [] } });
  turns.reviewer.push({
    verdict: {
      completed: false,
      feedback: "They fail.",
      criteria: [
        ruling("C1", c1.text, "unmet", "1 failing"),
        ruling("T1", failed, "unmet", "1 failing"),
        ruling("T2", gone, "unmet", "ls"),
      ],
    },
  });
  turns.reviewer.push(bash("npm test"), { verdict: { completed: true, feedback: "Seen.", criteria: [c1] } });
  const result = await place.ccc(["--supervisor", "glm", "-p", "make the tests pass", ...RUN]);
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/Review 2 of 10: done, 1 of 1 met/) });
  const [first = ""] = place.reviews();
  expect(first).toContain(JSON.stringify(`- T1: ${failed}\n- T2: ${gone}`).slice(1, -1));
  expect(place.reviews().join("\n")).toContain("it says done, but does not say that T1 and T2 are met");
  expect(place.turns().at(-1)).toContain("- T1: the agent says");
  // The corrected claim is true.
  expect((await place.record())["state.json"]).not.toContain('"T1"');
});

test("the loop and `ccc review` rule on claims too, also without the conversation", async () => {
  const { place, turns } = await placeWithTests("fresh");
  await using _ = place;
  const claim = `the agent says "测试全部通过", but no tests ran after its last edit (${place.project}/a.ts)`;
  const met = [
    ruling("C1", "a.ts is there", "met", "`npm test` passes"),
    ruling("T1", claim, "met", "`npm test` passes"),
  ];
  const done: Turn[] = [bash("npm test"), { verdict: { completed: true, feedback: "Seen.", criteria: met } }];
  turns.agent.push(write(place, "a.ts"), { say: "a.ts 已完成，测试全部通过。" });
  turns.reviewer.push(...done, ...done);
  const loop = await place.ccc(["--supervisor", "--engine", "loop", "glm", "write a.ts", ...RUN]);
  expect(loop).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("Review 1 of 10: done, 2 of 2 met") });
  const review = await place.ccc(["review", "--json"]);
  expect(review.exitCode).toBe(0);
  expect(JSON.parse(review.stdout).criteria).toMatchObject([{ id: "C1" }, { id: "T1", status: "met", text: claim }]);
});
