import { isSecret } from "../text/secret.ts";
import type { Env } from "../world.ts";

/**
 * All variables with which Claude Code 2.1.325 authenticates, chooses a server or picks a model. They may only come from the
 * chosen provider: a launch sets all others to blanks.
 */
export type Kind = "credential" | "route" | "model";

/** The variables for a provider's key. Each may hold a reference instead. */
export const TOKENS = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"] as const;

/** The variables that authenticate at ANTHROPIC_BASE_URL. The first that is set wins. */
export const KEYS = [...TOKENS, "CLAUDE_CODE_OAUTH_TOKEN"] as const;

/** Set by a host, such as ccc, that starts Claude Code and manages its provider. */
export const MANAGED_BY_HOST = "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST";

/** Credentials. One of another provider would be sent to the wrong server. */
const CREDENTIALS = {
  ANTHROPIC_API_KEY: "", // sent as x-api-key
  ANTHROPIC_AUTH_TOKEN: "", // sent as a bearer token, beside the API key when both are set
  ANTHROPIC_CUSTOM_HEADERS: "", // added to every request; gateways are authenticated with it
  ANTHROPIC_AWS_API_KEY: "", // key of Claude Platform on AWS
  ANTHROPIC_FOUNDRY_API_KEY: "", // key of Azure Foundry
  ANTHROPIC_FOUNDRY_AUTH_TOKEN: "", // token of Azure Foundry
  ANTHROPIC_IDENTITY_TOKEN: "", // workload identity, exchanged for a token
  ANTHROPIC_IDENTITY_TOKEN_FILE: "", // file with a workload identity
  ANTHROPIC_ENVIRONMENT_KEY: "", // key of a hosted environment
  ANTHROPIC_WORK_SECRET: "", // secret of a hosted environment
  AWS_BEARER_TOKEN_BEDROCK: "", // key of Amazon Bedrock alone; other AWS variables stay, the agent may need them
  CLAUDE_API_KEY: "", // read as an API key by older versions
  CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: "", // open file with an API key
  CLAUDE_CODE_OAUTH_TOKEN: "", // token of a Claude subscription
  CLAUDE_CODE_OAUTH_REFRESH_TOKEN: "", // exchanged for a subscription's token
  CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR: "", // open file with a subscription's token
  CLAUDE_CODE_SESSION_ACCESS_TOKEN: "", // token of a remote session
  CLAUDE_CODE_GATEWAY_TOKEN: "", // token of a gateway
  CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR: "", // open file with a gateway's token
  CLAUDE_CODE_HOST_CREDS_FILE: "", // credentials that a host application hands over
  CLAUDE_CODE_HOST_AUTH_ENV_VAR: "", // names a further variable with a credential
};

