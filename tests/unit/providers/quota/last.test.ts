import { describe, expect, test } from "bun:test";
import { lastUsageText, readLastUsage } from "../../../../src/providers/quota/last.ts";

const WINDOW = {
  kind: "window",
  label: "5-hour window",
  name: "5 hours",
  hours: 5,
  used_percent: 40,
  resets_at: null,
} as const;
const BALANCE = { kind: "balance", label: "balance", amount: 12.5, currency: "CNY" } as const;
const time = Date.parse("2026-01-01T00:00:00Z");

test("what was left is read as it was written", () => {
  const usage = { time, figures: [WINDOW, { ...WINDOW, hours: null, resets_at: "2026-01-01T05:00:00Z" }, BALANCE] };
  expect(readLastUsage(lastUsageText(usage))).toEqual(usage);
});

describe("a figure is left out", () => {
  const table: [name: string, figure: object][] = [
    ["without a name", { ...WINDOW, name: 5 }],
    ["with a length that is no number", { ...WINDOW, hours: "5" }],
    ["without a share", { ...WINDOW, used_percent: "40" }],
    ["with an end that is no time", { ...WINDOW, resets_at: 5 }],
    ["without an amount", { ...BALANCE, amount: "12" }],
    ["without a currency", { ...BALANCE, currency: null }],
    ["of an unknown kind", { ...BALANCE, kind: "other" }],
  ];
  test.each(table)("%s", (_, figure) =>
    expect(readLastUsage(lastUsageText({ time, figures: [figure, BALANCE] as never }))).toEqual({
      time,
      figures: [BALANCE],
    }),
  );
});

test.each(["", "{}", "[]", '{"asked_at":"never","figures":[]}', '{"asked_at":"2026-01-01"}'])(
  "%j says nothing about what is left",
  (text) => expect(readLastUsage(text)).toBeUndefined(),
);
