import { expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { prepareProject, saveProject } from "../../../../../src/commands/calibrate/cases/case-project.ts";
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
