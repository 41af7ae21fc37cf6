import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { loadConfig } from "../../config/check.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { changeProvider, entryOf } from "../../providers/change.ts";
import { keyPlace, keyVariable, type Store, shownReference } from "../../providers/keys.ts";
import { keyProblem, presetOrigin, requireProvider } from "../../providers/presets.ts";
import { canAsk } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/switch.ts";
import { requestIdentity } from "../validate/validate.ts";
import { warnOfReference } from "./add.ts";
import { forgetReplacedEntries, tellUse } from "./edit.ts";
import {
  askKey,
  checkReference,
  KEY_PROBLEMS,
  keyFromStdin,
  missingKey,
  STORE,
  TOKEN_REF,
  TOKEN_STDIN,
  testShown,
} from "./questions.ts";

const DESCRIPTION = `Give a provider another key. Its other settings stay. On a terminal ccc asks for the key and tests it before it
is saved. A key is never an argument. The old key is removed from everywhere ccc wrote it.

Examples
  ccc provider set-key glm
  ccc provider set-key glm --token-stdin < key.txt
  ccc provider set-key glm --token-ref 'cmd:pass show glm'

More
  ${docsPage("providers.md#changing-one")}`;

export function setKeyCommand(world: World) {
  return defineCommand({
    meta: { name: "set-key", description: DESCRIPTION },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      "token-stdin": TOKEN_STDIN,
      "token-ref": TOKEN_REF,
      store: STORE,
    },
    run: async ({ args }) => {
      const loaded = loadConfig(world);
      const name = requireProvider(args.name, loaded);
      const reference = args["token-ref"];
      if (args["token-stdin"] && reference !== undefined)
        throw usageError("--token-stdin cannot be combined with --token-ref");
      if (reference !== undefined && args.store !== undefined)
        throw usageError("--store cannot be combined with --token-ref, because there is no key to store");
      if (reference !== undefined) checkReference(reference);
      const entry = entryOf(loaded.config.providers, name) ?? {};
      const variable = keyVariable(name, entry);
      const key =
        reference === undefined
          ? await newKey({ name, entry, variable, loaded }, args["token-stdin"], world)
          : undefined;
      await setKey({ name, variable, key, reference, store: args.store }, world);
    },
  });
}

interface KeyOf {
  readonly name: string;
  readonly entry: ProviderEntry;
  readonly variable: string;
  readonly loaded: LoadedConfig;
}

async function newKey(of: KeyOf, isOnStdin: boolean, world: World): Promise<string> {
  if (isOnStdin) {
    const key = keyFromStdin(world);
    const problem = keyProblem(key);
    if (problem !== undefined) throw usageError(problem);
    return key;
  }
  if (canAsk(world)) return askAndTest(of, world);
  throw missingKey();
}

async function askAndTest(of: KeyOf, world: World): Promise<string> {
  const origin = presetOrigin(of.name, of.entry);
  const keyUrl = origin.kind === "none" ? undefined : origin.preset?.keyUrl;
  for (;;) {
    const key = await askKey(keyUrl, false, world);
    const { status, cause } = await testShown(await identityWith(of, key, world), world);
    if (status !== "invalid") return key;
    const choice = await world.ask.choose("What now?", [
      { value: "again", label: KEY_PROBLEMS.includes(cause) ? "enter the key again" : "enter a key and try again" },
      { value: "save", label: "save it anyway" },
      { value: "stop", label: "cancel" },
    ]);
    if (choice === "save") return key;
    if (choice === "stop") throw new CccError("cancelled; nothing was changed", { exitCode: EXIT.interrupted });
  }
}

/** What a launch would send with this key. */
function identityWith({ name, entry, variable, loaded }: KeyOf, key: string, world: World) {
  const { preset: _, ...settings } = entry;
  const own = { ...settings, env: { ...settings.env, [variable]: key } };
  return requestIdentity({ ...loaded, providers: new Map(loaded.providers).set(name, own) }, name, world);
}

interface NewKey {
  readonly name: string;
  readonly variable: string;
  readonly key: string | undefined;
  readonly reference: string | undefined;
  readonly store: Store | undefined;
}

async function setKey({ name, variable, key, reference = "", store }: NewKey, world: World): Promise<void> {
  const paths = cccPaths(world);
  const { backups } = usePlaces(world);
  const place = key === undefined ? undefined : await keyPlace(name, key, store, world);
  // Before ccc.json: if the keychain refuses it, the provider keeps its old key.
  await place?.put();
  const changed = changeProvider(world.files, { ...paths, backups }, name, (now) => {
    if (now === undefined) throw usageError(`provider "${name}" is gone: another ccc has removed it`);
    return { ...now, env: { ...now.env, [keyVariable(name, now)]: place?.value ?? reference } };
  });
  await forgetReplacedEntries(changed, name, world);
  const log = createLog(world);
  log.info(`the key of "${name}" (${variable}) is now ${place?.words ?? `read from ${shownReference(reference)}`}`);
  if (reference !== "") await warnOfReference(reference, world);
  tellUse(name, world);
  log.info(`to check it: ccc validate ${name}`);
}
