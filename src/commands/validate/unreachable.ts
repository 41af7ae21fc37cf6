import { errno } from "../../errors.ts";
import { invalid, type Validation } from "./verdict.ts";

/** Why no answer came, from what fetch throws. Its own words may hold the address and are not shown. */
export function unreachable(error: unknown, base: string, timeoutMs: number): Validation {
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return failed(`did not answer within ${timeoutMs / 1000} seconds`, "Try again, or give it more: --timeout 60");
  }
  const code = errno(error) ?? "";
  if (code === "ECONNREFUSED") {
    return failed(
      "refuses the connection: nothing listens there",
      "Start that server, or correct address and port. Where HTTPS_PROXY is set, it may be the proxy that is not there.",
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code.startsWith("DNS")) {
    return failed("cannot be found (DNS)", "Check the spelling, and whether you are online.");
  }
  if (code.startsWith("ERR_PROXY")) {
    return failed("is not let through by the proxy", "Correct HTTPS_PROXY, or set NO_PROXY to that server's name.");
  }
  if (code === "EPROTO") {
    return failed("does not speak TLS there", "Check the port, and whether it is http:// rather than https://");
  }
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE/.test(code)) {
    return failed(
      `shows a certificate that is not trusted (${code})`,
      "Behind a company's proxy set NODE_EXTRA_CA_CERTS to its certificate. Otherwise do not use this address.",
    );
  }
  if (code === "ECONNRESET") {
    return failed("closed the connection without an answer", "Check the port, and a proxy in between.");
  }
  return failed(`could not be reached${code === "" ? "" : ` (${code})`}`, "Check the address and your connection.");

  function failed(what: string, advice: string): Validation {
    return invalid("unreachable", `${base} ${what}`, advice);
  }
}
