import { Refusal } from "./refusal.ts";

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
  if (isOwn && !isSecret(path, places)) return;
  if (path === "/dev/null" || path === places.transcript || isWithinAny(path, SYSTEM) || isKeptOutput(path, places))
    return;
  throw new Refusal(
    `not part of the project: ${path}${isOwn ? " may contain secrets, which reviewers must not read" : ""}`,
  );
}

/** Whether a path may contain secrets, by its location or name. */
export function isSecret(path: string, { home, own }: Pick<ReadablePlaces, "home" | "own">): boolean {
  return isWithinAny(path, own) || isHomeSecret(path, home) || hasSecretName(path);
}

/** Looks names up instead of comparing the path with each: a function that runs dozens of times starts the compiler. */
function isHomeSecret(path: string, home: string): boolean {
  if (!isWithin(path, home)) return false;
  const nameOf = isWindowsPath(home) ? windowsName : String;
  const names = isWindowsPath(home) ? HOME_SECRETS.map(windowsName) : HOME_SECRETS;
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
  const [inner, outer] = isWindowsPath(folder) ? [windowsName(path), windowsName(folder)] : [path, folder];
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

export function isWindowsPath(path: string): boolean {
  const isShare = path.startsWith("\\\\") || path.startsWith("//");
  return isShare || path.startsWith(":\\", 1) || path.startsWith(":/", 1);
}

/** Windows ignores case, and takes both slashes. */
function windowsName(path: string): string {
  return path.replaceAll("\\", "/").toLowerCase();
}
