import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import { type InstructionParts, knownChecks, splitInstructions } from "../../../../src/supervisor/checks/commands.ts";
import { findInstructions } from "../../../../src/supervisor/review/instructions.ts";
import { settleProject } from "../../../../src/supervisor/setup/prepare.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

describe("front matter", () => {
  const plain = (body: string): InstructionParts => ({ checks: [], body, problem: undefined });
  const found = (...checks: string[]): InstructionParts => ({ checks, body: "# Look\n", problem: undefined });

  describe("the front matter of SUPERVISOR.md", () => {
    const table: [name: string, text: string, expected: InstructionParts][] = [
      ["none", "# Look\n", plain("# Look\n")],
      ["a list", "---\nchecks:\n  - npm test\n  - npm run lint\n---\n# Look\n", found("npm test", "npm run lint")],
      ["a list in brackets", '---\nchecks: [npm test, "make: all"]\n---\n# Look\n', found("npm test", "make: all")],
      ["other names beside it", "---\ntitle: x\nchecks:\n- a\nmore: {b: 1}\n---\n# Look\n", found("a")],
      [
        "comments, quotes and a block",
        `---\n# c\nchecks:\n- "a # b"\n- |\n  c\n  d\n---\n# Look\n`,
        found("a # b", "c\nd"),
      ],
      [
        "Windows line ends and a byte order mark",
        "\uFEFF---\r\nchecks:\r\n  - npm test\r\n---\r\n# Look\n",
        found("npm test"),
      ],
      ["an empty list", "---\nchecks: []\n---\n# Look\n", found()],
      ["no instructions after it", "---\nchecks: [a]\n---", { checks: ["a"], body: "", problem: undefined }],
      ["a dashed line inside a command does not end it", '---\nchecks:\n  - "a ---"\n---\n# Look\n', found("a ---")],
      // Files from before there were checks.
      ["of another program stays as it is", "---\ntitle: x\n---\n# Look\n", plain("---\ntitle: x\n---\n# Look\n")],
      ["a rule at the top", "---\nLook: here\n\nchecks: all\n", plain("---\nLook: here\n\nchecks: all\n")],
      ["later in the file", "# Look\n---\nchecks: [a]\n---\n", plain("# Look\n---\nchecks: [a]\n---\n")],
    ];
    test.each(table)("%s", (_, text, expected) => expect(splitInstructions(text)).toEqual(expected));

    const broken: [name: string, matter: string, problem: string][] = [
      ["no list", "checks: npm test", "checks must be a list: one command per line, each after a dash"],
      ["nothing", "checks:", "checks must be a list: one command per line, each after a dash"],
      [
        "a value that is not a string",
        "checks: [npm test, true]",
        "each of the checks must be a string: put it in quotes",
      ],
      ["a colon that makes it an object", "checks:\n  - npm run a: b", "each of the checks must be a string"],
      ["an empty command", 'checks: [" "]', "a check is empty"],
      ["too many", `checks: [${"a, ".repeat(21)}]`, "there may be at most 20 checks"],
      ["no YAML", "checks: [", "YAML Parse error"],
      ["a tab as indentation", "checks:\n\t- a", "YAML Parse error"],
      ["nested without end", `checks: ${"[".repeat(15_000)}`, ""],
    ];
    test.each(broken)("%s: a problem, and the instructions still count", (_, matter, problem) => {
      const parts = splitInstructions(`---\n${matter}\n---\n# Look\n`);
      expect(parts).toEqual({ checks: [], body: "# Look\n", problem: expect.stringContaining(problem) });
    });

    test("front matter without an end is a problem", () => {
      const text = "---\nchecks:\n  - npm test\n# Look\n";
      expect(splitInstructions(text)).toEqual({
        ...plain(text),
        problem: 'the line "---" after the checks is missing',
      });
    });
  });
});

