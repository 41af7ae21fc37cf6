import type { ApiRequest } from "../../claude/api-request.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import type { Fetch } from "../../world.ts";
import type { Answer } from "./answer.ts";

const ENOUGH_CHARACTERS = 65_536;

/** Sends a request and reads the answer, or at least its beginning. Throws what fetch throws. */
export async function askServer(
  { url, headers, body }: Pick<ApiRequest, "url" | "headers"> & { readonly body?: string },
  env: Readonly<Record<string, string>>,
  fetch: Fetch,
  timeoutMs: number,
  longest = ENOUGH_CHARACTERS,
): Promise<Answer> {
  const proxy = proxyOf(env, url);
  const response = await fetch(url, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body }),
    // Following a redirect would send the key to a server that nobody chose.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    ...(proxy === undefined ? {} : { proxy }),
  });
  const location = response.headers.get("location") ?? "";
  return { status: response.status, location: shownBase(location), body: await beginning(response, longest) };
}

/** The base URL of a request, without secrets. */
export function shownBase(url: string): string {
  return withoutUrlSecrets(url.replace(/\/v1\/messages\?beta=true$/, "").replace(/[?#].*$/, ""));
}

/** A page may be huge, and a stream may never end. */
async function beginning(response: Response, longest: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= longest) break;
  }
  return text;
}

/** The provider's own proxy. fetch already uses the shell's. */
function proxyOf(env: Readonly<Record<string, string>>, url: string): string | undefined {
  const names = url.startsWith("https:") ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  return names.map((name) => env[name]).find((value) => value);
}
