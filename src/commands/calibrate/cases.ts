/** The cases of `ccc calibrate`: which ones a run has, and how they are read from their files. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import * as v from "valibot";
import { docsPage } from "../../build-info.ts";
import { usageError } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson } from "../../text/json.ts";
import { nearest } from "../../text/words.ts";
import { programFolders, type World } from "../../world.ts";

/** Texts by path. */
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
  /** A command that passes in both variants, for a case in which a test was weakened. */
  readonly check?: string | undefined;
  readonly proof: FileTexts;
}

/** A step with the text that it writes. */
export type CaseTurn =
  | Exclude<CaseStep, { readonly write: string }>
  | { readonly write: string; readonly content: string };

// Defined by scripts/release/compile.ts: what ownCases() returns from source, as JSON.
declare const CCC_CASES: string;

/** The files of ccc's own cases: their texts by path, for each pair. The compiled program contains them. */
export function ownCases(): Readonly<Record<string, FileTexts>> {
  if (typeof CCC_CASES !== "undefined") return JSON.parse(CCC_CASES);
  const folder = resolve(import.meta.dir, "../../../calibration/cases");
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const pairs: Record<string, Record<string, string>> = {};
  for (const path of paths.sort()) {
    const [pair = "", ...rest] = path.slice(folder.length + 1).split(/[/\\]/);
    pairs[pair] = { ...pairs[pair], [rest.join("/")]: readFileSync(path, "utf8") };
  }
  return pairs;
}

interface ChosenCases {
  readonly cases: readonly CalibrationCase[];
  /** The folder of the user's own cases. */
  readonly folder: string | null;
}

/** The cases that `--cases` names, from ccc's own or from a folder; by default all of ccc's own. */
export function chooseCases(
  words: readonly string[],
  ownTexts: Readonly<Record<string, FileTexts>>,
  { files, cwd }: { readonly files: Files; readonly cwd: string },
): ChosenCases {
  const own = Object.entries(ownTexts).flatMap(([name, texts]) => readPair(name, texts));
  const [only = "", ...others] = words;
  if (words.length === 0) return { cases: own, folder: null };
  const folder = others.length === 0 && !isName(only, own) ? resolve(cwd, only) : undefined;
  if (folder !== undefined && files.identify(folder)?.isFolder === true)
    return { cases: readCasesFolder(folder, files), folder };
  const names = words.flatMap((word) => word.split(",")).map((name) => name.trim());
  for (const name of names) if (!isName(name, own)) throw unknownCase(name, own);
  return { cases: own.filter(({ id }) => names.some((name) => includes(name, id))), folder: null };
}

/** A pair, or one of its two variants. */
function includes(name: string, id: string): boolean {
  return id === name || id.startsWith(`${name}/`);
}

function isName(name: string, cases: readonly CalibrationCase[]): boolean {
  return cases.some(({ id }) => includes(name, id));
}

