import type { ReviewContext } from "../../config/defaults.ts";
import type { World } from "../../world.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import type { Reviewer } from "./ask-reviewers.ts";
import { reviewerProgram } from "./reviewer-program.ts";
import { sessionWay } from "./session-way.ts";

/** The reviewers of a session, as its launch has settled them. */
export function sessionReviewers(
  world: World,
  session: {
    readonly launch: LaunchRecord;
    /** The first reviewer's settings file. */
    readonly settings: string | undefined;
    readonly context: ReviewContext;
    readonly isTerminal: boolean;
    readonly claude: string;
    readonly sessionId: string;
    readonly project: string;
    readonly transcript: string | undefined;
  },
): [Reviewer, ...Reviewer[]] {
  const { launch, context, isTerminal, claude, sessionId, project, transcript } = session;
  const reviewerOf = (
    { reviewer: name, settings, same_model }: Planned & { readonly settings: string | undefined },
    retries: number,
  ): Reviewer => ({
    name,
    way: sessionWay(world.files, { context, launch: { ...launch, same_model }, settings, isTerminal }),
    program: (way, cwd) =>
      reviewerProgram(world, {
        ...{ way, cwd, claude, sessionId, settings, project, transcript, retries },
        systemPrompt: undefined,
      }),
  });
  const { fallback } = launch;
  const first = reviewerOf({ ...launch, settings: session.settings }, retriesBefore(fallback.length));
  const others = fallback.map((each, index) => reviewerOf(each, retriesBefore(fallback.length - index - 1)));
  return [first, ...others];
}

type Planned = Pick<LaunchRecord, "reviewer" | "same_model">;

/** Claude Code waits longer before each retry: two take about 2 seconds, four about 8 and after a 403 about 19. */
export function retriesBefore(others: number): number {
  return others > 0 ? 2 : 4;
}
