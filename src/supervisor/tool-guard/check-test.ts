import { refuseCommand } from "./refusal.ts";
import { CHANGING_SCRIPT, CHECK_SCRIPT, SCRIPT_RUNNERS, TEST_COMMANDS } from "./test-commands.ts";

/**
 * Whether this is a test command. Refuses one with arguments that are not allowed. A plain word must name a file of the
 * project, because a make target or a task name looks the same.
 */
export function isTestCommand(words: readonly string[], isThere: (path: string) => boolean): boolean {
  if (isCheckScript(words)) return true;
  const matching = TEST_COMMANDS.filter(({ run }) => run.split(" ").every((word, index) => word === words[index]));
  const command = matching.toSorted((a, b) => b.run.length - a.run.length)[0];
  if (command === undefined) return false;
  const rest = words.slice(command.run.split(" ").length);
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (command.values.includes(word)) {
      index++;
      continue;
    }
    const isFile = command.takesFiles && !word.startsWith("-") && isThere(word.replace(/::?[^/]*$/, ""));
    if (!isFile && !command.options?.test(word)) refuseCommand(`${command.run} with ${word}`);
  }
  return true;
}

function isCheckScript([program = "", run, script = "", ...rest]: readonly string[]): boolean {
  const isScript = SCRIPT_RUNNERS.includes(program) && run === "run" && rest.length === 0;
  return isScript && CHECK_SCRIPT.test(script) && !CHANGING_SCRIPT.test(script);
}
