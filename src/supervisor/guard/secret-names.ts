/** The names of files and folders that usually hold secrets: one list for the guard and for the tools that it cannot watch. */

/** Whether a path, also one in the project, has the name of a secret file or folder. A regular expression would be slower. */
export function hasSecretName(path: string): boolean {
  const parts = path.toLowerCase().split("/");
  const name = parts.at(-1) ?? "";
  for (const secret of SECRET_FOLDERS) if (parts.includes(secret)) return true;
  // The configurations of submodules and worktrees are deeper in .git.
  if (SECRET_FILES.includes(name) || (CONFIGURATIONS.includes(name) && parts.includes(".git"))) return true;
  if (name.startsWith(".env.")) return !EXAMPLES.includes(name.slice(".env.".length));
  return name.includes(".") && SECRET_ENDINGS.includes(name.slice(name.lastIndexOf(".") + 1));
}

const SECRET_FOLDERS = [".ssh", ".aws", ".gnupg", ".kube"];
const SECRET_FILES = (
  ".env .envrc .netrc _netrc .npmrc .pypirc .git-credentials .htpasswd .credentials.json id_rsa id_dsa " +
  "id_ecdsa id_ed25519"
).split(" ");
const CONFIGURATIONS = ["config", "config.worktree"];
const SECRET_ENDINGS = ["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx"];
const EXAMPLES = ["example", "sample", "template", "dist", "default", "defaults"];

/**
 * The same names as gitignore patterns, in any case, for tools whose results the guard does not see. Such patterns cannot
 * except names, so there is one for each way in which a name after `.env.` may differ from those of examples.
 */
export function secretPatterns(): string[] {
  const starts = new Set<string>();
  for (const name of EXAMPLES) for (let end = 0; end <= name.length; end++) starts.add(name.slice(0, end));
  const [env = "", ...inCases] = inAnyCase([".env.", ...starts]);
  const others: string[] = [];
  for (const start of starts) {
    const written = `${env}${inCases.shift()}`;
    if (!EXAMPLES.includes(start)) others.push(written);
    let next = "";
    for (const name of EXAMPLES) if (name.startsWith(start)) next += name[start.length] ?? "";
    others.push(`${written}${next === "" ? "?" : allBut(next)}*`);
  }
  return [
    ...inAnyCase([...SECRET_FILES, ...SECRET_FOLDERS, ...CONFIGURATIONS.map((name) => `.git/**/${name}`)]),
    ...inAnyCase(SECRET_FOLDERS).map((name) => `${name}/**`),
    ...inAnyCase(SECRET_ENDINGS).map((ending) => `*.${ending}`),
    ...others,
  ];
}

/** All of them at once: a call for each letter of each name would take longer than the rest of what a review prepares. */
function inAnyCase(names: readonly string[]): string[] {
  let text = names.join("\n");
  for (const letter of "abcdefghijklmnopqrstuvwxyz")
    text = text.replaceAll(letter, `[${letter}${letter.toUpperCase()}]`);
  return text.split("\n");
}

/**
 * A class of all characters but these letters. Claude Code ignores the `!` of a class, so this one lists what it has, without
 * the two characters outside ASCII that equal ASCII letters where case is ignored.
 */
function allBut(letters: string): string {
  let others = LETTERS_AND_DIGITS;
  for (const letter of letters) others = others.replace(letter, "").replace(letter.toUpperCase(), "");
  return `[${others}!-.:-@_{-~\u0080-\u017e\u0180-\u2129\u212b-\u{10ffff}]`;
}

const LETTERS_AND_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The usual locations of secrets in a home folder, which may itself be the project. */
export const HOME_SECRETS: readonly string[] = [
  ...(
    ".ssh .aws .azure .gnupg .kube .docker .terraform.d .password-store .vault-token .config/gh .config/hub " +
    ".config/gcloud .config/op .config/git/credentials .config/rclone .git-credentials .netrc .npmrc .yarnrc.yml .pypirc " +
    ".cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml " +
    ".gradle/gradle.properties .ivy2/.credentials .composer/auth.json .config/composer/auth.json .bundle/config " +
    ".hex/hex.config .nuget/NuGet .pub-cache/credentials.json .cache/huggingface/token .local/share/keyrings " +
    ".vscode-server/data .cursor-server/data .mozilla .thunderbird .config/google-chrome .config/chromium " +
    ".config/BraveSoftware snap/firefox .config/microsoft-edge Library/Keychains Library/Cookies AppData " +
    ".bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history"
  ).split(" "),
  "Library/Application Support",
];

/** The system's secrets, which root could read. */
export const SYSTEM_SECRETS: readonly string[] = (
  "/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssh /run/secrets " +
  "/run/user /run/credentials /etc/ssl/private /etc/kubernetes /etc/letsencrypt /etc/NetworkManager " +
  "/etc/wireguard /etc/krb5.keytab /etc/pki/tls/private /etc/rancher"
).split(" ");
