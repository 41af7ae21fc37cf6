import type { ToolEvent } from "../../claude/tool-event.ts";
import { absolute, checkTree } from "./check-paths.ts";
import type { Disk } from "./machine.ts";
import { checkPlace, isWithin, type ReadablePlaces } from "./readable-places.ts";
import { Refusal } from "./refusal.ts";

/** Where a tool is used, and what it may read. */
export interface ToolContext {
  readonly cwd: string;
  readonly places: ReadablePlaces;
  readonly machine: Disk;
  readonly platform: NodeJS.Platform;
}

/** Why a tool call is refused; undefined if it is allowed. `checkBash` refuses a command line by throwing. */
export function judgeTool(
  { tool, input }: ToolEvent,
  context: ToolContext,
  checkBash: (line: string) => void,
): string | undefined {
  try {
    check(tool, input, context, checkBash);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function check(tool: string, input: ToolEvent["input"], context: ToolContext, checkBash: (line: string) => void): void {
  const text = (name: string): string => {
    const value = input[name] ?? "";
    return typeof value === "string" ? value : refuse(`${name} is not a string`);
  };
  if (HARMLESS.includes(tool)) return;
  if (tool === "Read") placeOfPath(text("file_path"), context);
  else if (tool === "Grep" || tool === "LS") checkFolder(text("path") || ".", context);
  else if (tool === "Glob") {
    checkFolder(text("path") || ".", context);
    // A pattern, or an alternative in it, may start with a folder.
    if (/(^|[{,])\s*([~/\\]|[A-Za-z]:)|\.\./.test(text("pattern")))
      throw new Refusal("not part of the project: give a folder as path, and a pattern below it");
  } else if (tool === "Bash" && !input.run_in_background) checkBash(text("command") || refuse("no command"));
  else throw new Refusal(`not part of a review: ${tool}. A reviewer only reads and runs tests`);
}

/** The answer itself, and the search for the description of a tool, which must pass the guard in turn. */
const HARMLESS = ["StructuredOutput", "ToolSearch"];

/** Resolves a path as Claude Code does. A missing one is refused: another way of reading it might find a file. */
function placeOfPath(given: string, { cwd, places, machine, platform }: ToolContext): string {
  if (given.trim() === "") refuse("no path given");
  const path = given.trim().replace(/^~(?=$|[/\\])/, places.home);
  const real = platform === "win32" && path.startsWith("/") ? undefined : machine.realPath(absolute(path, cwd));
  checkPlace(real ?? absolute(path, cwd), places);
  return real ?? refuse(`no such file: ${given}`);
}

function refuse(why: string): never {
  throw new Refusal(why);
}

/** Claude Code's own rules keep secrets out of Grep results in the project. A folder that contains the home is checked here. */
function checkFolder(path: string, context: ToolContext): void {
  const folder = placeOfPath(path, context);
  if (isWithin(context.places.home, folder)) checkTree(folder, context.places, context.machine);
}
