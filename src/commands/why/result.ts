import type { InForce, Sent } from "../../claude/sent.ts";
import { KEYS } from "../../providers/variables.ts";
import { HELPER, type Setting, STORED_KEY, STORED_LOGIN } from "./settings.ts";

/** What one way of starting Claude Code makes of the settings. */
export interface Result {
  readonly sent: Sent<Setting>;
  readonly effect: (setting: Setting) => Effect;
}

/** What is said of a setting: whether it counts, and where it does not, why. */
export interface Effect {
  readonly used: boolean;
  readonly why: string;
}

const USED: Effect = { used: true, why: "" };

export function lost(why: string): Effect {
  return { used: false, why };
}

/** Settings by their names, as Claude Code looks them up. A blank one is as good as none. */
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

/** Credentials of which Claude Code takes one and leaves others. */
const CHOSEN_AMONG: readonly string[] = [...KEYS, HELPER, STORED_KEY, STORED_LOGIN];

/** What becomes of the setting that is in force under its name: a key may still have to give way to another. */
export function finalEffect(setting: Setting, { to, authorization, apiKey }: Sent<Setting>): Effect {
  if (!CHOSEN_AMONG.includes(setting.name) || setting.value === "") return USED;
  if (authorization?.from === setting || apiKey?.from === setting) return USED;
  return lost(to.includes("://") ? "another key wins" : "a cloud is used");
}
