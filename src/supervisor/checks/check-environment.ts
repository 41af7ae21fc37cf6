import { withoutSession } from "../../claude/session-env.ts";
import { withoutProvider } from "../../providers/variables.ts";
import type { Env } from "../../world.ts";

/** The environment of the launch without the providers' keys, under whatever name, and without ccc's own marks. */
export function checkEnvironment(launched: Env, keys: readonly string[]): Env {
  const own = Object.entries(withoutSession(withoutProvider(launched))).filter(
    ([name, value = ""]) => !name.startsWith("CCC_") && !keys.some((key) => isIn(value, key)),
  );
  return Object.fromEntries(own);
}

function isIn(value: string, key: string): boolean {
  return key.length >= SHORTEST_KEY && value.includes(key);
}

/** A shorter text is in values that have nothing to do with it. */
const SHORTEST_KEY = 8;
