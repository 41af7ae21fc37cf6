import * as v from "valibot";
import { lenient } from "./lenient.ts";

/** What requests to a model used. */
export interface Usage {
  /** Input that the prompt cache had no part in. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Undefined if Claude Code does not know the price of a model, or does not say what this run alone cost. */
  readonly costUsd: number | undefined;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
  };
}

/** All tokens that went in and came out, cached ones included. */
export function totalTokens({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}

const figure = lenient(v.pipe(v.number(), v.finite(), v.minValue(0)));

/** The usage of a message, and of a run without its delegated agents. */
export const TokensSchema = v.object({
  input_tokens: figure,
  cache_read_input_tokens: figure,
  cache_creation_input_tokens: figure,
  output_tokens: figure,
});

/** The usage by model, delegated agents included. */
export const ModelUsageSchema = v.record(
  v.string(),
  v.object({
    inputTokens: figure,
    cacheReadInputTokens: figure,
    cacheCreationInputTokens: figure,
    outputTokens: figure,
    costUSD: figure,
    /** "unknown" if the cost is that of another model. */
    costBasis: lenient(v.string()),
  }),
);

export function usageOfTokens(tokens: v.InferOutput<typeof TokensSchema> | undefined): Usage {
  return {
    inputTokens: tokens?.input_tokens ?? 0,
    cacheReadTokens: tokens?.cache_read_input_tokens ?? 0,
    cacheWriteTokens: tokens?.cache_creation_input_tokens ?? 0,
    outputTokens: tokens?.output_tokens ?? 0,
    costUsd: undefined,
  };
}

export function usageOfModels(models: v.InferOutput<typeof ModelUsageSchema>): Usage {
  const each = Object.values(models).map((model) => ({
    inputTokens: model.inputTokens ?? 0,
    cacheReadTokens: model.cacheReadInputTokens ?? 0,
    cacheWriteTokens: model.cacheCreationInputTokens ?? 0,
    outputTokens: model.outputTokens ?? 0,
    costUsd: (model.costBasis ?? "unknown") === "unknown" ? undefined : model.costUSD,
  }));
  return each.reduce(addUsage, NO_USAGE);
}
