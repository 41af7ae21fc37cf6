import { describe, expect, test } from "bun:test";
import type { Explained, ShownSetting } from "../../../../src/commands/why/explain.ts";
import { placeName } from "../../../../src/commands/why/place-name.ts";
import { settingTable } from "../../../../src/commands/why/setting-table.ts";

const replaced = { used: false, why: "replaced by ccc" };
const shell: ShownSetting = {
  source: "shell",
  path: "",
  value: "",
  by: null,
  ccc: replaced,
  claude: { used: true, why: "" },
};

function table(value: string, width: number): string {
  const set = [
    { ...shell, value },
    { ...shell, source: "user" as const },
  ];
  const explained: Explained = { name: "ANTHROPIC_BASE_URL", kind: "route", set };
  return settingTable(explained, "glm", placeName("glm"), width).trimEnd();
}

describe("all places that set one name", () => {
  /** Of these, the value may take 8. */
  const width = 62;

  test("are a table, in which a value that just fits is whole", () => {
    expect(table("12345678", width)).toBe(`ANTHROPIC_BASE_URL
  set in         value     ccc glm          claude
  your shell     12345678  replaced by ccc  used
  user settings  (empty)   no effect        cancels the others`);
  });

  test("a longer value loses its scheme, and then its end", () => {
    expect(table("https://12345678", width)).toContain(" 12345678  replaced");
    expect(table("https://123456789", width)).toContain(" 1234567…  replaced");
    expect(table("https://1", width + 1)).toContain(" https://1  replaced");
  });

  test("are sentences where the table has no room for a value", () => {
    expect(table("https://12345678", width - 1)).toBe(`ANTHROPIC_BASE_URL
  your shell: https://12345678
    ccc glm: replaced by ccc; claude: used
  user settings: (empty)
    ccc glm: no effect; claude: cancels the others`);
  });

  test("fit a narrow terminal", () => {
    const lines = table(`https://${"x".repeat(60)}`, 30).split("\n");
    expect(lines).toContain(`    ${"x".repeat(25)}…`);
    expect(Math.max(...lines.map((line) => line.length))).toBe(30);
  });
});
