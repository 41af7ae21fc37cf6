import { describe, expect, test } from "bun:test";
import { colored, columns, cutToWidth, outputWidth, wrap } from "../../../src/text/table.ts";

const UNLIMITED = Number.POSITIVE_INFINITY;

const rows = [
  ["* glm", "https://api.z.ai/api/anthropic", "glm-4.7", "***6789"],
  ["  kimi (reviewer)", "https://api.moonshot.cn/anthropic", "kimi-k3[1m]", "(MOONSHOT_KEY is not set)"],
  ["  智谱", "https://open.bigmodel.cn/api/anthropic", "glm-4.7", "keychain:智谱"],
];

const WIDE = `* glm              https://api.z.ai/api/anthropic          glm-4.7      ***6789
  kimi (reviewer)  https://api.moonshot.cn/anthropic       kimi-k3[1m]  (MOONSHOT_KEY is not set)
  智谱             https://open.bigmodel.cn/api/anthropic  glm-4.7      keychain:智谱
`;

describe("columns", () => {
  const table: [name: string, rows: readonly (readonly string[])[], width: number, text: string][] = [
    ["nothing", [], 60, ""],
    ["unlimited width", rows, UNLIMITED, WIDE],
    ["everything fits", rows, 120, WIDE],
    [
      "what does not fit goes below",
      rows,
      80,
      `* glm              https://api.z.ai/api/anthropic          glm-4.7
    ***6789
  kimi (reviewer)  https://api.moonshot.cn/anthropic       kimi-k3[1m]
    (MOONSHOT_KEY is not set)
  智谱             https://open.bigmodel.cn/api/anthropic  glm-4.7
    keychain:智谱
`,
    ],
    [
      "only what does not fit goes below",
      rows,
      60,
      `* glm              https://api.z.ai/api/anthropic
    glm-4.7  ***6789
  kimi (reviewer)  https://api.moonshot.cn/anthropic
    kimi-k3[1m]  (MOONSHOT_KEY is not set)
  智谱             https://open.bigmodel.cn/api/anthropic
    glm-4.7  keychain:智谱
`,
    ],
    [
      "very narrow: each cell on its own line",
      rows.slice(2),
      40,
      `  智谱
      https://open.bigmodel.cn/api/anthropic
      glm-4.7  keychain:智谱
`,
    ],
    [
      "sentences are wrapped within the last column",
      [
        ["  problem", "the key is a reference, and beside it there is another one"],
        ["  说明", "模型名称以平台文档为准，请先在控制台创建密钥，再用它添加供应商。"],
      ],
      60,
      `  problem  the key is a reference, and beside it there is
           another one
  说明     模型名称以平台文档为准，请先在控制台创建密钥，再
           用它添加供应商。
`,
    ],
    ["a single column as wide as the terminal", [["a sentence of 24 letters"]], 24, "a sentence of 24 letters\n"],
    ["a word as wide as its column", [["ab", "sixteen-letters-"]], 20, "ab  sixteen-letters-\n"],
    [
      "a longer word goes below",
      [["ab", "a long-word-of-24-letters-x"]],
      27,
      "ab\n    a\n    long-word-of-24-letters-x\n",
    ],
    ["sentences need room", [["name", "a b c d e f g h i j"]], 16, "name\n    a b c d e f\n    g h i j\n"],
    [
      "columns as wide as the terminal stay in a row",
      [["aaaa", "bbbb", "a-word-of-18-chars"]],
      10,
      "aaaa  bbbb\n    a-word-of-18-chars\n",
    ],
    ["cells below share a line if they fit exactly", [["aaaaaaaa", "cc", "dd"]], 10, "aaaaaaaa\n    cc  dd\n"],
    ["columns in a cell that fits exactly are kept", [["x", "aa  bbbbbbbbbbbb"]], 19, "x  aa  bbbbbbbbbbbb\n"],
  ];
  for (const [name, given, width, text] of table)
    test(`${name}: ${width}`, () => expect(columns(given, width)).toBe(text));

  for (const width of [60, 80, 120])
    test(`keeps within ${width} columns, and breaks no word`, () => {
      const text = columns(rows, width);
      for (const line of text.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
      expect(text.split(/\s+/).filter(Boolean)).toEqual(rows.flat().join(" ").split(/\s+/));
    });
});

describe("wrap", () => {
  const sentence =
    "    Requests go to https://a-very-long-address.example.com/with/a/path/longer/than/a/line with a key.";
  const table: [name: string, text: string, width: number, wrapped: string][] = [
    ["what fits is unchanged", "a  table\n    of mine", 60, "a  table\n    of mine"],
    ["what fits exactly is unchanged", "one two three", 13, "one two three"],
    ["words that fit exactly share a line", "one two three", 9, "one two\n  three"],
    ["nothing is wrapped for a script", sentence, UNLIMITED, sentence],
    [
      "a long URL stays whole, and continued lines are indented",
      sentence,
      60,
      `    Requests go to
      https://a-very-long-address.example.com/with/a/path/longer/than/a/line
      with a key.`,
    ],
    ["each line on its own", "one two three\n  four five six", 10, "one two\n  three\n  four\n    five\n    six"],
    [
      "columns are broken first",
      "  ccc provider add     asks for all that it needs",
      40,
      "  ccc provider add\n    asks for all that it needs",
    ],
    [
      "a command between backticks stays whole if it fits",
      "To add one: `ccc provider add`. Or: `ccc help all of it and more`.",
      24,
      "To add one:\n  `ccc provider add`.\n  Or: `ccc help all of\n  it and more`.",
    ],
    [
      "nothing is added between quoted words without a blank",
      "Neither `--foo`/`--bar` nor `x``y z` nor `q`r`s is one.",
      24,
      "Neither\n  `--foo`/`--bar` nor\n  `x``y z` nor `q`r`s is\n  one.",
    ],
    ["Chinese", "供应商的密钥没有设置，请先设置。", 20, "供应商的密钥没有设\n  置，请先设置。"],
  ];
  for (const [name, text, width, wrapped] of table) test(name, () => expect(wrap(text, width)).toBe(wrapped));
});

test("only a terminal limits the width", () => {
  expect(outputWidth({ isTerminal: () => false, columns: () => 60 })).toBe(UNLIMITED);
  expect(outputWidth({ isTerminal: (fd) => fd === 1, columns: () => 60 })).toBe(60);
});

test("signs have colors on a terminal only, and not with NO_COLOR", () => {
  const on = (isOn: boolean, env: Record<string, string> = {}) => ({ isTerminal: () => isOn, env });
  expect(colored("✓ a ✗", on(true))).toBe("\u001b[32m✓\u001b[39m a \u001b[31m✗\u001b[39m");
  expect(colored("(no) no", on(true), 2, { "(no)": "bad" })).toBe("\u001b[31m(no)\u001b[39m no");
  for (const plain of [on(false), on(true, { NO_COLOR: "1" }), on(true, { TERM: "dumb" })])
    expect(colored("✓ a ✗", plain)).toBe("✓ a ✗");
});

describe("cutToWidth", () => {
  const table: [text: string, width: number, expected: string][] = [
    ["the agent", 9, "the agent"],
    ["the agent", 5, "the…"],
    ["the agent", 6, "the a…"],
    ["代理人", 5, "代理…"],
    ["代理人", 4, "代…"],
    ["👨‍👩‍👧👍🏽e\u0301x", 5, "👨‍👩‍👧👍🏽…"],
    ["ab", 1, "…"],
    ["x", 0, ""],
  ];
  test.each(table)("%p in %d columns is %p", (text, width, expected) => expect(cutToWidth(text, width)).toBe(expected));
});
