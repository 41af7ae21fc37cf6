import { type Sent, whatIsSent } from "../../claude/sent.ts";
import { leavesAnthropic } from "../../providers/isolate.ts";
import { isReference } from "../../providers/references.ts";
import { KEYS, TOKENS } from "../../providers/variables.ts";
import { type Effect, finalEffect, inForce, lost, type Result } from "./result.ts";
import { HELPER, type Setting, STORED_KEY } from "./settings.ts";

/** What a launch through ccc makes of the settings: what it hands to Claude Code, and what it keeps from it. */
export function explainLaunch(all: readonly Setting[], provider: string): Result {
  const own = all.filter(({ source }) => source === "provider");
  const owns = (kind: Setting["kind"]) => own.some((each) => each.kind === kind && each.value !== "");
  const shared = all.filter(({ source, kind }) => source === "shared" && (kind === "model" || !owns(kind)));
  const policy = all.filter(({ source, value }) => source === "managed" && value !== "");
  const configured = byName([...shared, ...own, ...policy]);
  const hasKey = [...KEYS, HELPER].some((name) => configured.get(name)?.value);
  // Only a provider without any key of its own is for the user's login.
  const logins = hasKey ? [] : all.filter(({ source }) => source === "login");
  const handed = byName([...configured.values(), ...logins]);
  const sent = shadowed(whatIsSent(inForce(withKeyCommand(handed))), all);
  return { sent, effect };

  function effect(setting: Setting): Effect {
    const winner = handed.get(setting.name);
    if (winner === setting) return finalEffect(setting, sent);
    if (setting.source === "login") return lost("kept out by ccc");
    if (winner?.source === "managed") return lost("the policy wins");
    if (setting.source === "shared") return lost(`${provider}'s own wins`);
    return lost(winner?.value ? "replaced by ccc" : "blanked by ccc");
  }
}

function byName(settings: readonly Setting[]): ReadonlyMap<string, Setting> {
  return new Map(settings.map((each) => [each.name, each]));
}

/** A key that is a reference is not handed over: Claude Code asks ccc for it, by a key helper. */
function withKeyCommand(handed: ReadonlyMap<string, Setting>): ReadonlyMap<string, Setting> {
  const reference = TOKENS.map((name) => handed.get(name)).find((each) => each && isReference(each.value));
  if (reference === undefined) return handed;
  const keyed = new Map(handed);
  for (const name of TOKENS) keyed.delete(name);
  return keyed.set(HELPER, reference);
}

/** Beside a stored key ccc sends the provider its own token twice: the stored one would take the free header. */
function shadowed(sent: Sent<Setting>, all: readonly Setting[]): Sent<Setting> {
  const { authorization, apiKey, to } = sent;
  const isFree = apiKey === undefined && authorization?.from.name === "ANTHROPIC_AUTH_TOKEN" && leavesAnthropic(to);
  return isFree && all.some(({ name }) => name === STORED_KEY) ? { ...sent, apiKey: authorization } : sent;
}
