import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { repository } from "../../../package.json" with { type: "json" };
import { REPOSITORY } from "../../../src/build-info.ts";
import { COMMANDS, ENVIRONMENT, run } from "../../../src/cli/run.ts";
import { type Definition, define } from "../../../src/commands/arguments.ts";
import {
  COMMAND_NAMES,
  EXEC_MARKER,
  FILES_VARIABLE,
  FOLDERS_VARIABLE,
  GIT_FOLDERS_VARIABLE,
  LAUNCH_MARKER,
  REVIEWER_MARKER,
  RUN_MARKER,
  SANDBOX_VARIABLE,
} from "../../../src/markers.ts";
import { fakeWorld } from "../fakes.ts";

const ROOT = join(import.meta.dir, "../../..");

async function help(words: readonly string[], parts: Parameters<typeof fakeWorld>[0] = {}): Promise<string> {
  const { world, said } = fakeWorld({ ...parts, argv: [...words, "--help"] });
  expect([await run(world), said.stderr]).toEqual([0, ""]);
  return said.stdout;
}

/** Every command and subcommand, by the words that lead to it. */
async function everyCommand(): Promise<[words: string[], definition: Definition][]> {
  const { world } = fakeWorld();
  const below = (words: string[], definition: Definition): [string[], Definition][] => [
    [words, definition],
    ...definition.children.flatMap((child) => below([...words, child.name], child)),
  ];
  const found = Object.entries(COMMANDS).map(async ([name, command]) => below([name], await define(command(world))));
  return (await Promise.all(found)).flat();
}

const commands = await everyCommand();

describe("the help of", () => {
  const all = [[], ["supervisor-hook"], ["supervisor-guard"], ["statusline"], ...commands.map(([words]) => words)];
  test.each(all.map((words) => [["ccc", ...words].join(" "), words] as const))(
    "%s fits into 100 columns",
    async (_, words) => {
      const text = await help(words);
      const lines = text.split("\n");
      expect(lines.filter((line) => Bun.stringWidth(line) > 100)).toEqual([]);
      expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
      expect(text).toEndWith("\n");
      expect(text).not.toMatch(/\n\n\n|\n\n$|\t|undefined/);
      expect(text).toContain("\nUsage\n  ccc");
    },
  );

  test.each(commands.map(([words, definition]) => [words.join(" "), definition] as const))(
    "ccc %s lists every argument and option",
    async (name, { args, children }) => {
      const lines = (await help(name.split(" "))).split("\n");
      const isRow = (left: string) => lines.some((line) => line.startsWith(`  ${left} `));
      for (const [argument, { type, description, valueHint }] of Object.entries(args)) {
        const left = type === "positional" ? (valueHint ?? argument) : `--${argument}`;
        expect([left, isRow(left), description]).toEqual([left, true, expect.stringMatching(/\w/)]);
        // Without a hint, people would have to guess what goes there.
        if (type === "string") expect([left, valueHint]).toEqual([left, expect.stringMatching(/^[A-Z]+$/)]);
      }
      for (const { name: child, isHidden } of children) expect([child, isRow(child)]).toEqual([child, !isHidden]);
      expect(isRow("-h, --help")).toBe(true);
    },
  );

  test("ccc itself fits a screen of 24 rows and 80 columns, and leads to the rest", async () => {
    const text = await help([]);
    const lines = text.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
    for (const command of ["glm", "--supervisor glm", "provider", "use glm", "pin glm", "report", "doctor"])
      expect(text).toContain(`\n  ccc ${command} `);
    expect(lines).toContain("All commands and options: ccc help all. One command: ccc help COMMAND");
  });

  test("all of it has every group", async () => {
    const { world, said } = fakeWorld({ argv: ["help", "all"] });
    expect(await run(world)).toBe(0);
    const lines = said.stdout.split("\n");
    for (const group of ["Usage", "Options, before the provider", "Providers", "Supervision", "Setup"])
      expect(lines).toContain(group);
  });

  test.each([60, 80, 100])("all of it continues a row of exit codes further in, with %d columns", async (columns) => {
    const { world, said } = fakeWorld({ argv: ["help", "all"], isTerminal: () => true, columns: () => columns });
    expect(await run(world)).toBe(0);
    const [, codes = ""] = /\nExit codes\n(.*?)\n\n/s.exec(said.stdout) ?? [];
    expect(codes.match(/^ {2}(?! ).{12}/gm)).toEqual([
      "  claude's own",
      "  --engine loo",
      "  --supervisor",
      "  ccc review: ",
      "  ccc calibrat",
    ]);
  });

  test("ccc names every command", async () => {
    const { world, said } = fakeWorld({ argv: ["help", "all"] });
    expect(await run(world)).toBe(0);
    const text = said.stdout;
    expect(text).not.toMatch(/\n\n\n/);
    expect(text.split("\n").filter((line) => Bun.stringWidth(line) > 100)).toEqual([]);
    for (const name of COMMAND_NAMES) expect(text).toContain(`\n  ccc ${name} `);
    expect(text).toContain("ccc update and ccc install are Claude Code's own");
  });

  test.each(
    commands
      .map(([words]) => [words.join(" "), words] as const)
      .concat([
        ["ccc", []],
        ["all", ["help", "all"]],
      ]),
  )("%s breaks only between words on a narrow terminal", async (_, words) => {
    const narrow = { isTerminal: () => true, columns: () => 60 };
    const print = async (parts: Parameters<typeof fakeWorld>[0]) => {
      const { world, said } = fakeWorld({ ...parts, argv: words[0] === "help" ? words : [...words, "--help"] });
      expect(await run(world)).toBe(0);
      return said.stdout;
    };
    const wordsIn = (text: string) => text.split(/\s+/);
    const [wide, shown] = [wordsIn(await print({})), await print(narrow)];
    // The usage leaves out options that do not fit.
    expect(
      wordsIn(shown).filter((word) => !wide.includes(word) && word !== "[options]" && word !== "<command>"),
    ).toEqual([]);
    const isOneWord = (line: string) => !line.trim().includes(" ");
    const wider = shown.split("\n").filter((line) => Bun.stringWidth(line) > 60 && !isOneWord(line));
    expect(wider).toEqual([]);
  });
});

