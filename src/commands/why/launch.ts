import { type Sent, whatIsSent } from "../../claude/sent.ts";
import type { Identity } from "../../providers/isolate.ts";
import type { ProviderLaunch } from "../../providers/provider-launch.ts";
import { TOKENS } from "../../providers/variables.ts";
import { inForce, inTheEnd, lost, type Outcome, type Result } from "./result.ts";
import { HELPER, type Setting } from "./settings.ts";

/** Which setting is behind each part of what a launch hands to Claude Code, and what it keeps out. */
export function explainLaunch(all: readonly Setting[], launch: ProviderLaunch): Result {
  const policy = all.filter(({ source, value }) => source === "managed" && value !== "");
  const logins = launch.usesLogin ? all.filter(({ source }) => source === "login") : [];
  const winners = byName([...settingsBehind(launch.configured, all), ...policy, ...logins]);
  const sent = withShadow(whatIsSent(inForce(withKeyCommand(winners, launch))), winners, launch);
  return { sent, outcome };

  function outcome(setting: Setting): Outcome {
    const winner = winners.get(setting.name);
    if (winner === setting) return inTheEnd(setting, sent);
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

/** Claude Code does not get a reference: it runs a key helper, and the reference decides what that prints. */
function withKeyCommand(winners: ReadonlyMap<string, Setting>, { reference }: ProviderLaunch) {
  const origin = TOKENS.map((name) => winners.get(name)).find((each) => each && each.value === reference?.reference);
  if (origin === undefined) return winners;
  const keyed = new Map(winners);
  for (const name of TOKENS) keyed.delete(name);
  return keyed.set(HELPER, origin);
}

/** The provider's token is in both headers, if that keeps a stored key from being sent. */
function withShadow(sent: Sent<Setting>, winners: ReadonlyMap<string, Setting>, launch: ProviderLaunch): Sent<Setting> {
  const token = winners.get("ANTHROPIC_AUTH_TOKEN");
  if (!launch.shadowsStoredKey || token === undefined || sent.authorization === undefined) return sent;
  return { ...sent, apiKey: { value: token.value, from: token } };
}
