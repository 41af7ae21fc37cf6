import { CccError } from "../../errors.ts";
import { join, programFolders } from "../../os/path.ts";
import type { World } from "../../world.ts";

/** Opens a file with the program that the system has for it. */
export async function openFile(world: World, path: string): Promise<void> {
  const { name, args } = OPENERS[world.platform] ?? OTHER;
  const file = programFolders(world.env, world.platform)
    .map((folder) => join(folder, name))
    .find((each) => world.files.programSize(each) !== undefined);
  const advice = `Open it yourself: ${path}`;
  if (file === undefined) throw new CccError(`cannot open the report: no ${name} on your PATH`, { advice });
  const { exitCode } = await world.handOver({ file, args: [...args, path], env: world.env });
  if (exitCode !== 0) throw new CccError(`cannot open the report: ${name} failed (exit ${exitCode})`, { advice });
}

interface Opener {
  readonly name: string;
  readonly args: readonly string[];
}

const OTHER: Opener = { name: "xdg-open", args: [] };

const OPENERS: Partial<Record<NodeJS.Platform, Opener>> = {
  darwin: { name: "open", args: [] },
  // `start` belongs to cmd.exe, which would read the path as a command line.
  win32: { name: "rundll32.exe", args: ["url.dll,FileProtocolHandler"] },
};
