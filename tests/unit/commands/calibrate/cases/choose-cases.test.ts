import { describe, expect, test } from "bun:test";
import { chooseCases } from "../../../../../src/commands/calibrate/cases/choose-cases.ts";
import { withoutMissingPrograms } from "../../../../../src/commands/calibrate/cases/missing-programs.ts";
import { ownCases } from "../../../../../src/commands/calibrate/cases/own-cases.ts";
import { CASES } from "../../../../calibration/case-place.ts";
import { memoryFiles } from "../../../fakes.ts";

const { stub = {}, region = {} } = ownCases();
const at = (folder: string, texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([path, text]) => {
      const parents = path.split("/").slice(0, -1);
      const folders = parents.map((_, index) => [`${folder}/${parents.slice(0, index + 1).join("/")}`, null] as const);
      return [[folder, null] as const, ...folders, [`${folder}/${path}`, text] as const];
    }),
  );

const FILES = memoryFiles({
  ...{ "/p/mine": null, "/p/empty": null, "/p/mine/notes": null, "/p/mine/notes/todo.txt": "x", "/p/stub": null },
  ...at("/p/mine/first", stub),
  ...at("/p/mine/second", region),
});
const chosen = (...words: string[]) => {
  const { cases, folder } = chooseCases(words, ownCases(), { files: FILES, cwd: "/p" });
  return { ids: cases.map(({ id }) => id), folder };
};

describe("the cases that a user means", () => {
  test("all of ccc's own by default", () => {
    expect(chosen()).toEqual({ ids: CASES.map(({ id }) => id), folder: null });
  });
  test("pairs and single cases by name; a folder with the same name does not matter", () => {
    expect(chosen("stub").ids).toEqual(["stub/placeholder", "stub/parsed"]);
    const three = ["region/asks", "region/told", "stub/parsed"];
    expect(chosen("stub/parsed, region").ids).toEqual(three);
    expect(chosen("region", "stub/parsed").ids).toEqual(three);
  });
  test("the user's folder: one pair, or several; other folders in it are ignored", () => {
    expect(chosen("mine/first")).toEqual({ ids: ["first/placeholder", "first/parsed"], folder: "/p/mine/first" });
    expect(chosen("/p/mine").ids.map((id) => id.split("/")[0])).toEqual(["first", "first", "second", "second"]);
  });
  const faults: [words: string[], says: string][] = [
    [["stubb"], 'no case and no folder is named "stubb": did you mean "stub"?'],
    [["stub,nonsense"], 'no case and no folder is named "nonsense"'],
    [["stub/parsd"], 'did you mean "stub/parsed"?'],
    [[""], "--cases takes names of cases"],
    [["stub,"], "--cases takes names of cases"],
    [["empty"], "there is no case in /p/empty: a case is a folder with a case.json"],
  ];
  test.each(faults)("%j is an error", (words, says) => {
    expect(() => chosen(...words)).toThrow(says);
  });
});

test.each([
  ["a file of a million bytes", { "before/big": "x".repeat(1_000_000) }, undefined],
  ["a larger one", { "before/big": "x".repeat(1_000_001) }, "/p/own/before/big is too large for a case"],
  ["500 files", many(500 - Object.keys(stub).length), undefined],
  ["more", many(501 - Object.keys(stub).length), "/p/own has too many files for a case"],
])("a case with %s", (_, more, says) => {
  const files = memoryFiles(at("/p/own", { ...stub, ...more }));
  const choose = () => chooseCases(["own"], ownCases(), { files, cwd: "/p" }).cases.length;
  if (says === undefined) expect(choose()).toBe(2);
  else expect(choose).toThrow(says);
});

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`before/${index}`, ""]));
}

test("cases that need a missing program are left out", () => {
  const files = memoryFiles({ "/bin/python3": "program" });
  const { runnable, leftOut } = withoutMissingPrograms(CASES, { env: { PATH: "/bin" }, files, platform: "linux" });
  expect(runnable.some(({ needs }) => needs.includes("python3"))).toBe(true);
  expect(runnable.some(({ needs }) => needs.includes("bun"))).toBe(false);
  expect(leftOut).toContainEqual({ case: "stub/parsed", needs: "bun" });
  expect(runnable.length + leftOut.length).toBe(CASES.length);
});
