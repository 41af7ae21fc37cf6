import { isOn } from "../claude/sent.ts";

/** Whose servers Claude Code asks where no address is given. */
export function hostOf(env: Readonly<Record<string, string>>): string {
  const found = HOSTS.find(([variable]) => isOn(env[variable] ?? ""));
  return found?.[1] ?? ANTHROPIC;
}

export const ANTHROPIC = "Anthropic";

const HOSTS = [
  ["CLAUDE_CODE_USE_BEDROCK", "AWS"],
  ["CLAUDE_CODE_USE_MANTLE", "AWS"],
  ["CLAUDE_CODE_USE_ANTHROPIC_AWS", "AWS"],
  ["CLAUDE_CODE_USE_VERTEX", "Google Cloud"],
  ["CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", "Google Cloud"],
  ["CLAUDE_CODE_USE_FOUNDRY", "Azure"],
] as const;
