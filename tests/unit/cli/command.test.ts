import { describe, expect, test } from "bun:test";
import type { ArgsDef, CommandDef } from "citty";
import { runCommand } from "../../../src/cli/command.ts";
import { CccError } from "../../../src/errors.ts";
import { fakeWorld } from "../fakes.ts";

describe("the arguments of a command", () => {
  const DEFINED = {
    name: { type: "positional", required: true },
    place: { type: "positional", required: false },
    "base-url": { type: "string" },
    heat: { type: "enum", options: ["low", "high"], default: "low" },
    shape: { type: "enum", options: ["round"] },
    yes: { type: "boolean", default: false },
  } satisfies ArgsDef;

  /** What the command gets for a line. */
  async function argumentsOf(line: string): Promise<object> {
    let got = {};
    const run: CommandDef["run"] = ({ args: { _, ...args } }) => {
      got = args;
    };
    const words = line === "" ? [] : line.split(" ");
    expect(await runCommand({ args: DEFINED, run }, "ccc cook", words, fakeWorld().world)).toBe(0);
    return got;
  }

  const NOTHING_ELSE = { place: undefined, "base-url": undefined, heat: "low", shape: undefined, yes: false };
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
    ["-- --help", { name: "--help" }],
    ["a -", { name: "a", place: "-" }],
  ];
  test.each(parsed)("%s", async (line, args) => expect(await argumentsOf(line)).toEqual({ ...NOTHING_ELSE, ...args }));

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
  test.each(mistakes)("%p is a usage error", async (line, message) => {
    const advice =
      "Usage: ccc cook [--base-url BASE-URL] [--heat low|high] [--shape round] [--yes] <name> [place]\nSee ccc cook --help.";
    const error = await argumentsOf(line).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(CccError);
    expect(error).toMatchObject({ message, exitCode: 2, advice });
  });
});

describe("the help of a command", () => {
  const command: CommandDef = {
    meta: {
      name: "cook",
      description: "Cook a meal. It takes\na while.\n\nIt gets hot.\n\nExamples\n  ccc cook soup    hot",
    },
    args: {
      meal: { type: "positional", description: "what to cook" },
      heat: { type: "enum", options: ["low", "high"], default: "low", description: "how hot" },
      time: { type: "string", valueHint: "MINUTES", description: "how long, which you had better know yourself" },
      salt: { type: "boolean", description: "with salt" },
    },
  };

  async function help(of: CommandDef, path: string, columns?: number): Promise<string> {
    const terminal = columns === undefined ? {} : { isTerminal: () => true, columns: () => columns };
    const { world, said } = fakeWorld(terminal);
    expect(await runCommand(of, path, ["--help"], world)).toBe(0);
    return said.stdout;
  }

  test("has paragraphs, arguments, options and sections", async () => {
    expect(await help(command, "ccc cook", 60)).toBe(`Cook a meal. It takes a while.

It gets hot.

Usage
  ccc cook [options] <meal>

Arguments
  meal    what to cook

Options
  --heat low|high    how hot (default: low)
  --time MINUTES     how long, which you had better know
                     yourself
  --salt             with salt
  -h, --help         show this help

Examples
  ccc cook soup    hot
`);
  });

  test("names all options in its usage, if they fit", async () => {
    const whole = "ccc cook [--heat low|high] [--time MINUTES] [--salt] <meal>";
    const indented = whole.length + 2;
    expect(await help(command, "ccc cook")).toContain(`\nUsage\n  ${whole}\n`);
    expect(await help(command, "ccc cook", indented)).toContain(`\nUsage\n  ${whole}\n`);
    expect(await help(command, "ccc cook", indented - 1)).toContain("\nUsage\n  ccc cook [options] <meal>\n");
  });

  test("lists the commands of a group", async () => {
    const group = { meta: { name: "kitchen", description: "All of it." }, subCommands: { cook: command } };
    expect(await help(group, "ccc kitchen")).toBe(`All of it.

Usage
  ccc kitchen cook …

Commands
  cook    cook a meal

Options
  -h, --help    show this help

Help for one command: ccc kitchen <command> --help
`);
  });
});
