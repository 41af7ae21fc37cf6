/**
 * Variables of Claude Code 2.1.325 that matter for models other than Claude, as measured. Without them it begins every
 * conversation with a line that differs each time, defers tools behind `tool_reference` blocks, and sends a model that it
 * does not know a short system prompt.
 */
export const ATTRIBUTION_HEADER = "CLAUDE_CODE_ATTRIBUTION_HEADER";
export const TOOL_SEARCH = "ENABLE_TOOL_SEARCH";
export const SIMPLE_SYSTEM_PROMPT = "CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT";

/** Whether a model is Claude by its name, however a cloud or a gateway spells it. */
export function isClaude(model: string): boolean {
  return /claude|^(default|best|opus|opusplan|sonnet|haiku|fable)(\[1m\])?$/i.test(model);
}
