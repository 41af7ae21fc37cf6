import { expect, test } from "bun:test";
import { caseScript } from "../../../../../src/commands/calibrate/cases/case-turns.ts";
import type { Role } from "../../../../../src/sandbox/turns.ts";
import { CASES } from "../../../../calibration/case-place.ts";

test("the agent of a case does what is scripted, in the project; nobody else does", () => {
  const [some] = CASES;
  if (some === undefined) throw new Error("there is no case");
  const turns = [
    { run: "ls" },
    { write: "a.txt", content: "text" },
    { edit: "a.txt", old: "t", new: "n" },
    { say: "Done." },
  ];
  const script = caseScript({ ...some, turns }, "/project");
  const turn = (role: Role, index: number) =>
    script({ role, path: "/", headers: {}, body: { model: "m", messages: [] } }, index);
  expect([0, 1, 2, 3, 4].map((index) => turn("agent", index))).toEqual([
    { use: "Bash", input: { command: "ls", description: "Run a command" } },
    { use: "Write", input: { file_path: "/project/a.txt", content: "text" } },
    { use: "Edit", input: { file_path: "/project/a.txt", old_string: "t", new_string: "n" } },
    { say: "Done." },
    { say: "ok" },
  ]);
  expect(turn("helper", 0)).toEqual({ say: "ok" });
});
