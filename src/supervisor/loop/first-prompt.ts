import { usageError } from "../../errors.ts";
import type { Typing } from "../../terminal/typing.ts";
import type { World } from "../../world.ts";

const LARGEST_PROMPT = 8_000_000;

/** The task: the argument, else what the user types, else stdin. */
export async function readFirstPrompt(
  world: World,
  given: string | undefined,
  typing: Typing | undefined,
): Promise<string> {
  if (given === undefined && typing !== undefined) world.stderr("Task: ");
  const text = given ?? (typing === undefined ? world.stdin(LARGEST_PROMPT) : await typing.next());
  if (text?.includes("\0")) throw usageError("the prompt contains a NUL character, which cannot be passed to claude");
  if (text !== undefined && text.trim() !== "") return text.trim();
  const example = 'ccc --supervisor --engine loop glm "make the tests pass"';
  throw usageError("no prompt", `Pass it as an argument or on stdin: ${example}`);
}
