import { buildOf } from "../build-info.ts";
import { libcFiles } from "../os/fast.ts";
import { answerToolEvent, type BashGuard } from "../supervisor/guard/judge.ts";

/** `ccc supervisor-guard`, which runs before every tool call of a reviewer. Returns false if the user asks for help. */
export async function guard(host: NodeJS.Process): Promise<boolean> {
  if (host.argv.length > 3) return false;
  const libc = buildOf(host).libc === "glibc" ? libcFiles() : undefined;
  await answerToolEvent(host, libc, bashGuard);
  return true;
}

/** Loaded for commands only: most tool calls are none, and this is the larger part of the guard. */
function bashGuard(): BashGuard {
  return require("../supervisor/guard/command-line.ts");
}
