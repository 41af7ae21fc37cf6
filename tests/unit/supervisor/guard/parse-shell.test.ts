import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseShell } from "../../../../src/supervisor/guard/command-line.ts";
import { Refusal } from "../../../../src/supervisor/guard/places.ts";

describe("a shell line", () => {
  const HOME = "/home/u";
  const words = (line: string) => parseShell(line, HOME).map((command) => command.words.map(({ text }) => text));

  describe("a command line is parsed as a shell does", () => {
    const table: [line: string, commands: string[][]][] = [
      ["git diff", [["git", "diff"]]],
      ["  cat\ta.txt  ", [["cat", "a.txt"]]],
      [`cat 'a b' "c d" e\\ f`, [["cat", "a b", "c d", "e f"]]],
      [`cat a'b'"c"d`, [["cat", "abcd"]]],
      [`echo "a \\"b\\" \\$c \\d"`, [["echo", 'a "b" $c \\d']]],
      ["echo ''", [["echo", ""]]],
      ['grep "end$" x', [["grep", "end$", "x"]]],
      ["grep end$ x", [["grep", "end$", "x"]]],
      ["a | b && c || d; e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]],
      ["npm test 2>&1 | tail", [["npm", "test"], ["tail"]]],
      ["npm test >/dev/null 2>/dev/null &>/dev/null", [["npm", "test"]]],
      ["ls # and more\ncat x", [["ls"], ["cat", "x"]]],
      ["ls a#b", [["ls", "a#b"]]],
      ["ls \\\n  -l", [["ls", "-l"]]],
      ["cat ~/x ~", [["cat", "/home/u/x", "/home/u"]]],
      ["cat '~/x' a~b", [["cat", "~/x", "a~b"]]],
      ["find . -name x {}", [["find", ".", "-name", "x", "{}"]]],
      [
        "npm test; echo $?",
        [
          ["npm", "test"],
          ["echo", "$?"],
        ],
      ],
      ["", []],
    ];
    for (const [line, commands] of table) test(JSON.stringify(line), () => expect(words(line)).toEqual(commands));

    test("which commands are part of a pipe", () => {
      const piped = (line: string) => parseShell(line, HOME).map(({ isPiped }) => isPiped);
      expect(piped("a")).toEqual([false]);
      expect(piped("a | b; c && d")).toEqual([true, true, false, false]);
      expect(piped("a; b | c | d")).toEqual([false, true, true, true]);
    });

    test.each([
      ["echo $?", true],
      ['echo "code: $?"', true],
      ['echo "really?"', false],
      ["echo really?", false],
      ["echo '$?'", false],
    ])("whether the exit code is used: %s", (line, isUsed) =>
      expect(parseShell(line, HOME)[0]?.words.some(({ hasStatus }) => hasStatus)).toBe(isUsed),
    );

    test("wildcards, input files and pipes are recorded", () => {
      const [first, second] = parseShell("cat *.md '*' < in.txt | head", HOME);
      expect(first).toEqual({
        words: [
          { text: "cat", hasGlob: false, hasStatus: false },
          { text: "*.md", hasGlob: true, hasStatus: false },
          { text: "*", hasGlob: false, hasStatus: false },
        ],
        inputs: [{ text: "in.txt", hasGlob: false, hasStatus: false }],
        isPiped: true,
        isAlternative: false,
      });
      expect(second?.isPiped).toBe(true);
    });
  });

  describe("what shells could read differently is refused", () => {
    const lines = [
      ...[
        "cat $(x)",
        "cat `x`",
        'cat "$(x)"',
        'cat "`x`"',
        "cat $X",
        "cat ${X}",
        'cat "$X"',
        'cat "${X}"',
        "cat $1",
        "cat $@",
      ],
      ...[
        "cat $'a'",
        'cat $"a"',
        "cat $((1))",
        "cat $[1]",
        "cat <(x)",
        "cat >(x)",
        "(cat x)",
        "{ cat x; }",
        "cat {a,b}",
        "cat {1..3}",
      ],
      ...[
        "x > f",
        "x >> f",
        "x >| f",
        "x <> f",
        "x 2> f",
        "x &> f",
        "x >&f",
        "x <<E",
        "x <<<a",
        "x &",
        "x & y",
        "x |& y",
        "x >&1y",
        "x ;& y",
        "x ;&& y",
        "x < #y",
        "x &&& y",
        "cat a\u00a0b",
      ],
      ...[
        "cat ~root/x",
        "cat ~+",
        "ls # x; rm y",
        "ls #'",
        "cat a=~",
        "cat a=b:~",
        "cat =ls",
        "cat 'open",
        'cat "open',
        "x >",
        "x <",
        "f() { x; }",
        "cat a\rb",
        "cat a\0b",
      ],
      ...["cat >/dev/null/../x", "x > /dev/null2", "cat \u0007", "cat $\\\nX", "cat a\\\nb", 'cat "a\\\nb"', "cat a\\"],
    ];
    for (const line of lines) test(JSON.stringify(line), () => expect(() => parseShell(line, HOME)).toThrow(Refusal));
  });

  test("property: what is accepted is parsed as bash does", () => {
    const piece = fc.constantFrom(
      ..."abc/.-~#!=:,+@%^",
      ...[" ", " ", "\t", "'", '"', "\\", "$", "\\\n", "*", "?", "[", "]", "{", "}", "{}", "''", '"a b"', "'$x'"],
    );
    const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    let compared = 0;
    fc.assert(
      fc.property(line, (text) => {
        let commands: ReturnType<typeof parseShell>;
        try {
          commands = parseShell(`: ${text}`, HOME);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        // Another line is another command.
        if (commands.length !== 1 || commands[0]?.words.some(({ hasStatus }) => hasStatus)) return;
        const script = `set -f; show() { printf '%s\\0' "$@"; }; (exit 0); show ${text}`;
        const { stdout, exitCode } = Bun.spawnSync(["bash", "-c", script], { env: { HOME }, stderr: "ignore" });
        const own = commands[0]?.words.slice(1).map(({ text: word }) => word) ?? [];
        expect([text, exitCode, stdout.toString()]).toEqual([
          text,
          0,
          `${(own.length === 0 ? [""] : own).join("\0")}\0`,
        ]);
        compared++;
      }),
      { numRuns: 1_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
