import { describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { caseScript, prepareProject, proveCase, saveProject } from "../../../../src/commands/calibrate/case-session.ts";
import type { Role } from "../../../../src/sandbox/sandbox.ts";
import { CASES, casePlace } from "../../../calibration/case-place.ts";

describe("case project", () => {
  test("every reviewer gets the files as the agent left them, in the same repository", async () => {
    const given = CASES.find(({ id }) => id === "stub/parsed");
    if (given === undefined) throw new Error("there is no such case");
    await using place = casePlace();
    const at = (...names: string[]) => join(place.project, ...names);
    await prepareProject(place.world, given, place.project, place.env);
    await writeFile(at("new file"), "by the agent");
    const before = (await readdir(place.project, { recursive: true })).sort();
    const objects = place.world.files.identify(at(".git/objects"))?.id;
    const restore = await saveProject(place.world, place);

    await restore();
    await mkdir(at("__pycache__"));
    await writeFile(at("__pycache__/x.pyc"), "by a reviewer's test run");
    await writeFile(at("new file"), "changed");
    await rm(at("src"), { recursive: true });
    await restore();
    expect((await readdir(place.project, { recursive: true })).sort()).toEqual(before);
    expect(await readFile(at("new file"), "utf8")).toBe("by the agent");
    expect(place.world.files.identify(at(".git/objects"))?.id).toBe(objects ?? "");
  });

  test("a proof runs in a copy, with its own files and the agent's answer, and leaves nothing behind", async () => {
    const [some] = CASES;
    if (some === undefined) throw new Error("there is no case");
    await using place = casePlace();
    await mkdir(place.project);
    await writeFile(join(place.project, "a.txt"), "by the agent");
    const proved = (prove: string) =>
      proveCase(
        place.world,
        { ...some, prove, proof: { "b.txt": "for the proof" }, turns: [{ say: "I did it." }] },
        place,
      );
    const right = 'cat a.txt; echo; cat b.txt; echo; echo "$ANSWER"; touch trace';
    expect(await proved(right)).toEqual({ isPassed: true, output: "by the agent\nfor the proof\nI did it." });
    expect(await proved("echo no >&2; exit 3")).toEqual({ isPassed: false, output: "no" });
    expect(await readdir(place.project)).toEqual(["a.txt"]);
    expect((await readdir(place.scratch)).sort()).toEqual(["project"]);
  });
});

describe("case turns", () => {
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
});
