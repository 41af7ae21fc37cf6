import { expect, test } from "bun:test";
import { everyValue } from "../../../src/commands/shared-arguments.ts";

test.each([
  [[], []],
  [["id", "--json"], []],
  [
    ["--check", "a b", "--json", "--check=c", "id"],
    ["a b", "c"],
  ],
  [["--model", "m", "--check", "--odd"], ["--odd"]],
])("%p", (words, wanted) => expect(everyValue(words, "check")).toEqual(wanted));
