/** Settings of Claude Code's extension for VS Code. */
export const EDITOR_SETTINGS = {
  /** The program that starts Claude Code. Its first argument is the path of the extension's own claude. */
  wrapper: "claudeCode.claudeProcessWrapper",
  /** Whether the extension goes without a Claude login. */
  noLogin: "claudeCode.disableLoginPrompt",
  /** Variables for Claude Code, as a list of names and values. */
  variables: "claudeCode.environmentVariables",
} as const;
