import { join } from "node:path";
import { messageOf } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { splitInstructions } from "../checks/commands.ts";
import DEFAULT_INSTRUCTIONS from "./SUPERVISOR.md" with { type: "text" };

export { DEFAULT_INSTRUCTIONS };

/** The reviewer's instructions and their file; null for the built-in ones. */
export interface Instructions {
  readonly path: string | null;
  readonly text: string;
}

/**
 * The project's instructions, else the user's own, else the built-in ones. A project's file is read without following
 * links: a link could lead to any file of the user's, and its content would go to the reviewer's provider.
 */
export function readInstructions(
  files: Files,
  project: string,
  configFolder: string,
  warn: (message: string) => void,
): Instructions {
  const { inProject, own } = instructionPaths(project, configFolder);
  const candidates = [
    { path: inProject, read: () => files.guarded(project).read(inProject, LONGEST_INSTRUCTIONS) },
    { path: own, read: () => files.read(own)?.slice(0, LONGEST_INSTRUCTIONS) },
  ];
  for (const { path, read } of candidates) {
    const text = readable(read, path, warn);
    if (text !== undefined) return { path, text };
  }
  return { path: null, text: DEFAULT_INSTRUCTIONS };
}

const NAME = "SUPERVISOR.md";

/** A bound for files that are not really instructions. */
const LONGEST_INSTRUCTIONS = 200_000;

/** Where the project's instructions and the user's own are. */
export function instructionPaths(project: string, configFolder: string) {
  return { inProject: join(project, NAME), own: join(configFolder, NAME) };
}

/** The instructions without their front matter. A file that has nothing else only adds checks. */
export function shownInstructions({ text }: Instructions): string {
  const { body } = splitInstructions(text);
  return body.trim() === "" ? DEFAULT_INSTRUCTIONS : body;
}

/** The instructions as a source of checks. Only the user's own file is trusted. */
export function checkSource({ path, text }: Instructions, configFolder: string) {
  return { path: path ?? "", text, isProjects: path !== null && path !== join(configFolder, NAME) };
}

/** A warning if the instructions changed since the launch. `used` says which of them a review follows. */
export function instructionsChange(
  launched: Instructions,
  now: Instructions,
  used: keyof typeof USED = "original",
): string | undefined {
  if (launched.text === now.text) return undefined;
  const name = ({ path }: Instructions) => path ?? "ccc itself";
  const what =
    launched.path === now.path
      ? `${name(now)} changed after the session started.`
      : `The reviewer's instructions came from ${name(launched)} when the session started; now they would come from ${name(now)}.`;
  return `${what} ${USED[used]}`;
}

const USED = {
  original: "Reviews still use the original instructions.",
  current: "This review uses the current instructions.",
};

function readable(read: () => string | undefined, path: string, warn: (message: string) => void): string | undefined {
  try {
    const text = read();
    if (text?.includes("\0")) warn(`${path} is not a text file; ignored`);
    else if (text?.trim() === "") warn(`${path} is empty; ignored`);
    else return text;
  } catch (error) {
    warn(`${messageOf(error)}; ignored`);
  }
  return undefined;
}
