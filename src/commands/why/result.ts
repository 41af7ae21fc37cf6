import type { InForce, Sent } from "../../claude/sent.ts";
import { KEYS } from "../../providers/variables.ts";
import { HELPER, type Setting, STORED_KEY, STORED_LOGIN } from "./settings.ts";

/** How one way of starting Claude Code uses the settings. */
export interface Result {
  readonly sent: Sent<Setting>;
  readonly effect: (setting: Setting) => Effect;
}

/** Whether a setting is used, and if not, why. */
export interface Effect {
  readonly used: boolean;
  readonly why: string;
}

const USED: Effect = { used: true, why: "" };

export function lost(why: string): Effect {
  return { used: false, why };
}

/** Looks settings up by name, as Claude Code does. A blank one counts as not set. */
export function inForce(winners: ReadonlyMap<string, Setting>): InForce<Setting> {
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
export function finalEffect(setting: Setting, { to, authorization, apiKey }: Sent<Setting>): Effect {
  if (!CHOSEN_AMONG.includes(setting.name) || setting.value === "") return USED;
  if (authorization?.from === setting || apiKey?.from === setting) return USED;
  return lost(to.includes("://") ? "another key wins" : "a cloud is used");
}
