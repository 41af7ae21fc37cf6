import { guard } from "./supervisor/guard.ts";

// A hook of the reviewer's own session ends before anything else is even loaded.
const skip = guard(process.argv.slice(2), process.env);
if (skip === undefined) require("./start.ts").start(process);
else await Bun.write(Bun.stderr, skip);
