import { Refusal, refuseCommand } from "./places.ts";
import { hasSecretName } from "./secret-names.ts";

interface GitCommand {
  /** The folders of `-C`, in order. */
  readonly folders: readonly string[];
  /** The paths that `git grep` is limited to; undefined for other commands. */
  readonly searched: readonly string[] | undefined;
}

/** Refuses git commands that change something, run programs, or read outside the repository or in files with secrets. */
export function checkGit(args: readonly string[]): GitCommand {
  const folders: string[] = [];
  let index = 0;
  for (; args[index]?.startsWith("-"); index++) {
    const option = args[index] ?? "";
    if (option === "-C") folders.push(args[++index] ?? "");
    else if (!GLOBAL_OPTIONS.includes(option)) refuseCommand(`git with ${option}`);
  }
  const [name = "", ...rest] = args.slice(index);
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  const options = rest.slice(0, end);
  const paths = rest.slice(end + 1);
  if (READ_ONLY_WITH[name] !== undefined) checkList(name, rest, READ_ONLY_WITH[name]);
  else if (name !== "" && !READ_ONLY_COMMANDS.includes(name)) refuseCommand(`git ${name}`);
  for (const option of options) checkOption(name, option);
  refuseSecrets(name === "grep" ? [] : options, paths);
  const hasPattern = options.some((word) => !word.startsWith("-") || /^-\w*[ef]/.test(word));
  // Without a pattern among the options, the first path is one, and everything counts as searched.
  return { folders, searched: name === "grep" ? (hasPattern ? paths : []) : undefined };
}

/** Refuses to show a secret file of a revision, as in `HEAD:.env`, or its history, even if nothing is there now. */
function refuseSecrets(revisions: readonly string[], paths: readonly string[]): void {
  // `a-branch:.env`, `:0:.env`, `-L1,5:.env`. A pattern or a time before the path may have colons, too.
  const named = revisions.filter((word) => !word.startsWith("-") || word.startsWith("-L"));
  const inRevisions = named.flatMap((word) =>
    word.split(":").map((_, index, parts) => parts.slice(index + 1).join(":")),
  );
  const included = paths.filter((word) => !/^:([!^]|\(.*exclude)/.test(word));
  const all = [...inRevisions, ...included.map((word) => word.replace(/^:(\(.*?\)|\/)/, ""))];
  const secret = all.find((path) => hasSecretName(`/${path}`));
  if (secret !== undefined)
    throw new Refusal(`not part of the project: ${secret} may contain secrets, which reviewers must not read`);
}

const GLOBAL_OPTIONS = ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version"];

/**
 * Not `diff-files` and `diff-index`: no configuration keeps them out of submodules, which configure their own programs. Not
 * `whatchanged`, which an alias may replace in newer versions of git.
 */
export const READ_ONLY_COMMANDS: readonly string[] = (
  "blame cat-file check-ignore cherry describe diff diff-tree for-each-ref grep log " +
  "ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status"
).split(" ");

/** Commands that are read-only with nothing but these arguments. */
export const READ_ONLY_WITH: Readonly<Record<string, RegExp>> = {
  branch: /^(-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current|--verbose|--(no-)?merged|--contains)$/,
  reflog: /^(show|-n|-\d+|HEAD)$/,
  stash: /^(list|show|-p|--stat|stash@\{\d+\})$/,
  tag: /^(-l|--list|-n\d*|--sort=[\w:-]+|--contains)$/,
  worktree: /^list$/,
};

function checkList(name: string, args: readonly string[], isKnown: RegExp): void {
  const other = args.find((word) => !isKnown.test(word));
  if (other !== undefined || (name === "stash" && args.length === 0)) {
    refuseCommand(`git ${[name, other].filter(Boolean).join(" ")}`);
  }
}

/** Options that write files, run programs, read outside the repository, or take from stdin what ccc would have to see. */
const FORBIDDEN = (
  "--batch --batch-command --stdin --output --ext-diff --textconv --filters --open-files-in-pager --show-signature " +
  "--contents --submodule --ignore-submodules --recurse-submodules --no-index --untracked --no-exclude-standard " +
  "--remerge-diff --diff-merges --alternate-refs " +
  // Git takes this path from the top folder, and prints from the file if it is not a list of commits.
  "--ignore-revs-file"
).split(" ");

function checkOption(name: string, option: string): void {
  const [long = ""] = option.split("=");
  // Git accepts abbreviated options; these two are options of their own.
  const isOther = long === "--text" || long === "--ignore-rev";
  const isForbidden = long.startsWith("--") && !isOther && FORBIDDEN.some((each) => each.startsWith(long));
  if (isForbidden) refuseCommand(`git ${name} with ${long}`);
  // `%G?` and `%(signature)` run gpg, and so does sorting by it.
  const isSigned = name === "for-each-ref" || name === "tag" ? /signature/i.test(option) : /^--.*%G/.test(option);
  if (isSigned) refuseCommand(`git ${name} with signatures, which gpg would check`);
  // -O opens a pager, also among other letters.
  if (name === "grep" && /^-\w*O/.test(option)) refuseCommand("git grep with -O");
  // Like --ignore-revs-file.
  if (name === "blame" && /^-\w*S/.test(option)) refuseCommand("git blame with -S");
}

/**
 * Git configuration keys that make read-only commands run programs, write, or read files elsewhere, with harmless
 * values to override them. The agent may have written the repository's configuration: the middle of a key may be empty, and
 * have any character.
 */
function programs(): readonly [key: RegExp, harmless: string][] {
  return [
    [/^core\.fsmonitor$/s, "false"],
    [/^core\.hookspath$/s, "/dev/null"],
    [/^core\.sshcommand$/s, "ssh"],
    [/^core\.pager$/s, "cat"],
    [/^core\.(askpass|gitproxy)$/s, ""],
    [/^pager\..*$/s, "false"],
    [/^credential\.(.*\.)?helper$/s, ""],
    [/^filter\..*\.(clean|smudge|process)$/s, ""],
    [/^filter\..*\.required$/s, "false"],
    [/^diff\..*\.textconv$/s, "cat"],
    // Git would run an empty command too. This one prints what git itself would.
    [
      /^diff\.(.*\.command|external)$/s,
      'f() { git diff --no-index --no-ext-diff --no-textconv -- "$2" "$5"; true; }; f',
    ],
    [/^diff\..*\.cachetextconv$/s, "false"],
    [/^blame\.ignorerevsfile$/s, ""],
    [/^gpg\.(.*\.)?program$/s, "false"],
    [/^remote\..*\.uploadpack$/s, "git-upload-pack"],
    [/^remote\..*\.vcs$/s, ""],
    [/^protocol\.(.*\.)?allow$/s, "never"],
    [/^merge\..*\.driver$/s, "false"],
    [/^log\.diffmerges$/s, "separate"],
    [/^core\.alternaterefscommand$/s, "true"],
    // What git ignores of a submodule: with "dirty" it runs no git there.
    [/^submodule\..*\.ignore$/s, "dirty"],
  ];
}

/**
 * Always overridden: hooks need no configuration, and submodules have their own. The processes that git starts in a
 * submodule do not get these overrides, so git must not start any.
 */
const ALWAYS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hookspath": "/dev/null",
  "diff.ignoresubmodules": "dirty",
  "diff.submodule": "short",
  "status.submodulesummary": "false",
  "submodule.recurse": "false",
  "log.showsignature": "false",
  "gpg.program": "false",
  "gpg.openpgp.program": "false",
  "gpg.x509.program": "false",
  "gpg.ssh.program": "false",
};

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
};

