import { columns, wrap } from "../../text/table.ts";
import type { Effect } from "./effects.ts";
import type { Explained, ShownSetting } from "./explain.ts";
import type { PlaceName } from "./place-name.ts";

/** All places that set one name, and what each of them does. */
export function settingTable(
  { name, set }: Explained,
  provider: string | null,
  place: PlaceName,
  width: number,
): string {
  const rows = [
    ["  set in", "value", ...(provider === null ? [] : [`ccc ${provider}`]), "claude"],
    ...set.map((each) => [
      `  ${place(each)}`,
      each.value || "(empty)",
      ...(each.ccc === null ? [] : [said(each.ccc, each.value)]),
      said(each.claude, each.value),
    ]),
  ];
  const others = rows[0]?.map((_, column) => column).filter((column) => column !== 1) ?? [];
  const taken = others.map((column) => Math.max(...rows.map((row) => 2 + Bun.stringWidth(row[column] ?? ""))));
  const room = width - taken.reduce((sum, each) => sum + each);
  if (room < LEAST_VALUE) return [name, ...set.flatMap((each) => inLines(each, provider, place, width))].join("\n");
  const shortened = rows.map((row) => row.map((cell, column) => (column === 1 ? cut(cell, room) : cell)));
  return `${name}\n${columns(shortened, width)}`;
}

/** With less room for the value column, rows become sentences instead of a table. */
const LEAST_VALUE = 8;

/** A row of the table as sentences. */
function inLines(each: ShownSetting, provider: string | null, place: PlaceName, width: number): string[] {
  const { value, ccc, claude } = each;
  const effects = [...(ccc === null ? [] : [`ccc ${provider}: ${said(ccc, value)}`]), `claude: ${said(claude, value)}`];
  return [`  ${place(each)}: ${cut(value || "(empty)", width - 4)}`, `    ${effects.join("; ")}`].map((line) =>
    wrap(line, width),
  );
}

/** An empty value sets nothing, but cancels weaker ones. */
function said({ used, why }: Effect, value: string): string {
  if (value === "") return used ? "cancels the others" : "no effect";
  return used ? "used" : why;
}

/** Shortens a value; drops the scheme of a URL first. */
function cut(text: string, room: number): string {
  const line = text.replaceAll(/\s+/g, " ");
  const short = line.length <= room ? line : line.replace(/^https?:\/\//, "");
  return short.length <= room ? short : `${short.slice(0, room - 1)}…`;
}
