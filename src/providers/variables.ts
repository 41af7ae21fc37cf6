import { isSecret } from "../text/redact.ts";
import type { Env } from "../world.ts";

/**
 * The kinds of *provider variables*: all with which Claude Code 2.1.325 authenticates, chooses a server or picks a model. They
 * may only come from the chosen provider: a launch blanks all others.
 */
export type Kind = "credential" | "route" | "model";

/** The variables for a provider's key. Each may hold a reference instead. */
export const TOKENS = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"] as const;

/** The variables that authenticate at ANTHROPIC_BASE_URL. The first that is set wins. */
export const KEYS = [...TOKENS, "CLAUDE_CODE_OAUTH_TOKEN"] as const;

/** What local servers take as a key. Not secret, and words that may occur anywhere. */
export const PLACEHOLDER_KEYS: ReadonlySet<string> = new Set<PlaceholderKey>(["ollama", "lmstudio"]);

export type PlaceholderKey = "ollama" | "lmstudio";

/** Set by a host, such as ccc, that starts Claude Code and manages its provider. */
export const MANAGED_BY_HOST = "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST";

/** The kind of a provider variable; undefined for any other variable. */
export function kindOf(name: string): Kind | undefined {
  if (CREDENTIALS.includes(name)) return "credential";
  if (ROUTES.includes(name)) return "route";
  if (MODELS.includes(name)) return "model";
  const isFamily = (name.startsWith("ANTHROPIC_") || name.startsWith("CLAUDE_CODE_USE_")) && !EXCEPTIONS.includes(name);
  // Unknown, so assume the most dangerous kind.
  return isFamily ? "credential" : undefined;
}

export function isSecretVariable(name: string, value: string): boolean {
  return kindOf(name) === "credential" || isSecret(name, value);
}

/** The provider variables in an environment. */
export function providerVariables(env: Env): string[] {
  const names: string[] = [];
  for (const name in env) {
    // A function that runs for each of a shell's many variables would start the engine's compiler threads.
    if (!name.startsWith("ANTHROPIC_") && !name.startsWith("CLAUDE_") && !PROVIDER_VARIABLES.includes(name)) continue;
    if (kindOf(name) !== undefined) names.push(name);
  }
  return names;
}

/** An environment without them. */
export function withoutProvider(env: Env): Record<string, string | undefined> {
  const clean: Record<string, string | undefined> = { ...env };
  for (const name of providerVariables(env)) delete clean[name];
  return clean;
}

/** Whether a value says where a secret is kept: in a variable, a file, a command's output, the system's keychain. */
export function isReference(value: string): boolean {
  return /^(env|file|cmd|keychain):/.test(value);
}

/** Whether a variable other than the key holds a reference. Only one with a secret's name: many other values begin with `file:`. */
export function isOtherReference(name: string, value: unknown): boolean {
  if (typeof value !== "string" || !isReference(value) || (TOKENS as readonly string[]).includes(name)) return false;
  return isSecretVariable(name, value);
}

/** Why a variable is not allowed in ccc.json, where it would run code or control ccc; undefined if it is. */
export function whyForbidden(name: string): string | undefined {
  // As on Windows, where names are case-insensitive.
  const upper = name.toUpperCase();
  if (Object.hasOwn(FORBIDDEN, upper)) return FORBIDDEN[upper];
  return FORBIDDEN_PREFIXES.find(([prefix]) => upper.startsWith(prefix))?.[1];
}

