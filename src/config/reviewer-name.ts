/** A reviewer, as `supervisor.fallback` names it: "provider" or "provider:model". */
export interface ReviewerName {
  readonly provider: string;
  /** Undefined: that of the provider. */
  readonly model: string | undefined;
}

/** Names of providers have no colon; those of models may. */
export function readReviewerName(text: string): ReviewerName {
  const [provider = "", ...rest] = text.split(":");
  return { provider: provider.trim(), model: rest.join(":").trim() || undefined };
}

export function reviewerLabel({ provider, model }: ReviewerName): string {
  return model === undefined ? provider : `${provider}:${model}`;
}