/** Makes git list its configuration keys and where each is set. This runs no program. */
export const LIST_KEYS = ["config", "--list", "--name-only", "--show-scope"];

/** The same for the keys of `.gitmodules`, which follows as a file or a blob. */
export const LIST_MODULES = ["config", "--list", "--name-only"];

/** Where git takes `.gitmodules` from if it is not in the work tree. */
export const MODULES = [":.gitmodules", "HEAD:.gitmodules"];

/** Makes git tell whether there is a work tree, and where it reads a repository from. Without one, the last line is missing. */
export const LIST_FOLDERS = [
  "rev-parse",
  "--is-inside-work-tree",
  "--absolute-git-dir",
  "--git-common-dir",
  "--git-path",
  "objects",
  "--show-toplevel",
];

/** The keys in such a list that the repository sets. The user's own configuration is trusted. */
export function repositoryKeys(list: string): string[] {
  // The key may have a tab, too.
  return list.split("\n").flatMap((line) => /^(?:local|worktree)\t(.+)$/s.exec(line)?.[1] ?? []);
}

/** The keys that could make git run programs, and that nothing overrides. */
export function unsafeKeys(keys: readonly string[], overridden: ReadonlySet<string>): string[] {
  const known = programs();
  // Bytes that are not UTF-8 were replaced when the key was read, so an override would name another key.
  const isOverridden = (key: string) => overridden.has(key) && !key.includes("\ufffd");
  return keys.filter((key) => !isOverridden(key) && harmlessValue(key, known) !== undefined);
}

/** What to set such a key to; undefined for other keys. */
function harmlessValue(key: string, known: ReturnType<typeof programs>): string | undefined {
  for (const [pattern, harmless] of known) if (pattern.test(key)) return harmless;
  return undefined;
}

/** Environment variables that override these keys, so that git runs none of the programs they name. */
export function gitOverrides(keys: readonly string[]): Record<string, string> {
  const values = new Map(Object.entries(ALWAYS));
  const known = programs();
  for (const key of keys) {
    const harmless = harmlessValue(key, known);
    if (harmless !== undefined) values.set(key, harmless);
  }
  const numbered = [...values].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...VARIABLES, GIT_CONFIG_COUNT: String(values.size), ...Object.fromEntries(numbered) };
}

/** The keys that such an environment overrides. */
export function overriddenKeys(env: Readonly<Record<string, string | undefined>>): Set<string> {
  const keys = new Set<string>();
  for (let index = 0; index < Number(env.GIT_CONFIG_COUNT); index++) keys.add(env[`GIT_CONFIG_KEY_${index}`] ?? "");
  return keys;
}
