import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { type Ask, canAsk, createLog, terminalAsk, terminalColumns } from "../../../src/terminal/dialog.ts";
import { fakeWorld } from "../fakes.ts";

describe("questions", () => {
  const ENTER = "\r";
  const CTRL_C = "\u0003";
  const CTRL_D = "\u0004";
  const DOWN = "\u001b[B";

  /** Asks a user who types this. */
  function asked<T>(question: (ask: Ask) => Promise<T>, ...keys: string[]): Promise<T> {
    return onScreen(new PassThrough().resume(), question, ...keys);
  }

  async function onScreen<T>(output: PassThrough, question: (ask: Ask) => Promise<T>, ...keys: string[]): Promise<T> {
    const input = new PassThrough();
    const answer = question(terminalAsk(() => ({ input, output })));
    for (const key of keys) {
      await new Promise((resolve) => setImmediate(resolve));
      input.write(key);
    }
    return answer;
  }

  const choices = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ value: `v${at}`, label: `Label ${at}`, words: `word${at}` }));

  describe("one of several options", () => {
    test("of a few, is chosen with the arrows: what is typed is no search", async () => {
      expect(await asked((ask) => ask.choose("Which?", choices(6)), "word5", DOWN, ENTER)).toBe("v1");
    });
    test.each([
      ["Label 5", "v5"],
      ["WORD6 ", "v6"],
    ])("of many, is found by its label or another word: %p", async (search, value) => {
      expect(await asked((ask) => ask.choose("Which?", choices(7)), search, ENTER)).toBe(value);
    });
    test("of many, needs one that matches: Enter after another search chooses nothing", async () => {
      const keys = ["6x", ENTER, "\u007f", ENTER];
      expect(await asked((ask) => ask.choose("Which?", choices(7)), ...keys)).toBe("v6");
    });
  });

  describe("a text", () => {
    test.each<[string, Parameters<Ask["text"]>[1], string[], string]>([
      ["as it is typed, without spaces around it", {}, [" abc ", ENTER], "abc"],
      ["begins with what is to be edited", { initial: "abc" }, ["d", ENTER], "abcd"],
      ["is the preset if nothing is typed", { preset: "https://x.test" }, [ENTER], "https://x.test"],
      ["is the preset if only spaces are typed", { preset: "https://x.test" }, ["  ", ENTER], "https://x.test"],
      ["is not the preset if something is typed", { preset: "https://x.test" }, ["abc", ENTER], "abc"],
      ["is nothing if nothing is typed", {}, [ENTER], ""],
    ])("%s", async (_, options, keys, expected) => {
      expect(await asked((ask) => ask.text("Name?", options), ...keys)).toBe(expected);
    });

    test("shows the preset before anything is typed", async () => {
      let shown = "";
      const output = new PassThrough().on("data", (bytes) => {
        shown += bytes;
      });
      await onScreen(output, (ask) => ask.text("Server?", { preset: "https://x.test" }), "abc", ENTER);
      expect(Bun.stripANSI(shown).split("abc")[0]).toContain("https://x.test");
    });

    test("is checked as it will be used, and asked for until it is right", async () => {
      const seen: string[] = [];
      const check = (answer: string) => {
        seen.push(answer);
        return answer === "ab" ? undefined : "no";
      };
      expect(await asked((ask) => ask.text("Name?", { preset: "p", check }), ENTER, "a", ENTER, "b ", ENTER)).toBe(
        "ab",
      );
      expect(seen).toEqual(["p", "a", "ab"]);
    });
  });

  test("a secret is taken without spaces around it", async () => {
    const check = (answer: string) => (answer === "key" ? undefined : "no");
    expect(await asked((ask) => ask.secret("Key?", check), " key ", ENTER)).toBe("key");
  });

  test.each([true, false])("Enter confirms what is preset: %p", async (preset) => {
    expect(await asked((ask) => ask.confirm("Sure?", preset), ENTER)).toBe(preset);
  });

  describe("cancel the whole command", () => {
    test.each<[string, (ask: Ask) => Promise<unknown>, string[]]>([
      ["with Ctrl-C", (ask) => ask.text("Name?"), ["abc", CTRL_C]],
      ["a text, with Ctrl-D", (ask) => ask.text("Name?"), [CTRL_D]],
      ["a secret, with Ctrl-D", (ask) => ask.secret("Key?", () => undefined), [CTRL_D]],
      ["one of a few, with Ctrl-D", (ask) => ask.choose("Which?", choices(2)), [CTRL_D]],
      ["one of many, with Ctrl-D", (ask) => ask.choose("Which?", choices(7)), [CTRL_D]],
      ["a confirmation, with Ctrl-D", (ask) => ask.confirm("Sure?", true), [CTRL_D]],
    ])("%s", async (_, question, keys) => {
      await expect(asked(question, ...keys)).rejects.toMatchObject({
        message: "cancelled; nothing was changed",
        exitCode: 130,
      });
    });
  });

  test.each([
    ["stdin and stderr are terminals", [0, 2], true],
    ["the answers come from elsewhere", [1, 2], false],
    ["nobody sees the questions", [0, 1], false],
  ])("whether the user can be asked: %s", (_, terminals, expected) => {
    expect(canAsk(fakeWorld({ isTerminal: (fd) => terminals.includes(fd) }).world)).toBe(expected);
  });
});

describe("the log", () => {
  describe("columns", () => {
    test("a line is as wide as the terminal, or has 80 columns if there is none", () => {
      expect(terminalColumns(1)).toBe(process.stdout.columns || 80);
    });
  });

  describe("log", () => {
    describe("messages of ccc", () => {
      test("go to stderr, begin with ccc, and only a warning has a label", () => {
        const { world, said } = fakeWorld();
        const log = createLog(world);
        log.info("it was added");
        log.warn("it is empty");
        log.error("it is missing\nAdd it: ccc provider add");
        expect(said).toEqual({
          stdout: "",
          stderr: "ccc: it was added\nccc: warning: it is empty\nccc: it is missing\nAdd it: ccc provider add\n",
        });
      });

      test("are wrapped between words on a terminal, and nowhere else", () => {
        const message = "one two three four five six seven";
        const { world, said } = fakeWorld({ isTerminal: (fd) => fd === 2, columns: (fd) => (fd === 2 ? 20 : 9) });
        createLog(world).info(message);
        expect(said.stderr).toBe("ccc: one two three\n  four five six\n  seven\n");
        const piped = fakeWorld({ isTerminal: (fd) => fd !== 2, columns: () => 20 });
        createLog(piped.world).info(message);
        expect(piped.said.stderr).toBe(`ccc: ${message}\n`);
      });
    });
  });
});
