import { ATTRIBUTION_HEADER, SIMPLE_SYSTEM_PROMPT, TOOL_SEARCH } from "../claude/foreign-models.ts";
import { COMPACT_WINDOW, CONTEXT_WINDOW } from "../claude/model.ts";

/** Why a preset or `ccc provider add` writes a variable. Without a value, the reason holds whatever the value is. */
const REASONS: Readonly<Record<string, { readonly value?: string; readonly reason: string }>> = {
  [TOOL_SEARCH]: {
    value: "false",
    reason: "the model is not known to understand tool_reference; to find out: ccc validate --deep",
  },
  [SIMPLE_SYSTEM_PROMPT]: { value: "0", reason: "the full system prompt: about 5,000 tokens more in every request" },
  [ATTRIBUTION_HEADER]: { value: "0", reason: "every conversation begins alike, so the server can reuse its cache" },
  [CONTEXT_WINDOW]: { reason: "the context window; Claude Code assumes 1M tokens for a model that it does not know" },
  [COMPACT_WINDOW]: { reason: "Claude Code compacts the conversation within this many tokens" },
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: { reason: "the longest answer that the model allows" },
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: { value: "1", reason: "no telemetry and no update checks" },
  API_TIMEOUT_MS: { reason: "the longest wait for an answer, in milliseconds" },
};

/** The reason for a variable with this value, if ccc knows one. */
export function reasonFor(name: string, value: string): string | undefined {
  const known = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  return known === undefined || (known.value ?? value) !== value ? undefined : known.reason;
}
