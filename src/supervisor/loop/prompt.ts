import { usageError } from "../../errors.ts";
import type { Typing } from "../../terminal/typing.ts";
import type { World } from "../../world.ts";

const LARGEST_PROMPT = 8_000_000;

/** What the loop is to work on: the argument, else what is typed, else stdin. */
export async function readPrompt(world: World, given: string | undefined, typing: Typing | undefined): Promise<string> {
  if (given === undefined && typing !== undefined) world.stderr("What is to be done? ");
  const text = given ?? (typing === undefined ? world.stdin(LARGEST_PROMPT) : await typing.next());
  if (text?.includes("\0")) throw usageError("the prompt holds a NUL, which no program can be given");
  if (text !== undefined && text.trim() !== "") return text.trim();
  const example = 'ccc --supervisor --engine loop glm "make the tests pass"';
  throw usageError("there is no prompt", `Give it as an argument or on stdin: ${example}`);
}
