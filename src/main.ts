import { plainKey } from "./commands/key/plain-key.ts";
import { GUARD_COMMAND } from "./marks.ts";
import { skipReason } from "./supervisor/hooks/skip.ts";

const args = process.argv.slice(2);
// A hook in the reviewer's own session exits before anything else is loaded.
const skip = skipReason(args, process.env);
if (skip !== undefined) await Bun.write(Bun.stderr, skip);
else if (args.length === 1 && args[0] === GUARD_COMMAND) await toolGuard().answerToolEvent(process, bashGuard);
else if (args[0] === "key") await answerKey();
else await import("./start.ts").then(({ start }) => start(process));

/** Runs before every tool call of a reviewer, so it loads nothing else. */
function toolGuard(): typeof import("./supervisor/tool-guard/answer-tool-event.ts") {
  return require("./supervisor/tool-guard/answer-tool-event.ts");
}

/** Most of its tool calls are not commands, whose judge is the larger part of the guard. */
function bashGuard(): import("./supervisor/tool-guard/answer-tool-event.ts").BashGuard {
  return require("./supervisor/tool-guard/bash-guard.ts");
}

/** Claude Code waits for its key before the first request, so the usual one is answered before anything else is loaded. */
async function answerKey(): Promise<void> {
  const key = plainKey(args, process.platform);
  if (key === undefined) await import("./start.ts").then(({ start }) => start(process));
  else await Bun.write(Bun.stdout, `${key}\n`);
}
