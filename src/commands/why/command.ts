import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import type { Settings } from "../../claude/accepted-settings.ts";
import { readClaudeState } from "../../claude/connection.ts";
import { readLayers } from "../../claude/layers.ts";
import { expandEnv } from "../../config/env.ts";
import { type LoadedConfig, loadConfig, NoProviders } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { folderPin, launchPins, otherProviderProblem } from "../../config/pins.ts";
import type { ProviderLaunch } from "../../providers/identity.ts";
import { isReference } from "../../providers/variables.ts";
import { sessionProviders } from "../../supervisor/record/resumed.ts";
import { createLog } from "../../terminal/dialog.ts";
import { prettyJson } from "../../text/json.ts";
import { columns, outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { currentLaunch, JSON_FLAG, PROVIDER_OR_CURRENT, requireProvider } from "../arguments.ts";
import { pinSentence } from "../pin.ts";
import { usePlaces, writtenByUse } from "../use/switch.ts";
import {
  type Block,
  type Effect,
  type Explained,
  type Explanation,
  explain,
  HELPER,
  type Requests,
  type SettingPlaces,
  type ShownCredential,
  type ShownSetting,
  type Source,
} from "./explain.ts";

const DESCRIPTION = `Show which key goes where, with ccc and with plain claude, and which file or variable decides it. It
sends nothing, changes nothing, and shows at most the end of a key.

JSON
  ${docsPage("providers.md#ccc-why")}`;

export function whyCommand(world: World) {
  return defineCommand({
    meta: {
      name: "why",
      description: DESCRIPTION,
    },
    args: {
      json: JSON_FLAG,
      provider: PROVIDER_OR_CURRENT,
    },
    run: ({ args }) => {
      const loaded = load(world, args.provider);
      const found = why(loaded, loaded && requireProvider(args.provider, loaded, world), world);
      const pin = loaded && (folderPin(loaded, world) ?? null);
      const sentence = pin ? `${wrap(pinSentence(pin), outputWidth(world))}\n\n` : "";
      const text = args.json ? prettyJson({ ...found, pin }) : sentence + renderExplanation(found, outputWidth(world));
      world.stdout(`${text.trimEnd()}\n`);
      const elsewhere =
        loaded && args.provider === undefined && !pin ? continuedElsewhere(loaded, found.provider, world) : "";
      if (elsewhere) createLog(world).info(elsewhere);
    },
  });
}

/** A notice if `ccc -c` would use another provider than the current one, because the last session here ran on it. */
function continuedElsewhere(loaded: LoadedConfig, current: string | null, world: World): string {
  const [provider, ...others] = sessionProviders(
    { session: undefined, skipsPrinted: true },
    loaded,
    cccPaths(world),
    world,
  ).providers;
  if (provider === undefined || provider === current || others.length > 0) return "";
  return `\`ccc -c\` uses ${provider} here, which the last session in this folder ran on. See ccc why ${provider}.`;
}

/** Without a provider, `ccc why` still explains plain claude. */
function load(world: World, named: string | undefined): LoadedConfig | null {
  try {
    return loadConfig(world);
  } catch (error) {
    if (error instanceof NoProviders && named === undefined) return null;
    throw error;
  }
}

function why(loaded: LoadedConfig | null, provider: string | null, world: World): Explanation {
  const own = loaded?.providers.get(provider ?? "") ?? {};
  const places: SettingPlaces = {
    env: world.env,
    layers: readLayers(world.files, world),
    logins: readClaudeState(world.files, world).logins,
    ccc: {
      path: loaded?.path ?? "",
      shared: block(loaded?.config.settings ?? {}, world),
      own: block(own, world),
    },
    use: writtenByUse(usePlaces(world)),
  };
  const launch = loaded && provider !== null ? currentLaunch(world, loaded, provider) : null;
  return explain(places, loaded && launch && withPins(launch, loaded, world));
}

function withPins(launch: ProviderLaunch, loaded: LoadedConfig, world: World): ProviderLaunch {
  const pins = launchPins(loaded.config.claude_args ?? [], loaded, world);
  return { ...launch, problem: launch.problem ?? otherProviderProblem(launch.provider, pins) };
}

/** Expands ${NAME} one variable at a time: what cannot be expanded stays as written. */
function block({ env, apiKeyHelper }: Settings, world: World): Block {
  const expanded: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(env ?? {})) {
    try {
      Object.assign(expanded, expandEnv({ [name]: value }, world.env, ""));
    } catch {
      expanded[name] = value;
    }
  }
  return { env: expanded, apiKeyHelper };
}

/** An explanation as text: first where the keys go, then the settings that compete. */
function renderExplanation({ provider, ccc, claude, settings }: Explanation, width: number): string {
  const place = placeName(provider);
  const isElsewhere = ({ source, value }: ShownSetting) => source !== "provider" && value !== "";
  const contested = settings.filter(({ set }) => set.some(isElsewhere));
  const rest = settings.filter((each) => !contested.includes(each));
  const sentences = [
    ccc === null ? `ccc: ${noProviderSentence(settings)}` : `ccc ${provider}: ${requestsSentence(ccc, place)}`,
    `claude: ${requestsSentence(claude, place)}`,
  ];
  const nothing = `Nothing${provider === null ? "" : " else"} sets a key, an address or a model.`;
  const paragraphs = [
    ...sentences.map((each) => wrap(each, width)),
    ...contested.map((each) => settingTable(each, provider, place, width)),
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

/** Where requests go, and with which key. */
function requestsSentence(
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
function noProviderSentence(settings: readonly Explained[]): string {
  const isProvider = ({ name, kind, set }: Explained) =>
    kind !== "model" &&
    name !== HELPER &&
    set.some(({ source, value, by }) => source === "user" && value && by === null);
  const migrate = "; to use the one in your user settings: ccc migrate";
  return `no provider yet. To add one: ccc provider add${settings.some(isProvider) ? migrate : ""}`;
}

function called({ name, source, value }: ShownCredential): string {
  if (name === HELPER) return "the key that the apiKeyHelper prints";
  if (source === "login") return `the ${name}`;
  return isReference(value) ? `the key of ${value}` : `the key ${value}`;
}

/** Every place that sets one name, and the effect of each. */
function settingTable({ name, set }: Explained, provider: string | null, place: PlaceName, width: number): string {
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

/** With less room for the value column, rows become sentences instead of a table. */
const LEAST_VALUE = 8;

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

/** Where a setting comes from, in words. */
type PlaceName = (of: { readonly source: Source; readonly by: string | null }) => string;

function placeName(provider: string | null): PlaceName {
  return ({ source, by }) => `${NAMES[source].replace("*", provider ?? "")}${by === null ? "" : ` (by ccc use ${by})`}`;
}

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
