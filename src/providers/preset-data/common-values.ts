import type { Models } from "../../claude/model.ts";

/** A model as most providers' instructions set it. */
export function inFourRoles(model: string): Models {
  return { main: model, opus: model, sonnet: model, haiku: model };
}

/** Long answers, and nothing that goes to Anthropic. */
export const LONG_AND_QUIET = { API_TIMEOUT_MS: "3000000", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
