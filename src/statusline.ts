import { buildOf } from "./build-info.ts";
import { sessionStatusLine } from "./commands/statusline/line.ts";
import { libcFiles } from "./os/libc.ts";

/**
 * `ccc statusline`, which Claude Code runs every few seconds. The build bundles it on its own, as one file. Returns false if
 * the user asks for help.
 */
export async function statusline(host: NodeJS.Process): Promise<boolean> {
  const line = await sessionStatusLine(host, buildOf(host).libc === "glibc" ? libcFiles() : undefined);
  if (line === undefined) return false;
  await Bun.write(Bun.stdout, `${line}\n`).catch(() => {});
  return true;
}
