/** Plays the turns of each role in order, then repeats the last one. */
import type { Role, Script, Turn } from "../src/sandbox/sandbox.ts";
export function inTurn(turns: Partial<Record<Role, readonly Turn[]>>): Script {
  return ({ role }, index) => {
    const own = turns[role] ?? [];
    return own[Math.min(index, own.length - 1)] ?? { say: "ok" };
  };
}