test("links in help lead to existing pages and sections", async () => {
  expect(REPOSITORY).toBe(`https://github.com/${repository.replace("github:", "")}`);
  const texts = await Promise.all(commands.map(([words]) => help(words)));
  const addresses = new Set(texts.join("").match(/https:\/\/github\.com\S+/g));
  expect(addresses.size).toBeGreaterThan(5);
  for (const address of addresses) {
    expect(address).toStartWith(`${REPOSITORY}/blob/main/docs/`);
    const [path = "", section] = address.slice(`${REPOSITORY}/blob/main/`.length).split("#");
    const page = await readFile(join(ROOT, path), "utf8");
    const sections = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    if (section !== undefined) expect(sections).toContain(section);
  }
});

describe("environment", () => {
  const SOURCE = join(import.meta.dir, "../../../src");

  test("every CCC_ variable in the code is documented or a marker", async () => {
    const found = new Set<string>();
    for await (const file of new Glob("**/*.ts").scan(SOURCE)) {
      for (const [, name = ""] of (await Bun.file(join(SOURCE, file)).text()).matchAll(
        /(?:\benv\.|")(CCC_[A-Z_]*[A-Z])\b/g,
      ))
        found.add(name);
    }
    // Part of ccc, too: `ccc upgrade` runs it.
    const script = await Bun.file(join(SOURCE, "../install.sh")).text();
    for (const [name] of script.matchAll(/\bCCC_[A-Z_]+/g)) found.add(name);
    const own = Object.keys(ENVIRONMENT).filter((name) => name.startsWith("CCC_"));
    expect([...found].sort()).toEqual(
      [
        ...own,
        LAUNCH_MARKER,
        REVIEWER_MARKER,
        FOLDERS_VARIABLE,
        GIT_FOLDERS_VARIABLE,
        FILES_VARIABLE,
        SANDBOX_VARIABLE,
        RUN_MARKER,
        EXEC_MARKER,
      ].sort(),
    );
  });

  test("the help lists every variable", async () => {
    const { world, said } = fakeWorld({ argv: ["help", "all"] });
    await run(world);
    for (const [name, meaning] of Object.entries(ENVIRONMENT)) {
      expect(said.stdout).toMatch(new RegExp(`^  ${name} +${RegExp.escape(meaning)}$`, "m"));
    }
  });
});
