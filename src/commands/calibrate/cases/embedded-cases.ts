import { embedCases } from "./embed-cases.ts" with { type: "macro" };

/** Evaluated by the bundler. */
export const EMBEDDED_CASES: Readonly<Record<string, Readonly<Record<string, string>>>> = embedCases();