/** Decide which server gets requests, and how. One of another provider would send the key elsewhere. */
const ROUTES = {
  ANTHROPIC_BASE_URL: "", // the server
  ANTHROPIC_API_HOST: "", // the server
  CLAUDE_CODE_API_BASE_URL: "", // the server
  CLAUDE_CODE_CUSTOM_OAUTH_URL: "", // the server that logins go to
  ANTHROPIC_UNIX_SOCKET: "", // a socket in place of the server
  ANTHROPIC_BETAS: "", // features asked of the server, which another may refuse
  ANTHROPIC_PROFILE: "", // a named set of server and identity
  ANTHROPIC_CONFIG_DIR: "", // where such profiles are
  ANTHROPIC_FEDERATION_RULE_ID: "", // workload identity: rule
  ANTHROPIC_ORGANIZATION_ID: "", // workload identity: organization
  ANTHROPIC_WORKSPACE_ID: "", // workload identity: workspace
  ANTHROPIC_SERVICE_ACCOUNT_ID: "", // workload identity: account
  ANTHROPIC_SCOPE: "", // workload identity: scope
  ANTHROPIC_ENVIRONMENT_ID: "", // hosted environment
  ANTHROPIC_AWS_BASE_URL: "", // Claude Platform on AWS: server
  ANTHROPIC_AWS_WORKSPACE_ID: "", // Claude Platform on AWS: workspace
  ANTHROPIC_BEDROCK_BASE_URL: "", // Bedrock: server
  ANTHROPIC_BEDROCK_MANTLE_BASE_URL: "", // Bedrock Mantle: server
  ANTHROPIC_BEDROCK_REGION_PREFIX: "", // Bedrock: region
  ANTHROPIC_BEDROCK_SERVICE_TIER: "", // Bedrock: tier
  ANTHROPIC_FOUNDRY_BASE_URL: "", // Foundry: server
  ANTHROPIC_FOUNDRY_RESOURCE: "", // Foundry: resource
  ANTHROPIC_GOOGLE_CLOUD_BASE_URL: "", // Claude Platform on Google Cloud: server
  ANTHROPIC_GOOGLE_CLOUD_LOCATION: "", // Claude Platform on Google Cloud: location
  ANTHROPIC_GOOGLE_CLOUD_PROJECT: "", // Claude Platform on Google Cloud: project
  ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID: "", // Claude Platform on Google Cloud: workspace
  ANTHROPIC_VERTEX_BASE_URL: "", // Vertex: server
  ANTHROPIC_VERTEX_PROJECT_ID: "", // Vertex: project
  CLAUDE_CODE_EXTRA_BODY: "", // fields of the request's body, a key or a model among them
  _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: "", // takes a foreign server for Anthropic's
  CLAUDE_CODE_USE_BEDROCK: "", // switches to Amazon Bedrock
  CLAUDE_CODE_USE_VERTEX: "", // switches to Google Vertex
  CLAUDE_CODE_USE_FOUNDRY: "", // switches to Azure Foundry
  CLAUDE_CODE_USE_MANTLE: "", // switches to Bedrock Mantle
  CLAUDE_CODE_USE_ANTHROPIC_AWS: "", // switches to Claude Platform on AWS
  CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD: "", // switches to Claude Platform on Google Cloud
  CLAUDE_CODE_USE_GATEWAY: "", // switches to a gateway
  CLAUDE_CODE_SKIP_BEDROCK_AUTH: "", // Bedrock without a login, for gateways
  CLAUDE_CODE_SKIP_VERTEX_AUTH: "", // Vertex without a login, for gateways
  CLAUDE_CODE_SKIP_FOUNDRY_AUTH: "", // Foundry without a login, for gateways
  CLAUDE_CODE_SKIP_MANTLE_AUTH: "", // Mantle without a login, for gateways
  CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH: "", // Claude Platform on AWS without a login, for gateways
  CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH: "", // the same on Google Cloud
  [MANAGED_BY_HOST]: "", // makes Claude Code ignore the provider variables in settings
};

