import { buildOf } from "../build-info.ts";
import { sessionStatusLine } from "../commands/statusline.ts";
import { libcFiles } from "../os/fast.ts";

/** `ccc statusline`, which Claude Code runs every few seconds. Returns false if the user asks for help. */
export async function statusline(host: NodeJS.Process): Promise<boolean> {
  const line = await sessionStatusLine(host, buildOf(host).libc === "glibc" ? libcFiles() : undefined);
  if (line === undefined) return false;
  await Bun.write(Bun.stdout, `${line}\n`).catch(() => {});
  return true;
}
