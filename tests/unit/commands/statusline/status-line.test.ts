import { describe, expect, test } from "bun:test";
import { type Status, statusLine } from "../../../../src/commands/statusline/status-line.ts";

const REVIEW = { text: "reviewing 2/10: Bash npm test -- --runInBand", tone: "busy" } as const;
const STATUS: Status = {
  provider: "glm",
  isPinned: false,
  model: "glm-5",
  contextUsed: 42.4,
  usage: "",
  supervision: REVIEW,
  columns: 120,
  hasColor: false,
};

describe("the status line", () => {
  const table: [what: string, status: Partial<Status>, line: string][] = [
    ["has everything", {}, "glm · glm-5 · context 42% · reviewing 2/10: Bash npm test -- --runInBand"],
    [
      "shows the last known usage",
      { usage: "5h 37% (12m ago)" },
      "glm · glm-5 · context 42% · 5h 37% (12m ago) · reviewing 2/10: Bash npm test -- --runInBand",
    ],
    [
      "leaves that out first, after what the reviewer does was cut",
      { usage: "5h 37% (12m ago)", columns: 70 },
      "glm · glm-5 · context 42% · reviewing 2/10: Bash npm test -- --ru…",
    ],
    [
      "says that the folder is pinned",
      { isPinned: true, columns: 100 },
      "glm · pinned · glm-5 · context 42% · reviewing 2/10: Bash npm test -- --runInBand",
    ],
    [
      "has no place for what is unknown",
      { provider: undefined, model: undefined, contextUsed: undefined },
      REVIEW.text,
    ],
    [
      "shows an empty context",
      { contextUsed: 0, supervision: { text: "done", tone: "good" } },
      "glm · glm-5 · context 0% · done",
    ],
    [
      "assumes 80 columns",
      { columns: undefined, model: "a-model-with-a-long-name" },
      "glm · a-model-with-a-long-name · context 42% · reviewing 2/10: Bash npm tes…",
    ],
    [
      "cuts what the reviewer does first",
      { columns: 70 },
      "glm · glm-5 · context 42% · reviewing 2/10: Bash npm test -- --ru…",
    ],
    ["may be as wide as the terminal", { columns: 76 }, `glm · glm-5 · context 42% · ${REVIEW.text}`],
    ["then leaves out the context", { columns: 55 }, "glm · glm-5 · reviewing 2/10: Bash npm test -- --r…"],
    ["then the model", { columns: 43 }, "glm · reviewing 2/10: Bash npm test --…"],
    ["then the provider", { columns: 35 }, "reviewing 2/10: Bash npm test…"],
    ["and in the narrowest terminal still says that it reviews", { columns: 20 }, "reviewing 2/10:…"],
    [
      "bounds long names",
      { model: "m".repeat(50), supervision: { text: "done", tone: "good" } },
      `glm · ${"m".repeat(29)}… · context 42% · done`,
    ],
    [
      "counts wide characters",
      { columns: 44, supervision: { text: `reviewing 1/10: ${"测".repeat(30)}`, tone: "busy" } },
      `glm · glm-5 · reviewing 1/10: ${"测".repeat(4)}…`,
    ],
    [
      "has no control characters of others",
      {
        provider: "g\u001b[31mlm",
        model: "a\nb\u202e\u0007",
        supervision: { text: "reviewing 1/2: \u001b]0;x\u0007\tBash", tone: "busy" },
      },
      "g [31mlm · a b · context 42% · reviewing 1/2: ]0;x Bash",
    ],
  ];
  test.each(table)("%s", (_, status, line) => {
    expect(statusLine({ ...STATUS, ...status })).toBe(line);
    const colored = statusLine({ ...STATUS, ...status, hasColor: true });
    expect(colored).not.toBe(line);
    expect(Bun.stripANSI(colored)).toBe(line);
  });

  test.each([1, 5, 40, 79, 200])("fits into %d columns", (columns) => {
    const line = statusLine({ ...STATUS, columns, model: "测试-model".repeat(9) });
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(Math.max(1, columns - 4));
  });

  test("has a color for each tone", () => {
    const tones = ["quiet", "busy", "good", "open", "bad"] as const;
    const lines = tones.map((tone) => statusLine({ ...STATUS, supervision: { text: "x", tone }, hasColor: true }));
    expect(new Set(lines).size).toBe(tones.length);
  });
});
