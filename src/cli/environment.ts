/** Variables that users may set. `ccc help all` prints them; docs/configuration.md repeats them. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  CCC_SUPERVISOR: "1 (true, yes, on): review every stop; 0: do not, even if ccc.json says so",
  CCC_CLAUDE: "path or name of the claude to run (default: the first on PATH)",
  CCC_CONFIG_DIR: "folder of ccc.json and of the files that ccc generates",
  CCC_KEYCHAIN: "0: store keys in ccc.json, not in the system keychain",
  CCC_DOWNLOAD_BASE: "where ccc upgrade and install.sh download from, instead of GitHub",
  CLAUDE_CONFIG_DIR: "Claude Code's folder; also that of ccc.json, unless CCC_CONFIG_DIR is set",
  NO_COLOR: "any value: no colors, and in the loop engine no spinner and no input line",
  GITHUB_STEP_SUMMARY: "set by GitHub Actions: the loop engine appends its summary to that file",
};

export function environmentHelp(): string {
  const names = Object.keys(ENVIRONMENT);
  const width = Math.max(...names.map((name) => name.length)) + 4;
  return names.map((name) => `  ${name.padEnd(width)}${ENVIRONMENT[name]}\n`).join("");
}
