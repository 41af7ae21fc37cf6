import { apiRequest } from "../../claude/api-request.ts";
import { cloudOf, isOn } from "../../claude/clouds.ts";
import { modelOf } from "../../claude/model.ts";
import type { Identity } from "../../providers/isolate.ts";
import { presetEnv } from "../../providers/preset-env.ts";
import { PRESETS } from "../../providers/presets.ts";
import { kindOf } from "../../providers/variables.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { secretsIn } from "../../text/redact.ts";
import type { Fetch } from "../../world.ts";
import type { Answer } from "./answer.ts";
import { classify } from "./classify.ts";
import { unreachable } from "./unreachable.ts";
import { invalid, unchecked, type Validation } from "./verdict.ts";

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
  const request = apiRequest(env, modelOf(env, presetModel(env.ANTHROPIC_BASE_URL)));
  const base = shownBase(request.url);
  try {
    const answer = await ask(request, fetch, timeoutMs, proxyOf(env, request.url));
    return classify(answer, { base, model: request.model, secrets: secretsIn(env) });
  } catch (error) {
    if (error instanceof Error && /invalid value/.test(error.message)) {
      return invalid(
        "configuration",
        "the key contains invalid characters, such as a line break or typographic quotes",
        "Copy the key again.",
      );
    }
    return unreachable(error, base, timeoutMs);
  }
}

async function ask(
  { url, headers, body }: ReturnType<typeof apiRequest>,
  fetch: Fetch,
  timeoutMs: number,
  proxy: string | undefined,
): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    // Following a redirect would send the key to a server that nobody chose.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    ...(proxy === undefined ? {} : { proxy }),
  });
  const location = response.headers.get("location") ?? "";
  return { status: response.status, location: shownBase(location), body: await beginning(response) };
}

const ENOUGH_CHARACTERS = 65_536;

/** A page may be huge, and a stream may never end. */
async function beginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= ENOUGH_CHARACTERS) break;
  }
  return text;
}

/** Variables that bypass the Messages API: a cloud, including clouds that ccc does not know yet, or a socket. */
function otherRoute(env: Identity["env"]): string | undefined {
  if (env.ANTHROPIC_UNIX_SOCKET) return "ANTHROPIC_UNIX_SOCKET";
  const isSwitch = (name: string) => name.startsWith("CLAUDE_CODE_USE_") && kindOf(name) !== undefined;
  return cloudOf(env)?.variable ?? Object.keys(env).find((name) => isSwitch(name) && isOn(env[name] ?? ""));
}

function presetModel(baseUrl: string | undefined): string | undefined {
  const preset = PRESETS.find((each) => each.baseUrl !== undefined && each.baseUrl === baseUrl);
  return preset === undefined ? undefined : modelOf(presetEnv(preset), undefined);
}

/** The provider's own proxy. fetch already uses the shell's. */
function proxyOf(env: Identity["env"], url: string): string | undefined {
  const names = url.startsWith("https:") ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  return names.map((name) => env[name]).find((value) => value);
}

function shownBase(url: string): string {
  return withoutUrlSecrets(url.replace(/\/v1\/messages\?beta=true$/, "").replace(/[?#].*$/, ""));
}
