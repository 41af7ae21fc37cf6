import * as v from "valibot";
import { isUrl } from "./url.ts";

/** Environment variables in settings. Claude Code wants strings; numbers and booleans are taken for what they say. */
export const EnvSchema = v.objectWithRest(
  { ANTHROPIC_BASE_URL: v.optional(v.pipe(v.string("must be a URL"), v.check(isUrl, "must be a URL"))) },
  v.union([v.string(), v.number(), v.boolean()], "must be a string, a number or a boolean"),
  "must be an object",
);

/** A settings.json of Claude Code: ccc knows the few keys that it works with and keeps all others. */
export const SettingsSchema = v.looseObject(
  {
    env: v.nullish(EnvSchema),
    apiKeyHelper: v.optional(v.string("must be a string")),
  },
  "must be an object",
);

export type Settings = v.InferOutput<typeof SettingsSchema>;
