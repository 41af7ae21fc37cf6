import * as v from "valibot";
import { SettingsSchema } from "../claude/settings.ts";

/** Timers hold no more, at some 24 days. */
const LONGEST_TIMEOUT = 2_000_000;
const text = v.string("must be a string");
const flag = v.boolean("must be true or false");

const SupervisorSchema = v.looseObject(
  {
    enabled: v.pipe(v.optional(flag), v.description("Review every stop without being asked to by --supervisor.")),
    engine: v.pipe(
      v.optional(v.picklist(["hook", "loop"], 'must be "hook" or "loop"')),
      v.description("hook: inside Claude Code. loop: ccc runs agent and reviewer in turn."),
    ),
    max_iterations: v.pipe(v.optional(wholeNumber(1)), v.description("Reviews per prompt of the user, 10 by default.")),
    timeout_seconds: v.pipe(
      v.optional(wholeNumber(1, LONGEST_TIMEOUT)),
      v.description("Time for one review, 600 by default."),
    ),
    provider: v.pipe(v.optional(text), v.description("The reviewer's provider, the agent's by default.")),
    model: v.pipe(v.optional(text), v.description("The reviewer's model, the agent's by default.")),
    completion_marker: v.pipe(
      v.optional(text),
      v.description("The line that says that the work is done, [TASK_COMPLETED] by default."),
    ),
  },
  "must be an object",
);

/** ccc.json. The one definition of its shape: types, checks and ccc.schema.json all come from here. */
export const ConfigSchema = v.looseObject(
  {
    $schema: v.optional(text),
    settings: v.pipe(v.nullish(SettingsSchema), v.description("Claude Code settings that all providers share.")),
    claude_args: v.pipe(
      v.nullish(v.array(text, "must be a list of strings")),
      v.description("Arguments that claude gets at every launch, before the user's own."),
    ),
    current_provider: v.pipe(
      v.nullish(text),
      v.description("The provider of a launch that names none. Each launch that names one sets it."),
    ),
    providers: v.pipe(
      v.nullish(v.record(v.string(), v.nullish(SettingsSchema), "must be an object")),
      v.description("Per provider: env, and any other Claude Code setting. They win over the shared settings."),
    ),
    supervisor: v.pipe(v.nullish(SupervisorSchema), v.description("Supervisor mode.")),
  },
  "must be an object",
);

export type Config = v.InferOutput<typeof ConfigSchema>;

function wholeNumber(least: number, most = 1e9) {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
}
