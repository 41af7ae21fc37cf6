import { join } from "node:path";
import { messageOf } from "../io/errors.ts";
import type { Files } from "../io/files.ts";
import DEFAULT_INSTRUCTIONS from "./SUPERVISOR.md" with { type: "text" };

export { DEFAULT_INSTRUCTIONS };

/** The reviewer's instructions: the project's, else the user's own, else the built-in ones. */
export function readInstructions(
  files: Files,
  project: string,
  configFolder: string,
  warn: (message: string) => void,
): string {
  for (const path of instructionPaths(project, configFolder)) {
    const text = readable(files, path, warn);
    if (text === undefined) continue;
    if (text.includes("\0")) warn(`${path} is no text and does not count`);
    else if (text.trim() === "") warn(`${path} is empty and does not count`);
    else return text.slice(0, LONGEST_INSTRUCTIONS);
  }
  return DEFAULT_INSTRUCTIONS;
}

/** Far more than anybody reads; a bound for files that are something else. */
const LONGEST_INSTRUCTIONS = 200_000;

export function instructionPaths(project: string, configFolder: string): string[] {
  return [join(project, "SUPERVISOR.md"), join(configFolder, "SUPERVISOR.md")];
}

function readable(files: Files, path: string, warn: (message: string) => void): string | undefined {
  try {
    return files.read(path);
  } catch (error) {
    warn(messageOf(error));
    return undefined;
  }
}
