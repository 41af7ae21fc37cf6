/** A cloud or gateway with its own API, which Claude Code uses if its variable is on. */
export interface Cloud {
  readonly variable: string;
  /** Who runs the servers. */
  readonly host: string;
  /** The full name of the service. */
  readonly service: string;
}

/** In order of precedence. */
export const CLOUDS: readonly Cloud[] = [
  { variable: "CLAUDE_CODE_USE_BEDROCK", host: "AWS", service: "Amazon Bedrock" },
  { variable: "CLAUDE_CODE_USE_VERTEX", host: "Google Cloud", service: "Google Vertex AI" },
  { variable: "CLAUDE_CODE_USE_FOUNDRY", host: "Azure", service: "Azure Foundry" },
  { variable: "CLAUDE_CODE_USE_MANTLE", host: "AWS", service: "Bedrock Mantle" },
  { variable: "CLAUDE_CODE_USE_ANTHROPIC_AWS", host: "AWS", service: "Claude Platform on AWS" },
  {
    variable: "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    host: "Google Cloud",
    service: "Claude Platform on Google Cloud",
  },
  { variable: "CLAUDE_CODE_USE_GATEWAY", host: "a gateway", service: "a gateway" },
];

/** The cloud that is switched on, if any. */
export function cloudOf(env: Readonly<Record<string, string>>): Cloud | undefined {
  return CLOUDS.find(({ variable }) => isOn(env[variable] ?? ""));
}

/** Who runs the servers that Claude Code uses if no base URL is set. */
export function hostOf(env: Readonly<Record<string, string>>): string {
  return cloudOf(env)?.host ?? "Anthropic";
}

/** Whether Claude Code takes this value of a variable as true. */
export function isOn(value: string): boolean {
  return /^(1|true|yes|on)$/i.test(value);
}
