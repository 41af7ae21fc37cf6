import type { BackgroundTask } from "../../claude/stop-event.ts";
import type { GuardedFiles } from "../../os/files.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import type { Changes } from "../baseline/changes.ts";
import type { SessionChecks } from "../checks/check-session.ts";
import type { StateFile } from "../record/state.ts";
import type { StopNotes } from "../record/stop-notes.ts";
import type { UserPrompts } from "../record/user-prompts.ts";
import type { SupervisorLog } from "../supervisor-log.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import type { Reviewer } from "./ask-reviewers.ts";
import type { Instructions } from "./instructions.ts";
import type { Evidence } from "./review-message.ts";

/** A supervised session, with everything its reviews need. */
export interface Session {
  readonly world: World;
  readonly id: string;
  /** The folder the session started in. */
  readonly project: string;
  /** Where its state may be kept; the first writable place is used. */
  readonly states: readonly StateFile[];
  /** ccc's files in the project; undefined if it cannot write there. */
  readonly files: GuardedFiles | undefined;
  /** Gets every line of the reviews. */
  readonly outputFile: string;
  readonly instructions: Instructions;
  readonly checks: SessionChecks;
  /** Says what the review does right now; undefined for a session without a record. */
  readonly now?: string | undefined;
  /** Who reviews it, in the order in which they are asked. */
  readonly reviewers: readonly [Reviewer, ...Reviewer[]];
  /** Tells the user about trouble with a reviewer, while it lasts. */
  readonly onTrouble: (message: string) => void;
  /** Gets each step of a review: "Bash npm test", "check npm test". */
  readonly onStep?: (step: string) => void;
  /** Notes something for the record. */
  readonly note: (notes: StopNotes) => void;
  readonly options: SupervisorOptions;
  /** Whether the user asked for this one review, which the agent does not hear of. */
  readonly isOnDemand?: boolean;
  readonly log: SupervisorLog;
  readonly redactor: Redactor;
}

export interface Stop {
  readonly asked: UserPrompts;
  /** How many prompts are on record, if there is one. */
  readonly recorded: number | undefined;
  readonly tasks: readonly BackgroundTask[];
  /** The agent's current folder. */
  readonly cwd: string;
  /** Whether Claude Code says that a Stop hook blocked before. */
  readonly isRepeated: boolean;
  /** What the agent said last. */
  readonly lastMessage: () => Promise<string>;
  /** Tokens that the agent used since the last stop, if known. */
  readonly agentTokens: number;
  /** What ccc itself noticed and the reviewer should know. */
  readonly findings: readonly string[];
  /** Looks at the files now, for what changed since the user's prompt. */
  readonly changes: () => Promise<Changes>;
  /** What a reviewer without the conversation is told; undefined if it must have the conversation. */
  readonly evidence: (() => Promise<Evidence>) | undefined;
}
