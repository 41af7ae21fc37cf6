import { expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prepareProject, proveCase, saveProject } from "../../../../../src/commands/calibrate/cases/case-project.ts";
import { CASES, casePlace } from "../../../../calibration/case-place.ts";

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
