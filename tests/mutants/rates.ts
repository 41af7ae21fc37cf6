import type { Part } from "./choose.ts";
import type { Fate, Judged } from "./judge-mutant.ts";
import { CORE } from "./parts.ts";

export interface JudgedPart {
  readonly part: Part;
  readonly judged: readonly Judged[];
}

/** How many mutants of each part died, as a Markdown table. `whole` names a last row for all of them, each part by its size. */
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

/** Percentages of the mutants that should die: in each core part by unit tests, and of all that were tried by the whole suite. */
const GOALS = { unit: 85, all: 95 };

/** The goals that were missed, in words. What was not measured is not missed. */
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
  /** How many mutants could be made. */
  readonly size: number;
  readonly tried: number;
  readonly equivalent: number;
  /** Shares from 0 to 1 of those that change something. */
  readonly unit: number;
  readonly all: number;
}

function rowOf({ part: { name, size }, judged }: JudgedPart): Row {
  return { name, size, ...countsOf(judged) };
}

function countsOf(judged: readonly Judged[]): Omit<Row, "name" | "size"> {
  const count = (...fates: Fate["fate"][]) => judged.filter(({ result }) => fates.includes(result.fate)).length;
  const equivalent = count("equivalent");
  // Not a number, where there was none to notice.
  const unit = count("unit") / (judged.length - equivalent);
  return { tried: judged.length, equivalent, unit, all: unit + (1 - unit) * laterShare(count) };
}

/** How many of those that no unit test notices die by end-to-end tests: as many as of those that were tried. */
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
