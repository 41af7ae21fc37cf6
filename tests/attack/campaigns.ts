import type { Campaign } from "./campaign.ts";
import { DISARM } from "./disarm.ts";
import { FUZZ_BINARY } from "./fuzz-binary.ts";
import { FUZZ_INPUTS } from "./fuzz-inputs.ts";
import { FUZZ_VERDICT } from "./fuzz-verdict.ts";
import { HOSTILE } from "./hostile.ts";
import { KEYS } from "./keys.ts";
import { KILL } from "./kill.ts";
import { KILL_REVIEW } from "./kill-review.ts";
import { PARALLEL } from "./parallel.ts";
import { REVIEWER_TOOLS } from "./reviewer-tools.ts";
import { SETTINGS } from "./settings.ts";
import { SPECIAL_FILES } from "./special-files.ts";

/** Every campaign, in the order of the table. */
export const CAMPAIGNS: readonly Campaign[] = [
  KEYS,
  SETTINGS,
  HOSTILE,
  ...DISARM,
  REVIEWER_TOOLS,
  ...KILL,
  KILL_REVIEW,
  ...PARALLEL,
  ...SPECIAL_FILES,
  ...FUZZ_VERDICT,
  ...FUZZ_INPUTS,
  ...FUZZ_BINARY,
];
