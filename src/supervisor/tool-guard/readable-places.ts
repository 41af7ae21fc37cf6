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
  if (
    path === "/dev/null" ||
    path === places.transcript ||
    SYSTEM.some((folder) => isWithin(path, folder)) ||
    isKeptOutput(path, places)
  )
    return;
  if (!places.folders.some((folder) => isWithin(path, folder))) throw new Refusal(`not part of the project: ${path}`);
  if (isSecret(path, places)) {
    throw new Refusal(`not part of the project: ${path} may contain secrets, which reviewers must not read`);
  }
}

/** Whether a path may contain secrets, by its location or name. */
export function isSecret(path: string, { home, own }: Pick<ReadablePlaces, "home" | "own">): boolean {
  if ([...own, ...HOME_SECRETS.map((name) => `${home}/${name}`)].some((place) => isWithin(path, place))) return true;
  return SECRET_PATH.test(path) && !/\/\.env\.(example|sample|template|dist|defaults?)$/i.test(path);
}

/** System folders a reviewer may need: headers, libraries, documentation. */
const SYSTEM = ["include", "lib", "share", "src"]
  .flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`])
  .concat("/lib", "/nix/store");

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

/** Names of secret files anywhere, in the project too. */
const SECRET_PATH = new RegExp(
  [
    String.raw`/\.(ssh|aws|gnupg|kube)(/|$)`,
    String.raw`/\.git/config$`,
    String.raw`/(\.env(rc|\.[^/]+)?|[._]netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.credentials\.json)$`,
    "/id_(rsa|dsa|ecdsa|ed25519)$",
    String.raw`\.(pem|key|p12|pfx|jks|keystore|kdbx)$`,
  ].join("|"),
  "i",
);

/** Claude Code saves long command output to files with unguessable names and tells the model to read them. */
function isKeptOutput(path: string, { slug, own }: ReadablePlaces): boolean {
  if (slug === undefined) return false;
  const [projects] = own.flatMap((folder) => (isWithin(path, `${folder}/projects/${slug}`) ? [folder] : []));
  if (projects !== undefined)
    return /^\/[\w-]+\/tool-results\/[^/]+$/.test(path.slice(`${projects}/projects/${slug}`.length));
  return /\/claude-\d+\//.test(path) && path.split(/\/claude-\d+\//)[1]?.startsWith(`${slug}/`) === true;
}

/** As in os/path.ts. A module that the guard and a launch share would be one more file for a launch to load. */
const WINDOWS_PATH = /^(\\\\|.:[\\/])/;

export function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = WINDOWS_PATH.test(folder) ? [windowsName(path), windowsName(folder)] : [path, folder];
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

/** Windows ignores case, and takes both slashes. */
function windowsName(path: string): string {
  return path.replaceAll("\\", "/").toLowerCase();
}
