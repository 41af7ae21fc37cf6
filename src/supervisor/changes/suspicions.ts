import { messageOf } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { shownName } from "../../os/names.ts";
import { join } from "../../os/path.ts";
import { asObject, parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import type { Baseline, LaunchRecord } from "../record/session.ts";
import { type BaselinePlace, changesSince, type Examine, type FoundChanges } from "./baseline.ts";
import type { ChangedFile, Changes, DiffEntry, NoChanges, Suspicion, SuspicionKind, TextChange } from "./changes.ts";
import {
  type CheckContext,
  type CheckUse,
  checkUses,
  isScriptFile,
  isTestScript,
  type Scripts,
  scriptsIn,
} from "./check-uses.ts";
import { folderBelow } from "./snapshot.ts";
import { isNamedTest, mayContainTests } from "./test-languages.ts";
import { configurationKind, hasTestSections, mattersIfNew, testSections, testSuspicions } from "./test-suspicions.ts";

interface CheckedPlace extends BaselinePlace {
  readonly launch: BaselinePlace["launch"] & Pick<LaunchRecord, "checks">;
}

/** The changes, and what is suspicious about them, found when they are first asked for. */
export function changesWhenAsked(
  world: World,
  place: CheckedPlace,
  baseline: Baseline | undefined,
): () => Promise<Changes> {
  let changes: Promise<Changes> | undefined;
  return () => {
    changes ??= look(world, place, baseline);
    return changes;
  };
}

async function look(world: World, place: CheckedPlace, baseline: Baseline | undefined): Promise<Changes> {
  const examine = examineChanges(world.files, place.project, place.launch.checks.commands);
  const changes = await changesSince(world, place, baseline, examine);
  if (!("why" in changes)) return { ...changes, suspicious: limitSuspicions(changes.suspicious) };
  const wasKnown = baseline !== undefined && baseline.trees.length > 0;
  return wasKnown ? { ...changes, suspicious: [lostBaseline(changes.why, world.now())] } : changes;
}

/** An agent can cause that: too many files, a repository that is gone. So a missing comparison is itself suspicious. */
function lostBaseline(why: NoChanges, now: Date): Suspicion {
  const what = "deleted, skipped and weakened tests, and changed settings of tests and CI";
  return {
    kind: "not compared",
    path: "",
    // What happens until the next stop is unknown, too.
    content: now.toISOString(),
    text: `ccc could not compare the files with those at the user's prompt (${why}), so look for this yourself: ${what}`,
  };
}

/** Each needs a ruling from the reviewer. */
const MOST_SUSPICIONS = 20;

/** The worst first. The others are counted by kind. */
export function limitSuspicions(all: readonly Suspicion[]): Suspicion[] {
  const sorted = KINDS.flatMap((kind) => all.filter((each) => each.kind === kind && each.path !== ""));
  // They are about what was left out already.
  const remarks = all.filter(({ path }) => path === "");
  const room = MOST_SUSPICIONS - remarks.length;
  if (sorted.length <= room) return [...sorted, ...remarks];
  const rest = sorted.slice(room - 1);
  const counts = KINDS.map((kind) => ({ kind, count: rest.filter((each) => each.kind === kind).length }));
  const shown = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${kind} (${count})`);
  const text = `${rest.length} more changes of this kind: ${shown.join(", ")}`;
  return [...sorted.slice(0, room - 1), { kind: "not compared", path: "", text }, ...remarks];
}

const KINDS: readonly SuspicionKind[] = [
  "deleted test",
  "skipped tests",
  "focused tests",
  "lost tests",
  "lost assertions",
  "check",
  "configuration",
  "not compared",
];

/** Files whose content is compared. */
const MOST_COMPARED = 200;
const LARGEST_SCRIPTS = 1_000_000;

/** Reads what is needed of the changed files, and lists what is suspicious. Never fails. */
export function examineChanges(files: Files, project: string, commands: readonly string[]): Examine {
  return async (found) => {
    try {
      const { changes, left } = await withTexts(found);
      // The checks run there. In another worktree it is the folder of the same name.
      const folder = folderBelow(files, found.mainTop, project);
      const checks = { commands, folder, top: found.top };
      const all = suspicions(changes, { ...checks, scriptsIn: (path) => scriptsNow(files, found.top, path) });
      const listed = [...all, ...leftOut(left)];
      return found.top !== found.mainTop ? listed.map((each) => inWorktree(found.top, each)) : listed;
    } catch (error) {
      const text = `ccc could not look for deleted or skipped tests: ${shownName(messageOf(error))}`;
      return [{ kind: "not compared", path: "", text }];
    }
  };
}

/**
 * The changes that deserve suspicion: to tests, to their configuration, and to what the checks run. They are found by
 * names of files and by patterns for single lines, which a reader can follow.
 */
function suspicions(changes: readonly TextChange[], checks: CheckContext): Suspicion[] {
  const uses = checkUses({ ...checks, scriptsIn: scriptsBefore(changes, checks) });
  const own = changes.filter(ownFiles(changes));
  const contents = new Map(changes.map(({ path, content }) => [path, content]));
  const found = [
    // A ruling on a test holds until the file changes again, whatever the text shows.
    ...testSuspicions(own).map((each) => ({ ...each, content: contents.get(each.path) })),
    ...changes.flatMap((change) => usedFile(change, uses)),
    ...own.flatMap((change) => (isScriptFile(change.path) ? changedScripts(change, uses) : [])),
  ];
  // What a check uses need not be listed as configuration too.
  const used = new Set(found.flatMap(({ kind, path }) => (kind === "check" ? [path] : [])));
  const others = own.filter(({ path }) => !used.has(path));
  return [...found, ...others.flatMap(sections), ...others.flatMap(configuration)];
}

/**
 * Whether a file is the project's own. Below `vendor` it is if it was there before, unless the project's dependencies were
 * updated: then other people's tests come and go.
 */
function ownFiles(all: readonly ChangedFile[]): (file: ChangedFile) => boolean {
  const isUpdate = all.some(({ path }) => DEPENDENCIES.test(path));
  return ({ path, from = path, kind }) => !VENDORED.test(from) || (kind !== "added" && !isUpdate);
}

const VENDORED = /(?:^|\/)(?:vendor|third_party)\//i;
const DEPENDENCIES =
  /(?:^|\/)(?:package-lock\.json|(?:yarn|composer|Gemfile|Cargo|poetry|uv|Podfile)\.lock|pnpm-lock\.yaml|bun\.lockb?|go\.(?:mod|sum)|vendor\/modules\.txt|\.gitmodules)$/;

async function withTexts({ entries, read }: FoundChanges): Promise<{ changes: TextChange[]; left: number }> {
  // A new file has less to hide than one that was there before.
  const [added, others] = [true, false].map((isNew) => entries.filter(({ kind }) => (kind === "added") === isNew));
  const isOwn = ownFiles(entries);
  const wanted = [...(others ?? []), ...(added ?? [])].filter((entry) => isOwn(entry) && needsText(entry));
  const compared = new Set(wanted.slice(0, MOST_COMPARED));
  const ids = [...compared].flatMap(({ ids: { before, after } }) => [before, after].filter((id) => id !== undefined));
  const texts = ids.length === 0 ? new Map<string, string>() : await read([...new Set(ids)]).catch(() => new Map());
  const textOf = (id: string | undefined, isThere: boolean) =>
    !isThere ? "" : id === undefined ? undefined : texts.get(id);
  const changes = entries.map((entry: DiffEntry): TextChange => {
    const { ids, ...file } = entry;
    if (needsText(entry) && !compared.has(entry)) return { ...file, before: "", after: "", content: ids.after };
    const [before, after] = [textOf(ids.before, file.kind !== "added"), textOf(ids.after, file.kind !== "deleted")];
    return { ...file, before, after, content: ids.after };
  });
  return { changes, left: wanted.length - compared.size };
}

function leftOut(left: number): Suspicion[] {
  const files = left === 1 ? "1 more file" : `${left} more files`;
  const text = `${files} with tests or settings changed and ${left === 1 ? "was" : "were"} not compared`;
  return left === 0 ? [] : [{ kind: "not compared", path: "", text }];
}

/** The scripts in a file that has not changed. */
function scriptsNow(files: Files, top: string, path: string) {
  try {
    const text = files.guarded(top).read(join(top, path), LARGEST_SCRIPTS);
    return text === undefined ? undefined : scriptsIn(path, text);
  } catch {
    return undefined;
  }
}

/** Paths in another worktree are absolute. */
function inWorktree(top: string, found: Suspicion): Suspicion {
  const { path, text } = found;
  return path === "" ? found : { ...found, path: join(top, path), text: `${shownName(top)}/${text}` };
}

/** Whether the content of a file matters, and not just that it changed. */
function needsText({ path, from = path }: Pick<TextChange, "path" | "from">): boolean {
  return [path, from].some((each) => mayContainTests(each) || isScriptFile(each) || hasTestSections(each));
}

function scriptsBefore(changes: readonly TextChange[], checks: CheckContext): CheckContext["scriptsIn"] {
  const known = new Map<string, Scripts | undefined>();
  const find = (path: string) => {
    const changed = changes.find((change) => change.path === path || change.from === path);
    if (changed === undefined) return checks.scriptsIn(path);
    return changed.before ? scriptsIn(path, changed.before) : undefined;
  };
  return (path) => {
    if (!known.has(path)) known.set(path, find(path));
    return known.get(path);
  };
}

/** "changed", "was added" … The text does not show what changed, so the content has to go with it. */
function happened({ kind, path, added, deleted }: TextChange): string {
  if (kind === "modified") return added === undefined ? "changed" : `changed (+${added} -${deleted})`;
  return kind === "renamed" ? `was renamed to ${shownName(path)}` : `was ${kind}`;
}

function usedFile(change: TextChange, uses: readonly CheckUse[]): Suspicion[] {
  const path = change.from ?? change.path;
  const found = uses.filter(
    (each) =>
      each.script === undefined &&
      (each.path === path || each.path === change.path) &&
      !(each.isData && change.kind === "added"),
  );
  const use = found.find(({ isProgram }) => isProgram) ?? found[0];
  // Tests may change, and what changes in them is compared elsewhere. A script that runs them is no test.
  if (use === undefined || (isNamedTest(path) && !use.isProgram)) return [];
  return [
    {
      kind: "check",
      path: change.path,
      text: `${shownName(path)} ${happened(change)}, which the check ${code(use.check)} uses`,
      content: change.content,
    },
  ];
}

function code(command: string): string {
  const line = shownName(command.trim());
  return `\`${line.length > LONGEST_COMMAND ? `${line.slice(0, LONGEST_COMMAND - 1)}…` : line}\``;
}

const LONGEST_COMMAND = 80;

function changedScripts({ path, before, after, content }: TextChange, uses: readonly CheckUse[]): Suspicion[] {
  const [old, now] = [before, after].map((text) => (text === undefined ? undefined : scriptsIn(path, text)));
  if (before === undefined || after === undefined || old === undefined || now === undefined)
    return [{ kind: "not compared", path, text: `${shownName(path)} changed, but its scripts could not be compared` }];
  const scripts = difference(old, now).flatMap(({ name, how }): Suspicion[] => {
    const use = uses.find((each) => each.script === name && (each.path ?? path) === path);
    const used = use === undefined ? "" : `, which the check ${code(use.check)} uses`;
    const values = [old.get(name), now.get(name)].filter((value) => value !== undefined).map(code);
    const text = `${shownName(path)}: the script ${shownName(name)} ${how}${used}: ${values.join(" → ")}`;
    if (use !== undefined) return [{ kind: "check", path, text }];
    // A new script changes nothing unless it runs before or after another one.
    const isNew = how === "was added" && !/^(?:pre|post)/.test(name);
    return isTestScript(name) && !isNew ? [{ kind: "configuration", path, text }] : [];
  });
  const settings = difference(testSettingsIn(before), testSettingsIn(after));
  return [...scripts, ...settings.map(({ name, how }) => section({ path, content }, `the section ${name}`, how))];
}

/** The settings of test tools that have their own key in package.json, as JSON. */
function testSettingsIn(text: string): Scripts {
  const found = Object.entries(asObject(parseJson(text))).filter(([key]) => TOOL_KEYS.has(key));
  return new Map(found.map(([key, value]) => [key, JSON.stringify(value)]));
}

const TOOL_KEYS = new Set(
  "jest vitest mocha ava nyc c8 tap jasmine eslintConfig eslintIgnore stylelint xo lint-staged husky".split(" "),
);

function difference(old: Scripts, now: Scripts): { name: string; how: string }[] {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    if (old.get(name) === now.get(name)) return [];
    return [{ name, how: !old.has(name) ? "was added" : !now.has(name) ? "was removed" : "changed" }];
  });
}

function sections({ path, kind, before, after, content }: TextChange): Suspicion[] {
  if (!hasTestSections(path)) return [];
  if (before === undefined || after === undefined)
    return [{ kind: "not compared", path, text: `${shownName(path)} changed, but could not be read to compare it` }];
  // A new build file has tests to set up.
  const isNewBuild = kind === "added" && !/\.(?:toml|cfg|properties)$/.test(path);
  const all = isNewBuild ? [] : difference(testSections(path, before), testSections(path, after));
  return all
    .filter(({ name, how }) => how !== "was added" || mattersIfNew(path, name))
    .map(({ name, how }) => section({ path, content }, `the section ${shownName(name)}`, how));
}

function section({ path, content }: Pick<Suspicion, "path" | "content">, what: string, how: string): Suspicion {
  return { kind: "configuration", path, text: `${shownName(path)}: ${what} ${how}`, content };
}

function configuration(change: TextChange): Suspicion[] {
  const path = change.from ?? change.path;
  const kind = configurationKind(path) ?? configurationKind(change.path);
  if (kind === undefined || (kind === "ci" && change.kind === "added")) return [];
  const text = `${shownName(path)} ${happened(change)}`;
  return [{ kind: "configuration", path: change.path, text, content: change.content }];
}
