import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shellLine, shellTokens, shellWord, wordPieces } from "../../../src/text/shell.ts";

describe("shellWord", () => {
  const table: [string, string][] = [
    ["/usr/local/bin/ccc", "/usr/local/bin/ccc"],
    ["--settings", "--settings"],
    ["/a b/ccc", "'/a b/ccc'"],
    ["it's", "'it'\\''s'"],
    ["", "''"],
    ["$HOME`x`", "'$HOME`x`'"],
    ["größe", "'größe'"],
  ];
  for (const [word, quoted] of table) test(`CLI-12 ${word}`, () => expect(shellWord(word)).toBe(quoted));
  test("a shell reads quoted words back unchanged", () => {
    for (const [word] of table)
      expect(Bun.spawnSync(["sh", "-c", `printf %s ${shellWord(word)}`]).stdout.toString()).toBe(word);
  });
});

describe("shellLine", () => {
  const table: [words: string[], line: string][] = [
    [["/usr/bin/ccc", "key", "glm"], "/usr/bin/ccc key glm"],
    [["/usr/bin/ccc", "a b"], "/usr/bin/ccc 'a b'"],
    [["ccc", "", "x"], "ccc '' x"],
    [["ccc", ""], "ccc ''"],
    [["it's", "$(x)", "a"], `'it'\\''s' '$(x)' a`],
    [["ccc", "a\nb"], "ccc 'a\nb'"],
    [["ccc", " "], "ccc ' '"],
  ];
  for (const [words, line] of table) test(JSON.stringify(words), () => expect(shellLine(words)).toBe(line));
});

describe("shellTokens", () => {
  const shown = (line: string) => shellTokens(line).map(({ kind, raw }) => (kind === "word" ? raw : `${kind} ${raw}`));
  const table: [line: string, tokens: string[]][] = [
    ["", []],
    ["a  b", ["a", "blank   ", "b"]],
    ["a\\\n\tb", ["a\\\n", "blank \t", "b"]],
    ["a \\\n b", ["a", "blank  \\\n ", "b"]],
    [`a'b c'"d \\" e"\\ f`, [`a'b c'"d \\" e"\\ f`]],
    [
      "a&&b||c;d|e&\nf",
      [
        "a",
        "operator &&",
        "b",
        "operator ||",
        "c",
        "operator ;",
        "d",
        "operator |",
        "e",
        "operator &",
        "operator \n",
        "f",
      ],
    ],
    [
      "a 2>&1 >>f <g",
      ["a", "blank  ", "2", "operator >&", "1", "blank  ", "operator >>", "f", "blank  ", "operator <", "g"],
    ],
    ["a |& b &>>f", ["a", "blank  ", "operator |&", "blank  ", "b", "blank  ", "operator &>>", "f"]],
    ["$(a)", ["$", "operator (", "a", "operator )"]],
    ["a 'b c", ["a", "blank  ", "unclosed 'b c"]],
    ['a"b', ["a", 'unclosed "b']],
    ["a\\", ["a", "unclosed \\"]],
  ];
  test.each(table)("%j", (line, tokens) => expect(shown(line)).toEqual(tokens));

  test("property: the tokens are the whole line, and a quoted word is one of them", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.string(), { minLength: 1 }), (line, words) => {
        expect(
          shellTokens(line)
            .map(({ raw }) => raw)
            .join(""),
        ).toBe(line);
        const read = shellTokens(shellLine(words)).filter(({ kind }) => kind === "word");
        const texts = read.map(({ raw }) =>
          wordPieces(raw)
            .map(({ text }) => text)
            .join(""),
        );
        expect(texts).toEqual(words);
      }),
    ));
});

describe("wordPieces", () => {
  const table: [word: string, pieces: string[]][] = [
    ["a", ["a"]],
    [`a'b\\'"c"\\d`, ["a", "'b\\", '"c', "\\d"]],
    [`"\\$ \\\` \\" \\\\ \\d"`, ['"$ ` " \\ \\d']],
    ['"a\\\nb"', ['"ab']],
    ["a\\\nb", ["a", "\\", "b"]],
    ["''", ["'"]],
  ];
  test.each(table)("%s", (word, pieces) =>
    expect(wordPieces(word).map(({ quote, text }) => quote + text)).toEqual(pieces),
  );

  test.each(["a b", "'a", '"a\\', "a\\", "a;"])("%j is not one word", (line) =>
    expect(() => wordPieces(line)).toThrow(),
  );
});
