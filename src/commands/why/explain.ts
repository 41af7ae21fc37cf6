import { type Credential, type InForce, type Sent, whatIsSent } from "../../claude/api.ts";
import type { Logins } from "../../claude/connection.ts";
import type { Layers } from "../../claude/layers.ts";
import type { Identity, ProviderLaunch } from "../../providers/identity.ts";
import { shownReference } from "../../providers/show.ts";
import { isReference, KEYS, type Kind, kindOf, MANAGED_BY_HOST, TOKENS } from "../../providers/variables.ts";
import { createRedactor, MASK, maskSecret, withoutUrlSecrets } from "../../text/redact.ts";
import type { Env } from "../../world.ts";
import type { UseSettings } from "../use/switch.ts";

/** Which key goes where, and what decides it. `--json` prints it; no value in it is secret. */
export interface Explanation {
  /** Null if there is none yet; `ccc` is null then, too. */
  readonly provider: string | null;
  /** Requests of `ccc <provider>`. */
  readonly ccc: Requests | null;
  /** Requests of plain `claude`. */
  readonly claude: Requests;
  readonly settings: readonly Explained[];
}

export interface Requests {
  /** Why the launch would be refused, or null. */
  readonly refused: string | null;
  /** The URL of the server, or the name of a cloud. */
  readonly to: string;
  readonly to_from: Origin | null;
  readonly authorization: ShownCredential | null;
  readonly x_api_key: ShownCredential | null;
  /** Whether both headers carry the same key. */
  readonly same_key: boolean;
}

interface Origin {
  readonly name: string;
  readonly source: Source;
  /** The provider for which `ccc use` wrote it, or null. */
  readonly by: string | null;
}

export interface ShownCredential extends Origin {
  readonly value: string;
}

/** One name, and every place that sets it, the weakest first. */
export interface Explained {
  readonly name: string;
  readonly kind: Kind;
  readonly set: readonly ShownSetting[];
}

export interface ShownSetting {
  readonly source: Source;
  readonly path: string;
  readonly value: string;
  readonly by: string | null;
  readonly ccc: Effect | null;
  readonly claude: Effect;
}

/** Every place that may set a key, an address or a model. */
export interface SettingPlaces {
  readonly env: Env;
  readonly layers: Layers;
  readonly logins: Logins;
  /** ccc.json: shared settings, and the provider's own. */
  readonly ccc: { readonly path: string; readonly shared: Block; readonly own: Block };
  /** What `ccc use` wrote into the user's settings, if it is in use. */
  readonly use: UseSettings | undefined;
}

export interface Block {
  readonly env: Readonly<Record<string, unknown>>;
  readonly apiKeyHelper: unknown;
}

/** Explains what plain claude, and a launch if there is a provider, do with the settings of all these places. */
export function explain(places: SettingPlaces, planned: ProviderLaunch | null): Explanation {
  const all = collectSettings(places);
  const launch = planned && explainLaunch(all, planned);
  const refused = planned?.problem?.message ?? null;
  const plain = explainPlain(all);
  const secrets = all.filter(isSecret).map(({ value }) => value);
  const describe = (setting: Setting): ShownSetting => ({
    source: setting.source,
    path: setting.path,
    value: isSecret(setting) ? shown(setting) : createRedactor(secrets).text(shown(setting)),
    by: setting.by,
    ccc: launch && (refused === null ? launch.effect(setting) : lost("not launched")),
    claude: plain.effect(setting),
  });
  const settings = [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) => ({
    name,
    kind: same[0]?.kind ?? "credential",
    set: same.map(describe),
  }));
  return {
    provider: planned?.provider ?? null,
    ccc: launch && requests(launch.sent, refused, secrets),
    claude: requests(plain.sent, null, secrets),
    settings: settings.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1)),
  };
}

const KINDS: readonly Kind[] = ["credential", "route", "model"];

function requests(sent: Sent<Setting>, refused: string | null, secrets: readonly string[]): Requests {
  return {
    refused,
    to: createRedactor(secrets).text(sent.to),
    to_from: sent.toFrom === undefined ? null : origin(sent.toFrom),
    authorization: refused === null ? credential(sent.authorization) : null,
    x_api_key: refused === null ? credential(sent.apiKey) : null,
    same_key: refused === null && isSameKey(sent),
  };
}

