/**
 * Every variable by which Claude Code chooses a server, proves who it is, or picks a model. None of them may come from
 * anywhere but the chosen provider: the others are blanked at launch. Collected from Claude Code 2.1.325.
 *
 * - credential: proves who the user is. A foreign one would be sent to the wrong server.
 * - route: decides which server is asked, and how. A foreign one sends the provider's key elsewhere.
 * - model: names a model, which the next provider does not have.
 */
export type Kind = "credential" | "route" | "model";

const TABLE: Record<string, readonly [Kind, string]> = {
  ANTHROPIC_API_KEY: ["credential", "sent as x-api-key"],
  ANTHROPIC_AUTH_TOKEN: ["credential", "sent as a bearer token, beside the API key when both are set"],
  ANTHROPIC_CUSTOM_HEADERS: ["credential", "added to every request; gateways are authenticated with it"],
  ANTHROPIC_AWS_API_KEY: ["credential", "key of Claude Platform on AWS"],
  ANTHROPIC_FOUNDRY_API_KEY: ["credential", "key of Azure Foundry"],
  ANTHROPIC_FOUNDRY_AUTH_TOKEN: ["credential", "token of Azure Foundry"],
  ANTHROPIC_IDENTITY_TOKEN: ["credential", "workload identity, exchanged for a token"],
  ANTHROPIC_IDENTITY_TOKEN_FILE: ["credential", "file with a workload identity"],
  ANTHROPIC_ENVIRONMENT_KEY: ["credential", "key of a hosted environment"],
  ANTHROPIC_WORK_SECRET: ["credential", "secret of a hosted environment"],
  AWS_BEARER_TOKEN_BEDROCK: [
    "credential",
    "key of Amazon Bedrock alone; other AWS variables stay, the agent may need them",
  ],
  CLAUDE_API_KEY: ["credential", "read as an API key by older versions"],
  CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: ["credential", "open file with an API key"],
  CLAUDE_CODE_OAUTH_TOKEN: ["credential", "token of a Claude subscription"],
  CLAUDE_CODE_OAUTH_REFRESH_TOKEN: ["credential", "exchanged for a subscription's token"],
  CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR: ["credential", "open file with a subscription's token"],
  CLAUDE_CODE_SESSION_ACCESS_TOKEN: ["credential", "token of a remote session"],
  CLAUDE_CODE_GATEWAY_TOKEN: ["credential", "token of a gateway"],
  CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR: ["credential", "open file with a gateway's token"],
  CLAUDE_CODE_HOST_CREDS_FILE: ["credential", "credentials that a host application hands over"],
  CLAUDE_CODE_HOST_AUTH_ENV_VAR: ["credential", "names a further variable with a credential"],

  ANTHROPIC_BASE_URL: ["route", "the server"],
  ANTHROPIC_API_HOST: ["route", "the server"],
  CLAUDE_CODE_API_BASE_URL: ["route", "the server"],
  CLAUDE_CODE_CUSTOM_OAUTH_URL: ["route", "the server that logins go to"],
  ANTHROPIC_UNIX_SOCKET: ["route", "a socket in place of the server"],
  ANTHROPIC_BETAS: ["route", "features asked of the server, which another may refuse"],
  ANTHROPIC_PROFILE: ["route", "a named set of server and identity"],
  ANTHROPIC_CONFIG_DIR: ["route", "where such profiles are"],
  ANTHROPIC_FEDERATION_RULE_ID: ["route", "workload identity: rule"],
  ANTHROPIC_ORGANIZATION_ID: ["route", "workload identity: organization"],
  ANTHROPIC_WORKSPACE_ID: ["route", "workload identity: workspace"],
  ANTHROPIC_SERVICE_ACCOUNT_ID: ["route", "workload identity: account"],
  ANTHROPIC_SCOPE: ["route", "workload identity: scope"],
  ANTHROPIC_ENVIRONMENT_ID: ["route", "hosted environment"],
  ANTHROPIC_AWS_BASE_URL: ["route", "Claude Platform on AWS: server"],
  ANTHROPIC_AWS_WORKSPACE_ID: ["route", "Claude Platform on AWS: workspace"],
  ANTHROPIC_BEDROCK_BASE_URL: ["route", "Bedrock: server"],
  ANTHROPIC_BEDROCK_MANTLE_BASE_URL: ["route", "Bedrock Mantle: server"],
  ANTHROPIC_BEDROCK_REGION_PREFIX: ["route", "Bedrock: region"],
  ANTHROPIC_BEDROCK_SERVICE_TIER: ["route", "Bedrock: tier"],
  ANTHROPIC_FOUNDRY_BASE_URL: ["route", "Foundry: server"],
  ANTHROPIC_FOUNDRY_RESOURCE: ["route", "Foundry: resource"],
  ANTHROPIC_GOOGLE_CLOUD_BASE_URL: ["route", "Claude Platform on Google Cloud: server"],
  ANTHROPIC_GOOGLE_CLOUD_LOCATION: ["route", "Claude Platform on Google Cloud: location"],
  ANTHROPIC_GOOGLE_CLOUD_PROJECT: ["route", "Claude Platform on Google Cloud: project"],
  ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID: ["route", "Claude Platform on Google Cloud: workspace"],
  ANTHROPIC_VERTEX_BASE_URL: ["route", "Vertex: server"],
  ANTHROPIC_VERTEX_PROJECT_ID: ["route", "Vertex: project"],
  CLAUDE_CODE_USE_BEDROCK: ["route", "switches to Amazon Bedrock"],
  CLAUDE_CODE_USE_VERTEX: ["route", "switches to Google Vertex"],
  CLAUDE_CODE_USE_FOUNDRY: ["route", "switches to Azure Foundry"],
  CLAUDE_CODE_USE_MANTLE: ["route", "switches to Bedrock Mantle"],
  CLAUDE_CODE_USE_ANTHROPIC_AWS: ["route", "switches to Claude Platform on AWS"],
  CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD: ["route", "switches to Claude Platform on Google Cloud"],
  CLAUDE_CODE_USE_GATEWAY: ["route", "switches to a gateway"],
  CLAUDE_CODE_SKIP_BEDROCK_AUTH: ["route", "Bedrock without a login, for gateways"],
  CLAUDE_CODE_SKIP_VERTEX_AUTH: ["route", "Vertex without a login, for gateways"],
  CLAUDE_CODE_SKIP_FOUNDRY_AUTH: ["route", "Foundry without a login, for gateways"],
  CLAUDE_CODE_SKIP_MANTLE_AUTH: ["route", "Mantle without a login, for gateways"],
  CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH: ["route", "Claude Platform on AWS without a login, for gateways"],
  CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH: ["route", "the same on Google Cloud"],
  CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: ["route", "makes Claude Code ignore the provider variables in settings"],

  ANTHROPIC_MODEL: ["model", "the model"],
  ANTHROPIC_DEFAULT_MODEL: ["model", "the model where none is chosen"],
  ANTHROPIC_SMALL_FAST_MODEL: ["model", "the model for small tasks, deprecated"],
  ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION: ["model", "its region"],
  ANTHROPIC_CUSTOM_MODEL_OPTION: ["model", "an entry of the model menu"],
  ANTHROPIC_CUSTOM_MODEL_OPTION_NAME: ["model", "its label"],
  ANTHROPIC_CUSTOM_MODEL_OPTION_DESCRIPTION: ["model", "its description"],
  ANTHROPIC_CUSTOM_MODEL_OPTION_SUPPORTED_CAPABILITIES: ["model", "its capabilities"],
  ...roleModels("FABLE"),
  ...roleModels("HAIKU"),
  ...roleModels("OPUS"),
  ...roleModels("SONNET"),
  CLAUDE_CODE_SUBAGENT_MODEL: ["model", "the model of delegated agents"],
  CLAUDE_CODE_SUBAGENT_MODEL_FORCE: ["model", "the same, against an agent's own choice"],
  CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL: ["model", "the same, in workflows"],
};

