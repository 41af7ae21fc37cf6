import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { terminalSvg } from "../../../scripts/terminal-svg.ts";
import { newCriterion } from "../../../src/supervisor/criteria.ts";
import { announcement } from "../../../src/supervisor/outcome.ts";
import { NOT_LOOKED } from "../../../src/supervisor/review/review.ts";

async function picture(output: string, marks: Readonly<Record<number, string>> = {}): Promise<string> {
  const terminal = new Terminal({ cols: 20, rows: 3, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  return terminalSvg(terminal.buffer.active, { title: "a & b", cols: 20, rows: [0, 1], marks });
}

test("a run of text is as wide as its cells, in its color, and is data", async () => {
  const svg = await picture("  ok \u001b[1;38;2;255;0;16m<b>\u001b[0m");
  expect(svg).toContain('<text x="36.8" y="60" textLength="16.8" lengthAdjust="spacingAndGlyphs">ok</text>');
  expect(svg).toContain('fill="#ff0010" font-weight="bold">&lt;b&gt;</text>');
  expect(svg).toContain(">a &amp; b</text>");
});

test("wide characters, lines and rare signs stand where their cells are, whatever the font", async () => {
  const svg = await picture("好a\r\n──⎿", { 1: "#123456" });
  expect(svg).toContain('<text x="20" y="60">好</text><text x="36.8" y="60" textLength="8.4"');
  expect(svg).toContain('<rect x="20" y="74" width="16.8" height="1"/><path transform="translate(36.8 65)"');
  expect(svg).toContain('<rect x="8" y="65" width="3" height="19" rx="1.5" fill="#123456"/>');
});

const COLORS: [string, string][] = [
  ["31", "#e06c75"],
  ["38;5;16", "#000000"],
  ["38;5;208", "#ff8700"],
  ["38;5;246", "#949494"],
  ["7", "#15181e"],
];
for (const [code, color] of COLORS)
  test(`color ${code}`, async () => expect(await picture(`\u001b[${code}mx`)).toContain(`fill="${color}">x<`));

test("the picture in the README shows what ccc says today", async () => {
  const svg = await readFile(join(import.meta.dir, "../../../docs/session.svg"), "utf8");
  const unmet = newCriterion("C1", "it works");
  const met = { ...unmet, status: "met" as const };
  const common = { ...NOT_LOOKED, feedback: "" };
  const notDone = announcement({ kind: "rework", round: 1, criteria: [met, unmet], ...common }, 10, "");
  const confirmation = { ...NOT_LOOKED, reviewer: "glm", verdict: "done" as const, questions: [] };
  const done = announcement({ kind: "done", rounds: 2, criteria: [met, met], ...common, confirmation }, 10, "");
  for (const line of [notDone, done]) expect(svg).toContain(`Stop says: ${line.replace(/ \(.*/s, "")} (`);
});
