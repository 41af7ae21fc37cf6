import { isReference } from "../../providers/reference-kinds.ts";
import { columns, wrap } from "../../text/table.ts";
import type { Explained, Explanation, Requests, ShownCredential, ShownSetting } from "./explain.ts";
import type { Effect } from "./result.ts";
import { HELPER, type Source } from "./settings.ts";

/** An explanation as text: first where the keys go, then the settings that compete. */
export function renderExplanation({ provider, ccc, claude, settings }: Explanation, width: number): string {
  const place: PlaceName = ({ source, by }) =>
    `${NAMES[source].replace("*", provider ?? "")}${by === null ? "" : ` (by ccc use ${by})`}`;
  const isElsewhere = ({ source, value }: ShownSetting) => source !== "provider" && value !== "";
  const contested = settings.filter(({ set }) => set.some(isElsewhere));
  const rest = settings.filter((each) => !contested.includes(each));
  const sentences = [
    ccc === null ? `ccc: ${noProvider(settings)}` : `ccc ${provider}: ${sentence(ccc, place)}`,
    `claude: ${sentence(claude, place)}`,
  ];
  const nothing = `Nothing${provider === null ? "" : " else"} sets a key, an address or a model.`;
  const paragraphs = [
    ...sentences.map((each) => wrap(each, width)),
    ...contested.map((each) => block(each, provider, place, width)),
    [...(contested.length === 0 ? [nothing] : alone(rest, place)), ...blanks(rest, place)]
      .map((line) => wrap(line, width))
      .join("\n"),
    files(contested, place, width),
  ];
  return `${paragraphs
    .filter((text) => text !== "")
    .map((text) => text.trimEnd())
    .join("\n\n")}\n`;
}

type PlaceName = (of: { readonly source: Source; readonly by: string | null }) => string;

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

/** Suggests `ccc migrate` if settings.json already has a provider. */
function noProvider(settings: readonly Explained[]): string {
  const isProvider = ({ name, kind, set }: Explained) =>
    kind !== "model" &&
    name !== HELPER &&
    set.some(({ source, value, by }) => source === "user" && value && by === null);
  const migrate = "; or, for the one that your user settings name, ccc migrate";
  return `no provider yet: ccc provider add${settings.some(isProvider) ? migrate : ""}`;
}

function sentence({ refused, to, to_from, authorization, x_api_key, same_key }: Requests, place: PlaceName): string {
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

function called({ name, source, value }: ShownCredential): string {
  if (name === HELPER) return "the key that the apiKeyHelper prints";
  if (source === "login") return `the ${name}`;
  return isReference(value) ? `the key of ${value}` : `the key ${value}`;
}

/** With less room for the value column, rows become sentences instead of a table. */
const LEAST_VALUE = 8;

function block({ name, set }: Explained, provider: string | null, place: PlaceName, width: number): string {
  const rows = [
    ["  set in", "value", ...(provider === null ? [] : [`ccc ${provider}`]), "claude"],
    ...set.map((each) => [
      `  ${place(each)}`,
      each.value || "(empty)",
      ...(each.ccc === null ? [] : [said(each.ccc, each.value)]),
      said(each.claude, each.value),
    ]),
  ];
  const others = rows[0]?.map((_, column) => column).filter((column) => column !== 1) ?? [];
  const taken = others.map((column) => Math.max(...rows.map((row) => 2 + Bun.stringWidth(row[column] ?? ""))));
  const room = width - taken.reduce((sum, each) => sum + each);
  if (room < LEAST_VALUE) return [name, ...set.flatMap((each) => inLines(each, provider, place, width))].join("\n");
  const shortened = rows.map((row) => row.map((cell, column) => (column === 1 ? cut(cell, room) : cell)));
  return `${name}\n${columns(shortened, width)}`;
}

/** A row of the table as sentences. */
function inLines(each: ShownSetting, provider: string | null, place: PlaceName, width: number): string[] {
  const { value, ccc, claude } = each;
  const effects = [...(ccc === null ? [] : [`ccc ${provider}: ${said(ccc, value)}`]), `claude: ${said(claude, value)}`];
  return [`  ${place(each)}: ${cut(value || "(empty)", width - 4)}`, `    ${effects.join("; ")}`].map((line) =>
    wrap(line, width),
  );
}

/** An empty value sets nothing, but cancels weaker ones. */
function said({ used, why }: Effect, value: string): string {
  if (value === "") return used ? "cancels the others" : "no effect";
  return used ? "used" : why;
}

/** Shortens a value; drops the scheme of a URL first. */
function cut(text: string, room: number): string {
  const line = text.replaceAll(/\s+/g, " ");
  const short = line.length <= room ? line : line.replace(/^https?:\/\//, "");
  return short.length <= room ? short : `${short.slice(0, room - 1)}…`;
}

function alone(rest: readonly Explained[], place: PlaceName): string[] {
  const names = rest.filter(({ set }) => set.some(({ value }) => value !== "")).map(({ name }) => name);
  return names.length === 0 ? [] : [`Set only in ${place({ source: "provider", by: null })}: ${names.join(", ")}`];
}

/** Variables that are deliberately set to an empty value. */
function blanks(rest: readonly Explained[], place: PlaceName): string[] {
  const blank = rest.flatMap(({ name, set }) => set.flatMap((each) => (each.value === "" ? [{ ...each, name }] : [])));
  const where = (each: ShownSetting) =>
    each.by === null ? `Blank in ${place(each)}` : `Blanked by ccc use ${each.by}`;
  return [...Map.groupBy(blank, where)].map(([label, same]) => `${label}: ${same.map(({ name }) => name).join(", ")}`);
}

/** The paths of the files named above. */
function files(settings: readonly Explained[], place: PlaceName, width: number): string {
  const named = settings.flatMap(({ set }) =>
    set.map(({ path, source }) => [path, place({ source, by: null }).replace(/^ccc\.json .*/, "ccc.json")] as const),
  );
  const paths = new Map(named);
  paths.delete("");
  return columns(
    [...paths].map(([path, name]) => [name, path]),
    width,
  );
}
