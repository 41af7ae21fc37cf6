import { ENGINES } from "./defaults.ts";

/** ccc's own options of a launch. They come before the provider. */
export const LAUNCH_OPTIONS = [
  { name: "--supervisor", description: "review every stop", values: undefined },
  { name: "--engine", description: "how stops are reviewed", values: ENGINES },
  { name: "--check", description: "a command that must pass before a review", values: [] },
  { name: "--dry-run", description: "print what would be run", values: undefined },
] as const;
