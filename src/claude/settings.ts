import * as v from "valibot";
import { isUrl } from "./url.ts";

/** Environment variables in settings. Claude Code wants strings; ccc also accepts numbers and booleans. */
const EnvSchema = v.objectWithRest(
  {
    ANTHROPIC_BASE_URL: v.pipe(
      v.optional(v.pipe(v.string("must be a URL"), v.check(isUrl, "must be a URL"))),
      v.description("The provider's base URL. Default: Anthropic's."),
    ),
  },
  v.pipe(
    v.union([v.string(), v.number(), v.boolean()], "must be a string, a number or a boolean"),
    v.description(
      "Any environment variable of Claude Code. Instead of a key, ANTHROPIC_AUTH_TOKEN and ANTHROPIC_API_KEY may say " +
        "where it is: env:NAME, file:PATH, cmd:COMMAND or keychain:NAME.",
    ),
  ),
  "must be an object",
);

/** Claude Code settings. ccc knows the few keys that it uses and keeps all others. */
export const SettingsSchema = v.looseObject(
  {
    env: v.pipe(
      v.nullish(EnvSchema),
      v.description(
        "Environment variables for Claude Code. ${NAME} is replaced from your environment; numbers and booleans become strings.",
      ),
    ),
    apiKeyHelper: v.pipe(
      v.optional(v.string("must be a string")),
      v.description("A command that prints the key. Claude Code runs it; use it instead of a key in env."),
    ),
  },
  "must be an object",
);

export type Settings = v.InferOutput<typeof SettingsSchema>;

/** Whether a key is the name of an environment variable. No setting of Claude Code is spelt like that. */
export function isVariableName(key: string): boolean {
  return /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(key) || /^(anthropic|claude_code)_/i.test(key);
}
