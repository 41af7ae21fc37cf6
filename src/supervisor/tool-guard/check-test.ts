import { refuseCommand } from "./refusal.ts";
import { CHANGING_SCRIPT, CHECK_SCRIPT, SCRIPT_RUNNERS, TEST_COMMANDS } from "./test-commands.ts";

/**
 * Whether words are a test command, refused where more follows than it may have. A plain word counts only where it
 * names a file of the project: a target of make or the name of a task looks the same.
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
