/**
 * Keys of git's configuration that name programs which commands that only look would run, and what to put in their
 * place. A repository's own configuration is as good as written by the agent.
 */
const PROGRAMS: readonly [key: RegExp, harmless: string][] = [
  [/^core\.fsmonitor$/, "false"],
  [/^core\.hookspath$/, "/dev/null"],
  [/^core\.sshcommand$/, "ssh"],
  [/^core\.pager$/, "cat"],
  [/^core\.(askpass|gitproxy)$/, ""],
  [/^pager\..+$/, "false"],
  [/^credential\.(.+\.)?helper$/, ""],
  [/^filter\..+\.(clean|smudge|process)$/, ""],
  [/^filter\..+\.required$/, "false"],
  [/^diff\..+\.textconv$/, "cat"],
  // An empty one would be run. This one shows what git itself would show.
  [/^diff\.(.+\.command|external)$/, 'f() { git diff --no-index --no-ext-diff --no-textconv -- "$2" "$5"; true; }; f'],
  [/^gpg\.(.+\.)?program$/, "false"],
  [/^remote\..+\.uploadpack$/, "git-upload-pack"],
  [/^remote\..+\.vcs$/, ""],
  [/^protocol\..+\.allow$/, "never"],
];

/** Overridden whatever a repository says: hooks need no configuration, and submodules have one of their own. */
const ALWAYS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hookspath": "/dev/null",
  "diff.ignoresubmodules": "dirty",
};

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
};

/** Arguments with which git lists the keys of its configuration, and where each is from. It runs nothing of them. */
export const LIST_KEYS = ["config", "--list", "--name-only", "--show-scope"];

/** The keys of such a list that a repository brings along. What the user's own configuration names is trusted. */
export function repositoryKeys(list: string): string[] {
  const lines = list.split("\n").map((line) => line.split("\t"));
  return lines.flatMap(([scope, key]) => (key !== undefined && /^(local|worktree)$/.test(scope ?? "") ? [key] : []));
}

/** The keys among these that name programs. */
export function unsafeKeys(keys: readonly string[]): string[] {
  return keys.filter((key) => PROGRAMS.some(([pattern]) => pattern.test(key)));
}

/** Variables with which git runs none of the programs that a configuration with these keys names. */
export function gitOverrides(keys: readonly string[]): Record<string, string> {
  const values = new Map(Object.entries(ALWAYS));
  for (const key of keys) {
    const harmless = PROGRAMS.find(([pattern]) => pattern.test(key))?.[1];
    if (harmless !== undefined) values.set(key, harmless);
    const submodule = key.match(/^submodule\.(.+)\.[^.]+$/)?.[1];
    if (submodule !== undefined) values.set(`submodule.${submodule}.ignore`, "dirty");
  }
  const numbered = [...values].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...VARIABLES, GIT_CONFIG_COUNT: String(values.size), ...Object.fromEntries(numbered) };
}

/** The keys that an environment overrides. */
export function overriddenKeys(env: Readonly<Record<string, string | undefined>>): Set<string> {
  const count = Number(env.GIT_CONFIG_COUNT) || 0;
  return new Set(Array.from({ length: count }, (_, index) => env[`GIT_CONFIG_KEY_${index}`] ?? ""));
}
