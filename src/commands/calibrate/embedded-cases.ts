import { embedCases } from "./embed-cases.ts";

/** In the compiled program, what embedCases returned when it was built: scripts/release/compile.ts. */
export const EMBEDDED_CASES: Readonly<Record<string, Readonly<Record<string, string>>>> = embedCases();
