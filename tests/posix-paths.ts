import { mock } from "bun:test";
import { posix } from "node:path";

/** The fake worlds of the unit tests have Unix paths, even on Windows. The Windows tests have Windows paths. */
if (process.platform === "win32" && !process.env.CCC_TEST_WINDOWS)
  mock.module("node:path", () => ({ ...posix, default: posix }));
