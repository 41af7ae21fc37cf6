import { expect, test } from "bun:test";
import { problemIn } from "../../../scripts/npm-packages.ts";

test.each([
  ['error: No version satisfying "9.9.9" found\n\nRecent versions:\n- 2.1.325\n  ... and 461 more\n', "No version"],
  ["bun install v1.4.4\nerror: ConnectionRefused downloading package manifest\n", "ConnectionRefused"],
  ["404 Not Found: http://127.0.0.1/x\n\n - 'x' does not exist in this registry\n", "404 Not Found"],
])("why a version cannot be had: %j", (output, problem) => expect(problemIn(output)).toStartWith(problem));
