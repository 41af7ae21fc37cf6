import { describe, expect, test } from "bun:test";
import type { HelpOption, HelpPage } from "../../../../src/claude/help-page.ts";
import { completeClaude } from "../../../../src/commands/completions/complete-claude.ts";

const option = (names: string, takes: HelpOption["takes"], ...choices: string[]): HelpOption => ({
  names: names.split(" "),
  description: "Does this, and that",
  takes,
  choices,
});
const command = (...names: string[]) => ({ names, description: "A command (of claude)" });

const PAGES: Record<string, HelpPage> = {
  "": {
    options: [
      option("--print -p", "none"),
      option("--add-dir", "many"),
      option("--permission-mode", "one", "plan", "auto"),
      option("--suggest", "optional", "on", "off"),
      option("--resume -r", "optional"),
      option("--model", "one"),
    ],
    commands: [command("mcp"), command("plugin", "plugins")],
  },
  mcp: { options: [option("--help -h", "none")], commands: [command("add"), command("list")] },
  "mcp add": { options: [option("--scope -s", "one", "user", "local")], commands: [] },
  plugin: { options: [option("--help -h", "none")], commands: [command("install")] },
};

async function offered(before: string[], current: string) {
  const asked: string[] = [];
  const read = async (subcommand: readonly string[]) => {
    asked.push(subcommand.join(" "));
    return PAGES[subcommand.join(" ")];
  };
  const found = await completeClaude(before, current, read, ["session-1"]);
  return { values: found === "files" ? "files" : found.map(({ value }) => value), asked };
}

describe("completeClaude", () => {
  const OPTIONS = ["--print", "--add-dir", "--permission-mode", "--suggest", "--resume", "--model"];
  const table: [before: string, current: string, offers: string[] | "files"][] = [
    ["", "", ["mcp", "plugin"]],
    ["", "src/", "files"],
    ["", "--", OPTIONS],
    ["-p", "-", OPTIONS],
    ["--permission-mode", "", ["plan", "auto"]],
    ["--permission-mode", "zz", "files"],
    ["", "--permission-mode=", ["--permission-mode=plan", "--permission-mode=auto"]],
    ["--model", "", "files"],
    ["--model", "-", "files"],
    ["--suggest", "", ["on", "off"]],
    ["--suggest", "-", OPTIONS],
    ["--resume", "", ["session-1"]],
    ["-r", "se", ["session-1"]],
    ["--add-dir a b", "", "files"],
    ["--add-dir a --permission-mode plan", "", ["mcp", "plugin"]],
    ["prompt", "", "files"],
    ["prompt", "--", OPTIONS],
    ["prompt mcp", "", "files"],
    ["--", "", "files"],
    ["mcp", "", ["add", "list"]],
    ["--model x mcp", "l", ["add", "list"]],
    ["mcp", "--", ["--help"]],
    ["plugins", "", ["install"]],
    ["mcp add", "--", ["--scope"]],
    ["mcp add -s", "", ["user", "local"]],
    ["mcp add name", "", "files"],
    // A page that claude does not give.
    ["mcp list", "", "files"],
  ];
  for (const [before, current, offers] of table)
    test(`${before} ${current || "…"}`, async () =>
      expect((await offered(before.split(" ").filter(Boolean), current)).values).toEqual(offers));

  test("claude is asked only for commands that it lists, by their first names", async () => {
    expect((await offered(["plugins", "$(touch x)", "--help"], "")).asked).toEqual(["", "plugin"]);
    expect((await offered(["rm -rf", "mcp"], "")).asked).toEqual([""]);
  });

  test("a candidate comes with the first clause of its description", async () => {
    const found = await completeClaude([], "mc", async () => PAGES[""], []);
    expect(found[0]).toEqual({ value: "mcp", description: "A command" });
  });
});
