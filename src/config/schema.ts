import * as v from "valibot";
import { SettingsSchema } from "../claude/settings.ts";
import { ENGINES, SUPERVISOR_DEFAULTS } from "./defaults.ts";

/** Timers hold no more, at some 24 days. */
const LONGEST_TIMEOUT = 2_000_000;
const text = v.string("must be a string");
const flag = v.boolean("must be true or false");

const ProviderSchema = v.pipe(
  v.nullish(SettingsSchema),
  v.description("env, and any other Claude Code setting, for this provider alone. They win over the shared settings."),
);

const SupervisorSchema = v.looseObject(
  {
    enabled: v.pipe(
      v.optional(flag),
      v.description("Review every stop without being asked to by --supervisor. CCC_SUPERVISOR=0 overrules it."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.enabled }),
    ),
    engine: v.pipe(
      v.optional(v.picklist(ENGINES, 'must be "hook" or "loop"')),
      v.description("hook: inside Claude Code. loop: ccc runs agent and reviewer in turn."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.engine }),
    ),
    max_iterations: v.pipe(
      v.optional(wholeNumber(1)),
      v.description("Reviews for each prompt of yours; then the agent may stop."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.maxIterations }),
    ),
    timeout_seconds: v.pipe(
      v.optional(wholeNumber(1, LONGEST_TIMEOUT)),
      v.description("Time for one review; in the loop engine also for each phase of the agent."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.timeoutSeconds }),
    ),
    provider: v.pipe(v.optional(text), v.description("The reviewer's provider. Without it, the agent's.")),
    model: v.pipe(v.optional(text), v.description("The reviewer's model. Without it, what its provider says.")),
    completion_marker: v.pipe(
      v.optional(text),
      v.description("The line in a reviewer's answer that says that the work is done."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.completionMarker }),
    ),
  },
  "must be an object",
);

/** ccc.json. The one definition of its shape: types, checks and ccc.schema.json all come from here. */
export const ConfigSchema = v.looseObject(
  {
    $schema: v.pipe(
      v.optional(text),
      v.description("Where an editor finds ccc.schema.json. ccc itself does not read it."),
    ),
    settings: v.pipe(
      v.nullish(SettingsSchema),
      v.description("Claude Code settings that all providers share, any that it knows."),
    ),
    claude_args: v.pipe(
      v.nullish(v.array(text, "must be a list of strings")),
      v.description("Arguments that claude gets at every launch, before your own."),
    ),
    current_provider: v.pipe(
      v.nullish(text),
      v.description(
        "The provider of a launch that names none. Each launch that names one sets it; without it, the first.",
      ),
    ),
    providers: v.pipe(
      v.nullish(v.record(v.string(), ProviderSchema, "must be an object")),
      v.description(
        "The providers, by the name that you type. A name may hold letters, digits, dot, dash and underscore.",
      ),
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
