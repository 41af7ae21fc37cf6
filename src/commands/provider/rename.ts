import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { loadConfig } from "../../config/load-config.ts";
import { linkPath } from "../../config/settings-files.ts";
import { CccError, messageOf, usageError } from "../../errors.ts";
import { removeGenerated } from "../../providers/generated-files.ts";
import { renameProvider } from "../../providers/rename-provider.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import { alreadyThere } from "../../providers/save.ts";
import { copyEntry, forgetEntry, isOwnEntry } from "../../providers/store-key.ts";
import { docsPage } from "../../repository.ts";
import { createLog } from "../../terminal/log.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { readRecord } from "../use/use-record.ts";
import { checkNewName } from "./settle.ts";

const DESCRIPTION = `Rename a provider. Everything that names it follows: the current provider, reviewers, pinned folders, its key in the
keychain. Sessions that are running on it have to be started again.

Example
  ccc provider rename glm glm-work

Exit codes
  0    renamed
  1    plain claude uses it (ccc use), the new name is taken, or failure
  2    usage error, unknown provider, or a name that no provider can have

More
  ${docsPage("providers.md#changing-one")}`;

export function renameCommand(world: World) {
  return defineCommand({
    meta: { name: "rename", description: DESCRIPTION },
    args: {
      name: { type: "positional", required: true, description: "a provider in ccc.json" },
      "new-name": { type: "positional", required: true, description: "its new name" },
    },
    run: async ({ args }) => {
      const loaded = loadConfig(world);
      const from = requireProvider(args.name, loaded);
      const to = args["new-name"];
      checkNewName(to);
      if (from === to) throw usageError(`"${from}" already has that name`);
      if (loaded.providers.has(to)) throw alreadyThere(to, "Choose another name, or remove that one first.");
      if (readRecord(world.files, usePlaces(world).record)?.provider === from) {
        throw new CccError(`plain claude uses "${from}" (\`ccc use\`)`, {
          advice: `Undo that first: ccc use --reset. After renaming: ccc use ${to}`,
        });
      }
      const keysOf = (name: string) => Object.values(loaded.providers.get(name)?.env ?? {});
      const isInKeychain = keysOf(from).some((value) => isOwnEntry(value, from, world.env));
      const isShared = [...loaded.providers.keys()].some(
        (name) => name !== from && keysOf(name).some((value) => isOwnEntry(value, from, world.env)),
      );
      const moved = isInKeychain ? await copied(from, to, world) : undefined;
      const paths = cccPaths(world);
      const references = new Map(moved === undefined ? [] : [moved]);
      const named = renameProvider(world.files, paths.config, { from, to, references });
      removeGenerated(world.files, paths.generated, from);
      const log = createLog(world);
      log.info(
        `renamed "${from}" to "${to}" in ${paths.config}${named.length === 0 ? "" : `, also in ${named.join(", ")}`}`,
      );
      if (moved !== undefined) {
        const forgotten = isShared ? undefined : await forgetEntry(moved[0], from, world);
        log.info(`its key is now in the keychain entry "${moved[1].slice("keychain:".length)}" of ccc`);
        if (forgotten?.isRemoved === false) log.warn(forgotten.message);
      }
      tellEditor(from, to, world);
      log.info(
        `to start it: ccc ${to}; running sessions cannot get its key any more, so continue them: ccc ${to} --continue`,
      );
    },
  });
}

async function copied(from: string, to: string, world: World) {
  try {
    return await copyEntry(from, to, world);
  } catch (error) {
    throw new CccError(`the key of "${from}" cannot be moved in the keychain: ${messageOf(error)}`, {
      advice: "Nothing was changed.",
    });
  }
}

/** The settings of an editor are not ccc's to change. */
function tellEditor(from: string, to: string, world: World): void {
  const link = linkPath(cccPaths(world), from, world.platform);
  if (world.files.entry(link) === undefined) return;
  world.files.remove(link);
  createLog(world).warn(`your editor starts ${link}, which is gone; for its new settings: ccc provider editor ${to}`);
}
