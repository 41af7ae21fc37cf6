import type { ReviewWay } from "../../claude/reviewer-command.ts";
import type { ReviewContext } from "../../config/defaults.ts";
import type { Files } from "../../os/files.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { chooseWay } from "./review-way.ts";
import { readReviewerSettings } from "./reviewer-program.ts";

/** What the reviewer of a session sees, by its launch and the reviewer's settings file. */
export function sessionWay(
  files: Files,
  session: {
    readonly context: ReviewContext;
    readonly launch: LaunchRecord;
    readonly settings: string | undefined;
    readonly isTerminal: boolean;
  },
): ReviewWay {
  const { context, launch, settings, isTerminal } = session;
  const { isGuarded, hasAttribution } = readReviewerSettings(files, settings);
  const version = launch.version ?? undefined;
  return chooseWay(context, { version, isTerminal, hasAttribution, hasAgentsModel: launch.same_model }, isGuarded);
}
