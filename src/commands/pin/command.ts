import { defineCommand } from "citty";
import { cccPaths } from "../../config/ccc-paths.ts";
import { folderPin } from "../../config/folder-pin.ts";
import { loadConfig } from "../../config/load-config.ts";
import { allPins } from "../../config/pins.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { isAbsolute, join } from "../../os/path.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import { docsPage } from "../../repository.ts";
import { prettyJson } from "../../text/json.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { JSON_FLAG } from "../shared-arguments.ts";
import { removePin, setPin } from "./change-pins.ts";
import { pinnedSentence, showPins } from "./show-pins.ts";

const DESCRIPTION = `Choose the provider of this folder and of all folders below it: plain ccc uses it there. Without a
provider, show which one that is. Pins are in your own ccc.json; a repository cannot choose a provider.

Examples
  ccc pin glm             plain ccc uses glm in this folder
  ccc pin glm --only      every other provider is refused here, also as a reviewer
  ccc --anyway kimi       use another one anyway, this once
  ccc pin                 which provider this folder has, and all pins
  ccc pin --remove        remove the pin of this folder

Exit codes
  0    done
  1    the folder has no pin of its own (--remove), or failure
  2    usage error, or unknown provider

JSON
  { folder, pin, pins }, explained in
  ${docsPage("providers.md#pinning-a-folder")}`;

export function pinCommand(world: World) {
  return defineCommand({
    meta: { name: "pin", description: DESCRIPTION },
    args: {
      provider: { type: "positional", required: false, description: "a provider in ccc.json" },
      only: { type: "boolean", default: false, description: "refuse every other provider there" },
      remove: { type: "boolean", default: false, description: "remove the folder's pin" },
      folder: { type: "string", valueHint: "PATH", description: "the folder (default: this one)" },
      json: JSON_FLAG,
    },
    run: ({ args: { provider, only, remove, folder, json } }) => {
      const other = [provider !== undefined && "a provider", only && "--only"].find(Boolean);
      if (remove && other) throw usageError(`--remove cannot be combined with ${other}`);
      if (json && (remove || other)) throw usageError(`--json cannot be combined with ${other || "--remove"}`);
      if (only && provider === undefined) throw usageError("--only needs a provider");
      if (folder?.trim() === "") throw usageError("--folder takes a path");
      const place = whole(folder, world);
      if (remove) return unpin(place, world);
      if (provider !== undefined) return pin(place, provider, only, world);
      const loaded = loadConfig(world);
      const shown = { folder: place, pin: folderPin(loaded, world, place) ?? null, pins: allPins(loaded.config) };
      world.stdout(json ? prettyJson(shown) : showPins(shown, outputWidth(world)));
      return EXIT.ok;
    },
  });
}

function whole(folder: string | undefined, { cwd }: World): string {
  return folder === undefined ? cwd : isAbsolute(folder) ? folder : join(cwd, folder);
}

function pin(folder: string, named: string, only: boolean, world: World): number {
  const loaded = loadConfig(world);
  const provider = requireProvider(named, loaded);
  if (world.files.identify(folder)?.isFolder !== true) throw usageError(`${folder} is not a folder`);
  const path = world.files.realPath(folder);
  const before = folderPin(loaded, world, path);
  setPin({ folder: path, provider, only }, cccPaths(world), world);
  say(pinnedSentence({ folder: path, provider, only }, before), world);
  return EXIT.ok;
}

function unpin(folder: string, world: World): number {
  const removed = removePin(folder, cccPaths(world), world);
  if (removed !== undefined) {
    say(`${removed.folder} is no longer pinned to ${removed.provider}.`, world);
    return EXIT.ok;
  }
  const above = folderPin(loadConfig(world), world, folder);
  if (above === undefined) throw new CccError(`${folder} is not pinned`, { advice: "See all pins: ccc pin" });
  throw new CccError(`${folder} has no pin of its own; it follows that of ${above.folder}: ${above.provider}`, {
    advice: `Remove that one: ccc pin --remove --folder "${above.folder}"`,
  });
}

function say(text: string, world: World): void {
  world.stdout(`${wrap(text, outputWidth(world))}\n`);
}
