import { columns } from "../io/table.ts";
import { isReference } from "../providers/references.ts";
import type { Explained, Explanation, Requests, ShownCredential } from "./explain.ts";
import type { Outcome } from "./result.ts";
import { HELPER, type Source } from "./settings.ts";

/** An explanation as text: first where the keys go, then who else had a say. */
export function renderExplanation({ provider, ccc, claude, settings }: Explanation, width: number): string {
  const place = (source: Source) => NAMES[source].replace("*", provider);
  const contested = settings.filter(({ set }) => set.some(({ source }) => source !== "provider"));
  const rest = settings.filter((each) => !contested.includes(each));
  const paragraphs = [
    wrap(`ccc ${provider}: ${sentence(ccc, place)}`, width),
    wrap(`claude: ${sentence(claude, place)}`, width),
    ...contested.map((each) => block(each, provider, place, width)),
    wrap(contested.length === 0 ? "Nothing else sets a key, an address or a model." : alone(rest, place), width),
    files(contested, place),
  ];
  return paragraphs.filter((text) => text !== "").join("\n");
}

type PlaceName = (source: Source) => string;

const NAMES: Readonly<Record<Source, string>> = {
  shell: "your shell",
  user: "user settings",
  project: "project settings",
  local: "local settings",
  managed: "managed policy",
  login: "a login",
  shared: "ccc.json settings",
  provider: "ccc.json providers.*",
};

function sentence({ refused, to, to_from, authorization, x_api_key }: Requests, place: PlaceName): string {
  if (refused !== null) return `is not launched: ${refused}`;
  const isSame = [authorization, x_api_key].every((each) => each === null || each.source === to_from?.source);
  const decided = to_from === null || (isSame && (authorization ?? x_api_key) !== null);
  return `requests go to ${to}${decided ? "" : ` (${place(to_from.source)})`}${keys(authorization, x_api_key, to, place)}`;
}

function keys(token: ShownCredential | null, key: ShownCredential | null, to: string, place: PlaceName): string {
  const say = (each: ShownCredential) => `${called(each)} from ${place(each.source)}`;
  if (token !== null && key !== null && (token.name !== key.name || token.source !== key.source)) {
    return ` with two keys: ${say(token)}, as a bearer token, and ${say(key)}, as x-api-key`;
  }
  const one = token ?? key;
  if (one !== null) return ` with ${say(one)}`;
  return to.includes("://") ? " without any key: it will ask you to log in" : " with that cloud's own credentials";
}

function called({ name, source, value }: ShownCredential): string {
  if (name === HELPER) return "the key that the apiKeyHelper prints";
  if (source === "login") return `the ${name}`;
  return isReference(value) ? `the key of ${value}` : `the key ${value}`;
}

const LEAST_VALUE = 8;

function block({ name, set }: Explained, provider: string, place: PlaceName, width: number): string {
  const rows = [
    ["  set in", "value", `ccc ${provider}`, "claude"],
    ...set.map(({ source, value, ccc, claude }) => [`  ${place(source)}`, value || "(empty)", said(ccc), said(claude)]),
  ];
  const taken = [0, 2, 3].map((column) => Math.max(...rows.map((row) => 2 + Bun.stringWidth(row[column] ?? ""))));
  const room = Math.max(LEAST_VALUE, width - taken.reduce((sum, each) => sum + each));
  return `${name}\n${columns(rows.map((row) => row.map((cell, column) => (column === 1 ? cut(cell, room) : cell))))}`;
}

function said({ used, why }: Outcome): string {
  return used ? "used" : why;
}

/** The beginning of a URL says least. */
function cut(text: string, room: number): string {
  const line = text.replaceAll(/\s+/g, " ");
  const short = line.length <= room ? line : line.replace(/^https?:\/\//, "");
  return short.length <= room ? short : `${short.slice(0, room - 1)}…`;
}

function alone(rest: readonly Explained[], place: PlaceName): string {
  if (rest.length === 0) return "";
  return `Set only in ${place("provider")}: ${rest.map(({ name }) => name).join(", ")}`;
}

/** Which files are meant. */
function files(settings: readonly Explained[], place: PlaceName): string {
  const paths = new Map(settings.flatMap(({ set }) => set.map(({ path, source }) => [path, place(source)] as const)));
  paths.delete("");
  return columns([...paths].map(([path, name]) => [name.replace(/^ccc\.json .*/, "ccc.json"), path]));
}

/** Lines that follow the first stand in. */
function wrap(text: string, width: number): string {
  if (text === "") return "";
  const lines = width === Number.POSITIVE_INFINITY ? text : Bun.wrapAnsi(text, width - 2);
  return `${lines.replaceAll("\n", "\n  ")}\n`;
}
