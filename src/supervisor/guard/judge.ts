import { readToolEvent, type ToolEvent, toolAnswer } from "../../claude/quick-events.ts";
import { FOLDERS_VARIABLE, TRANSCRIPT_VARIABLE } from "../../markers.ts";
import { type LibcFiles, readWhole } from "../../os/fast.ts";
import { parseJson } from "../../text/json.ts";
import type { Word } from "./shell.ts";

/** Checks every path that a word may stand for. A path to nothing passes: there is nothing to read. */
export function checkWord(word: Word, cwd: string, places: ReadablePlaces, machine: Disk): void {
  if (word.hasGlob) checkOptionsByName(word.text, cwd, machine);
  for (const reading of readings(word.text)) {
    const paths = word.hasGlob ? expand(reading, cwd, machine) : [absolute(reading, cwd)];
    for (const path of paths) {
      const real = machine.realPath(path);
      if (real !== undefined) checkPlace(real, places);
    }
  }
}

/** A wildcard may expand to a file name with a leading dash, which the program takes for an option. */
function checkOptionsByName(text: string, cwd: string, machine: Disk): void {
  const isOption = /^-[^=]*[*?[]/.test(text) || expand(text, cwd, machine).some((path) => path.startsWith(`${cwd}/-`));
  if (isOption && !/^--?\w[\w-]*=/.test(text)) refuseCommand(`${text}, which may stand for options`);
}

/** The real path of a word; undefined if nothing is there. */
export function placeOf(text: string, cwd: string, machine: Disk): string | undefined {
  return machine.realPath(absolute(text, cwd));
}

/** The whole word, even if it looks like an option; the value of an option in it; the file in `file::test`. */
function readings(text: string): string[] {
  const found = [text];
  if (text.includes("=")) found.push(text.slice(text.indexOf("=") + 1));
  if (text.includes(":")) found.push(text.replace(/::?[^/]*$/, ""));
  // In `-abVALUE`, the value may start after any letter.
  const [, letters = ""] = /^-(\w*)(?!$)/.exec(text) ?? [];
  // Each of them is looked up on the disk.
  if (letters.length > MOST_LETTERS) refuseCommand(`a value behind more than ${MOST_LETTERS} letters of options`);
  // A loop, because the engine has to compile its own `Array.from` when it is first used.
  for (let at = 2; at < letters.length + 2; at++) found.push(text.slice(at));
  return found;
}

const MOST_LETTERS = 100;

/** Elsewhere than on Windows, a name may begin with a backslash or with `C:`. */
export function absolute(path: string, cwd: string): string {
  const isAbsolute = isWindowsPlace(cwd) ? /^([A-Za-z]:)?[/\\]/.test(path) : path.startsWith("/");
  return isAbsolute ? path : `${cwd}/${path}`;
}

/** The paths that a word with wildcards may stand for; too many rather than too few. */
function expand(pattern: string, cwd: string, machine: Disk): string[] {
  const path = absolute(pattern, cwd);
  const [root = "", ...parts] = path.split("/");
  let found = [root];
  for (const part of parts) {
    if (part.includes("**")) refuseCommand("the wildcard **");
    found = /[*?[]/.test(part)
      ? found.flatMap((folder) => matches(part, folder, machine))
      : found.map((each) => `${each}/${part}`);
    if (found.length > MOST_PATHS) refuseCommand(`${pattern}, which stands for too many files`);
  }
  return found;
}

const MOST_PATHS = 2_000;

function matches(part: string, folder: string, machine: Disk): string[] {
  const source = part.replace(/\[[^\]]*\]?|[*?]|[^[*?]+/g, (piece) => {
    if (piece === "*") return ".*";
    return piece === "?" || piece.startsWith("[") ? "." : piece.replace(/[\\^$.|+(){}]/g, "\\$&");
  });
  const isMatch = new RegExp(`^${source}$`, "s");
  return machine.list(folder || "/").flatMap(({ name }) => (isMatch.test(name) ? [`${folder}/${name}`] : []));
}

/** Refuses a recursive search of a folder with secrets in it. `isGitSearched`: whether the search includes `.git`. */
export function checkTree(folder: string, places: ReadablePlaces, machine: Disk, isGitSearched = false): void {
  let seen = 0;
  for (let folders = [folder]; folders.length > 0; ) {
    const deeper: string[] = [];
    for (const each of folders) {
      for (const { name, isFolder } of machine.list(each)) {
        const path = `${each}/${name}`;
        if ((name === ".git" && !isGitSearched) || name === "node_modules") continue;
        if (++seen > MOST_SEARCHED)
          throw new Refusal(`${folder} has too many files: search a subfolder, or use git grep`);
        if (mayContainSecrets(path, places)) {
          throw new Refusal(
            `not part of the project: ${path} may contain secrets. Search other folders, or use git grep`,
          );
        }
        if (isFolder) deeper.push(path);
      }
    }
    folders = deeper;
  }
}

const MOST_SEARCHED = 20_000;

/** Where a tool is used, and what it may read. */
export interface ToolContext {
  readonly cwd: string;
  readonly places: ReadablePlaces;
  readonly machine: Disk;
  readonly platform: NodeJS.Platform;
}

/** Why a tool call is refused; undefined if it is allowed. `checkBash` refuses a command line by throwing. */
export function judgeTool(
  { tool, input }: ToolEvent,
  context: ToolContext,
  checkBash: (line: string) => void,
): string | undefined {
  try {
    check(tool, input, context, checkBash);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function check(tool: string, input: ToolEvent["input"], context: ToolContext, checkBash: (line: string) => void): void {
  const text = (name: string): string => {
    const value = input[name] ?? "";
    return typeof value === "string" ? value : refuse(`${name} is not a string`);
  };
  if (HARMLESS.includes(tool)) return;
  if (tool === "Read") placeOfPath(text("file_path"), context);
  else if (tool === "Grep" || tool === "LS") checkFolder(text("path") || ".", context);
  else if (tool === "Glob") {
    checkFolder(text("path") || ".", context);
    // A pattern, or an alternative in it, may start with a folder.
    if (/(^|[{,])\s*([~/\\]|[A-Za-z]:)|\.\./.test(text("pattern")))
      throw new Refusal("not part of the project: give a folder as path, and a pattern below it");
  } else if (tool === "Bash" && !input.run_in_background) checkBash(text("command") || refuse("no command"));
  else throw new Refusal(`not part of a review: ${tool}. A reviewer only reads and runs tests`);
}

/** The answer itself, and the search for the description of a tool, which must pass the guard in turn. */
const HARMLESS = ["StructuredOutput", "ToolSearch"];

/** Resolves a path as Claude Code does. A missing one is refused: another way of reading it might find a file. */
function placeOfPath(given: string, { cwd, places, machine, platform }: ToolContext): string {
  if (given.trim() === "") refuse("no path given");
  const path = given.trim().replace(/^~(?=$|[/\\])/, places.home);
  const real = platform === "win32" && path.startsWith("/") ? undefined : machine.realPath(absolute(path, cwd));
  checkPlace(real ?? absolute(path, cwd), places);
  return real ?? refuse(`no such file: ${given}`);
}

function refuse(why: string): never {
  throw new Refusal(why);
}

/** Claude Code's own rules keep secrets out of Grep results in the project. A folder that contains the home is checked here. */
function checkFolder(path: string, context: ToolContext): void {
  const folder = placeOfPath(path, context);
  if (isWithin(context.places.home, folder)) checkTree(folder, context.places, context.machine);
}

/** What a reviewer may read: absolute paths with links resolved, with slashes on every platform. */
export interface ReadablePlaces {
  /** The project, and the folders added to the session. */
  readonly folders: readonly string[];
  readonly home: string;
  /** Files and folders of ccc and Claude Code with keys and conversations. */
  readonly own: readonly string[];
  /** Claude Code's name for the project in its own folders. */
  readonly slug: string | undefined;
  /** The transcript of the reviewed session, if the reviewer may read it. */
  readonly transcript: string | undefined;
}

/** Refuses paths outside the project, and those whose names say that they contain secrets. */
export function checkPlace(path: string, places: ReadablePlaces): void {
  const isOwn = isWithinAny(path, places.folders);
  if (isOwn && !mayContainSecrets(path, places)) return;
  if (path === "/dev/null" || path === places.transcript || isWithinAny(path, SYSTEM) || isKeptOutput(path, places))
    return;
  throw new Refusal(
    `not part of the project: ${path}${isOwn ? " may contain secrets, which reviewers must not read" : ""}`,
  );
}

/** Whether a path may contain secrets, by its location or name. */
export function mayContainSecrets(path: string, { home, own }: Pick<ReadablePlaces, "home" | "own">): boolean {
  return isWithinAny(path, own) || isHomeSecret(path, home) || hasSecretName(path);
}

/** Looks names up instead of comparing the path with each: a function that runs dozens of times starts the compiler. */
function isHomeSecret(path: string, home: string): boolean {
  if (!isWithin(path, home)) return false;
  const nameOf = isWindowsPlace(home) ? windowsName : String;
  const names = isWindowsPlace(home) ? HOME_SECRETS.map(windowsName) : HOME_SECRETS;
  const parts = nameOf(path).slice(nameOf(home).length).split("/");
  const start = parts[0] === "" ? 1 : 0;
  for (let end = parts.length; end > start; end--) if (names.includes(parts.slice(start, end).join("/"))) return true;
  return false;
}

/** System folders a reviewer may need: headers, libraries, documentation. */
const SYSTEM = [
  ...["/usr/include", "/usr/lib", "/usr/share", "/usr/src", "/lib", "/nix/store"],
  ...["/usr/local/include", "/usr/local/lib", "/usr/local/share", "/usr/local/src"],
];

/** The usual places of secrets in a home folder, which may itself be the project. */
export const HOME_SECRETS: readonly string[] = [
  ...[".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".terraform.d", ".password-store", ".vault-token"],
  ...[".config/gh", ".config/hub", ".config/gcloud", ".config/op", ".config/git/credentials", ".git-credentials"],
  ...[
    ".netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
  ],
  ...[".m2/settings.xml", ".gradle/gradle.properties", ".composer/auth.json", ".local/share/keyrings"],
  ...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", "snap/firefox"],
  ...[".config/microsoft-edge", "Library/Keychains", "Library/Cookies", "Library/Application Support", "AppData"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
];

/** Whether the path has the name of a secret file or folder, in the project too. A regular expression would be slower. */
function hasSecretName(path: string): boolean {
  const parts = path.toLowerCase().split("/");
  const [folder, name = ""] = parts.slice(-2);
  for (const secret of SECRET_FOLDERS) if (parts.includes(secret)) return true;
  if (SECRET_FILES.includes(name) || (folder === ".git" && name === "config")) return true;
  if (name.startsWith(".env.")) return !EXAMPLES.includes(name.slice(".env.".length));
  return name.includes(".") && SECRET_ENDINGS.includes(name.slice(name.lastIndexOf(".") + 1));
}

const SECRET_FOLDERS = [".ssh", ".aws", ".gnupg", ".kube"];
const SECRET_FILES = [
  ...[".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", ".credentials.json"],
  ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"],
];
const SECRET_ENDINGS = ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx"];
const EXAMPLES = ["example", "sample", "template", "dist", "default", "defaults"];

/** Claude Code saves long command output to files with unguessable names and tells the model to read them. */
function isKeptOutput(path: string, { slug, own }: ReadablePlaces): boolean {
  if (slug === undefined) return false;
  const [projects] = own.flatMap((folder) => (isWithin(path, `${folder}/projects/${slug}`) ? [folder] : []));
  if (projects !== undefined)
    return /^\/[\w-]+\/tool-results\/[^/]+$/.test(path.slice(`${projects}/projects/${slug}`.length));
  return /\/claude-\d+\//.test(path) && path.split(/\/claude-\d+\//)[1]?.startsWith(`${slug}/`) === true;
}

/** A loop, because the engine has to compile its own `some` when it is first used, which takes longer than all the rest. */
export function isWithinAny(path: string, folders: readonly string[]): boolean {
  for (const folder of folders) if (isWithin(path, folder)) return true;
  return false;
}

export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = isWindowsPlace(folder) ? [windowsName(path), windowsName(folder)] : [path, folder];
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

/** Also a share with slashes: real paths have them on every platform. */
function isWindowsPlace(path: string): boolean {
  const isShare = path.startsWith("\\\\") || path.startsWith("//");
  return isShare || path.startsWith(":\\", 1) || path.startsWith(":/", 1);
}

/** Windows ignores case, and takes both slashes. */
function windowsName(path: string): string {
  return path.replaceAll("\\", "/").toLowerCase();
}

/** Why the reviewer may not do something. The reviewer sees the message. */
export class Refusal extends Error {}

export function refuseCommand(what: string): never {
  throw new Refusal(
    `not part of a review: ${what}. You may read the project's files, inspect it with git and run its tests, with plain commands: no variables, substitutions or redirections`,
  );
}

/** The part that judges commands. The guard runs before every tool call, and most of them are not commands. */
export type BashGuard = Pick<typeof import("./command-line.ts"), "guardBash">;

/** Answers a PreToolUse event of the reviewer's session. If anything goes wrong, the tool is refused. */
export async function answerToolEvent(
  { env, platform }: Pick<NodeJS.Process, "env" | "platform">,
  libc: LibcFiles | undefined,
  bash: () => BashGuard,
): Promise<void> {
  let refusal: string | undefined;
  try {
    const rest = () => Bun.stdin.bytes();
    const text = await (libc === undefined ? Bun.stdin.text() : readWhole(libc.readStdin, rest));
    refusal = judgeEvent(text, env, platform, guardDisk(platform, libc), bash);
  } catch (error) {
    refusal = `ccc could not check whether this is allowed: ${error instanceof Error ? error.message : error}`;
  }
  await Bun.write(Bun.stdout, toolAnswer(refusal));
}

/** Why the tool call of an event is refused; undefined if it is allowed. */
export function judgeEvent(
  text: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  machine: Disk,
  bash: () => BashGuard,
): string | undefined {
  const event = readToolEvent(text);
  if (event === undefined) return "ccc does not understand this event";
  const real = (path: string) => machine.realPath(path) ?? path;
  const given = (path: string | undefined) => (path ? [real(path)] : []);
  const home = real((platform === "win32" ? env.USERPROFILE : env.HOME) || "/");
  const places = {
    folders: foldersIn(env, real),
    home,
    own: [
      ...given(env.CCC_CONFIG_DIR),
      ...given(env.CLAUDE_CONFIG_DIR),
      ...given(`${home}/.claude`),
      ...given(`${home}/.claude.json`),
    ],
    slug: event.slug,
    transcript: env[TRANSCRIPT_VARIABLE] && real(env[TRANSCRIPT_VARIABLE]),
  };
  const context = { cwd: real(event.cwd), places, machine, platform };
  return judgeTool(event, context, (line) => bash().guardBash(line, context, env));
}

function foldersIn(env: NodeJS.ProcessEnv, real: (path: string) => string): string[] {
  const folders = parseJson(env[FOLDERS_VARIABLE] ?? "");
  const found: string[] = [];
  for (const folder of Array.isArray(folders) ? folders : []) if (typeof folder === "string") found.push(real(folder));
  return found;
}

/** The guard's view of the disk. */
export interface Disk {
  /** The path with links resolved; undefined if nothing is there. */
  readonly realPath: (path: string) => string | undefined;
  /** The entries of a folder; empty if it is not one. */
  readonly list: (folder: string) => readonly Entry[];
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The disk through libc where there is one, else through node:fs, which is loaded only when needed. */
export function guardDisk(platform: NodeJS.Platform, libc: LibcFiles | undefined): Disk {
  const disk = nodeDisk(platform);
  if (libc === undefined) return disk;
  return {
    realPath: (path) => (path === "" ? undefined : libc.realPath(path)),
    // With the slash, only folders can be opened.
    list: (folder) => (libc.realPath(`${folder}/`) === undefined ? [] : disk.list(folder)),
  };
}

function nodeDisk(platform: NodeJS.Platform): Disk {
  return {
    realPath: (path) => withSlashes(realPathOf(path), platform),
    list: (folder) => {
      try {
        return nodeFs()
          .readdirSync(folder, { withFileTypes: true })
          .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
      } catch {
        return [];
      }
    },
  };
}

function nodeFs(): typeof import("node:fs") {
  return require("node:fs");
}

function realPathOf(path: string): string | undefined {
  try {
    return path === "" ? undefined : nodeFs().realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function withSlashes(path: string | undefined, platform: NodeJS.Platform): string | undefined {
  return platform === "win32" ? path?.replaceAll("\\", "/") : path;
}
