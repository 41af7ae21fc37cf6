import { parseArgs } from "node:util";
import { notRun, type Outcome, type Step } from "./step.ts";

export interface RehearsalOptions {
  readonly only: readonly string[];
  /** A finished release to rehearse, instead of building one. */
  readonly assets: string | undefined;
  readonly strict: boolean;
}

/** Reads the command line. Returns a string if something is wrong with it. */
export function rehearsalOptions(argv: readonly string[], steps: readonly string[]): RehearsalOptions | string {
  let values: { only: string[]; assets?: string | undefined; strict: boolean };
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        only: { type: "string", multiple: true, default: [] },
        assets: { type: "string" },
        strict: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { only, assets, strict } = values;
  const unknown = only.find((name) => !steps.includes(name));
  if (unknown !== undefined) return `unknown step "${unknown}"; there are: ${steps.join(", ")}`;
  if (assets !== undefined && only.includes("build")) return "--only build cannot be combined with --assets";
  return { only, assets, strict };
}

export interface Row {
  readonly step: string;
  readonly outcome: Outcome;
  readonly seconds: number;
}

/** Runs the chosen steps in order. A step that fails, or has no release to look at, is a row too. */
export async function conductSteps(
  steps: readonly Step[],
  { only, assets }: Pick<RehearsalOptions, "only" | "assets">,
  perform: (step: Step) => Promise<Outcome>,
  now: () => number,
  onRow: (row: Row) => void,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const step of steps.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const start = now();
    const lacksBuild = rows.some(({ step: earlier, outcome }) => earlier === "build" && outcome.result === "failed");
    const outcome = await outcomeOf(step, { lacksBuild, isGiven: assets !== undefined }, perform);
    rows.push({ step: step.name, outcome, seconds: Math.round((now() - start) / 1000) });
    onRow(rows[rows.length - 1] as Row);
  }
  return rows;
}

async function outcomeOf(
  step: Step,
  { lacksBuild, isGiven }: { readonly lacksBuild: boolean; readonly isGiven: boolean },
  perform: (step: Step) => Promise<Outcome>,
): Promise<Outcome> {
  if (step.name === "build" && isGiven) return notRun("--assets names a finished release");
  if (step.needsRelease && lacksBuild) return notRun("the build failed");
  try {
    return await perform(step);
  } catch (error) {
    return { result: "failed", note: error instanceof Error ? error.message : String(error) };
  }
}

/** 0 unless a step failed. With --strict, every chosen step must run. */
export function exitCodeOf(rows: readonly Row[], strict: boolean): number {
  const isBad = ({ outcome: { result } }: Row) => result === "failed" || (strict && result === "not run");
  return rows.some(isBad) ? 1 : 0;
}

/** The rows as a Markdown table with aligned columns. The note, which may be long, is last. */
export function rehearsalTable(rows: readonly Row[]): string {
  const cells = [
    ["step", "result", "seconds", "note"],
    ...rows.map(({ step, outcome, seconds }) => [step, outcome.result, `${seconds}`, oneLine(outcome.note)]),
  ];
  const width = (column: number) => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const [names, results, times] = [width(0), width(1), width(2)];
  const line = ([step = "", result = "", seconds = "", note = ""]: readonly string[]) =>
    `| ${step.padEnd(names)} | ${result.padEnd(results)} | ${seconds.padStart(times)} | ${note} |`;
  const rule = `| ${"-".repeat(names)} | ${"-".repeat(results)} | ${"-".repeat(times - 1)}: | --- |`;
  const [head = [], ...body] = cells;
  return [line(head), rule, ...body.map(line)].join("\n");
}

/** The log has the rest. */
const LONGEST_NOTE = 240;

function oneLine(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, "; ");
  const shown = line.length > LONGEST_NOTE ? `${line.slice(0, LONGEST_NOTE)}…` : line;
  return shown.replaceAll("|", "\\|");
}
