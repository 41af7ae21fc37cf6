import type { ToolEvent } from "../../claude/tool-event.ts";
import { checkBash, type Situation } from "./check-bash.ts";
import { absolute, checkTree } from "./paths.ts";
import { checkPlace, isWithin } from "./places.ts";
import { Refusal } from "./refusal.ts";

/** Why a tool may not be used, undefined where it may. */
export function judgeTool({ tool, input }: ToolEvent, situation: Situation): string | undefined {
  try {
    check(tool, input, situation);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function check(tool: string, input: ToolEvent["input"], situation: Situation): void {
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : "");
  if (tool === "StructuredOutput") return;
  if (tool === "Read") placeOfPath(text("file_path"), situation);
  else if (tool === "Grep") checkFolder(text("path") || ".", situation);
  else if (tool === "Glob") {
    checkFolder(text("path") || ".", situation);
    // A pattern may begin with a folder.
    if (/^[~/\\]|^[A-Za-z]:|\.\./.test(text("pattern")))
      throw new Refusal("not part of the project: give a folder as path, and a pattern below it");
  } else if (tool === "Bash" && input.run_in_background !== true) checkBash(text("command"), situation);
  else throw new Refusal(`not part of a review: ${tool}. A reviewer reads, and runs tests`);
}

/** Claude Code reads paths in this way, too. What is not there by this reading might be by another. */
function placeOfPath(given: string, { cwd, places, look, platform }: Situation): string {
  if (given.trim() === "") refuse("there is no path");
  const path = given.trim().replace(/^~(?=$|[/\\])/, places.home);
  const real = platform === "win32" && path.startsWith("/") ? undefined : look.realPath(absolute(path, cwd));
  checkPlace(real ?? absolute(path, cwd), places);
  return real ?? refuse(`there is no ${given}`);
}

function refuse(why: string): never {
  throw new Refusal(why);
}

/** What Grep finds is cleared of secrets by Claude Code's own rules, but only of those in the project. */
function checkFolder(path: string, situation: Situation): void {
  const folder = placeOfPath(path, situation);
  if (isWithin(situation.places.home, folder)) checkTree(folder, situation.places, situation.look);
}
