import { CccError, EXIT } from "../../errors.ts";
import { newSettings, tokenVariable } from "../../providers/new-provider.ts";
import { isReference } from "../../providers/references.ts";
import type { World } from "../../world.ts";
import { validateProvider } from "../validate/validate.ts";
import { askKey } from "./questions.ts";
import type { Settled } from "./settle.ts";

const AGAIN = "again";
const OTHER_HEADER = "header";
const SAVE = "save";
const STOP = "stop";

/** Tests a new provider before it is saved. If it fails, the user decides what to do. */
export async function tryAnswers(settled: Settled, world: World): Promise<Settled> {
  const { provider, key, written } = settled;
  const sent = key ?? written;
  if (tokenVariable(provider) === undefined || sent === undefined || isReference(sent)) return settled;
  world.stderr("│  testing it…\n");
  const env = (newSettings(provider, sent).env ?? {}) as Record<string, string>;
  const { status, cause, detail, advice } = await validateProvider({ env, apiKeyHelper: "" }, world.fetch);
  world.stderr(`${status === "invalid" ? "✗" : "✓"}  ${detail}\n`);
  if (status !== "invalid") return settled;
  world.stderr(`   ${advice}\n`);
  const isKeyProblem = key !== undefined && KEY_PROBLEMS.includes(cause);
  const choice = await world.ask.choose("What now?", [
    { value: AGAIN, label: isKeyProblem ? "enter the key again" : "try again" },
    ...(cause === "key_refused" && !provider.asApiKey
      ? [{ value: OTHER_HEADER, label: "send it as x-api-key: some servers accept only that" }]
      : []),
    { value: SAVE, label: "save it anyway" },
    { value: STOP, label: "cancel" },
  ]);
  if (choice === SAVE) return settled;
  if (choice === STOP) throw new CccError("cancelled; nothing was changed", { exitCode: EXIT.interrupted });
  if (choice === OTHER_HEADER) return tryAnswers({ ...settled, provider: { ...provider, asApiKey: true } }, world);
  if (!isKeyProblem) return tryAnswers(settled, world);
  return tryAnswers({ ...settled, key: await askKey(provider.preset?.keyUrl, false, world) }, world);
}

const KEY_PROBLEMS: readonly string[] = ["key_refused", "out_of_credit", "configuration"];
