import { CccError, EXIT } from "../../errors.ts";
import type { Identity } from "../../providers/isolate.ts";
import { newSettings } from "../../providers/new-provider.ts";
import type { World } from "../../world.ts";
import { validateProvider } from "../validate/validate.ts";
import type { Validation } from "../validate/validation.ts";
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
  // A provider without a key uses a login.
  if (sent === undefined) return settled;
  const env = (newSettings(provider, sent).env ?? {}) as Record<string, string>;
  const { status, cause } = await testShown({ env, apiKeyHelper: "" }, world);
  if (status !== "invalid") return settled;
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

/** Sends one small request, and shows what came of it. */
export async function testShown(identity: Identity, world: World): Promise<Validation> {
  world.stderr("│  testing it…\n");
  const found = await validateProvider(identity, world.fetch);
  const isInvalid = found.status === "invalid";
  world.stderr(`${isInvalid ? "✗" : "✓"}  ${found.detail}\n`);
  if (isInvalid) world.stderr(`   ${found.advice}\n`);
  return found;
}

/** Why a request failed, where another key may help. */
export const KEY_PROBLEMS: readonly string[] = ["key_refused", "out_of_credit", "configuration"];