/** The output of a helper is unknown, but it is the same in both headers. */
function isSameKey({ authorization, apiKey }: Sent<Setting>): boolean {
  if (authorization === undefined || apiKey === undefined) return false;
  const token = authorization.value.replace(/^Bearer +/i, "");
  return token === apiKey.value && (token !== "" || authorization.from === apiKey.from);
}

function credential(found: Credential<Setting> | undefined): ShownCredential | null {
  if (found === undefined) return null;
  const isWhole = found.value === "" || found.value === found.from.value;
  // A custom header is only a part of its setting. A helper is not run for this, so its output is unknown.
  return { ...origin(found.from), value: isWhole ? shown(found.from) : maskSecret(found.value) };
}

function origin({ name, source, by }: Setting): Origin {
  return { name, source, by };
}

function shown(setting: Setting): string {
  const { name, value } = setting;
  if (value === "") return "";
  if (name === HELPER) return "a command";
  if (name === STORED_LOGIN) return "a subscription";
  if (name === BODY) return MASK;
  if (isReference(value)) return shownReference(value);
  return isSecret(setting) ? maskSecret(value) : withoutUrlSecrets(value);
}

/** A reference is not secret: it only says where the key is. The extra request body may contain a key. */
function isSecret({ name, kind, value }: Setting): boolean {
  return (kind === "credential" && !isReference(value)) || name === BODY;
}

/** Where a setting comes from. For plain claude, from shell to managed, the later wins. */
export type Source = "shell" | "user" | "project" | "local" | "managed" | "login" | "shared" | "provider";

interface Setting {
  /** A variable, or one of the names below. */
  readonly name: string;
  readonly kind: Kind;
  readonly source: Source;
  /** The file, empty for the shell. */
  readonly path: string;
  readonly value: string;
  /** The provider for which `ccc use` wrote it; null if something else did. */
  readonly by: string | null;
}

export const HELPER = "apiKeyHelper";

const BODY = "CLAUDE_CODE_EXTRA_BODY";

const STORED_KEY = "stored API key";

const STORED_LOGIN = "stored login";

/** All provider settings from all places, the weakest first. */
function collectSettings({ env, layers, logins, ccc, use }: SettingPlaces): Setting[] {
  const shell = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  return [
    ...fromBlock({ env: shell, apiKeyHelper: undefined }, "shell", ""),
    ...layers.settings
      .flatMap((layer) => fromBlock(layer, layer.scope, layer.path))
      .map((each) => (each.source === "user" ? { ...each, by: writtenFor(each, use) } : each)),
    ...layers.managed.flatMap((layer) => fromBlock(layer, layer.scope, layer.path)),
    ...fromLogin(STORED_KEY, logins.key, logins.keyPath),
    ...fromLogin(STORED_LOGIN, logins.token, logins.tokenPath),
    ...fromBlock(ccc.shared, "shared", ccc.path),
    ...fromBlock(ccc.own, "provider", ccc.path),
  ];
}

function fromBlock({ env, apiKeyHelper }: Block, source: Source, path: string): Setting[] {
  const settings: Setting[] = [];
  for (const [name, value] of Object.entries(env)) {
    const kind = kindOf(name);
    if (kind !== undefined) settings.push({ name, kind, source, path, value: String(value), by: null });
  }
  if (typeof apiKeyHelper === "string") {
    settings.push({ name: HELPER, kind: "credential", source, path, value: apiKeyHelper, by: null });
  }
  return settings;
}

function fromLogin(name: string, value: string | undefined, path: string): Setting[] {
  return value === undefined ? [] : [{ name, kind: "credential", source: "login", path, value, by: null }];
}

/** Only while the value is still the one that `ccc use` wrote. */
function writtenFor({ name, value }: Setting, use: UseSettings | undefined): string | null {
  const written = name === HELPER ? use?.apiKeyHelper : use?.env[name];
  return use !== undefined && written === value ? use.provider : null;
}

/** How one way of starting Claude Code uses the settings. */
interface SettingEffects {
  readonly sent: Sent<Setting>;
  readonly effect: (setting: Setting) => Effect;
}

/** Whether a setting is used, and if not, why. */
export interface Effect {
  readonly used: boolean;
  readonly why: string;
}

