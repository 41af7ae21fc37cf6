import type { LaunchPins } from "../../launch/launch-pins.ts";
import type { Supervision } from "./supervised-settings.ts";

/** Supervision with reviewers that may see the files, and what to tell the user about those that may not. */
export interface PinnedSupervision<S> {
  readonly supervision: S;
  readonly notices: readonly string[];
}

/**
 * Leaves out reviewers that a folder's pin refuses: a review sends them its code. `allowed` reviews instead of the first;
 * at a launch, that is the agent's provider.
 */
export function pinnedReviewers<S extends Pick<Supervision, "reviewerProvider" | "reviewerModel" | "fallback">>(
  supervision: S,
  allowed: string,
  { strict }: LaunchPins,
): PinnedSupervision<S> {
  const pinFor = (provider: string) => strict.find((pin) => pin.provider !== provider);
  const { reviewerProvider = allowed, fallback } = supervision;
  const pin = reviewerProvider === allowed ? undefined : pinFor(reviewerProvider);
  const kept = fallback.filter(({ provider }) => provider === allowed || pinFor(provider) === undefined);
  const leftOut = new Set([
    ...(pin === undefined ? [] : [reviewerProvider]),
    ...fallback.filter((each) => !kept.includes(each)).map(({ provider }) => provider),
  ]);
  const first = pin === undefined ? {} : { reviewerProvider: allowed, reviewerModel: undefined };
  const notices = [...leftOut].map((name) => {
    const { folder, provider } = pinFor(name) ?? { folder: "", provider: "" };
    const instead = name === reviewerProvider ? `: ${allowed} reviews instead` : "";
    return `${name} does not review here, because ${folder} is pinned to ${provider} only${instead}`;
  });
  return { supervision: { ...supervision, ...first, fallback: kept }, notices };
}
