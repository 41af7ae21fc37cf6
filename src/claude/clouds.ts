/** A cloud, or a gateway, whose own interface Claude Code uses where its switch is on. */
export interface Cloud {
  /** The switch. */
  readonly variable: string;
  /** Whose servers are asked. */
  readonly host: string;
  /** The service by its full name. */
  readonly service: string;
}

/** In the order in which they win. */
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

/** The cloud that is switched on, if one is. */
export function cloudOf(env: Readonly<Record<string, string>>): Cloud | undefined {
  return CLOUDS.find(({ variable }) => isOn(env[variable] ?? ""));
}

/** Whose servers Claude Code asks where no address is given. */
export function hostOf(env: Readonly<Record<string, string>>): string {
  return cloudOf(env)?.host ?? "Anthropic";
}

/** Whether a switch among the variables is on. */
export function isOn(value: string): boolean {
  return /^(1|true|yes|on)$/i.test(value);
}
