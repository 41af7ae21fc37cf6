import type { LoadedConfig } from "../../config/load.ts";
import { usageError } from "../../errors.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import type { Supervision } from "../../supervisor/setup/supervised-settings.ts";

/** What decides who reviews. */
export interface ReviewerWish {
  /** `--provider` and `--model`. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The providers that the session can have run on, and its model. */
  readonly ranOn: readonly string[];
  readonly agentsModel: string | undefined;
  readonly current: string;
}

export interface ChosenReviewer {
  /** The agent's provider; empty if it is not known. */
  readonly agent: string;
  readonly supervision: Supervision;
}

/**
 * Who reviews: the one that the user names now and no other, else as ccc.json has it, else the provider that the session
 * last ran on.
 */
export function chooseReviewer(wish: ReviewerWish, supervision: Supervision, loaded: LoadedConfig): ChosenReviewer {
  const { ranOn, current } = wish;
  const [only = ""] = ranOn;
  const agent = ranOn.includes(current) ? current : ranOn.length === 1 ? only : "";
  const usual = supervision.reviewerProvider ?? (agent || (ranOn.length === 0 ? current : undefined));
  const provider = wish.provider === undefined ? usual : requireProvider(wish.provider, loaded);
  if (provider === undefined) {
    throw usageError(
      `this session ran on ${ranOn.join(" or ")}: they have the same model, ${wish.agentsModel}`,
      `Choose the reviewer: ${ranOn.map((name) => `ccc review --provider ${name}`).join(", ")}`,
    );
  }
  // The model in ccc.json is one of the usual reviewer's.
  const reviewerModel = wish.model ?? (provider === usual ? supervision.reviewerModel : undefined);
  const isNamed = wish.provider !== undefined || wish.model !== undefined;
  const fallback = isNamed ? [] : supervision.fallback;
  return { agent, supervision: { ...supervision, reviewerProvider: provider, reviewerModel, fallback } };
}
