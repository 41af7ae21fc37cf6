import { claudeFolder, homedir } from "../claude/paths.ts";
import { givenFolders, REVIEWER_ENV, reviewerArguments } from "../claude/reviewer-command.ts";
import { withoutSession } from "../claude/session-env.ts";
import { hasToolHook, withToolHook } from "../claude/tool-event.ts";
import type { Files } from "../os/files.ts";
import { isAbsolute, join } from "../os/path.ts";
import { hostEnvironment, type Identity } from "../providers/isolate.ts";
import { withoutProvider } from "../providers/variables.ts";
import { asObject, type Json, parseJson } from "../text/json.ts";
import type { Program, World } from "../world.ts";
import { GUARD_COMMAND, REVIEWER_MARK } from "./guard.ts";
import { guardCommandLine } from "./tool-guard/command-line.ts";
import { HOME_SECRETS, isWithin } from "./tool-guard/places.ts";
import { TEST_COMMANDS } from "./tool-guard/test-commands.ts";
import { FOLDERS_VARIABLE } from "./tool-guard/variable.ts";
import { verdictJsonSchema } from "./verdict.ts";

/** Who reviews which session, and where. */
export interface ReviewerCall {
  /** Path of claude. */
  readonly claude: string;
  readonly sessionId: string;
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  /** Instructions for the command line, where every user of the machine can read them. The message holds them too. */
  readonly systemPrompt: string | undefined;
  readonly project: string;
  /** Where the agent is now. */
  readonly cwd: string;
}

/**
 * The claude that reviews a session: its own provider's identity, and nothing of the session that it looks at. It may
 * read in the project, in the folder where the agent is, and in those that the user gave to the session.
 */
export async function reviewerProgram(world: World, call: ReviewerCall): Promise<Program> {
  const { settings } = call;
  const own = settings === undefined ? withToolHook({}, guardCommandLine(world.self)) : readJson(world.files, settings);
  // The agent's keys are in the hook's environment; the reviewer has its own in its settings.
  const inherited =
    settings === undefined ? world.env : { ...withoutProvider(world.env), ...hostEnvironment(identityOf(own)) };
  const args = reviewerArguments({
    ...call,
    settings: settings ?? JSON.stringify(own),
    schema: verdictJsonSchema(),
    mayRun: TEST_COMMANDS.map(({ run }) => run),
    // The guard knows these places, and tells the reviewer why. Settings of the user's own may be without it.
    mayNotRead: hasToolHook(own, GUARD_COMMAND) ? [] : HOME_SECRETS.flatMap((name) => [`~/${name}`, `~/${name}/**`]),
  });
  return {
    file: call.claude,
    args,
    env: {
      ...withoutSession(inherited),
      ...REVIEWER_ENV,
      [FOLDERS_VARIABLE]: JSON.stringify(readableFolders(world, call, own)),
      [REVIEWER_MARK]: "1",
    },
  };
}

/** Where the agent is counts unless that would open the whole home. What a project's settings give does not count. */
function readableFolders(world: World, { project, cwd }: ReviewerCall, settings: Json): string[] {
  const users = readJson(world.files, join(claudeFolder(world.env, world.platform), "settings.json"));
  const home = homedir(world.env, world.platform);
  const given = [...givenFolders(settings), ...givenFolders(users)].map((folder) => {
    const path = folder.replace(/^~(?=$|[/\\])/, home);
    return isAbsolute(path) ? path : join(project, path);
  });
  return [...new Set([project, ...(isWithin(home, cwd) ? [] : [cwd]), ...given])];
}

/** Credentials in a settings file. */
export function readIdentity(files: Files, settings: string): Identity {
  return identityOf(readJson(files, settings));
}

function identityOf({ env, apiKeyHelper }: Json): Identity {
  return { env: asObject(env) as Identity["env"], apiKeyHelper: typeof apiKeyHelper === "string" ? apiKeyHelper : "" };
}

function readJson(files: Files, path: string): Json {
  try {
    return asObject(parseJson(files.read(path) ?? ""));
  } catch {
    return {};
  }
}
