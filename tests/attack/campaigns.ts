import { BINARY_HOOK } from "./binary-hook.ts";
import { BINARY_LAUNCH } from "./binary-launch.ts";
import type { Campaign } from "./campaign.ts";
import { DISARM } from "./disarm.ts";
import { FUZZ_EVIDENCE } from "./fuzz-evidence.ts";
import { FUZZ_INPUTS } from "./fuzz-inputs.ts";
import { FUZZ_VERDICT } from "./fuzz-verdict.ts";
import { HOSTILE } from "./hostile.ts";
import { KEYS } from "./keys.ts";
import { KILL } from "./kill.ts";
import { KILL_REVIEW } from "./kill-review.ts";
import { PARALLEL } from "./parallel.ts";
import { PROMPTS } from "./prompts.ts";
import { REVIEWER_TOOLS } from "./reviewer-tools.ts";
import { SANDBOXED } from "./sandboxed.ts";
import { SETTINGS } from "./settings.ts";
import { SPECIAL_FILES } from "./special-files.ts";
import { SPECIAL_RECORD } from "./special-record.ts";

/** All campaigns, in the order of the table. The longest come first, so that two lanes end at the same time. */
export const CAMPAIGNS: readonly Campaign[] = [
  KEYS,
  KILL_REVIEW,
  ...KILL,
  ...DISARM,
  PROMPTS,
  REVIEWER_TOOLS,
  SANDBOXED,
  HOSTILE,
  SETTINGS,
  ...SPECIAL_FILES,
  SPECIAL_RECORD,
  ...PARALLEL,
  ...FUZZ_VERDICT,
  ...FUZZ_EVIDENCE,
  ...FUZZ_INPUTS,
  ...BINARY_HOOK,
  ...BINARY_LAUNCH,
];
