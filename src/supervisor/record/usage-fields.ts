import * as v from "valibot";
import type { Usage } from "../../claude/token-usage.ts";
import { exact } from "../../text/counts.ts";

/** Usage in ccc's files. */
export const UsageFieldsSchema = v.object({
  input_tokens: v.number(),
  cache_read_tokens: v.number(),
  cache_write_tokens: v.number(),
  output_tokens: v.number(),
  /** null if it is not known. */
  cost_usd: v.nullable(v.number()),
});

export type UsageFields = v.InferOutput<typeof UsageFieldsSchema>;

export function usageFields(usage: Usage): UsageFields {
  return {
    input_tokens: usage.inputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd === undefined ? null : exact(usage.costUsd),
  };
}
