import { ANTHROPIC, customHeaders } from "./api-request.ts";
import { CLOUDS, isOn } from "./clouds.ts";

/** Where requests go and which credentials they carry, each with the setting that determines it. */
export interface Sent<T> {
  /** A base URL, or the name of a cloud service. */
  readonly to: string;
  readonly toFrom: T | undefined;
  readonly authorization: Credential<T> | undefined;
  readonly apiKey: Credential<T> | undefined;
}

export interface Credential<T> {
  readonly value: string;
  readonly from: T;
}

/** The settings in force: each value with where it comes from. */
export interface InForce<T> {
  readonly variable: (name: string) => Credential<T> | undefined;
  readonly helper: T | undefined;
  readonly storedKey: Credential<T> | undefined;
  readonly storedToken: Credential<T> | undefined;
}

/**
 * What Claude Code 2.1.325 sends, as measured. The bearer token is ANTHROPIC_AUTH_TOKEN, else the helper's key. x-api-key is
 * ANTHROPIC_API_KEY, else the helper's key, else a stored key, whatever the bearer token is. A subscription is used only
 * without ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY and helper, and then instead of a stored key. Custom headers override both.
 */
export function whatIsSent<T>({ variable, helper, storedKey, storedToken }: InForce<T>): Sent<T> {
  for (const cloud of CLOUDS) {
    const found = variable(cloud.variable);
    if (found !== undefined && isOn(found.value)) {
      return { to: cloud.service, toFrom: found.from, authorization: undefined, apiKey: undefined };
    }
  }
  const base = variable("ANTHROPIC_BASE_URL");
  const token = variable("ANTHROPIC_AUTH_TOKEN");
  const key = variable("ANTHROPIC_API_KEY");
  const helped = helper === undefined ? undefined : { value: "", from: helper };
  const isLogin = token === undefined && key === undefined && helped === undefined;
  const subscription = isLogin ? (variable("CLAUDE_CODE_OAUTH_TOKEN") ?? storedToken) : undefined;
  const custom = variable("ANTHROPIC_CUSTOM_HEADERS");
  return {
    to: base?.value ?? ANTHROPIC,
    toFrom: base?.from,
    authorization: header("authorization", custom) ?? token ?? helped ?? subscription,
    apiKey: header("x-api-key", custom) ?? key ?? helped ?? (subscription === undefined ? storedKey : undefined),
  };
}

function header<T>(name: string, custom: Credential<T> | undefined): Credential<T> | undefined {
  const value = customHeaders(custom?.value ?? "")[name];
  return custom === undefined || value === undefined ? undefined : { value, from: custom.from };
}