/** Credentials. One of another provider would be sent to the wrong server. */
const CREDENTIALS: readonly string[] = [
  "ANTHROPIC_API_KEY", // sent as x-api-key
  "ANTHROPIC_AUTH_TOKEN", // sent as a bearer token, beside the API key when both are set
  "ANTHROPIC_CUSTOM_HEADERS", // added to every request; gateways are authenticated with it
  "ANTHROPIC_AWS_API_KEY", // key of Claude Platform on AWS
  "ANTHROPIC_FOUNDRY_API_KEY", // key of Azure Foundry
  "ANTHROPIC_FOUNDRY_AUTH_TOKEN", // token of Azure Foundry
  "ANTHROPIC_IDENTITY_TOKEN", // workload identity, exchanged for a token
  "ANTHROPIC_IDENTITY_TOKEN_FILE", // file with a workload identity
  "ANTHROPIC_ENVIRONMENT_KEY", // key of a hosted environment
  "ANTHROPIC_WORK_SECRET", // secret of a hosted environment
  "AWS_BEARER_TOKEN_BEDROCK", // key of Amazon Bedrock alone; other AWS variables stay, the agent may need them
  "CLAUDE_API_KEY", // read as an API key by older versions
  "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR", // open file with an API key
  "CLAUDE_CODE_OAUTH_TOKEN", // token of a Claude subscription
  "CLAUDE_CODE_OAUTH_REFRESH_TOKEN", // exchanged for a subscription's token
  "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR", // open file with a subscription's token
  "CLAUDE_CODE_SESSION_ACCESS_TOKEN", // token of a remote session
  "CLAUDE_CODE_GATEWAY_TOKEN", // token of a gateway
  "CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR", // open file with a gateway's token
  "CLAUDE_CODE_HOST_CREDS_FILE", // credentials that a host application hands over
  "CLAUDE_CODE_HOST_AUTH_ENV_VAR", // names a further variable with a credential
];

/** Decide which server gets requests, and how. One of another provider would send the key elsewhere. */
const ROUTES: readonly string[] = [
  "ANTHROPIC_BASE_URL", // the server
  "ANTHROPIC_API_HOST", // the server
  "CLAUDE_CODE_API_BASE_URL", // the server
  "CLAUDE_CODE_CUSTOM_OAUTH_URL", // the server that logins go to
  "ANTHROPIC_UNIX_SOCKET", // a socket instead of the server
  "ANTHROPIC_BETAS", // features asked of the server, which another may refuse
  "ANTHROPIC_PROFILE", // a named set of server and identity
  "ANTHROPIC_CONFIG_DIR", // where such profiles are
  "ANTHROPIC_FEDERATION_RULE_ID", // workload identity: rule
  "ANTHROPIC_ORGANIZATION_ID", // workload identity: organization
  "ANTHROPIC_WORKSPACE_ID", // workload identity: workspace
  "ANTHROPIC_SERVICE_ACCOUNT_ID", // workload identity: account
  "ANTHROPIC_SCOPE", // workload identity: scope
  "ANTHROPIC_ENVIRONMENT_ID", // hosted environment
  "ANTHROPIC_AWS_BASE_URL", // Claude Platform on AWS: server
  "ANTHROPIC_AWS_WORKSPACE_ID", // Claude Platform on AWS: workspace
  "ANTHROPIC_BEDROCK_BASE_URL", // Bedrock: server
  "ANTHROPIC_BEDROCK_MANTLE_BASE_URL", // Bedrock Mantle: server
  "ANTHROPIC_BEDROCK_REGION_PREFIX", // Bedrock: region
  "ANTHROPIC_BEDROCK_SERVICE_TIER", // Bedrock: tier
  "ANTHROPIC_FOUNDRY_BASE_URL", // Foundry: server
  "ANTHROPIC_FOUNDRY_RESOURCE", // Foundry: resource
  "ANTHROPIC_GOOGLE_CLOUD_BASE_URL", // Claude Platform on Google Cloud: server
  "ANTHROPIC_GOOGLE_CLOUD_LOCATION", // Claude Platform on Google Cloud: location
  "ANTHROPIC_GOOGLE_CLOUD_PROJECT", // Claude Platform on Google Cloud: project
  "ANTHROPIC_GOOGLE_CLOUD_WORKSPACE_ID", // Claude Platform on Google Cloud: workspace
  "ANTHROPIC_VERTEX_BASE_URL", // Vertex: server
  "ANTHROPIC_VERTEX_PROJECT_ID", // Vertex: project
  "CLAUDE_CODE_EXTRA_BODY", // fields of the request's body, a key or a model among them
  "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL", // takes a foreign server for Anthropic's
  "CLAUDE_CODE_USE_BEDROCK", // switches to Amazon Bedrock
  "CLAUDE_CODE_USE_VERTEX", // switches to Google Vertex
  "CLAUDE_CODE_USE_FOUNDRY", // switches to Azure Foundry
  "CLAUDE_CODE_USE_MANTLE", // switches to Bedrock Mantle
  "CLAUDE_CODE_USE_ANTHROPIC_AWS", // switches to Claude Platform on AWS
  "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD", // switches to Claude Platform on Google Cloud
  "CLAUDE_CODE_USE_GATEWAY", // switches to a gateway
  "CLAUDE_CODE_SKIP_BEDROCK_AUTH", // Bedrock without a login, for gateways
  "CLAUDE_CODE_SKIP_VERTEX_AUTH", // Vertex without a login, for gateways
  "CLAUDE_CODE_SKIP_FOUNDRY_AUTH", // Foundry without a login, for gateways
  "CLAUDE_CODE_SKIP_MANTLE_AUTH", // Mantle without a login, for gateways
  "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH", // Claude Platform on AWS without a login, for gateways
  "CLAUDE_CODE_SKIP_ANTHROPIC_GOOGLE_CLOUD_AUTH", // the same on Google Cloud
  MANAGED_BY_HOST, // makes Claude Code ignore the provider variables in settings
];

