import { expect, test } from "bun:test";
import type { JsonSchema } from "@valibot/to-json-schema";
import { fieldRows, table } from "../../../scripts/fields.ts";

const rows = (properties: Record<string, JsonSchema>) => fieldRows({ type: "object", properties });

const TABLE: [string, JsonSchema, string, string][] = [
  ["a string", { type: "string" }, "string", ""],
  ["null tells nothing", { anyOf: [{ type: "string" }, { type: "null" }] }, "string", ""],
  ["a flag with a default", { type: "boolean", default: false }, "`true`, `false`", "`false`"],
  ["choices", { type: "string", enum: ["a", "b"], default: "a" }, '`"a"`, `"b"`', '`"a"`'],
  ["a whole number", { type: "integer", minimum: 1, maximum: 2000 }, "whole number, 1 to 2,000", ""],
  ["a list", { type: "array", items: { type: "string" } }, "list of strings", ""],
  ["a word or a flag", { anyOf: [{ const: "auto" }, { type: "boolean" }] }, '`"auto"`, `true`, `false`', ""],
  ["several types", { anyOf: [{ type: "string" }, { type: "number" }] }, "string, number", ""],
];
for (const [name, schema, type, preset] of TABLE)
  test(`fieldRows: ${name}`, () =>
    expect(rows({ x: { ...schema, description: "what it is" } })).toEqual([["`x`", type, preset, "what it is"]]));

test("fieldRows descends into objects, and calls any other field {name}", () => {
  const inner: JsonSchema = { properties: { y: { type: "string", description: "a field" } }, description: "one" };
  const outer: JsonSchema = { anyOf: [{ additionalProperties: inner }, { type: "null" }], description: "all" };
  expect(rows({ x: outer }).map(([path]) => path)).toEqual(["`x`", "`x.{name}`", "`x.{name}.y`"]);
});

test("fieldRows refuses a field without a description", () =>
  expect(() => rows({ x: { properties: { y: { type: "string" } }, description: "an object" } })).toThrow(
    "x.y has no description",
  ));

test("table writes Markdown and escapes bars in cells", () =>
  expect(table(["a", "b"], [["1|2", ""]])).toBe("| a | b |\n| --- | --- |\n| 1\\|2 |  |\n"));
