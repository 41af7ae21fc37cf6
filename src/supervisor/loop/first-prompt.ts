import { usageError } from "../../errors.ts";
import type { Typing } from "../../terminal/typing.ts";
import type { World } from "../../world.ts";

const LARGEST_PROMPT = 8_000_000;

/** The task: the argument, else what the user types, else stdin. Undefined if they interrupt. */
export async function readFirstPrompt(
  world: World,
  given: string | undefined,
  typing: Typing | undefined,
  interrupted: Promise<void>,
): Promise<string | undefined> {
  const asking = given === undefined ? ask(world, typing) : { text: given };
  const asked = await Promise.race([asking, interrupted]);
  if (asked === undefined) return undefined;
  const { text } = asked;
  if (text?.includes("\0")) throw usageError("the prompt contains a NUL character, which cannot be passed to claude");
  if (text !== undefined && text.trim() !== "") return text.trim();
  const example = 'ccc --supervisor --engine loop glm "make the tests pass"';
  throw usageError("no prompt", `Pass it as an argument or on stdin: ${example}`);
}

async function ask(world: World, typing: Typing | undefined) {
  return { text: typing === undefined ? world.stdin(LARGEST_PROMPT) : await typing.next("Task: ") };
}
