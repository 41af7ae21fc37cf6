import { guard } from "./supervisor/guard.ts";

// A hook of the reviewer's own session ends before anything else is even loaded.
const skip = guard(process.argv.slice(2), process.env);
if (skip !== undefined) await Bun.write(Bun.stderr, skip);
else await import("./start.ts").then(({ start }) => start(process));
