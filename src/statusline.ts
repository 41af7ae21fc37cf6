import { buildOf } from "./build-info.ts";
import { printStatusLine } from "./commands/statusline/print-status-line.ts";
import { libcFiles } from "./os/libc-files.ts";

/** `ccc statusline`, which Claude Code runs every few seconds. The build bundles it on its own, as one file. */
export function statusline(host: NodeJS.Process): Promise<boolean> {
  return printStatusLine(host, buildOf(host).libc === "glibc" ? libcFiles() : undefined);
}
