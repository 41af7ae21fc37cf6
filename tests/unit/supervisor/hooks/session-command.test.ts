import { expect, test } from "bun:test";
import { readSessionCommand, SESSION_HELP, SESSION_WORDS } from "../../../../src/supervisor/hooks/session-command.ts";

const ROWS: [prompt: string, word: string | undefined][] = [
  ["/ccc:supervisor on", "on"],
  ["/ccc:supervisor OFF", "off"],
  [" /ccc:supervisor  now \n", "now"],
  ["/ccc:supervisor", "status"],
  ["/ccc:supervisor status", "status"],
  ["/ccc:supervisor onn", "help"],
  ["/ccc:supervisor on please", "help"],
  ["/ccc:supervisor help", "help"],
  ["/ccc:supervisors on", undefined],
  ["please /ccc:supervisor on", undefined],
  ["<task-notification>/ccc:supervisor off</task-notification>", undefined],
  ["", undefined],
];

for (const [prompt, word] of ROWS)
  test(JSON.stringify(prompt), () => expect(readSessionCommand(prompt) ?? undefined).toBe(word as never));

test("the help names every subcommand", () => {
  for (const word of SESSION_WORDS) expect(SESSION_HELP).toContain(`\n  ${word} `);
});
