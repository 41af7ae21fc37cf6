import { describe, expect, test } from "bun:test";
import type { ArgsDef } from "citty";
import { parseArguments } from "../../../src/cli/run-command.ts";
import { CccError } from "../../../src/errors.ts";

const DEFINED = {
  name: { type: "positional", required: true },
  place: { type: "positional", required: false },
  "base-url": { type: "string" },
  heat: { type: "enum", options: ["low", "high"], default: "low" },
  shape: { type: "enum", options: ["round"] },
  yes: { type: "boolean", default: false },
} satisfies ArgsDef;

const NOTHING_ELSE = { place: undefined, "base-url": undefined, heat: "low", shape: undefined, yes: false };

describe("arguments:", () => {
  const parsed: [line: string, args: object][] = [
    ["a", { name: "a" }],
    ["a b", { name: "a", place: "b" }],
    ["a --yes b", { name: "a", place: "b", yes: true }],
    ["--heat high a", { name: "a", heat: "high" }],
    ["--base-url=x=y a", { name: "a", "base-url": "x=y" }],
    ["--base-url= a", { name: "a", "base-url": "" }],
    ["--base-url x --base-url y a", { name: "a", "base-url": "y" }],
    // A value may look like an option, also like a negated one.
    ["--base-url --no-yes a", { name: "a", "base-url": "--no-yes" }],
    ["--base-url -5 a", { name: "a", "base-url": "-5" }],
    ["-- --yes --no-yes", { name: "--yes", place: "--no-yes" }],
    ["a -", { name: "a", place: "-" }],
  ];
  test.each(parsed)("%s", (line, args) => {
    const { _, ...named } = parseArguments(line.split(" "), DEFINED);
    expect<object>(named).toEqual({ ...NOTHING_ELSE, ...args });
  });
});

describe("a usage error:", () => {
  const NEVER = "Never pass a key as an argument: if this was one, it is now in your shell history";
  const mistakes: [line: string, message: string][] = [
    ["", "the provider's name is missing"],
    ["a b c", 'unexpected argument "c"'],
    ["a --no-yes", "unknown option --no-yes"],
    ["a --baseUrl x", "unknown option --baseUrl: did you mean --base-url?"],
    ["a --yes=false", "--yes takes no value"],
    ["a --base-url", "--base-url needs a value"],
    ["a --heat medium", "--heat takes low or high"],
    ["a --heat", "--heat takes low or high"],
    ["a --shape square", "--shape takes round"],
    ["a b fifteen-letters", 'unexpected argument "fifteen-letters"'],
    // A key can be this short, and must not be printed again.
    ["a b sixteen-letters-", `unexpected argument. ${NEVER}`],
    ["a --constructor", "unknown option --constructor"],
    ["a --__proto__ x", "unknown option --__proto__"],
    ["a -yx", "unknown option -y"],
  ];
  test.each(mistakes)("%p", (line, message) => {
    const words = line === "" ? [] : line.split(" ");
    expect(() => parseArguments(words, DEFINED)).toThrow(new CccError(message, { exitCode: 2 }));
  });
});
