import { expect, test } from "bun:test";
import { isSubcommand, takesSettings } from "../../../src/claude/subcommands.ts";

test.each([
  [["mcp", "list"], true, true],
  [["logs", "1"], true, false],
  [["daemon"], true, false],
  // It starts sessions.
  [["agents"], false, true],
  [["-p", "mcp"], false, true],
  [[], false, true],
])("claude %j runs no session: %p, takes settings: %p", (args, subcommand, settings) =>
  expect([isSubcommand(args), takesSettings(args)]).toEqual([subcommand, settings]),
);
