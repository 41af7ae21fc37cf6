import { expect, test } from "bun:test";
import { terminalColumns } from "../../../src/terminal/columns.ts";

test("a line is as wide as the terminal, or has 80 columns if there is none", () => {
  expect(terminalColumns(1)).toBe(process.stdout.columns || 80);
});
