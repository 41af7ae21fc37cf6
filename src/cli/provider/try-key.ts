import { CccError, EXIT } from "../../io/errors.ts";
import { newSettings } from "../../providers/new-provider.ts";
import { validateProvider } from "../../validate/validate.ts";
import type { World } from "../../world.ts";
import { askKey } from "./questions.ts";
import type { Settled } from "./settle.ts";

const AGAIN = "again";
const SAVE = "save";
const STOP = "stop";

/** Tries a key that was typed before it is saved. Where it does not work, the user decides. */
export async function tryKey(settled: Settled, world: World): Promise<Settled> {
  const { provider, key } = settled;
  if (key === undefined) return settled;
  world.stderr("   trying it…\n");
  const env = (newSettings(provider, key).env ?? {}) as Record<string, string>;
  const verdict = await validateProvider({ env, apiKeyHelper: "" }, world.fetch);
  world.stderr(`${verdict.status === "invalid" ? "✗" : "✓"}  ${verdict.detail}\n`);
  if (verdict.status !== "invalid") return settled;
  world.stderr(`   ${verdict.advice}\n`);
  const choice = await world.ask.choose("What now?", [
    { value: AGAIN, label: "type the key again" },
    { value: SAVE, label: "save it all the same" },
    { value: STOP, label: "stop, and change nothing" },
  ]);
  if (choice === SAVE) return settled;
  if (choice === STOP) throw new CccError("stopped; nothing was changed", { exitCode: EXIT.interrupted });
  return tryKey({ ...settled, key: await askKey(provider.preset?.keyUrl, false, world) }, world);
}
