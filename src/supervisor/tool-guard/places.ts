import { Refusal } from "./refusal.ts";

/** Where a reviewer may look: absolute paths without links in them, with slashes on every platform. */
export interface Places {
  /** The project, and the folders that the session was given. */
  readonly folders: readonly string[];
  readonly home: string;
  /** Folders and files of ccc and Claude Code that hold keys and conversations. */
  readonly own: readonly string[];
  /** Claude Code's name for the project, in the paths of what it keeps. */
  readonly slug: string | undefined;
}

/** Refuses a file or folder that is not part of the project, or holds secrets by its name. */
export function checkPlace(path: string, places: Places): void {
  if (path === "/dev/null" || SYSTEM.some((folder) => isWithin(path, folder)) || isKeptOutput(path, places)) return;
  if (!places.folders.some((folder) => isWithin(path, folder))) throw new Refusal(`not part of the project: ${path}`);
  if (isSecret(path, places)) {
    throw new Refusal(`not part of the project: ${path} may hold secrets, which no reviewer is shown`);
  }
}

/** Whether a file or folder may hold secrets, by its place or name. */
export function isSecret(path: string, { home, own }: Pick<Places, "home" | "own">): boolean {
  if ([...own, ...HOME_SECRETS.map((name) => `${home}/${name}`)].some((place) => isWithin(path, place))) return true;
  return SECRET_PATH.test(path) && !/\/\.env\.(example|sample|template|dist|defaults?)$/i.test(path);
}

/** What a reviewer needs to read of the system: headers, libraries, their documentation. */
const SYSTEM = ["include", "lib", "share", "src"]
  .flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`])
  .concat("/lib", "/nix/store");

/** The usual places of secrets below a home, which may itself be the project. */
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

/** Names that say "secret" wherever they stand, in the project too. */
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

/** Claude Code keeps long output of commands in files of unguessable names, and tells the model to read them there. */
function isKeptOutput(path: string, { slug, own }: Places): boolean {
  if (slug === undefined) return false;
  const [projects] = own.flatMap((folder) => (isWithin(path, `${folder}/projects/${slug}`) ? [folder] : []));
  if (projects !== undefined)
    return /^\/[\w-]+\/tool-results\/[^/]+$/.test(path.slice(`${projects}/projects/${slug}`.length));
  return /\/claude-\d+\//.test(path) && path.split(/\/claude-\d+\//)[1]?.startsWith(`${slug}/`) === true;
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
