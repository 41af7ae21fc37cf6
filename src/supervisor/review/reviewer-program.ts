import { dirname } from "node:path";
import { claudeFolder } from "../../claude/layers.ts";
import { hasAttribution } from "../../claude/models.ts";
import { hasToolHook, withToolHook } from "../../claude/quick-events.ts";
import { addedDirectories, type ReviewWay, reviewerRun, settingsForReviewer } from "../../claude/runs.ts";
import { withoutSession } from "../../claude/sessions.ts";
import { hookForm } from "../../claude/versions.ts";
import { hookCommand } from "../../launch/session-plan.ts";
import {
  FILES_VARIABLE,
  FOLDERS_VARIABLE,
  GIT_FOLDERS_VARIABLE,
  GUARD_COMMAND,
  LAUNCH_MARKER,
  REVIEWER_MARKER,
  SANDBOX_VARIABLE,
} from "../../markers.ts";
import type { Files } from "../../os/files.ts";
import { isAbsolute, join } from "../../os/path.ts";
import type { Identity } from "../../providers/identity.ts";
import { guardEnvironment } from "../../providers/isolation.ts";
import { isSecretVariable, kindOf, withoutProvider } from "../../providers/variables.ts";
import { asObject, type Json, parseJson } from "../../text/json.ts";
import { secretsIn } from "../../text/redact.ts";
import { type Env, homedir, type Program, programFolders, type World } from "../../world.ts";
import { gitOverrides, LIST_KEYS, LIST_MODULES, MODULES, repositoryKeys } from "../guard/git.ts";
import { isWithin } from "../guard/places.ts";
import { testCommands } from "../guard/programs.ts";
import { seenGitFolders } from "../guard/repository.ts";
import { HOME_SECRETS, secretPatterns } from "../guard/secret-names.ts";
import type { ReviewSandbox } from "./sandbox.ts";

interface ReviewerCall {
  readonly way: ReviewWay;
  /** The schema of its answer; undefined for a verdict in the text. */
  readonly schema: object | undefined;
  /** The path of claude. */
  readonly claude: string;
  readonly sessionId: string;
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  /** Instructions to pass on the command line, where every user can see them; undefined if only the message has them. */
  readonly systemPrompt: string | undefined;
  readonly project: string;
  /** The agent's current folder. */
  readonly cwd: string;
  /** Git's folders of the project's repositories, as the launch saw them; undefined if unknown. */
  readonly gitFolders: readonly string[] | undefined;
  /** The session's transcript, for a reviewer that does not have the conversation. */
  readonly transcript: string | undefined;
  /** The file with the user's prompts, if the message has no room for all of them. */
  readonly prompts?: string | undefined;
  /** How often Claude Code may retry a request that failed. */
  readonly retries: number;
  /** Where a fresh reviewer may run anything; undefined if the guard decides on its commands. */
  readonly sandbox?: ReviewSandbox | undefined;
}

/**
 * The claude that reviews a session. It has the identity of its own provider, and nothing that identifies the reviewed
 * session. It may read the project, the agent's current folder, and the folders that the user added.
 */
export async function reviewerProgram(world: World, call: ReviewerCall): Promise<Program> {
  const { settings } = call;
  const json =
    settings === undefined
      ? withToolHook({}, hookCommand(hookForm(undefined, world.platform), world.self, [GUARD_COMMAND]))
      : readJson(world.files, settings);
  // The hook's environment has the agent's keys; the reviewer's are in its settings.
  const inherited =
    settings === undefined ? world.env : { ...withoutProvider(world.env), ...guardEnvironment(identityOf(json)) };
  const folders = readableFolders(world, call, json);
  const env = withoutPrograms(withoutSession(inherited), folders, world.platform);
  const { sandbox } = call;
  if (sandbox !== undefined) return sandboxedProgram({ ...call, sandbox }, { json, env, folders });
  const mayNotRead = [
    ...everywhere(secretPatterns(), folders),
    // A settings file of the user's own may lack the guard.
    ...(hasToolHook(json, GUARD_COMMAND) ? [] : HOME_SECRETS.flatMap((name) => [`~/${name}`, `~/${name}/**`])),
  ];
  const run = reviewerRun(
    {
      ...call,
      settings: settings ?? JSON.stringify(json),
      mayRun: testCommands().flatMap(({ runs }) => runs),
      mayNotRead,
    },
    env,
  );
  return {
    file: call.claude,
    args: run.args,
    env: {
      ...env,
      ...run.env,
      ...gitOverrides(await readGitKeys(world, folders, env)),
      ...guardVariables({
        folders,
        files: readableFiles(call),
        gitFolders: call.gitFolders ?? seenGitFolders(call.project, world.files),
        scratch: [],
      }),
    },
  };
}

