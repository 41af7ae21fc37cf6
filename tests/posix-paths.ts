import { mock } from "bun:test";
import { posix } from "node:path";

/** The fake worlds of the unit tests have Unix paths, on Windows too. */
if (process.platform === "win32") mock.module("node:path", () => ({ ...posix, default: posix }));
