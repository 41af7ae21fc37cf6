import { describe, expect, test } from "bun:test";
import { mergeSettings } from "../../../src/providers/configured-settings.ts";

describe("mergeSettings", () => {
  const table: [name: string, base: object, over: object, merged: object][] = [
    ["objects are merged", { p: { a: 1, b: 1 } }, { p: { b: 2 } }, { p: { a: 1, b: 2 } }],
    ["lists are replaced", { p: { allow: ["a"] } }, { p: { allow: ["b"] } }, { p: { allow: ["b"] } }],
    ["kinds may change", { a: { b: 1 }, c: 1 }, { a: 1, c: { d: 1 } }, { a: 1, c: { d: 1 } }],
    ["null is a value", { a: { b: 1 } }, { a: null }, { a: null }],
    ["prototype names are keys", {}, { constructor: { a: 1 }, toString: 1 }, { constructor: { a: 1 }, toString: 1 }],
  ];
  for (const [name, base, over, merged] of table)
    test(name, () => expect(mergeSettings({ ...base }, { ...over })).toEqual({ ...merged }));

  test("no key can reach a prototype", () => {
    const merged = mergeSettings({}, JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}'));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
