import { apiRequest } from "../../claude/api-request.ts";
import { cloudOf, isOn } from "../../claude/clouds.ts";
import { modelOf } from "../../claude/model.ts";
import type { Identity } from "../../providers/isolate.ts";
import { presetEnv } from "../../providers/preset-env.ts";
import { PRESETS } from "../../providers/presets.ts";
import { kindOf } from "../../providers/variables.ts";
import { secretsIn } from "../../text/redact.ts";
import type { Fetch } from "../../world.ts";
import { askServer, shownBase } from "./ask-server.ts";
import { classify } from "./classify.ts";
import { unreachable } from "./unreachable.ts";
import { invalid, unchecked, type Validation } from "./validation.ts";

export const TIMEOUT_MS = 15_000;

/**
 * Tests a provider with one small request like Claude Code's. References and key helpers must be resolved before.
 */
export async function validateProvider({ env }: Identity, fetch: Fetch, timeoutMs = TIMEOUT_MS): Promise<Validation> {
  const other = otherRoute(env);
  if (other !== undefined) return unchecked("other_route", `not checked: with ${other} Claude Code uses another API`);
  if (!env.ANTHROPIC_AUTH_TOKEN && !env.ANTHROPIC_API_KEY) {
    return unchecked("uses_login", "not checked: uses your Claude login");
  }
  const request = apiRequest(env, testedModel(env));
  const base = shownBase(request.url);
  try {
    const answer = await askServer(request, env, fetch, timeoutMs);
    return classify(answer, { base, model: request.model, secrets: secretsIn(env) });
  } catch (error) {
    return noAnswer(error, base, timeoutMs);
  }
}

/** The main model of a provider. */
export function testedModel(env: Identity["env"]): string {
  return modelOf(env, presetModel(env.ANTHROPIC_BASE_URL));
}

/** Why a request had no answer. */
export function noAnswer(error: unknown, base: string, timeoutMs: number): Validation {
  if (error instanceof Error && /invalid value/.test(error.message)) {
    return invalid(
      "configuration",
      "the key contains invalid characters, such as a line break or typographic quotes",
      "Copy the key again.",
    );
  }
  return unreachable(error, base, timeoutMs);
}

/** Variables that bypass the Messages API: a cloud, including clouds that ccc does not know yet, or a socket. */
export function otherRoute(env: Identity["env"]): string | undefined {
  if (env.ANTHROPIC_UNIX_SOCKET) return "ANTHROPIC_UNIX_SOCKET";
  const isSwitch = (name: string) => name.startsWith("CLAUDE_CODE_USE_") && kindOf(name) !== undefined;
  return cloudOf(env)?.variable ?? Object.keys(env).find((name) => isSwitch(name) && isOn(env[name] ?? ""));
}

function presetModel(baseUrl: string | undefined): string | undefined {
  const preset = PRESETS.find((each) => each.baseUrl !== undefined && each.baseUrl === baseUrl);
  return preset === undefined ? undefined : modelOf(presetEnv(preset), undefined);
}
