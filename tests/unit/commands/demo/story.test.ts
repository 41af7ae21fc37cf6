import { expect, test } from "bun:test";
import { checkFor, storyScript, TASK } from "../../../../src/commands/demo/story.ts";
import type { Role, Turn } from "../../../../src/sandbox/turns.ts";

/** Plays requests to the scripted model. Returns what it answers, and what the user is told. */
function play(requests: readonly [role: Role, said: string][]) {
  const told: string[] = [];
  const script = storyScript(
    "/p/sum.sh",
    () => "the script",
    (line) => told.push(line),
  );
  const turns = requests.map(([role, content], index) => {
    const body = { model: "m", messages: [{ role: "user", content }] };
    return script({ role, path: "/", headers: {}, body }, index) as Turn;
  });
  return { told, turns };
}

test("the agent's first step is told, and only for a request about the task", () => {
  const { told, turns } = play([
    ["helper", TASK],
    ["agent", "something else"],
    ["agent", TASK],
  ]);
  expect(turns).toMatchObject([{ say: "ok" }, { say: "ok" }, { use: "Write", input: { file_path: "/p/sum.sh" } }]);
  expect(told).toEqual(["agent      writes sum.sh"]);
});

test("the file is shown after each change, and what ccc did only if the request has it", () => {
  const { told } = play([
    ["agent", TASK],
    ["agent", TASK],
    ["agent", `${TASK} A check failed: x`],
  ]);
  expect(told).toEqual([
    "agent      writes sum.sh",
    "           sum.sh is now: the script",
    'agent      says: "Done: sum.sh prints the sum."',
    "ccc        check failed, and goes back to the agent; no model was asked",
    "agent      fixes sum.sh",
  ]);
  expect(play([["reviewer", TASK]]).told).toEqual(["reviewer   reads sum.sh itself"]);
});

test("the reviewer looks and rejects, then looks and accepts; more is not scripted", () => {
  const { turns } = play(Array.from({ length: 5 }, () => ["reviewer", TASK] as [Role, string]));
  expect(turns).toMatchObject([
    { use: "Read" },
    { verdict: { completed: false } },
    { use: "Read" },
    { verdict: { completed: true } },
    { say: "ok" },
  ]);
});

test("the check is one that the system's shell can run", () => {
  expect(checkFor("win32")).toBe("findstr + sum.sh");
  expect(checkFor("darwin")).toStartWith("test ");
});
