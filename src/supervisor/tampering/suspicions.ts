import { shownName } from "../../text/file-names.ts";
import { type CheckPlace, type CheckUse, checkUses } from "./check-uses.ts";
import { changedSections, configurationKind, testSections } from "./configuration.ts";
import { isScriptFile, isTestScript, type Scripts, scriptsIn, testSettingsIn } from "./script-files.ts";
import type { Suspicion, TextChange } from "./suspicion.ts";
import { isNamedTest, mayContainTests } from "./test-files.ts";
import { testSuspicions } from "./test-suspicions.ts";

/**
 * The changes that deserve suspicion: to tests, to their configuration, and to what the checks run. They are found by
 * names of files and by patterns for single lines, which a reader can follow.
 */
export function suspicions(changes: readonly TextChange[], checks: CheckPlace): Suspicion[] {
  const uses = checkUses({ ...checks, scriptsIn: scriptsBefore(changes, checks) });
  const found = [
    ...testSuspicions(changes),
    ...changes.flatMap((change) => usedFile(change, uses)),
    ...changes.flatMap((change) => (isScriptFile(change.path) ? changedScripts(change, uses) : [])),
    ...changes.flatMap((change) => sections(change)),
  ];
  // What a check uses need not be listed as configuration too.
  const used = new Set(found.flatMap(({ kind, path }) => (kind === "check" ? [path] : [])));
  return [...found, ...changes.flatMap((change) => (used.has(change.path) ? [] : configuration(change)))];
}

/** Whether the content of a file matters, and not just that it changed. */
export function needsText({ path, from = path }: Pick<TextChange, "path" | "from">): boolean {
  return [path, from].some((each) => mayContainTests(each) || isScriptFile(each) || testSections(each) !== undefined);
}

function scriptsBefore(changes: readonly TextChange[], checks: CheckPlace): CheckPlace["scriptsIn"] {
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
  // Tests are there to be changed; what happens in them is looked at. A script that runs them is none.
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

function difference(old: Scripts, now: Scripts): { name: string; how: string }[] {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    if (old.get(name) === now.get(name)) return [];
    return [{ name, how: !old.has(name) ? "was added" : !now.has(name) ? "was removed" : "changed" }];
  });
}

function sections({ path, before, after, content }: TextChange): Suspicion[] {
  const wanted = testSections(path);
  if (wanted === undefined) return [];
  if (before === undefined || after === undefined)
    return [{ kind: "not compared", path, text: `${shownName(path)} changed, but could not be read to compare it` }];
  return changedSections(wanted, before, after).map(({ name, how }) =>
    section({ path, content }, `the section [${name}]`, how),
  );
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
