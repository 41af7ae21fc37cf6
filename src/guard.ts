import { buildOf } from "./build-info.ts";
import { libcFiles } from "./os/libc.ts";
import { answerToolEvent, type BashGuard } from "./supervisor/guard/judge.ts";

/** `ccc supervisor-guard`, which runs before every tool call of a reviewer. The build bundles it on its own, as one file. */
export function guard(host: NodeJS.Process): Promise<void> {
  const libc = buildOf(host).libc === "glibc" ? libcFiles() : undefined;
  return answerToolEvent(host, libc, bashGuard);
}

/** Most tool calls are not commands, whose judge is the larger part of the guard. */
function bashGuard(): BashGuard {
  return require("./supervisor/guard/command-line.ts");
}
