import { shownReference } from "../providers/show.ts";
import { isReference, isSecretVariable } from "../providers/variables.ts";
import { asObject, prettyJson } from "../text/json.ts";
import { createRedactor, MASK, secretsIn, withoutUrlSecrets } from "../text/redact.ts";
import { shellWord } from "../text/shell.ts";
import { columns, outputWidth } from "../text/table.ts";
import { counted } from "../text/words.ts";
import type { World } from "../world.ts";
import type { SupervisedLaunch } from "./decide.ts";
import type { Plan } from "./plan.ts";

/** What a dry run prints: the plan, already masked, why it has its provider, and whether it is supervised. */
export type PrintablePlan = Omit<Plan, "settings"> & Decisions;

interface Decisions {
  readonly why: string;
  /** Null without supervision. */
  readonly supervised: Pick<SupervisedLaunch, "engine" | "reviewers" | "confirmer" | "fallback"> | null;
}

/** Prints the plan of a dry run, without secrets. */
export function showPlan(
  plan: Plan,
  decisions: Decisions,
  { json }: { readonly json: boolean },
  world: Pick<World, "stdout" | "isTerminal" | "columns">,
): void {
  const shown = printablePlan(plan, decisions);
  world.stdout(json ? prettyJson(shown) : describePlan(shown, outputWidth(world)));
}

/** The main parts of a plan, in words; the JSON has everything. */
function describePlan(plan: PrintablePlan, width: number): string {
  const { provider, why, supervised, file, args, files, unset, remember, references, notices } = plan;
  const environment = asObject(asObject(files[0]?.content).env);
  const server = String(environment.ANTHROPIC_BASE_URL || "") || "Anthropic's, or that of a cloud";
  const keys = references.map(({ reference }) => reference);
  const shown = files.filter(({ content }) => typeof content !== "string");
  const rows = [
    ["provider", `${provider} (${why}${remember ? "; becomes the current one" : ""})`],
    ["server", server],
    ...(keys.length === 0 ? [] : [["key", keys.join(", ")]]),
    ["reviewed", supervised === null ? "no" : describeReviewers(supervised)],
    ...(supervised === null || supervised.fallback.length === 0 ? [] : [["fallback", supervised.fallback.join(", ")]]),
    ["runs", [file, ...args].map(shellWord).join(" ")],
    ...(unset.length === 0 ? [] : [["hides", `from your shell: ${unset.join(", ")}`]]),
    ...shown.map(({ path, content }, index) => [index === 0 ? "writes" : "", `${path}${contents(content)}`]),
    ...notices.map((notice) => ["note", notice]),
  ];
  return `${columns(rows, width)}Nothing was run. All of it, as JSON: ccc --dry-run --json …\n`;
}

function describeReviewers({ engine, reviewers, confirmer }: NonNullable<Decisions["supervised"]>): string {
  const confirmed = confirmer === null ? "" : `, confirmed by ${confirmer}`;
  return `by ${reviewers.join(", else by ")}${confirmed} (${engine} engine)`;
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

/** A plan with everything that looks like a secret masked. Its settings are left out: `files` has them. */
function printablePlan({ settings: _, ...plan }: Plan, decisions: Decisions): PrintablePlan {
  const secrets = new Set<string>();
  collect("", plan, secrets);
  // Masking changes strings and nothing else.
  const { provider, ...rest } = mask("", plan, secrets) as Omit<Plan, "settings">;
  return { provider, ...decisions, ...rest };
}

/** Never masked, even if a key is a word like "ollama" that occurs in them. */
const PLAIN = new Set(["provider", "file", "path"]);

function collect(key: string, value: unknown, secrets: Set<string>): void {
  if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(Array.isArray(value) ? key : name, item, secrets);
  } else if (typeof value === "string" && value !== "") {
    if (isSecretVariable(key, value)) secrets.add(value);
    for (const part of secretsIn({ [key]: value })) secrets.add(part);
  }
}

function mask(key: string, value: unknown, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(key, item, secrets));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(name, item, secrets)]));
  }
  if (typeof value !== "string" || value === "" || PLAIN.has(key)) return value;
  if (isSecretVariable(key, value)) return MASK;
  const shown = key === "reference" && isReference(value) ? shownReference(value) : withoutUrlSecrets(value);
  return createRedactor(secrets).text(shown);
}
