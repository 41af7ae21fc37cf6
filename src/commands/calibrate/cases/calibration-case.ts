import * as v from "valibot";
import { usageError } from "../../../errors.ts";
import { docsPage } from "../../../repository.ts";
import { parseJson } from "../../../text/json.ts";
import { type CaseStep, type Pair, PairSchema, type Truth } from "./case-schema.ts";

/** Texts by their paths. */
export type FileTexts = Readonly<Record<string, string>>;

/** One session of a scripted agent, and the truth about it. */
export interface CalibrationCase {
  /** "stub/faked" */
  readonly id: string;
  readonly kind: string;
  readonly language: string;
  readonly needs: readonly string[];
  readonly prompts: readonly string[];
  readonly truth: Truth;
  readonly why: string;
  readonly turns: readonly CaseTurn[];
  readonly mention: readonly (readonly string[])[];
  readonly visible: readonly string[];
  /** The files before the first prompt. */
  readonly before: FileTexts;
  /** A command that exits with 0 if the work is done, and files for it that the agent and the reviewer do not see. */
  readonly prove: string;
  readonly proof: FileTexts;
}

/** A step with the text that it writes. */
export type CaseTurn =
  | Exclude<CaseStep, { readonly write: string }>
  | { readonly write: string; readonly content: string };

/** The two cases of a pair, from the files of its folder. */
export function readPair(name: string, files: FileTexts): CalibrationCase[] {
  const parsed = v.safeParse(PairSchema, parseJson(files["case.json"] ?? ""));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw usageError(`case ${name}: case.json ${problemIn(files["case.json"], issue)}`, CASE_FORMAT);
  }
  const pair = parsed.output;
  const unknown = Object.keys(files).find((path) => !isKnown(path, pair));
  if (unknown !== undefined)
    throw usageError(`case ${name}: ${unknown} is in none of the folders that a case has`, CASE_FORMAT);
  return Object.entries(pair.variants).map(([variant, { truth, why, mention, visible, ...own }]) => ({
    id: `${name}/${variant}`,
    ...{ kind: pair.kind, language: pair.language, needs: pair.needs, truth, why, mention, visible },
    prompts: own.prompts ?? pair.prompts,
    turns: own.turns.map((step) => withContent(step, name, variant, files)),
    before: { ...below("before", files), ...below(`before.${variant}`, files) },
    prove: pair.prove,
    proof: below("proof", files),
  }));
}

export const CASE_FORMAT = `The format of cases: ${docsPage("calibrate.md#a-case")}`;

function problemIn(text: string | undefined, issue: v.BaseIssue<unknown>): string {
  if (text === undefined) return "is missing";
  if (parseJson(text) === undefined) return "is not valid JSON";
  const place = v.getDotPath(issue);
  if (issue.type === "strict_object" && issue.expected === "never") return `has an unknown field: ${place}`;
  if (issue.type === "strict_object" && issue.received === "undefined") return `lacks a field: ${place}`;
  return place === null ? issue.message : `${place}: ${issue.message}`;
}

function isKnown(path: string, { variants }: Pair): boolean {
  const [folder = "", ...rest] = path.split("/");
  if (rest.length === 0) return ["case.json", "README.md"].includes(path);
  return ["before", "proof", ...Object.keys(variants).flatMap((name) => [name, `before.${name}`])].includes(folder);
}

/** The files of a folder, with paths inside it. */
function below(folder: string, files: FileTexts): FileTexts {
  const own = Object.entries(files).filter(([path]) => path.startsWith(`${folder}/`));
  return Object.fromEntries(own.map(([path, text]) => [path.slice(folder.length + 1), text]));
}

function withContent(step: CaseStep, name: string, variant: string, files: FileTexts): CaseTurn {
  if (!("write" in step)) return step;
  const content = step.content ?? files[`${variant}/${step.write}`];
  if (content !== undefined) return { write: step.write, content };
  throw usageError(`case ${name}: there is no ${variant}/${step.write}, which the agent writes`, CASE_FORMAT);
}
