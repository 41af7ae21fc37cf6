import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { lazySchema, lenient } from "../../../src/text/schema.ts";

describe("a lazy schema", () => {
  const counted = () => {
    const made = { times: 0 };
    const schema = lazySchema(() => {
      made.times++;
      return v.object({ a: v.optional(v.string(), "none") });
    });
    return { made, schema };
  };

  test("is made when it is first used, and once", () => {
    const { made, schema } = counted();
    const list = v.object({ all: v.array(schema), one: lenient(schema) });
    expect(made.times).toBe(0);
    expect(v.parse(schema, {})).toEqual({ a: "none" });
    expect(v.parse(list, { all: [{}, { a: "b" }] })).toEqual({ all: [{ a: "none" }, { a: "b" }] });
    expect(made.times).toBe(1);
  });

  test("refuses what the schema refuses, with the same words", () => {
    const { schema } = counted();
    const problem = (each: v.GenericSchema) => v.safeParse(each, { a: 1 }).issues?.map(({ message }) => message);
    expect(problem(schema)).toEqual(problem(v.object({ a: v.optional(v.string(), "none") })));
    expect(v.is(v.object({ in: schema }), { in: 1 })).toBe(false);
  });

  test("is a standard schema", () => {
    expect(counted().schema["~standard"].validate({ a: "b" })).toMatchObject({ value: { a: "b" } });
  });
});

test("a lenient field of another type is missing", () => {
  const schema = v.object({ a: lenient(v.string()) });
  expect(v.parse(schema, { a: 1 })).toEqual({ a: undefined });
  expect(v.parse(schema, {})).toEqual({});
});
