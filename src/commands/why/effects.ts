import { type InForce, type Sent, whatIsSent } from "../../claude/sent.ts";
import type { Identity } from "../../providers/isolate.ts";
import type { ProviderLaunch } from "../../providers/provider-launch.ts";
import { KEYS, MANAGED_BY_HOST, TOKENS } from "../../providers/variables.ts";
import { HELPER, type Setting, type Source, STORED_KEY, STORED_LOGIN } from "./collect-settings.ts";

/** How one way of starting Claude Code uses the settings. */
export interface SettingEffects {
  readonly sent: Sent<Setting>;
  readonly effect: (setting: Setting) => Effect;
}

/** Whether a setting is used, and if not, why. */
export interface Effect {
  readonly used: boolean;
  readonly why: string;
}

/** Which setting is behind each part of what a launch hands to Claude Code, and what it keeps out. */
export function explainLaunch(all: readonly Setting[], launch: ProviderLaunch): SettingEffects {
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
export function explainPlain(all: readonly Setting[]): SettingEffects {
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

export function lost(why: string): Effect {
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