/** Name models, which other providers do not have. */
const MODELS: readonly string[] = [
  "ANTHROPIC_MODEL", // the model
  "ANTHROPIC_DEFAULT_MODEL", // the model where none is chosen
  "ANTHROPIC_SMALL_FAST_MODEL", // the model for small tasks, deprecated
  "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION", // its region
  "ANTHROPIC_CUSTOM_MODEL_OPTION", // an entry of the model menu
  "ANTHROPIC_CUSTOM_MODEL_OPTION_NAME", // its label
  "ANTHROPIC_CUSTOM_MODEL_OPTION_DESCRIPTION", // its description
  "ANTHROPIC_CUSTOM_MODEL_OPTION_SUPPORTED_CAPABILITIES", // its capabilities
  "CLAUDE_CODE_AUTO_MODE_MODEL", // the model that judges tool calls
  "CLAUDE_CODE_SUBAGENT_MODEL", // the model of delegated agents
  "CLAUDE_CODE_SUBAGENT_MODEL_FORCE", // the same, against an agent's own choice
  "CLAUDE_CODE_WORKFLOW_SUBAGENT_MODEL", // the same, in workflows
  "ANTHROPIC_DEFAULT_FABLE_MODEL", // the model behind "fable"
  "ANTHROPIC_DEFAULT_FABLE_MODEL_NAME", // its label
  "ANTHROPIC_DEFAULT_FABLE_MODEL_DESCRIPTION", // its description
  "ANTHROPIC_DEFAULT_FABLE_MODEL_SUPPORTED_CAPABILITIES", // its capabilities
  "ANTHROPIC_DEFAULT_HAIKU_MODEL", // the model behind "haiku"
  "ANTHROPIC_DEFAULT_HAIKU_MODEL_NAME", // its label
  "ANTHROPIC_DEFAULT_HAIKU_MODEL_DESCRIPTION", // its description
  "ANTHROPIC_DEFAULT_HAIKU_MODEL_SUPPORTED_CAPABILITIES", // its capabilities
  "ANTHROPIC_DEFAULT_OPUS_MODEL", // the model behind "opus"
  "ANTHROPIC_DEFAULT_OPUS_MODEL_NAME", // its label
  "ANTHROPIC_DEFAULT_OPUS_MODEL_DESCRIPTION", // its description
  "ANTHROPIC_DEFAULT_OPUS_MODEL_SUPPORTED_CAPABILITIES", // its capabilities
  "ANTHROPIC_DEFAULT_SONNET_MODEL", // the model behind "sonnet"
  "ANTHROPIC_DEFAULT_SONNET_MODEL_NAME", // its label
  "ANTHROPIC_DEFAULT_SONNET_MODEL_DESCRIPTION", // its description
  "ANTHROPIC_DEFAULT_SONNET_MODEL_SUPPORTED_CAPABILITIES", // its capabilities
];

/** Every provider variable known by name. A launch blanks those that the provider does not set. */
export const PROVIDER_VARIABLES: readonly string[] = [...CREDENTIALS, ...ROUTES, ...MODELS];