interface Prepared {
  /** The reviewer's settings. */
  readonly json: Json;
  readonly env: Env;
  readonly folders: readonly string[];
}

/** The same for a reviewer in a sandbox. Its settings file is for this review only, since it names its scratch folder. */
function sandboxedProgram(
  call: ReviewerCall & { readonly sandbox: ReviewSandbox },
  { json, env, folders }: Prepared,
): Program {
  const { sandbox } = call;
  const files = readableFiles(call);
  const rules = sandbox.rules({ read: folders, files }, unsetVariables({ ...env, ...asObject(json.env) }));
  const settings = sandbox.keepSettings(JSON.stringify(settingsForReviewer(json, [], rules)));
  const run = reviewerRun({ ...call, settings, mayRun: [], mayNotRead: [], isSandboxed: true }, env);
  return {
    file: call.claude,
    args: run.args,
    env: {
      ...env,
      ...run.env,
      ...sandbox.env,
      PATH: [sandbox.programs ?? [], env.PATH ?? ""].flat().join(":"),
      // For the git of Claude Code itself. Commands do not get them.
      ...gitOverrides([]),
      ...guardVariables({ folders, files, gitFolders: [], scratch: sandbox.scratch }),
    },
  };
}

/** What the guard reads. All of it is always set: an inherited `scratch` would switch the guard off. */
function guardVariables(may: Readonly<Record<"folders" | "files" | "gitFolders" | "scratch", readonly string[]>>) {
  return {
    [FOLDERS_VARIABLE]: JSON.stringify(may.folders),
    [FILES_VARIABLE]: JSON.stringify(may.files),
    [GIT_FOLDERS_VARIABLE]: JSON.stringify(may.gitFolders),
    [SANDBOX_VARIABLE]: JSON.stringify(may.scratch),
    [REVIEWER_MARKER]: "1",
  };
}

/** The names of secrets, of what identifies a provider, and of what ccc and Claude Code pass to their own programs. */
function unsetVariables(env: Readonly<Record<string, unknown>>): string[] {
  const names = Object.entries(env)
    .filter(([name, value]) => kindOf(name) !== undefined || holdsSecret(name, String(value ?? "")))
    .map(([name]) => name);
  return [...new Set([...names, ...OF_THE_REVIEWER])];
}

function holdsSecret(name: string, value: string): boolean {
  const isNamed = isSecretVariable(name, value) || /webhook|dsn$/i.test(name);
  return isNamed || secretsIn({ [name]: value }).length > 0 || /(?:password|passwd|pwd|secret|token)=/i.test(value);
}

