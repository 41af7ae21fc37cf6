import { refuseCommand } from "./refusal.ts";
import { CHANGING_SCRIPT, CHECK_SCRIPT, SCRIPT_RUNNERS, testCommands } from "./test-commands.ts";

/**
 * Whether this is a test command. Refuses one with arguments that are not allowed. A plain word must name a file of the
 * project, because a make target or a task name looks the same.
 */
export function isTestCommand(words: readonly string[], isThere: (path: string) => boolean): boolean {
  if (isCheckScript(words)) return true;
  const commands = testCommands();
  const matching = commands.flatMap(({ runs }) => runs).filter((each) => startsWith(words, each.split(" ")));
  const [run = ""] = matching.toSorted((a, b) => b.length - a.length);
  const command = commands.find(({ runs }) => runs.includes(run));
  if (command === undefined) return false;
  const rest = words.slice(run.split(" ").length);
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (command.values.includes(word)) {
      index++;
      continue;
    }
    const isFile = command.takesFiles && !word.startsWith("-") && isThere(word.replace(/::?[^/]*$/, ""));
    if (!isFile && !command.options?.test(word)) refuseCommand(`${run} with ${word}`);
  }
  return true;
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => word === words[index]);
}

function isCheckScript([program = "", run, script = "", ...rest]: readonly string[]): boolean {
  const isScript = SCRIPT_RUNNERS.includes(program) && run === "run" && rest.length === 0;
  return isScript && CHECK_SCRIPT.test(script) && !CHANGING_SCRIPT.test(script);
}