/** Variables that a future Claude Code may add are the provider's too, unless they stand among the exceptions. */
const FAMILIES = ["ANTHROPIC_", "CLAUDE_CODE_USE_"];
const EXCEPTIONS = new Set([
  "ANTHROPIC_LOG", // how much the SDK logs
  "CLAUDE_CODE_USE_POWERSHELL_TOOL", // which shell the agent has
  "CLAUDE_CODE_USE_NATIVE_FILE_SEARCH", // how files are found
  "CLAUDE_CODE_USE_COWORK_PLUGINS", // which plugins are loaded
  "CLAUDE_CODE_USE_CCR_V2", // how a remote session is served
]);

export const PROVIDER_VARIABLES: readonly string[] = Object.keys(TABLE);

/** What a variable is to a provider, or undefined for one of the user's own. */
export function kindOf(name: string): Kind | undefined {
  const known = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (known !== undefined) return known[0];
  const isFamily = FAMILIES.some((family) => name.startsWith(family)) && !EXCEPTIONS.has(name);
  // What it does is unknown, so it is treated as what does the most harm.
  return isFamily ? "credential" : undefined;
}

function roleModels(role: string): Record<string, readonly [Kind, string]> {
  const name = `ANTHROPIC_DEFAULT_${role}_MODEL`;
  return {
    [name]: ["model", `the model behind "${role.toLowerCase()}"`],
    [`${name}_NAME`]: ["model", "its label"],
    [`${name}_DESCRIPTION`]: ["model", "its description"],
    [`${name}_SUPPORTED_CAPABILITIES`]: ["model", "its capabilities"],
  };
}
