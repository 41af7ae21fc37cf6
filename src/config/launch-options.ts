import { ENGINES } from "./defaults.ts";

/** ccc's own options of a launch. They come before the provider. */
export const LAUNCH_OPTIONS = [
  { name: "--supervisor", description: "review every stop", values: undefined },
  { name: "--no-supervisor", description: "review nothing in this launch", values: undefined },
  { name: "--engine", description: "how stops are reviewed", values: ENGINES },
  { name: "--check", description: "a command that must pass before a review", values: [] },
  { name: "--no-handover", description: "loop engine: end with an exit code", values: undefined },
  { name: "--anyway", description: "use a provider that the folder's pin refuses", values: undefined },
  { name: "--dry-run", description: "print what would be run", values: undefined },
  { name: "--json", description: "with --dry-run: all of it, as JSON", values: undefined },
] as const;