function unknownCase(name: string, cases: readonly CalibrationCase[]) {
  const pairs = [...new Set(cases.map(({ id }) => id.split("/")[0] ?? ""))];
  const meant = nearest(name, name.includes("/") ? cases.map(({ id }) => id) : pairs);
  return usageError(
    name === ""
      ? "--cases takes names of cases, or a folder of your own"
      : `no case and no folder is named "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    `The cases of ccc: ${pairs.join(", ")}`,
  );
}

interface SortedCases {
  readonly runnable: readonly CalibrationCase[];
  readonly leftOut: readonly { readonly case: string; readonly needs: string }[];
}

/** Leaves out the cases that need a program that is not installed. */
export function withoutMissingPrograms(
  cases: readonly CalibrationCase[],
  { env, files, platform }: Pick<World, "env" | "files" | "platform">,
): SortedCases {
  const endings = platform === "win32" ? [".exe", ".cmd"] : [""];
  const places = programFolders(env, platform).flatMap((folder) =>
    endings.map((ending) => (name: string) => join(folder, name + ending)),
  );
  const known = new Map<string, boolean>();
  const isThere = (name: string) => {
    const found = known.get(name) ?? places.some((place) => files.programSize(place(name)) !== undefined);
    known.set(name, found);
    return found;
  };
  const needed = cases.map((each) => ({ each, missing: each.needs.find((name) => !isThere(name)) }));
  return {
    runnable: needed.flatMap(({ each, missing }) => (missing === undefined ? [each] : [])),
    leftOut: needed.flatMap(({ each, missing }) => (missing === undefined ? [] : [{ case: each.id, needs: missing }])),
  };
}

/** The two cases of a pair, from the files of its folder. */
function readPair(name: string, files: FileTexts): CalibrationCase[] {
  const parsed = v.safeParse(PairSchema, parseJson(files["case.json"] ?? ""));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw usageError(`case ${name}: case.json ${problemIn(files["case.json"], issue)}`, CASE_FORMAT);
  }
  const pair = parsed.output;
  const unknown = Object.keys(files).find((path) => !isKnown(path, pair));
  if (unknown !== undefined) throw usageError(`case ${name}: ${unknown} is in no folder of a case`, CASE_FORMAT);
  return Object.entries(pair.variants).map(([variant, { truth, why, mention, visible, ...own }]) => ({
    id: `${name}/${variant}`,
    kind: pair.kind,
    language: pair.language,
    needs: pair.needs,
    truth,
    why,
    mention,
    visible,
    prompts: own.prompts ?? pair.prompts,
    turns: own.turns.map((step) => withContent(step, name, variant, files)),
    before: { ...below("before", files), ...below(`before.${variant}`, files) },
    prove: pair.prove,
    check: pair.check,
    proof: below("proof", files),
  }));
}

const CASE_FORMAT = `The format of cases: ${docsPage("development/cases.md#a-case")}`;

function problemIn(text: string | undefined, issue: v.BaseIssue<unknown>): string {
  if (text === undefined) return "is missing";
  if (parseJson(text) === undefined) return "is not valid JSON";
  const field = v.getDotPath(issue);
  if (issue.type === "strict_object" && issue.expected === "never") return `has an unknown field: ${field}`;
  if (issue.type === "strict_object" && issue.received === "undefined") return `lacks a field: ${field}`;
  return field === null ? issue.message : `${field}: ${issue.message}`;
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

/** What is true about the work when the agent stops. */
export const TRUTHS = ["done", "not_done", "needs_user"] as const;

export type Truth = (typeof TRUTHS)[number];

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));

/** A file of the project. Cases may come from strangers, so they cannot name a file outside of it. */
const path = v.pipe(
  text,
  v.check(
    (name) => !/^([/\\~]|[A-Za-z]:)/.test(name) && !name.split(/[/\\]/).some((part) => ["", ".", ".."].includes(part)),
    "must be a path inside the project",
  ),
);

/** One thing that the agent does. "say" ends its answer to a prompt. */
const StepSchema = v.union(
  [
    v.strictObject({ say: text }),
    v.strictObject({ run: text }),
    v.strictObject({ read: path }),
    v.strictObject({ write: path, content: v.optional(v.string()) }),
    v.strictObject({ edit: path, old: text, new: v.string() }),
  ],
  "must be one of say, run, read, write (with content, or a file of the variant), edit (with old and new)",
);

type CaseStep = v.InferOutput<typeof StepSchema>;

const expression = v.pipe(text, v.check(isExpression, "is not a regular expression"));

const VariantSchema = v.strictObject({
  truth: v.picklist(TRUTHS),
  /** Explains the truth to people. */
  why: text,
  /** Instead of the prompts of the pair. */
  prompts: v.optional(v.pipe(v.array(text), v.nonEmpty())),
  turns: v.pipe(v.array(StepSchema), v.nonEmpty()),
  /** Regular expressions. A right verdict matches at least one of each group. */
  mention: v.optional(v.array(v.pipe(v.array(expression), v.nonEmpty())), []),
  /** What every reviewer must be shown to judge rightly, with or without the conversation. */
  visible: v.optional(v.array(text), []),
});

/** The case.json of a pair: the same work, once done and once not. */
const PairSchema = v.pipe(
  v.strictObject({
    /** The kind of failure, in a few words. */
    kind: text,
    language: text,
    /** Programs that the case needs, besides a shell and git. */
    needs: v.optional(v.array(text), []),
    prompts: v.pipe(v.array(text), v.nonEmpty()),
    /** A shell command. It exits with 0 if, and only if, the work is done. */
    prove: text,
    /** A command that the user would have as a check. It passes in both variants, and a proof tells them apart. */
    check: v.optional(text),
    variants: v.record(
      v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*$/, "is not a valid name: use a-z, 0-9 and -")),
      VariantSchema,
    ),
  }),
  v.check(({ variants }) => Object.keys(variants).length === 2, "must have two variants"),
  v.check(
    ({ variants }) => Object.values(variants).filter(({ truth }) => truth === "done").length === 1,
    'must have one variant whose truth is "done"',
  ),
  v.check(
    ({ variants }) => Object.values(variants).every(({ truth, mention }) => truth !== "not_done" || mention.length > 0),
    'must say under "mention" what a right verdict on work that is not done mentions',
  ),
  v.check(
    ({ variants, prompts }) => Object.values(variants).every((each) => answersAll(each.turns, each.prompts ?? prompts)),
    'must have turns that end with "say", once for each prompt',
  ),
);

type Pair = v.InferOutput<typeof PairSchema>;

function answersAll(turns: readonly CaseStep[], prompts: readonly string[]): boolean {
  const last = turns.at(-1);
  return last !== undefined && "say" in last && turns.filter((step) => "say" in step).length === prompts.length;
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source, "iu") instanceof RegExp;
  } catch {
    return false;
  }
}

/** The cases in a folder of the user: one pair, or a folder for each pair. */
function readCasesFolder(folder: string, files: Files): CalibrationCase[] {
  const isPair = (path: string) => files.identify(join(path, CASE_FILE))?.isFile === true;
  const pairs = isPair(folder) ? [folder] : subfolders(folder, files).filter(isPair);
  if (pairs.length === 0)
    throw usageError(`there is no case in ${folder}: a case is a folder with a ${CASE_FILE}`, CASE_FORMAT);
  return pairs.flatMap((pair) => readPair(basename(pair), textsIn(pair, files)));
}

const CASE_FILE = "case.json";

function subfolders(folder: string, files: Files): string[] {
  return files
    .list(folder)
    .map((name) => join(folder, name))
    .filter((path) => files.entry(path)?.kind === "folder");
}

function textsIn(folder: string, files: Files): Record<string, string> {
  const texts: Record<string, string> = {};
  const waiting = [""];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of files.list(next === "" ? folder : join(folder, next))) {
      const path = next === "" ? name : `${next}/${name}`;
      const whole = join(folder, path);
      const entry = files.entry(whole);
      if (entry?.kind === "folder") waiting.push(path);
      // A link could lead to any file, whose content would go to the reviewer.
      else if (entry?.kind !== "file") throw usageError(`${whole} is not a regular file`, CASE_FORMAT);
      else if (entry.size > LARGEST) throw usageError(`${whole} is too large for a case`, CASE_FORMAT);
      else texts[path] = files.read(whole) ?? "";
      if (Object.keys(texts).length > MOST_FILES)
        throw usageError(`${folder} has too many files for a case`, CASE_FORMAT);
    }
  }
  return texts;
}

const LARGEST = 1_000_000;

const MOST_FILES = 500;
