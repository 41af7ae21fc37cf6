import type { Part } from "./choose.ts";
import type { Fate, Judged } from "./judge-mutant.ts";
import { CORE } from "./parts.ts";

export interface JudgedPart {
  readonly part: Part;
  readonly judged: readonly Judged[];
}

/** How many mutants of each part were caught, as a Markdown table. `whole` names a last row for all, weighted by size. */
export function ratesTable(parts: readonly JudgedPart[], whole?: string): string {
  const rows = parts.map(rowOf);
  if (whole !== undefined) rows.push(weighted(whole, rows));
  return [
    "| part | possible | tried | change nothing | die by unit tests | die by the whole suite |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...rows.map(
      ({ name, size, tried, equivalent, unit, all }) =>
        `| ${name} | ${size.toLocaleString("en")} | ${tried} | ${equivalent} | ${percent(unit)} | ${percent(all)} |`,
    ),
  ].join("\n");
}

/** Percentages of mutants to catch: in each core part by unit tests, and overall by the whole suite. */
const GOALS = { unit: 85, all: 95 };

/** The goals that were missed, in words. What was not measured does not count as missed. */
export function missedGoals(parts: readonly JudgedPart[]): string[] {
  const rows = parts.map(rowOf);
  const low = rows.filter(({ name, unit }) => CORE.includes(name) && inPercent(unit) < GOALS.unit);
  const { all } = weighted("", rows);
  return [
    ...low.map(({ name, unit }) => `Of ${name}, ${percent(unit)} die by unit tests; at least ${GOALS.unit} % should.`),
    ...(inPercent(all) < GOALS.all ? [`${percent(all)} die by the whole suite; at least ${GOALS.all} % should.`] : []),
  ];
}

interface Row {
  readonly name: string;
  /** How many mutants are possible. */
  readonly size: number;
  readonly tried: number;
  readonly equivalent: number;
  /** Shares from 0 to 1 of those with an effect. */
  readonly unit: number;
  readonly all: number;
}

function rowOf({ part: { name, size }, judged }: JudgedPart): Row {
  return { name, size, ...countsOf(judged) };
}

function countsOf(judged: readonly Judged[]): Omit<Row, "name" | "size"> {
  const count = (...fates: Fate["fate"][]) => judged.filter(({ result }) => fates.includes(result.fate)).length;
  const equivalent = count("equivalent");
  // Not a number if there was none to catch.
  const unit = count("unit") / (judged.length - equivalent);
  return { tried: judged.length, equivalent, unit, all: unit + (1 - unit) * laterShare(count) };
}

/** The share of those that unit tests miss that end-to-end tests catch, extrapolated from those that were tried. */
function laterShare(count: (...fates: Fate["fate"][]) => number): number {
  const tried = count("e2e", "survived");
  if (tried > 0) return count("e2e") / tried;
  return count("alive") === 0 ? 0 : Number.NaN;
}

function weighted(name: string, rows: readonly Row[]): Row {
  const sum = (value: (row: Row) => number) => rows.reduce((total, row) => total + value(row), 0);
  const size = sum((row) => row.size);
  const mean = (value: (row: Row) => number) => sum((row) => row.size * value(row)) / Math.max(1, size);
  return {
    name,
    size,
    tried: sum((row) => row.tried),
    equivalent: sum((row) => row.equivalent),
    unit: mean((row) => row.unit),
    all: mean((row) => row.all),
  };
}

function percent(share: number): string {
  return Number.isNaN(share) ? "?" : `${inPercent(share)} %`;
}

function inPercent(share: number): number {
  return Math.round(share * 100);
}
