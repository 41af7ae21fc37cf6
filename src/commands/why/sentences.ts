import { isReference } from "../../providers/references.ts";
import { HELPER } from "./collect-settings.ts";
import type { Explained, Requests, ShownCredential } from "./explain.ts";
import type { PlaceName } from "./place-name.ts";

/** Where requests go, and with which key. */
export function requestsSentence(
  { refused, to, to_from, authorization, x_api_key, same_key }: Requests,
  place: PlaceName,
): string {
  if (refused !== null) return `is not launched: ${refused}`;
  const isSame = [authorization, x_api_key].every((each) => each === null || each.source === to_from?.source);
  const decided = to_from === null || (isSame && (authorization ?? x_api_key) !== null);
  const where = `requests go to ${to}${decided ? "" : ` (${place(to_from)})`}`;
  const say = (each: ShownCredential) => `${called(each)} from ${place(each)}`;
  if (authorization !== null && x_api_key !== null) {
    if (same_key) return `${where} with ${say(authorization)}, in both headers`;
    return `${where} with two keys: ${say(authorization)}, as a bearer token, and ${say(x_api_key)}, as x-api-key`;
  }
  const one = authorization ?? x_api_key;
  if (one !== null) return `${where} with ${say(one)}`;
  return `${where}${to.includes("://") ? " without any key: it will ask you to log in" : " with that cloud's own credentials"}`;
}

/** Suggests `ccc migrate` if settings.json already has a provider. */
export function noProviderSentence(settings: readonly Explained[]): string {
  const isProvider = ({ name, kind, set }: Explained) =>
    kind !== "model" &&
    name !== HELPER &&
    set.some(({ source, value, by }) => source === "user" && value && by === null);
  const migrate = "; or, for the one that your user settings name, ccc migrate";
  return `no provider yet: ccc provider add${settings.some(isProvider) ? migrate : ""}`;
}

function called({ name, source, value }: ShownCredential): string {
  if (name === HELPER) return "the key that the apiKeyHelper prints";
  if (source === "login") return `the ${name}`;
  return isReference(value) ? `the key of ${value}` : `the key ${value}`;
}
