import type { Json } from "../text/json.ts";
import { NEWEST_TESTED } from "./version.ts";

/** A request to the Messages API like Claude Code's, only smaller. */
export interface ApiRequest {
  readonly url: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Claude Code's default server. */
export const ANTHROPIC = "https://api.anthropic.com";

/** The smallest request that shows whether URL, key and model are right. */
export function apiRequest(env: Readonly<Record<string, string>>, model: string): ApiRequest {
  return messagesRequest(env, model, { max_tokens: 1, messages: [{ role: "user", content: "hi" }] });
}

/** A request with these fields beside the model. */
export function messagesRequest(
  env: Readonly<Record<string, string>>,
  model: string,
  fields: Json,
  features: readonly string[] = [],
): ApiRequest {
  const { ANTHROPIC_AUTH_TOKEN: token = "", ANTHROPIC_API_KEY: key = "" } = env;
  const betas = ["claude-code-20250219", ...features, env.ANTHROPIC_BETAS ?? ""].filter((name) => name !== "");
  return {
    url: `${(env.ANTHROPIC_BASE_URL || ANTHROPIC).replace(/\/$/, "")}/v1/messages?beta=true`,
    model,
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": betas.join(","),
      // Some servers offer their coding plans to Claude Code only.
      "user-agent": `claude-cli/${NEWEST_TESTED} (external, cli)`,
      "x-app": "cli",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(key === "" ? {} : { "x-api-key": key }),
      ...customHeaders(env.ANTHROPIC_CUSTOM_HEADERS ?? ""),
    },
    body: JSON.stringify({ model, ...fields }),
  };
}

/** The headers in ANTHROPIC_CUSTOM_HEADERS, with names in lower case. */
export function customHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    const name = at === -1 ? "" : line.slice(0, at).trim().toLowerCase();
    if (name !== "") headers[name] = line.slice(at + 1).trim();
  }
  return headers;
}
