import { whatIsSent } from "../../claude/sent.ts";
import type { Identity } from "../../providers/isolate.ts";
import type { ProviderLaunch } from "../../providers/provider-launch.ts";
import { TOKENS } from "../../providers/variables.ts";
import { type Effect, finalEffect, inForce, lost, type Result } from "./result.ts";
import { HELPER, type Setting } from "./settings.ts";

/** Which setting is behind each part of what a launch hands to Claude Code, and what it keeps out. */
export function explainLaunch(all: readonly Setting[], launch: ProviderLaunch): Result {
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