const OF_THE_REVIEWER = [
  ...[FOLDERS_VARIABLE, FILES_VARIABLE, SANDBOX_VARIABLE, GIT_FOLDERS_VARIABLE, REVIEWER_MARKER, LAUNCH_MARKER],
  ...["CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "GIT_CONFIG_COUNT", "GIT_NO_LAZY_FETCH"],
];

/** The patterns for all folders that a reviewer may read. A folder cannot be in a rule if its name looks like a pattern. */
function everywhere(patterns: readonly string[], folders: readonly string[]): string[] {
  const isPlain = (folder: string) => folder.startsWith("/") && !/[()[\]{}*?!\\]/.test(folder);
  const roots = folders.every(isPlain) ? folders.map((folder) => `/${folder}/`) : ["//"];
  const all: string[] = [];
  for (const root of ["", ...roots]) for (const pattern of patterns) all.push(`${root}**/${pattern}`);
  return all;
}

function readableFiles({ way, transcript, prompts }: ReviewerCall): string[] {
  return [way === "fresh" ? transcript : undefined, prompts].filter((path) => path !== undefined);
}

/** Leaves out the agent's folder if that would open the whole home, and folders that the project's settings add. */
function readableFolders(world: World, { project, cwd }: ReviewerCall, settings: Json): string[] {
  const users = readJson(world.files, join(claudeFolder(world.env, world.platform), "settings.json"));
  const home = homedir(world.env, world.platform);
  const added = [...addedDirectories(settings), ...addedDirectories(users)].map((folder) => {
    const path = folder.replace(/^~(?=$|[/\\])/, home);
    return isAbsolute(path) ? path : join(project, path);
  });
  return [...new Set([project, ...(isWithin(home, cwd) ? [] : [cwd]), ...added])];
}

/** What a reviewer's settings say about the guard and the prompt cache. */
export function readReviewerSettings(files: Files, settings: string | undefined) {
  const json = settings === undefined ? {} : readJson(files, settings);
  return {
    isGuarded: settings === undefined || hasToolHook(json, GUARD_COMMAND),
    hasAttribution: hasAttribution(asObject(json.env)),
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

/**
 * Variables that make shells, git, Node, Bun, npm, the dynamic linker or Claude Code itself run other programs, load
 * code at startup, or take a folder for another one. A project's settings can set them in the session under review.
 */
const CHOOSES_PROGRAMS = new RegExp(
  [
    "^(BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_FUNC_.*|PROMPT_COMMAND|ZDOTDIR|CDPATH|FPATH|MODULE_PATH)$",
    "^GIT_(?!AUTHOR_|COMMITTER_)",
    "^(BUN|DYLD|npm_config)_",
    "^(LD_.*|GCONV_PATH|LOCPATH|OPENSSL_CONF|OPENSSL_ENGINES|OPENSSL_MODULES)$",
    "^(NODE_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONINSPECT|JAVA_TOOL_OPTIONS)$",
    "^CLAUDE_CODE_(SHELL|SHELL_PREFIX|SHELL_LAUNCHER_SCRIPT|GIT_BASH_PATH)$",
    "^(PAGER|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH|GREP_OPTIONS)$",
  ].join("|"),
  "i",
);

/** Variables that are kept unless they point into the project. */
const LEADS_TO_PROGRAMS = ["SHELL", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"];

/**
 * The environment without these variables. In its PATH the readable folders come last: tests need the programs of a
 * virtual environment, but a `git` planted beside them must not win.
 */
function withoutPrograms(env: Env, folders: readonly string[], platform: NodeJS.Platform) {
  const isForeign = (path: string) => isAbsolute(path) && !isWithin(path, ...folders);
  const kept: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(env).filter(([name]) => !CHOOSES_PROGRAMS.test(name)),
  );
  for (const name of LEADS_TO_PROGRAMS) if (!isForeign(kept[name] ?? "")) delete kept[name];
  const path = programFolders(env, platform);
  const sorted = [...path.filter(isForeign), ...path.filter((folder) => !isForeign(folder))];
  return { ...kept, PATH: sorted.join(platform === "win32" ? ";" : ":") };
}

/** The configuration keys set by the folders' repositories, and by their .gitmodules. */
async function readGitKeys(world: World, folders: readonly string[], env: Env): Promise<string[]> {
  const tops = new Set(folders.flatMap((folder) => topOf(world, folder) ?? []));
  const keys: string[] = [];
  for (const top of tops) {
    const found = repositoryKeys(await list(world, top, env, LIST_KEYS));
    // To find a blob git reads the index, and asks the file system monitor of the configuration.
    const safe = { ...env, ...gitOverrides(found) };
    keys.push(...found);
    for (const args of [["--file", join(top, ".gitmodules")], ...MODULES.map((blob) => ["--blob", blob])])
      keys.push(...(await list(world, top, safe, [...LIST_MODULES, ...args])).split("\n"));
  }
  return [...new Set(keys)];
}

function topOf({ files }: World, folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (files.identify(join(at, ".git")) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

const TIMEOUT_MS = 5_000;

async function list(world: World, cwd: string, env: Env, args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const onLine = (line: Uint8Array | undefined) => {
    lines.push(new TextDecoder().decode(line));
    return false;
  };
  try {
    const program = { file: "git", args, env };
    await world.run({ program, cwd, stdin: "", timeoutMs: TIMEOUT_MS, onLine, isBrief: true });
  } catch {
    // No git, so nothing it could run.
  }
  return lines.join("\n");
}
