import { cloudOf } from "../claude/clouds.ts";
import { ATTRIBUTION_HEADER } from "../claude/foreign-models.ts";
import type { Layer } from "../claude/layers.ts";
import type { Env } from "../world.ts";
import { leavesAnthropic } from "./isolate.ts";

/** A variable that ccc sets by itself because of the provider's server, and why. */
export interface ServerDefault {
  readonly name: string;
  /** What a launch sets: the user's own value if there is one outside of ccc.json. */
  readonly value: string;
  readonly reason: string;
  /** Where the user decided it: the path of a settings file, or "shell". Undefined if ccc did. */
  readonly decidedBy: string | undefined;
}

/** Values outside of ccc.json: the settings files in ascending precedence, and the shell. */
export interface Elsewhere {
  readonly settings: readonly Layer[];
  readonly env: Env;
}

const FOREIGN = [
  {
    name: ATTRIBUTION_HEADER,
    value: "0",
    reason: "without it every conversation begins with a different line, which defeats the server's prompt cache",
  },
];

/** What ccc sets for a provider with this env block. What the block says itself is left alone. */
export function defaultsForServer(env: Readonly<Record<string, string>>, elsewhere: Elsewhere): ServerDefault[] {
  if (!leavesAnthropic(env.ANTHROPIC_BASE_URL) || cloudOf(env) !== undefined) return [];
  return FOREIGN.filter(({ name }) => !Object.hasOwn(env, name)).map((each) => {
    const users = usersValue(each.name, elsewhere);
    const isOther = users !== undefined && users.value !== each.value;
    return isOther ? { ...each, ...users } : { ...each, decidedBy: undefined };
  });
}

export function defaultsEnv(defaults: readonly ServerDefault[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const { name, value } of defaults) env[name] = value;
  return env;
}

/** Whether the user has decided one of these otherwise, so that this launch's settings differ from the usual ones. */
export function overridesDefaults(elsewhere: Elsewhere): boolean {
  return FOREIGN.some(({ name, value }) => (usersValue(name, elsewhere)?.value ?? value) !== value);
}

/** As in Claude Code: the settings of the folder win over those of the user, and these over the shell. */
function usersValue(name: string, { settings, env }: Elsewhere) {
  const layer = settings.findLast((each) => Object.hasOwn(each.env, name));
  if (layer !== undefined) return { value: String(layer.env[name]), decidedBy: layer.path };
  const value = env[name];
  return value ? { value, decidedBy: "shell" } : undefined;
}
