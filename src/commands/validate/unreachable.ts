import { errno } from "../../errors.ts";
import { PRESETS } from "../../providers/presets.ts";
import { USAGE_SOURCES, usageUrl } from "../../providers/usage/usage-sources.ts";
import { invalid, type Validation } from "./validation.ts";

/** Explains an error of fetch. Its own message is not shown, because it may contain secrets of the URL. */
export function unreachable(error: unknown, base: string, timeoutMs: number): Validation {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return failed(`did not answer within ${timeoutMs / 1000} seconds`, "Try again, or allow more time: --timeout 60");
  }
  const code = errno(error) ?? "";
  if (code === "ECONNREFUSED") {
    return failed(
      "refuses the connection: nothing is listening there",
      isWellKnown(base)
        ? CONNECTION
        : "Start that server, or fix the address or port. If HTTPS_PROXY is set, the proxy may be the one that is down.",
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code.startsWith("DNS")) {
    return failed("cannot be found (DNS)", isWellKnown(base) ? CONNECTION : "Check the spelling and your connection.");
  }
  if (code.startsWith("ERR_PROXY")) {
    return failed("is blocked by the proxy", "Fix HTTPS_PROXY, or set NO_PROXY to the name of that server.");
  }
  if (code === "EPROTO") {
    return failed("does not speak TLS", "Check the port, and whether the address should begin with http://");
  }
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE/.test(code)) {
    return failed(
      `has an untrusted certificate (${code})`,
      "Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate. Otherwise do not use this address.",
    );
  }
  if (code === "ECONNRESET") {
    return failed(
      "closed the connection without an answer",
      isWellKnown(base) ? CONNECTION : "Check the port and your proxy.",
    );
  }
  const advice = isWellKnown(base) ? CONNECTION : "Check the address and your connection.";
  return failed(`could not be reached${code === "" ? "" : ` (${code})`}`, advice);

  function failed(what: string, advice: string): Validation {
    return invalid("unreachable", `${base} ${what}`, advice);
  }
}

const CONNECTION = "Check your connection. If HTTPS_PROXY is set, the proxy may be the one that is down.";

/** Whether the address is that of a preset, so that a typo is not the reason. */
function isWellKnown(base: string): boolean {
  const known = [...PRESETS.map(({ baseUrl = "" }) => baseUrl), ...USAGE_SOURCES.map(usageUrl)];
  const origin = URL.parse(base)?.origin;
  return known.some((url) => url.startsWith("https:") && URL.parse(url)?.origin === origin);
}