/** Name models, which other providers do not have. */
const MODELS = {
  ANTHROPIC_MODEL: "", // the model
  ANTHROPIC_DEFAULT_MODEL: "", // the model where none is chosen
  ANTHROPIC_SMALL_FAST_MODEL: "", // the model for small tasks, deprecated
  ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION: "", // its region
  ANTHROPIC_CUSTOM_MODEL_OPTION: "", // an entry of the model menu
  ANTHROPIC_CUSTOM_MODEL_OPTION_NAME: "", // its label
  ANTHROPIC_CUSTOM_MODEL_OPTION_DESCRIPTION: "", // its description
  ANTHROPIC_CUSTOM_MODEL_OPTION_SUPPORTED_CAPABILITIES: "", // its capabilities
  CLAUDE_CODE_AUTO_MODE_MODEL: "", // the model that judges tool calls
  CLAUDE_CODE_SUBAGENT_MODEL: "", // the model of delegated agents
  CLAUDE_CODE_SUBAGENT_MODEL_FORCE: "", // the same, against an agent's own choice
  CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL: "", // the same, in workflows
  ANTHROPIC_DEFAULT_FABLE_MODEL: "", // the model behind "fable"
  ANTHROPIC_DEFAULT_FABLE_MODEL_NAME: "", // its label
  ANTHROPIC_DEFAULT_FABLE_MODEL_DESCRIPTION: "", // its description
  ANTHROPIC_DEFAULT_FABLE_MODEL_SUPPORTED_CAPABILITIES: "", // its capabilities
  ANTHROPIC_DEFAULT_HAIKU_MODEL: "", // the model behind "haiku"
  ANTHROPIC_DEFAULT_HAIKU_MODEL_NAME: "", // its label
  ANTHROPIC_DEFAULT_HAIKU_MODEL_DESCRIPTION: "", // its description
  ANTHROPIC_DEFAULT_HAIKU_MODEL_SUPPORTED_CAPABILITIES: "", // its capabilities
  ANTHROPIC_DEFAULT_OPUS_MODEL: "", // the model behind "opus"
  ANTHROPIC_DEFAULT_OPUS_MODEL_NAME: "", // its label
  ANTHROPIC_DEFAULT_OPUS_MODEL_DESCRIPTION: "", // its description
  ANTHROPIC_DEFAULT_OPUS_MODEL_SUPPORTED_CAPABILITIES: "", // its capabilities
  ANTHROPIC_DEFAULT_SONNET_MODEL: "", // the model behind "sonnet"
  ANTHROPIC_DEFAULT_SONNET_MODEL_NAME: "", // its label
  ANTHROPIC_DEFAULT_SONNET_MODEL_DESCRIPTION: "", // its description
  ANTHROPIC_DEFAULT_SONNET_MODEL_SUPPORTED_CAPABILITIES: "", // its capabilities
};

export const BLANKS: Readonly<Record<string, string>> = { ...CREDENTIALS, ...ROUTES, ...MODELS };

/** Not the provider's, unlike every other variable of their families, whatever a future Claude Code may add there. */
const EXCEPTIONS = [
  "ANTHROPIC_LOG", // how much the SDK logs
  "CLAUDE_CODE_USE_POWERSHELL_TOOL", // which shell the agent has
  "CLAUDE_CODE_USE_NATIVE_FILE_SEARCH", // how files are found
  "CLAUDE_CODE_USE_COWORK_PLUGINS", // which plugins are loaded
  "CLAUDE_CODE_USE_CCR_V2", // how a remote session is served
];

/** The kind of a provider variable; undefined for any other variable. */
export function kindOf(name: string): Kind | undefined {
  if (Object.hasOwn(CREDENTIALS, name)) return "credential";
  if (Object.hasOwn(ROUTES, name)) return "route";
  if (Object.hasOwn(MODELS, name)) return "model";
  const isFamily = (name.startsWith("ANTHROPIC_") || name.startsWith("CLAUDE_CODE_USE_")) && !EXCEPTIONS.includes(name);
  // Unknown, so assume the most dangerous kind.
  return isFamily ? "credential" : undefined;
}

export function isSecretVariable(name: string, value: string): boolean {
  return kindOf(name) === "credential" || isSecret(name, value);
}

export function providerVariables(env: Env): string[] {
  const names: string[] = [];
  for (const name of Object.keys(env)) {
    // A shell has many variables. A function that is called for each makes the engine start its compiler threads: that
    // costs a launch 0.1.
    if (!Object.hasOwn(BLANKS, name) && !name.startsWith("ANTHROPIC_") && !name.startsWith("CLAUDE_")) continue;
    if (kindOf(name) !== undefined) names.push(name);
  }
  return names;
}

export function withoutProvider(env: Env): Record<string, string | undefined> {
  const clean: Record<string, string | undefined> = { ...env };
  for (const name of providerVariables(env)) delete clean[name];
  return clean;
}
