import { claudeFolder, homedir } from "../../claude/claude-paths.ts";
import { hookForm } from "../../claude/hook-form.ts";
import { givenFolders, type ReviewWay, reviewerArguments, reviewerEnv } from "../../claude/reviewer-command.ts";
import { hasAttribution, withoutSession } from "../../claude/session-env.ts";
import { hasToolHook, withToolHook } from "../../claude/tool-event.ts";
import { FOLDERS_VARIABLE, GUARD_COMMAND, REVIEWER_MARK, TRANSCRIPT_VARIABLE } from "../../marks.ts";
import type { Files } from "../../os/files.ts";
import { isAbsolute, join } from "../../os/path.ts";
import { guardEnvironment, type Identity } from "../../providers/isolate.ts";
import { withoutProvider } from "../../providers/variables.ts";
import { asObject, type Json, parseJson } from "../../text/json.ts";
import type { Program, World } from "../../world.ts";
import { gitOverrides } from "../tool-guard/git-overrides.ts";
import { guardCommand } from "../tool-guard/guard-command.ts";
import { HOME_SECRETS, isWithin } from "../tool-guard/readable-places.ts";
import { testCommands } from "../tool-guard/test-commands.ts";
import { withoutPrograms } from "./clean-env.ts";
import { readGitKeys } from "./git-config.ts";
import { verdictJsonSchema } from "./verdict.ts";

export interface ReviewerCall {
  readonly way: ReviewWay;
  /** The path of claude. */
  readonly claude: string;
  readonly sessionId: string;
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  /** Instructions to pass on the command line, where every user can see them; undefined: only in the message. */
  readonly systemPrompt: string | undefined;
  readonly project: string;
  /** The agent's current folder. */
  readonly cwd: string;
  /** The session's transcript, for a reviewer that does not have the conversation. */
  readonly transcript: string | undefined;
  /** How often Claude Code may retry a request that failed. */
  readonly retries: number;
}

/**
 * The claude that reviews a session. It has the identity of its own provider and nothing of the reviewed session's
 * environment. It may read the project, the agent's current folder, and the folders that the user added.
 */
export async function reviewerProgram(world: World, call: ReviewerCall): Promise<Program> {
  const { settings } = call;
  const own =
    settings === undefined
      ? withToolHook({}, guardCommand(hookForm(undefined, world.platform), world.self))
      : readJson(world.files, settings);
  // The hook's environment has the agent's keys; the reviewer's are in its settings.
  const inherited =
    settings === undefined ? world.env : { ...withoutProvider(world.env), ...guardEnvironment(identityOf(own)) };
  const folders = readableFolders(world, call, own);
  const env = withoutPrograms(withoutSession(inherited), folders, world.platform);
  const args = reviewerArguments({
    ...call,
    settings: settings ?? JSON.stringify(own),
    schema: verdictJsonSchema(),
    mayRun: testCommands().flatMap(({ runs }) => runs),
    // The guard refuses these itself, with a reason. A settings file of the user's own may lack the guard.
    mayNotRead: hasToolHook(own, GUARD_COMMAND) ? [] : HOME_SECRETS.flatMap((name) => [`~/${name}`, `~/${name}/**`]),
  });
  return {
    file: call.claude,
    args,
    env: {
      ...env,
      ...reviewerEnv(env, call.retries),
      ...gitOverrides(await readGitKeys(world, folders, env)),
      [FOLDERS_VARIABLE]: JSON.stringify(folders),
      ...(call.way === "fresh" && call.transcript !== undefined && { [TRANSCRIPT_VARIABLE]: call.transcript }),
      [REVIEWER_MARK]: "1",
    },
  };
}

/** Without the agent's folder if that would open the whole home, and without folders that the project's settings add. */
function readableFolders(world: World, { project, cwd }: ReviewerCall, settings: Json): string[] {
  const users = readJson(world.files, join(claudeFolder(world.env, world.platform), "settings.json"));
  const home = homedir(world.env, world.platform);
  const given = [...givenFolders(settings), ...givenFolders(users)].map((folder) => {
    const path = folder.replace(/^~(?=$|[/\\])/, home);
    return isAbsolute(path) ? path : join(project, path);
  });
  return [...new Set([project, ...(isWithin(home, cwd) ? [] : [cwd]), ...given])];
}

/** What a reviewer's settings say about the guard and the prompt cache. */
export function readReviewerSettings(files: Files, settings: string | undefined) {
  const own = settings === undefined ? {} : readJson(files, settings);
  return {
    isGuarded: settings === undefined || hasToolHook(own, GUARD_COMMAND),
    hasAttribution: hasAttribution(asObject(own.env)),
  };
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
