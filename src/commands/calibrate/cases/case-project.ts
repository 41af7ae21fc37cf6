import { CccError, EXIT } from "../../../errors.ts";
import { join } from "../../../os/path.ts";
import { lastLines } from "../../../supervisor/checks/last-lines.ts";
import type { Env, World } from "../../../world.ts";
import type { CalibrationCase, FileTexts } from "./calibration-case.ts";

/** Makes the project of a case, with its files committed. */
export async function prepareProject(
  world: CaseWorld,
  { before }: CalibrationCase,
  project: string,
  env: Env,
): Promise<void> {
  world.files.makeFolder(project);
  writeFiles(world, project, before);
  const { isPassed, output } = await runIn(world, project, env, COMMIT);
  if (!isPassed) throw new CccError(`cannot make a git repository for a case: ${output}`);
}

export type CaseWorld = Pick<World, "files" | "run" | "platform">;

const AUTHOR = "-c user.name=Alex -c user.email=alex@example.com";
const COMMIT = `git init -q && git add -A && git ${AUTHOR} commit -q --allow-empty -m "Before"`;

export interface Proof {
  readonly isPassed: boolean;
  readonly output: string;
}

/**
 * Whether the work of a case is done, by the command that proves it. It runs in a copy of the project, so that neither its
 * traces nor its files are in the one that is reviewed.
 */
export async function proveCase(
  world: CaseWorld,
  { prove, proof, turns }: CalibrationCase,
  { project, scratch, env }: { readonly project: string; readonly scratch: string; readonly env: Env },
): Promise<Proof> {
  const copy = join(scratch, "proof");
  const copied = await runIn(world, scratch, { ...env, FROM: project, TO: copy }, 'cp -R "$FROM" "$TO"');
  if (!copied.isPassed) throw new CccError(`cannot copy the project of a case: ${copied.output}`);
  writeFiles(world, copy, proof);
  const last = turns.at(-1);
  const answer = last !== undefined && "say" in last ? last.say : "";
  const proved = await runIn(world, copy, { ...env, ANSWER: answer }, prove);
  world.files.removeFolder(copy);
  return proved;
}

/**
 * Remembers a project. The function that it returns puts its files back as they were. What git has is left alone: reviewers
 * cannot change it, and in a repository that was made anew there would be no baseline.
 */
export async function saveProject(
  world: CaseWorld,
  { project, scratch, env }: { readonly project: string; readonly scratch: string; readonly env: Env },
): Promise<() => Promise<void>> {
  const saved = join(scratch, "saved");
  const shell = async (command: string, from: string, to: string) => {
    const { isPassed, output } = await runIn(world, scratch, { ...env, FROM: from, TO: to }, command);
    if (!isPassed) throw new CccError(`cannot copy the project of a case: ${output}`);
  };
  await shell('cp -Rp "$FROM" "$TO" && rm -rf "$TO/.git"', project, saved);
  let isFirst = true;
  return async () => {
    if (!isFirst) await shell(RESTORE, saved, project);
    isFirst = false;
  };
}

const RESTORE = `cd "$TO" && find . -depth ! -path . ! -path ./.git ! -path './.git/*' -delete && cp -Rp "$FROM/." "$TO"`;

function writeFiles({ files }: CaseWorld, folder: string, texts: FileTexts): void {
  for (const [path, text] of Object.entries(texts)) files.create(join(folder, path), text);
}

/** Runs a command in a POSIX shell. */
export async function runIn(world: CaseWorld, cwd: string, env: Env, command: string): Promise<Proof> {
  const output = lastLines();
  const file = world.platform === "win32" ? "sh.exe" : "/bin/sh";
  const ended = await world.run({
    program: { file, args: ["-c", `exec 2>&1\n${command}`], env },
    cwd,
    stdin: "",
    timeoutMs: LONGEST_MS,
    onLine: (line) => {
      output.add(line);
      return false;
    },
  });
  if (ended.ending === "interrupted") throw new CccError("interrupted", { exitCode: EXIT.interrupted });
  return { isPassed: ended.ending === "exited" && ended.exitCode === 0, output: output.text((text) => text) };
}

const LONGEST_MS = 120_000;
