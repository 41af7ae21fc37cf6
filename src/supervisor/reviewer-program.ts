import { REVIEWER_ENV, reviewerArguments } from "../claude/reviewer-command.ts";
import { withoutSession } from "../claude/session-env.ts";
import type { Files } from "../io/files.ts";
import { findClaude } from "../launch/find.ts";
import { hostEnvironment, type Identity } from "../providers/isolate.ts";
import { withoutProvider } from "../providers/variables.ts";
import type { Program, World } from "../world.ts";
import { REVIEWER_MARK } from "./guard.ts";
import { verdictJsonSchema } from "./verdict.ts";

/** The claude that reviews a session: its own provider's identity, and nothing of the session that it looks at. */
export function reviewerProgram(
  world: World,
  settings: string | undefined,
  sessionId: string,
  instructions: string,
): Program {
  const args = reviewerArguments({ sessionId, settings, instructions, schema: verdictJsonSchema() });
  // The agent's keys are in the hook's environment; the reviewer has its own in its settings.
  const own =
    settings === undefined
      ? world.env
      : { ...withoutProvider(world.env), ...hostEnvironment(readIdentity(world.files, settings)) };
  return { file: findClaude(world), args, env: { ...withoutSession(own), ...REVIEWER_ENV, [REVIEWER_MARK]: "1" } };
}

/** Who a settings file says that the user is. */
export function readIdentity(files: Files, settings: string): Identity {
  try {
    const { env = {}, apiKeyHelper = "" } = JSON.parse(files.read(settings) ?? "{}");
    return { env, apiKeyHelper };
  } catch {
    return { env: {}, apiKeyHelper: "" };
  }
}