/** Not provider variables. All others with these prefixes are, including those that a future Claude Code may add. */
const EXCEPTIONS = [
  "ANTHROPIC_LOG", // how much the SDK logs
  "CLAUDE_CODE_USE_POWERSHELL_TOOL", // which shell the agent has
  "CLAUDE_CODE_USE_NATIVE_FILE_SEARCH", // how files are found
  "CLAUDE_CODE_USE_COWORK_PLUGINS", // which plugins are loaded
  "CLAUDE_CODE_USE_CCR_V2", // how a remote session is served
];

/**
 * Variables that `ccc use` blanks even if nothing sets them yet: a shell, an editor or a wrapper that sets one later would
 * send a key to the wrong server, or request a model that the provider does not have. A launch blanks all provider
 * variables; in the user's own file, the common ones are enough.
 */
export const ALWAYS_BLANK: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "exported in many shells; would be sent beside the provider's token",
  ANTHROPIC_AUTH_TOKEN: "another provider's token, from a shell profile",
  ANTHROPIC_CUSTOM_HEADERS: "a gateway's key, sent with every request",
  CLAUDE_CODE_OAUTH_TOKEN: "a subscription's token, exported for CI",
  ANTHROPIC_BASE_URL: "would send the provider's key elsewhere",
  CLAUDE_CODE_USE_BEDROCK: "would go to Amazon instead",
  CLAUDE_CODE_USE_VERTEX: "would go to Google instead",
  CLAUDE_CODE_USE_FOUNDRY: "would go to Azure instead",
  ANTHROPIC_MODEL: "a model of another provider's",
  ANTHROPIC_SMALL_FAST_MODEL: "the same, under its old name",
  ANTHROPIC_DEFAULT_OPUS_MODEL: 'a model of another provider\'s, behind "opus"',
  ANTHROPIC_DEFAULT_SONNET_MODEL: 'the same, behind "sonnet"',
  ANTHROPIC_DEFAULT_HAIKU_MODEL: 'the same, behind "haiku"',
  ANTHROPIC_DEFAULT_FABLE_MODEL: 'the same, behind "fable"',
  CLAUDE_CODE_SUBAGENT_MODEL: "the same, for delegated agents",
};

const BUN = "it changes what Bun programs do, Claude Code and ccc among them";
const NODE = "it loads code into Node programs";
const LOADER = "it loads code into every program";
const SHELL = "it runs code in every shell";
const LANGUAGE = "it loads code into other programs";
const GIT = "it runs code in git";

/** Variables that run code in claude, ccc or the agent's programs, by the reason. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  BUN_OPTIONS: BUN,
  BUN_BE_BUN: BUN,
  BUN_INSPECT: BUN,
  NODE_OPTIONS: NODE,
  NODE_PATH: NODE,
  NODE_REPL_EXTERNAL_MODULE: NODE,
  CLAUDE_CODE_SHELL_PREFIX: SHELL,
  BASH_ENV: SHELL,
  BASHOPTS: SHELL,
  ENV: SHELL,
  PROMPT_COMMAND: SHELL,
  SHELLOPTS: SHELL,
  ZDOTDIR: SHELL,
  PERL5OPT: LANGUAGE,
  RUBYOPT: LANGUAGE,
  PYTHONSTARTUP: LANGUAGE,
  JAVA_TOOL_OPTIONS: LANGUAGE,
  GIT_ASKPASS: GIT,
  GIT_EXEC_PATH: GIT,
  GIT_EXTERNAL_DIFF: GIT,
  GIT_PROXY_COMMAND: GIT,
  GIT_SSH: GIT,
  GIT_SSH_COMMAND: GIT,
};

const FORBIDDEN_PREFIXES: readonly (readonly [string, string])[] = [
  ["LD_", LOADER],
  ["DYLD_", LOADER],
  ["BUN_CONFIG_", BUN],
  ["BUN_INSPECT_", BUN],
  ["BASH_FUNC_", SHELL],
  ["GIT_CONFIG_", GIT],
  ["CCC_", "it controls ccc itself"],
];
