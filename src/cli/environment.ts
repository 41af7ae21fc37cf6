/** The variables that ccc itself reads and a user may set, as `ccc --help` and docs/configuration.md tell them. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CCC_SUPERVISOR: "1 to review every stop, 0 not to although ccc.json says so",
  CCC_CLAUDE: "the claude to run, by path or name, instead of the first on PATH",
  CCC_CONFIG_DIR: "the folder of ccc.json and of what ccc generates",
  CCC_KEYCHAIN: "0: keep keys out of the system's keychain, in ccc.json instead",
  CCC_DOWNLOAD_BASE: "where ccc upgrade and install.sh find releases, instead of GitHub",
  CLAUDE_CONFIG_DIR: "Claude Code's folder; ccc.json is there too, unless CCC_CONFIG_DIR is set",
  NO_COLOR: "anything: no spinner in the loop engine",
  GITHUB_STEP_SUMMARY: "set by GitHub Actions: the loop engine adds its summary to that file",
};

export function environmentHelp(): string {
  const names = Object.keys(ENVIRONMENT);
  const width = Math.max(...names.map((name) => name.length)) + 4;
  return names.map((name) => `  ${name.padEnd(width)}${ENVIRONMENT[name]}\n`).join("");
}
