import { expect, test } from "bun:test";
import { renderUsage } from "../../../../src/commands/usage/render-usage.ts";
import { failed, type UsageAnswer } from "../../../../src/commands/usage/usage-answer.ts";
import type { UsageFigure } from "../../../../src/providers/usage/usage-reading.ts";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const window = {
  kind: "window",
  name: "5h",
  label: "5-hour window",
  hours: 5,
  used_percent: 37,
  resets_at: null,
} as const;
const money = { kind: "balance", label: "balance", amount: -1.234, currency: "USD" } as const;

function shown(width: number, ...figures: UsageFigure[]): string[] {
  const answer: UsageAnswer = { status: "answered", cause: "answered", detail: "", advice: "", figures };
  return renderUsage("glm", answer, { width, hasColor: false, now: NOW }).trimEnd().split("\n");
}

test.each([
  [80, `  5-hour window  ${"█".repeat(9)}${"░".repeat(15)}  37% used`],
  [40, `  5-hour window  ${"█".repeat(5)}${"░".repeat(8)}  37% used`],
  [33, `  5-hour window  ${"█".repeat(2)}${"░".repeat(4)}  37% used`],
  [32, "  5-hour window  37% used"],
])("a bar fits into %d columns", (width, line) => {
  const lines = shown(width, window);
  expect(lines).toEqual(["glm", line]);
  for (const each of lines) expect(Bun.stringWidth(each)).toBeLessThanOrEqual(width);
});

test.each([
  [0, "0% used"],
  [0.2, "1% used"],
  [99.7, "99% used"],
  [100, "100% used"],
])("%d is shown as %s", (used_percent, text) =>
  expect(shown(Number.POSITIVE_INFINITY, { ...window, used_percent })).toEqual([`glm  5-hour window: ${text}`]),
);

test.each([
  ["2026-11-16T14:13:00Z", "resets in 2h13m"],
  ["2026-11-16T12:00:20Z", "resets in 20 s"],
  ["2026-11-16T12:00:01Z", "resets in 1 s"],
  ["2026-11-16T12:00:00Z", "resets now"],
  ["2026-11-16T11:59:00Z", "resets now"],
])("a window with a reset at %s %s", (resets_at, text) =>
  expect(shown(Number.POSITIVE_INFINITY, { ...window, resets_at })).toEqual([`glm  5-hour window: 37% used, ${text}`]),
);

test("money has two decimals and no bar, alone or beside one", () => {
  expect(shown(80, money)).toEqual(["glm", "  balance  -1.23 USD"]);
  expect(shown(80, window, money)[2]).toBe(`  balance        ${" ".repeat(24)}  -1.23 USD`);
});

test("a failure has its advice below it", () =>
  expect(renderUsage("glm", failed("gone", "it is gone", "Look there."), { width: 80, hasColor: true, now: NOW })).toBe(
    "✗ glm  it is gone\n       Look there.\n",
  ));

test.each([
  ["green", 69.9, 32],
  ["yellow", 70, 33],
  ["yellow", 89.9, 33],
  ["red", 90, 31],
])("the bar is %s at %d percent", (_, used_percent, color) => {
  const answer = { ...failed("refused", "", ""), status: "answered", figures: [{ ...window, used_percent }] } as const;
  expect(renderUsage("glm", answer, { width: 80, hasColor: true, now: NOW })).toContain(`\u001b[${color}m█`);
});
