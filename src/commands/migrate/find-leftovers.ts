import { dirname, join } from "node:path";
import { cccPaths } from "../../config/ccc-paths.ts";
import { checkConfig } from "../../config/check.ts";
import { CccError } from "../../errors.ts";
import { programFolders } from "../../os/path.ts";
import { asObject } from "../../text/json.ts";
import { parseText } from "../../text/json-text.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { readRecord } from "../use/use-record.ts";
import type { Leftovers, Patch } from "./plan-migration.ts";

/** Looks for what an earlier ccc or the user left. Changes nothing. */
export function findLeftovers(world: World): Leftovers {
  const { files } = world;
  const places = usePlaces(world);
  const { config } = cccPaths(world);
  const text = files.read(places.settings) ?? "";
  const settings = text.trim() === "" ? {} : parseText(text);
  if (settings === undefined) {
    throw new CccError(`${places.settings} is not valid JSON`, { advice: "Fix the file first. Nothing was changed." });
  }
  const known = files.read(config);
  return {
    settings,
    isInUse: readRecord(files, places.record) !== undefined,
    providers: asObject(known === undefined ? {} : checkConfig(known, config).providers),
    commands: slashCommands(world, join(dirname(places.settings), "commands")),
    patch: findPatch(world),
  };
}

/** The Go ccc installed `/supervisor` and `/supervisoroff`, which call `ccc supervisor-mode`. */
function slashCommands({ files }: World, folder: string): string[] {
  const names = files.list(folder).filter((name) => /^supervisor.*\.md$/.test(name));
  const paths = names.map((name) => join(folder, name));
  return paths.filter(
    (path) => isSmall(files.identify(path)) && /\bccc(\.exe)?["']? supervisor-mode\b/.test(files.read(path) ?? ""),
  );
}

/** `ccc patch` of the Go ccc replaced the first claude on PATH with a script that runs ccc, and renamed the original. */
function findPatch({ files, env, platform, self }: World): Patch | undefined {
  const folders = platform === "win32" ? [] : programFolders(env, platform);
  const claude = folders.map((folder) => join(folder, "claude")).find((path) => files.identify(path) !== undefined);
  if (claude === undefined) return undefined;
  const text = isSmall(files.identify(claude)) ? (files.read(claude) ?? "") : "";
  const named = /^export CCC_CLAUDE=(['"]?)(.+)\1$/m.exec(text)?.[2];
  if (text.startsWith("#!") && named !== undefined && /^exec (\S*\/)?ccc "\$@"$/m.test(text)) {
    return { claude, real: named, obstacle: obstacleTo(files, claude, named) };
  }
  const beside = join(dirname(claude), "ccc-claude");
  const isSelf = files.programSize(claude) === files.programSize(self) && files.programSize(beside) !== undefined;
  return isSelf ? { claude, real: beside, obstacle: "it was replaced by ccc itself, not by a script" } : undefined;
}

/** Only a program in the same folder that is not such a script itself is certainly the real claude. */
function obstacleTo(files: World["files"], claude: string, real: string): string | undefined {
  if (dirname(real) !== dirname(claude)) return "it is in another folder";
  if (files.programSize(real) === undefined) return "it is missing or not a program";
  if (isSmall(files.identify(real)) && (files.read(real) ?? "").includes("CCC_CLAUDE="))
    return "it is such a script, too";
  return files.canWrite(dirname(claude)) ? undefined : "you have no write permission there";
}

/** The scripts of the Go ccc are small; anything larger is something else. */
function isSmall(identity: { readonly isFile: boolean; readonly size: number } | undefined): boolean {
  return identity?.isFile === true && identity.size < 4096;
}
