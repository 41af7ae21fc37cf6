import { mock } from "bun:test";
import { posix } from "node:path";

/** The fake worlds of the unit tests have Unix paths, on Windows too. The tests of Windows itself have its own. */
if (process.platform === "win32" && !process.env.CCC_TEST_WINDOWS)
  mock.module("node:path", () => ({ ...posix, default: posix }));