describe("settle checks", () => {
  const PATH = "/project/SUPERVISOR.md";
  const matter = (...commands: string[]) => `---\nchecks: ${JSON.stringify(commands)}\n---\nlook\n`;

  interface Given {
    readonly own?: string[];
    readonly text?: string;
    readonly isUsers?: boolean;
    /** The answer at the terminal; undefined without one. */
    readonly answer?: boolean;
    /** Answers from before. */
    readonly before?: [folder: string, commands: string[], agreed: boolean][];
  }

  /** The checks of a launch in a folder, whose instructions the user has agreed to. */
  async function settledChecks(world: World, own: readonly string[], path: string, text: string) {
    const paths = cccPaths({ ...world, platform: "linux" });
    world.files.writePrivate(path, text);
    findInstructions(world, paths, world.cwd, () => {}).consent?.save(true);
    return (await settleProject(world, paths, own)).checks;
  }

  async function settle({ own = [], text = matter("npm test"), isUsers = false, answer, before = [] }: Given) {
    const questions: string[] = [];
    const confirm: World["ask"]["confirm"] = async (question, preset) => {
      questions.push(question);
      expect(preset).toBe(false);
      return answer === true;
    };
    const ask = { ...fakeWorld().world.ask, confirm };
    const { world, said, files } = fakeWorld({ ask, isTerminal: () => answer !== undefined });
    const paths = cccPaths(world);
    for (const [folder, commands, agreed] of before) {
      const earlier = { ...world, cwd: folder, ask: { ...ask, confirm: async () => agreed }, isTerminal: () => true };
      await settledChecks(earlier, [], `${folder}/SUPERVISOR.md`, matter(...commands));
    }
    said.stderr = "";
    if (isUsers) world.files.remove(PATH);
    const settled = await settledChecks(world, own, isUsers ? `${paths.folder}/SUPERVISOR.md` : PATH, text);
    const known = knownChecks(world, paths, world.cwd, { own, text, isProjects: !isUsers });
    return { settled, known, asked: questions.length, stderr: said.stderr, files: files.content };
  }

  const runs = (...commands: string[]) => ({ commands, left_out: [] });

  describe("which checks run", () => {
    const table: [name: string, given: Given, expected: object, asked?: number][] = [
      ["none", { text: "look" }, runs()],
      ["those of the command line and of ccc.json", { own: ["a", "b"], text: "look" }, runs("a", "b")],
      ["those of the user's own file, without a question", { own: ["a"], isUsers: true }, runs("a", "npm test")],
      ["each once", { own: ["a", "npm test", "a"], isUsers: true }, runs("a", "npm test")],
      ["the project's, where the user agrees", { own: ["a"], answer: true }, runs("a", "npm test"), 1],
      ["not the project's, where the user declines", { own: ["a"], answer: false }, runs("a"), 1],
      ["not the project's without a terminal", { own: ["a"] }, { commands: ["a"], left_out: ["npm test"] }],
      ["the project's after an earlier yes", { before: [["/project", ["npm test"], true]] }, runs("npm test")],
      ["not after an earlier no", { before: [["/project", ["npm test"], false]], answer: true }, runs()],
      ["what --check names is the user's", { own: ["npm test"] }, runs("npm test")],
      [
        "only the others of the project need a yes",
        { own: ["npm test"], text: matter("npm test", "b") },
        { commands: ["npm test"], left_out: ["b"] },
      ],
      [
        "a yes for all of them counts, whatever --check adds",
        { own: ["b"], text: matter("npm test", "b"), before: [["/project", ["npm test", "b"], true]] },
        runs("b", "npm test"),
      ],
      [
        "a yes for another folder does not count",
        { before: [["/other", ["npm test"], true]] },
        { commands: [], left_out: ["npm test"] },
      ],
      [
        "a yes for other commands does not count",
        { text: matter("npm test", "b"), before: [["/project", ["npm test"], true]] },
        { commands: [], left_out: ["npm test", "b"] },
      ],
      [
        "a changed command is asked about again",
        { text: matter("npm test; rm -rf /"), before: [["/project", ["npm test"], true]], answer: false },
        runs(),
        1,
      ],
      ["front matter that cannot be used has none", { text: "---\nchecks: x\n---\n", answer: true }, runs()],
    ];
    test.each(table)("%s", async (_, given, expected, asked = 0) => {
      const result = await settle(given);
      expect(result.settled).toEqual(expected as typeof result.settled);
      expect(result.asked).toBe(asked);
    });

    test("the answer is kept for exactly these commands and this folder", async () => {
      const { files, known } = await settle({ answer: true });
      const [path = ""] = Object.keys(files).filter((name) => name.startsWith("/home/u/.claude/ccc/checks/"));
      expect(JSON.parse(files[path] ?? "")).toEqual({ folder: "/project", commands: ["npm test"], agreed: true });
      expect(known).toEqual(runs("npm test"));
    });

    test("the user sees every command in full, also one with control characters", async () => {
      const { stderr } = await settle({ text: matter("npm test", "ls\r\u001b[2Kecho\n\u202Eok > x"), answer: false });
      expect(stderr).toContain(
        "/project/SUPERVISOR.md wants ccc to run these whenever the agent stops:\n  npm test\n  ls\\r\\u{1b}[2Kecho\\n\\u{202e}ok > x\n",
      );
    });

    test("without a terminal one line says what to do", async () => {
      const { stderr } = await settle({ text: matter("npm test", "it's") });
      expect(stderr).toBe(
        `ccc: warning: not running 2 checks in ${PATH}: you have not agreed. Run ccc --supervisor here in a terminal once, or pass --check 'npm test' --check 'it'\\''s'\n`,
      );
    });

    test("after a no, it says how to be asked again", async () => {
      const { stderr } = await settle({ before: [["/project", ["npm test"], false]] });
      expect(stderr).toMatch(
        /you declined 1 check in .*; to be asked again: rm \/home\/u\/.claude\/ccc\/checks\/\w+\.json\n$/,
      );
    });

    test("what is wrong with the front matter is a warning", async () => {
      const { stderr } = await settle({ text: "---\nchecks: npm test\n---\nlook\n" });
      expect(stderr).toBe(
        `ccc: warning: the checks in ${PATH} do not run: checks must be a list: one command per line, each after a dash\n`,
      );
    });

    test("more than 20 are an error", async () => {
      const many = (length: number) => Array.from({ length }, (_, index) => `${index}`);
      expect((await settle({ own: many(19) })).settled).toEqual({ commands: many(19), left_out: ["npm test"] });
      await expect(settle({ own: many(20) })).rejects.toThrow("more than 20 checks");
    });

    test("on Windows, one that cmd.exe would get in another form is an error", () => {
      const settledOn = (platform: NodeJS.Platform, ...own: string[]) => {
        const { world } = fakeWorld();
        return settledChecks({ ...world, platform }, own, PATH, "look");
      };
      for (const command of ['echo "a"', "(exit 1)", "a)"])
        expect(settledOn("win32", "npm test", command)).rejects.toThrow(
          `a check with quotes or parentheses does not work on Windows: ${command}`,
        );
      expect(settledOn("win32", "npm test", "it's")).resolves.toEqual(runs("npm test", "it's"));
      expect(settledOn("linux", 'echo "a"', "(exit 1)")).resolves.toEqual(runs('echo "a"', "(exit 1)"));
    });
  });
});
