import { CccError, EXIT } from "../../errors.ts";
import { newSettings, tokenVariable } from "../../providers/new-provider.ts";
import { isReference } from "../../providers/references.ts";
import type { World } from "../../world.ts";
import { validateProvider } from "../validate/validate.ts";
import { askKey } from "./questions.ts";
import type { Settled } from "./settle.ts";

const AGAIN = "again";
const SAVE = "save";
const STOP = "stop";

/** Tries what was answered before it is saved. Where it does not work, the user decides. */
export async function tryAnswers(settled: Settled, world: World): Promise<Settled> {
  const { provider, key, written } = settled;
  const sent = key ?? written;
  if (tokenVariable(provider) === undefined || sent === undefined || isReference(sent)) return settled;
  world.stderr("│  trying it…\n");
  const env = (newSettings(provider, sent).env ?? {}) as Record<string, string>;
  const { status, cause, detail, advice } = await validateProvider({ env, apiKeyHelper: "" }, world.fetch);
  world.stderr(`${status === "invalid" ? "✗" : "✓"}  ${detail}\n`);
  if (status !== "invalid") return settled;
  world.stderr(`   ${advice}\n`);
  const isKeysFault = key !== undefined && KEYS_FAULT.includes(cause);
  const choice = await world.ask.choose("What now?", [
    { value: AGAIN, label: isKeysFault ? "type the key again" : "try again" },
    { value: SAVE, label: "save it all the same" },
    { value: STOP, label: "stop, and change nothing" },
  ]);
  if (choice === SAVE) return settled;
  if (choice === STOP) throw new CccError("stopped; nothing was changed", { exitCode: EXIT.interrupted });
  if (!isKeysFault) return tryAnswers(settled, world);
  return tryAnswers({ ...settled, key: await askKey(provider.preset?.keyUrl, false, world) }, world);
}

const KEYS_FAULT: readonly string[] = ["key_refused", "out_of_credit", "configuration"];
