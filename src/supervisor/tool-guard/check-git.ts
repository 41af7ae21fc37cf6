import { refuseCommand } from "./refusal.ts";

export interface GitCall {
  /** The values of `-C`, in order. */
  readonly folders: readonly string[];
}

/** Refuses git commands that change something, run programs, or read outside the repository. */
export function checkGit(args: readonly string[]): GitCall {
  const folders: string[] = [];
  let index = 0;
  for (; args[index]?.startsWith("-"); index++) {
    const option = args[index] ?? "";
    if (option === "-C") folders.push(args[++index] ?? "");
    else if (!GLOBAL_OPTIONS.includes(option)) refuseCommand(`git with ${option}`);
  }
  const [name = "", ...rest] = args.slice(index);
  const options = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : undefined);
  if (READ_ONLY_WITH[name] !== undefined) checkList(name, rest, READ_ONLY_WITH[name]);
  else if (name !== "" && !READ_ONLY_COMMANDS.includes(name)) refuseCommand(`git ${name}`);
  for (const option of options) checkOption(name, option);
  return { folders };
}

const GLOBAL_OPTIONS = ["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version"];

export const READ_ONLY_COMMANDS: readonly string[] = (
  "blame cat-file check-ignore cherry describe diff diff-files diff-index diff-tree for-each-ref grep log " +
  "ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status whatchanged"
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

/** Options that write files, run programs, or read outside the repository. */
const FORBIDDEN = [
  ...["--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager", "--show-signature", "--contents"],
  ...[
    "--submodule",
    "--ignore-submodules",
    "--recurse-submodules",
    "--no-index",
    "--untracked",
    "--no-exclude-standard",
    "--remerge-diff",
    "--diff-merges",
    "--alternate-refs",
  ],
];

function checkOption(name: string, option: string): void {
  const [long = ""] = option.split("=");
  // Git accepts abbreviated options; --text is an option itself.
  const isForbidden = long.startsWith("--") && long !== "--text" && FORBIDDEN.some((each) => each.startsWith(long));
  if (isForbidden) refuseCommand(`git ${name} with ${long}`);
  // Among other letters too, -O opens a pager.
  if (name === "grep" && /^-\w*O/.test(option)) refuseCommand("git grep with -O");
}
