import type { FileTexts } from "./calibration-case.ts";

/**
 * The files of ccc's own cases, by the name of the pair. Loaded when they are needed: they are 100 kB of text, and Bun hangs
 * if a module with a macro is required together with all others.
 */
export function ownCases(): Readonly<Record<string, FileTexts>> {
  const { EMBEDDED_CASES }: typeof import("./embedded-cases.ts") = require("./embedded-cases.ts");
  return EMBEDDED_CASES;
}
