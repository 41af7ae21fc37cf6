import type { Engine } from "../config/defaults.ts";
import { counted } from "../text/counts.ts";
import { asObject } from "../text/json.ts";
import { columns } from "../text/table.ts";
import type { Plan } from "./plan.ts";
import { shellWord } from "./shell.ts";

/** What a dry run prints: the plan, already masked, why it has its provider, and whether it is supervised. */
export type PrintablePlan = Omit<Plan, "settings"> & Decisions;

export interface Decisions {
  readonly why: string;
  /** How stops are reviewed, and by whom, in the order in which they are asked; null: not at all. */
  readonly supervised: { readonly engine: Engine; readonly reviewers: readonly string[] } | null;
}

/** What matters in a plan, in words; everything else is in its JSON. */
export function describePlan(plan: PrintablePlan, width: number): string {
  const { provider, why, supervised, file, args, files, unset, remember, references, notices } = plan;
  const environment = asObject(asObject(files[0]?.content).env);
  const server = String(environment.ANTHROPIC_BASE_URL || "") || "Anthropic's, or that of a cloud";
  const keys = references.map(({ reference }) => reference);
  const shown = files.filter(({ content }) => typeof content !== "string");
  const rows = [
    ["provider", `${provider} (${why}${remember ? "; becomes the current one" : ""})`],
    ["server", server],
    ...(keys.length === 0 ? [] : [["key", keys.join(", ")]]),
    [
      "reviewed",
      supervised === null ? "no" : `by ${supervised.reviewers.join(", else by ")} (${supervised.engine} engine)`,
    ],
    ["runs", [file, ...args].map(shellWord).join(" ")],
    ...(unset.length === 0 ? [] : [["hides", `from your shell: ${unset.join(", ")}`]]),
    ...shown.map(({ path, content }, index) => [index === 0 ? "writes" : "", `${path}${contents(content)}`]),
    ...notices.map((notice) => ["note", notice]),
  ];
  return `${columns(rows, width)}Nothing was run. All of it, as JSON: ccc --dry-run --json …\n`;
}

/** What is in a settings file. A blank cancels a variable of another layer, and there are always about a hundred. */
function contents(content: Plan["files"][number]["content"]): string {
  if (typeof content === "string") return "";
  const { env, hooks, ...settings } = content;
  const variables = Object.entries(asObject(env));
  const set = variables
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${shellWord(String(value))}`);
  const blanks = variables.length - set.length;
  const hooked = Object.keys(asObject(hooks));
  const lines = [
    ...set,
    ...(blanks === 0
      ? []
      : [`${counted(blanks, "variable")} blank, so that nothing else decides ${blanks === 1 ? "it" : "them"}`]),
    ...(hooked.length === 0 ? [] : [`hooks: ${hooked.join(", ")}`]),
    ...(Object.keys(settings).length === 0 ? [] : [`settings: ${Object.keys(settings).join(", ")}`]),
  ];
  return lines.map((line) => `\n  ${line}`).join("");
}
