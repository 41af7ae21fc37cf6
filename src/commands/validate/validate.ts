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
 * Whether a provider works, by one small request of the kind that Claude Code makes. `identity` holds its keys: neither
 * references nor a key helper are asked here.
 */
export async function validateProvider({ env }: Identity, fetch: Fetch, timeoutMs = TIMEOUT_MS): Promise<Validation> {
  const other = otherRoute(env);
  if (other !== undefined)
    return unchecked("other_route", `not checked: ${other} is set, and Claude Code takes another way`);
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
        "the key holds characters that no key has: a line break, quotation marks from a web page",
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
    // A redirect would take the key along to a place that nobody chose.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    ...(proxy === undefined ? {} : { proxy }),
  });
  const location = response.headers.get("location") ?? "";
  return { status: response.status, location: shownBase(location), body: await beginning(response) };
}

const ENOUGH = 65_536;

/** A page may be of any length, and a stream need not end. */
async function beginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= ENOUGH) break;
  }
  return text;
}

/** Ways past the Messages API: a cloud's own interface, one that ccc does not know yet among them, or a socket. */
function otherRoute(env: Identity["env"]): string | undefined {
  if (env.ANTHROPIC_UNIX_SOCKET) return "ANTHROPIC_UNIX_SOCKET";
  const isSwitch = (name: string) => name.startsWith("CLAUDE_CODE_USE_") && kindOf(name) !== undefined;
  return cloudOf(env)?.variable ?? Object.keys(env).find((name) => isSwitch(name) && isOn(env[name] ?? ""));
}

function presetModel(baseUrl: string | undefined): string | undefined {
  const preset = PRESETS.find((each) => each.baseUrl !== undefined && each.baseUrl === baseUrl);
  return preset === undefined ? undefined : modelOf(presetEnv(preset), undefined);
}

/** Only a proxy of the provider's own: that of the shell is honoured anyway. */
function proxyOf(env: Identity["env"], url: string): string | undefined {
  const names = url.startsWith("https:") ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  return names.map((name) => env[name]).find((value) => value);
}

function shownBase(url: string): string {
  return withoutUrlSecrets(url.replace(/\/v1\/messages\?beta=true$/, "").replace(/[?#].*$/, ""));
}