/** Which setting decides each value that Claude Code gets from a launch, and which settings are kept out. */
function explainLaunch(all: readonly Setting[], launch: ProviderLaunch): SettingEffects {
  const policy = all.filter(({ source, value }) => source === "managed" && value !== "");
  const logins = launch.usesLogin ? all.filter(({ source }) => source === "login") : [];
  const winners = byName([...settingsBehind(launch.configured, all), ...policy, ...logins]);
  const sent = whatIsSent(inForce(withKeyCommand(winners, launch)));
  return { sent, effect };

  function effect(setting: Setting): Effect {
    const winner = winners.get(setting.name);
    if (winner === setting) return finalEffect(setting, sent);
    if (setting.source === "login") return lost("kept out by ccc");
    if (winner?.source === "managed") return lost("the policy wins");
    if (setting.source === "shared") return lost(`${launch.provider}'s own wins`);
    return lost(winner?.value ? "replaced by ccc" : "blanked by ccc");
  }
}

/** The settings in ccc.json that an identity was made of. */
function settingsBehind({ env, apiKeyHelper }: Identity, all: readonly Setting[]): Setting[] {
  const own = all.filter(({ source }) => source === "provider");
  const written = [...own, ...all.filter(({ source }) => source === "shared")];
  const origin = (name: string, value: string) => written.find((each) => each.name === name && each.value === value);
  // Where a ${NAME} is not set, the identity holds every value as written, and the settings do not.
  const found = Object.entries(env).map(
    ([name, value]) => origin(name, value) ?? written.find((each) => each.name === name),
  );
  return [...found, origin(HELPER, apiKeyHelper)].filter((each) => each !== undefined);
}

function byName(settings: readonly Setting[]): ReadonlyMap<string, Setting> {
  return new Map(settings.map((each) => [each.name, each]));
}

/** Claude Code does not get the key: it runs a key helper, which prints the token or, without one, the API key. */
function withKeyCommand(winners: ReadonlyMap<string, Setting>, { asksForKey }: ProviderLaunch) {
  const [token, key] = TOKENS.map((name) => winners.get(name)).map((each) => (each?.value ? each : undefined));
  const origin = token ?? key;
  if (!asksForKey || origin === undefined) return winners;
  const keyed = new Map(winners);
  keyed.delete("ANTHROPIC_AUTH_TOKEN");
  if (key?.value === origin.value) keyed.delete("ANTHROPIC_API_KEY");
  return keyed.set(HELPER, origin);
}

/** How plain `claude` uses the settings. */
function explainPlain(all: readonly Setting[]): SettingEffects {
  const isOurs = ({ source }: Setting) => source === "shared" || source === "provider";
  // If a host such as ccc manages the provider, only the environment counts.
  const isHosted = all.some(({ name, source }) => name === MANAGED_BY_HOST && source === "shell");
  const read = all.filter((each) => (isHosted ? each.source === "shell" : !isOurs(each)));
  const winners = byName(read);
  const sent = whatIsSent(inForce(winners));
  return {
    sent,
    effect: (setting) => {
      if (isOurs(setting)) return lost("not read");
      const winner = winners.get(setting.name);
      if (winner === setting) return finalEffect(setting, sent);
      return lost(winner === undefined ? "your shell decides" : (WINS[winner.source] ?? ""));
    },
  };
}

const WINS: Readonly<Partial<Record<Source, string>>> = {
  shell: "your shell decides",
  user: "user settings win",
  project: "project settings win",
  local: "local settings win",
  managed: "the policy wins",
};

const USED: Effect = { used: true, why: "" };

function lost(why: string): Effect {
  return { used: false, why };
}

/** Looks settings up by name, as Claude Code does. A blank one counts as not set. */
function inForce(winners: ReadonlyMap<string, Setting>): InForce<Setting> {
  const find = (name: string) => {
    const from = winners.get(name);
    return from === undefined || from.value === "" ? undefined : { value: from.value, from };
  };
  return {
    variable: find,
    helper: find(HELPER)?.from,
    storedKey: find(STORED_KEY),
    storedToken: find(STORED_LOGIN),
  };
}

/** Credentials among which Claude Code chooses. */
const CHOSEN_AMONG: readonly string[] = [...KEYS, HELPER, STORED_KEY, STORED_LOGIN];

/** The effect of a setting that won under its name: a key can still lose to another key. */
function finalEffect(setting: Setting, { to, authorization, apiKey }: Sent<Setting>): Effect {
  if (!CHOSEN_AMONG.includes(setting.name) || setting.value === "") return USED;
  if (authorization?.from === setting || apiKey?.from === setting) return USED;
  return lost(to.includes("://") ? "another key wins" : "a cloud is used");
}
