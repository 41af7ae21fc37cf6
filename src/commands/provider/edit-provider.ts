import { isDeepStrictEqual } from "node:util";
import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { checkConfig } from "../../config/check.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { ProviderEntry } from "../../config/schema.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { join } from "../../os/path.ts";
import { editableText, editedProvider, UNCHANGED } from "../../providers/editable-provider.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import { changeProvider, entryOf } from "../../providers/save.ts";
import { docsPage } from "../../repository.ts";
import { canAsk } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import { setIn } from "../../text/json-text.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { runEditor } from "./run-editor.ts";
import { forgetReplacedEntries, tellChanges, tellUse } from "./tell-changes.ts";

const DESCRIPTION = `Edit a provider's JSON in your editor ($VISUAL, else $EDITOR). It is saved only if a launch would accept it.
Keys are not shown: "${UNCHANGED}" stands for one, and leaves it as it is.

Exit codes
  0      saved, or nothing was changed
  1      the editor failed, or another failure; nothing was saved
  2      usage error, unknown provider, or not a terminal
  130    cancelled; nothing was saved

More
  ${docsPage("providers.md#changing-one")}`;

export function editCommand(world: World) {
  return defineCommand({
    meta: { name: "edit", description: DESCRIPTION },
    args: { name: { type: "positional", required: true, description: "a provider in ccc.json" } },
    run: async ({ args }) => {
      const loaded = loadConfig(world);
      const name = requireProvider(args.name, loaded);
      if (!canAsk(world) || !world.isTerminal(1))
        throw usageError(
          "ccc provider edit needs a terminal",
          `In a script: ccc provider set-key ${name}, or ccc provider add ${name} --replace`,
        );
      await editProvider(name, loaded, world);
    },
  });
}

async function editProvider(name: string, loaded: LoadedConfig, world: World): Promise<void> {
  const original = entryOf(loaded.config.providers, name) ?? {};
  const initial = editableText(original);
  const scratch = world.scratch();
  const path = join(scratch.path, `${name}.json`);
  world.files.writePrivate(path, initial);
  try {
    const edited = await editUntilValid({ name, original, path, loaded }, world);
    if (edited === undefined) createLog(world).info("nothing was changed");
    else await save(name, original, edited, world);
  } catch (error) {
    // What the user wrote is never lost.
    if (![undefined, initial].includes(world.files.read(path))) createLog(world).info(`your text is in ${path}`);
    else scratch.remove();
    throw error;
  }
  scratch.remove();
}

interface Editing {
  readonly name: string;
  readonly original: ProviderEntry;
  readonly path: string;
  readonly loaded: LoadedConfig;
}

/** Returns undefined if the text stays as it was. */
async function editUntilValid(editing: Editing, world: World): Promise<ProviderEntry | undefined> {
  const { path, original } = editing;
  for (;;) {
    await runEditor(path, world);
    const text = world.files.read(path);
    if (text === undefined) throw new CccError(`${path} is gone; nothing was saved`);
    try {
      const edited = accepted(text, editing, world);
      return isDeepStrictEqual(edited, original) ? undefined : edited;
    } catch (error) {
      if (!(error instanceof CccError)) throw error;
      const advice = error.advice === undefined ? "" : `\n${error.advice}`;
      createLog(world).error(`not saved: ${error.message}${advice}`);
      if (!(await world.ask.confirm("Edit again?", true)))
        throw new CccError("nothing was saved", { exitCode: EXIT.interrupted });
    }
  }
}

/** The provider of the text, if a launch would accept it. */
function accepted(text: string, { name, original, loaded }: Editing, world: World): ProviderEntry {
  const edited = editedProvider(text, original);
  const file = world.files.read(loaded.path) ?? "{}";
  const config = checkConfig(setIn(file, ["providers", name], edited), "your text");
  const entry = entryOf(config.providers, name) ?? {};
  const problem = problemOf(entry, name, loaded, world);
  // A problem that it had before does not prevent other changes.
  if (problem !== undefined && problem.message !== problemOf(original, name, loaded, world)?.message) throw problem;
  return entry;
}

function problemOf({ preset: _, ...settings }: ProviderEntry, name: string, loaded: LoadedConfig, world: World) {
  const providers = new Map(loaded.providers).set(name, settings);
  return currentLaunch(world, { ...loaded, providers }, name).problem;
}

async function save(name: string, original: ProviderEntry, edited: ProviderEntry, world: World): Promise<void> {
  const paths = cccPaths(world);
  const { backups } = usePlaces(world);
  const change = (before: ProviderEntry | undefined) => {
    if (isDeepStrictEqual(before ?? {}, original)) return edited;
    throw new CccError(`another ccc has changed "${name}" meanwhile; nothing was saved`, {
      advice: `Edit it again: ccc provider edit ${name}`,
    });
  };
  const changed = changeProvider(world.files, { ...paths, backups }, name, change, world.now());
  await forgetReplacedEntries(changed, name, world);
  createLog(world).info(`saved "${name}" in ${paths.config}`);
  tellChanges(changed, world);
  tellUse(name, world);
}
