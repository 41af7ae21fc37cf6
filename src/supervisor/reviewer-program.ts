import { REVIEWER_ENV, reviewerArguments } from "../claude/reviewer-command.ts";
import { withoutSession } from "../claude/session-env.ts";
import type { Files } from "../io/files.ts";
import { hostEnvironment, type Identity } from "../providers/isolate.ts";
import { withoutProvider } from "../providers/variables.ts";
import type { Program, World } from "../world.ts";
import { REVIEWER_MARK } from "./guard.ts";
import { verdictJsonSchema } from "./verdict.ts";

/** Who reviews which session. */
export interface ReviewerCall {
  /** Path of claude. */
  readonly claude: string;
  readonly sessionId: string;
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  /** Instructions for the command line, where every user of the machine can read them. The message holds them too. */
  readonly systemPrompt: string | undefined;
}

/** The claude that reviews a session: its own provider's identity, and nothing of the session that it looks at. */
export function reviewerProgram({ env, files }: Pick<World, "env" | "files">, call: ReviewerCall): Program {
  const args = reviewerArguments({ ...call, schema: verdictJsonSchema() });
  // The agent's keys are in the hook's environment; the reviewer has its own in its settings.
  const own =
    call.settings === undefined
      ? env
      : { ...withoutProvider(env), ...hostEnvironment(readIdentity(files, call.settings)) };
  return { file: call.claude, args, env: { ...withoutSession(own), ...REVIEWER_ENV, [REVIEWER_MARK]: "1" } };
}

/** Credentials in a settings file. */
export function readIdentity(files: Files, settings: string): Identity {
  try {
    const { env = {}, apiKeyHelper = "" } = JSON.parse(files.read(settings) ?? "{}");
    return { env, apiKeyHelper };
  } catch {
    return { env: {}, apiKeyHelper: "" };
  }
}
