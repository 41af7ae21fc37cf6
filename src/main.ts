import { GUARD_COMMAND, guard } from "./supervisor/guard.ts";

const args = process.argv.slice(2);
// A hook of the reviewer's own session ends before anything else is even loaded.
const skip = guard(args, process.env);
if (skip !== undefined) await Bun.write(Bun.stderr, skip);
else if (args.length === 1 && args[0] === GUARD_COMMAND) await toolGuard().answerToolEvent(process);
else await import("./start.ts").then(({ start }) => start(process));

/** It runs before every tool of a reviewer, and needs nothing of a launch. */
function toolGuard(): typeof import("./supervisor/tool-guard/answer.ts") {
  return require("./supervisor/tool-guard/answer.ts");
}
