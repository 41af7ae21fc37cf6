import { describe, expect, test } from "bun:test";
import { foldSettings } from "../../../src/launch/fold.ts";
import { memoryFiles } from "../fakes.ts";

const files = memoryFiles({
  "/project/a.json": '{"a":1}',
  "/b.json": '{"b":1}',
  "/marked.json": '\uFEFF{"m":1}',
  "/list.json": "[1]",
  "/bad.json": "{secret",
});
const fold = (...args: string[]) => foldSettings(args, files, "/project");

describe("foldSettings", () => {
  const table: [name: string, args: string[], rest: string[], settings: Record<string, unknown> | undefined][] = [
    ["none", ["-p", "hi"], ["-p", "hi"], undefined],
    ["a file in the folder", ["--settings", "a.json", "-p"], ["-p"], { a: 1 }],
    ["a file by its whole path", ["-p", "--settings=/b.json"], ["-p"], { b: 1 }],
    ["a file with a byte order mark", ["--settings", "/marked.json"], [], { m: 1 }],
    ["JSON", ["--settings", '{"c":"d"}'], [], { c: "d" }],
    ["JSON in one word", ['--settings= {"c":1}'], [], { c: 1 }],
    ["the last one counts", ["--settings", "a.json", "--settings", "/b.json"], [], { b: 1 }],
    ["without a value it stays", ["-p", "--settings"], ["-p", "--settings"], undefined],
    ["after -- it is not an option", ["--", "--settings", "a.json"], ["--", "--settings", "a.json"], undefined],
    ["without a value before --", ["--settings", "--", "x"], ["--settings", "--", "x"], undefined],
  ];
  for (const [name, args, rest, settings] of table) {
    test(name, () => expect(fold(...args)).toEqual({ args: rest, settings }));
  }
  test("a missing file is a usage error that names it", () =>
    expect(() => fold("--settings", "x")).toThrow("no such file: /project/x"));
  test("JSON that is not an object is a usage error that quotes nothing", () => {
    expect(() => fold("--settings", "/list.json")).toThrow("--settings: /list.json is not a JSON object");
    expect(() => fold("--settings", "/bad.json")).toThrow("--settings: /bad.json is not a JSON object");
    expect(() => fold("--settings", "{secret")).toThrow("the JSON given with --settings is not a JSON object");
  });
});
