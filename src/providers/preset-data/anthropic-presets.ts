import type { Preset } from "./preset.ts";

/** Anthropic itself. */
export const ANTHROPIC_PRESETS: readonly Preset[] = [
  {
    name: "anthropic",
    label: "Anthropic, with your Claude login",
    aliases: ["claude", "官方"],
    source: "https://code.claude.com/docs/es/authentication.md",
    asOf: "2026-11-16",
  },
  {
    name: "anthropic-api",
    label: "Anthropic, with an API key",
    aliases: ["claude", "官方"],
    token: "ANTHROPIC_API_KEY",
    keyUrl: "https://platform.claude.com",
    source: "https://code.claude.com/docs/de/env-vars",
    asOf: "2026-11-16",
  },
];

/** Claude in somebody else's cloud. */
export const CLAUDE_CLOUD_PRESETS: readonly Preset[] = [
  {
    name: "bedrock",
    label: "Amazon Bedrock",
    aliases: ["aws", "亚马逊"],
    asks: ["AWS_REGION"],
    extraEnv: { CLAUDE_CODE_USE_BEDROCK: "1" },
    source: "https://answerqa.com/ai/claude-code-on-amazon-bedrock/",
    asOf: "2026-11-16",
    note: "Checked by its author 2026-05-12. Uses the AWS credentials of the machine.",
  },
  {
    name: "vertex",
    label: "Google Vertex AI",
    aliases: ["gcp", "谷歌"],
    asks: ["ANTHROPIC_VERTEX_PROJECT_ID"],
    extraEnv: { CLAUDE_CODE_USE_VERTEX: "1", CLOUD_ML_REGION: "global" },
    source:
      "https://spybara.com/anthropic/claude-code/history/docs/en/2026-04-23-1819..2026-04-24-1811/google-vertex-ai/",
    asOf: "2026-11-16",
    note: "A copy of Anthropic's page of 2026-04. Uses the Google credentials of the machine.",
  },
];
