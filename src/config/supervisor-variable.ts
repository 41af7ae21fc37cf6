import { usageError } from "../errors.ts";
import type { Env } from "../world.ts";

/** What CCC_SUPERVISOR says; undefined if it is not set. */
export function supervisorVariable({ CCC_SUPERVISOR: given = "" }: Env): boolean | undefined {
  const word = given.trim().toLowerCase();
  if (word === "") return undefined;
  if (ON.includes(word)) return true;
  if (OFF.includes(word)) return false;
  throw usageError(
    "CCC_SUPERVISOR is neither on nor off",
    `It takes ${ON.join(", ")}, or ${OFF.join(", ")}. To unset it: unset CCC_SUPERVISOR`,
  );
}

const ON: readonly string[] = ["1", "true", "yes", "on"];
const OFF: readonly string[] = ["0", "false", "no", "off"];
