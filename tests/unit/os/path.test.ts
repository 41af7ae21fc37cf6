import { describe, expect, test } from "bun:test";
import { shellLine, shellWord } from "../../../src/os/path.ts";

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
