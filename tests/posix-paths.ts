import { mock } from "bun:test";
import { posix } from "node:path";

/** The worlds in memory that the unit tests make are Unix ones: their paths are joined the Unix way on Windows too. */
if (process.platform === "win32") mock.module("node:path", () => ({ ...posix, default: posix }));
