import * as v from "valibot";
import { SettingsSchema } from "../claude/settings.ts";
import { ENGINES, REVIEW_CONTEXTS, SUPERVISOR_DEFAULTS, WHENS } from "./defaults.ts";

/** In seconds, about 23 days: timers overflow soon after. */
const LONGEST_TIMEOUT = 2_000_000;
const text = v.string("must be a string");
const flag = v.boolean("must be true or false");

const ProviderSchema = v.pipe(
  v.nullish(SettingsSchema),
  v.description("env and any other Claude Code setting, for this provider only. They override the shared settings."),
);

const SupervisorSchema = v.looseObject(
  {
    enabled: v.pipe(
      v.optional(flag),
      v.description("Review every stop, also without --supervisor. CCC_SUPERVISOR=0 overrides it."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.enabled }),
    ),
    engine: v.pipe(
      v.optional(v.picklist(ENGINES, 'must be "hook" or "loop"')),
      v.description("hook: reviews run inside Claude Code. loop: ccc runs agent and reviewer in turn."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.engine }),
    ),
    max_iterations: v.pipe(
      v.optional(wholeNumber(1)),
      v.description("Maximum number of reviews for each of your prompts. After that the agent may stop."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.maxIterations }),
    ),
    timeout_seconds: v.pipe(
      v.optional(wholeNumber(1, LONGEST_TIMEOUT)),
      v.description("Time limit for one review; with the loop engine also for each run of the agent."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.timeoutSeconds }),
    ),
    when: v.pipe(
      v.optional(v.picklist(WHENS, 'must be "always" or "changes"')),
      v.description(
        "always: review every stop with something to review. changes: only if the agent used a tool since your last prompt.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.when }),
    ),
    provider: v.pipe(v.optional(text), v.description("The reviewer's provider. Default: the agent's.")),
    model: v.pipe(v.optional(text), v.description("The reviewer's model. Default: that of its provider.")),
    context: v.pipe(
      v.optional(v.picklist(REVIEW_CONTEXTS, 'must be "auto", "session" or "fresh"')),
      v.description(
        "What the reviewer sees. session: the whole conversation, from the agent's prompt cache where possible. fresh: your prompts, what changed, and a digest. auto: session if the cache can be shared, else fresh.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.context }),
    ),
    completion_marker: v.pipe(
      v.optional(text),
      v.description("The line in a reviewer's answer that means that the work is done."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.completionMarker }),
    ),
  },
  "must be an object",
);

/** ccc.json. Its types, its validation and ccc.schema.json are all derived from this definition. */
export const ConfigSchema = v.looseObject(
  {
    $schema: v.pipe(v.optional(text), v.description("The URL of ccc.schema.json, for editors. ccc itself ignores it.")),
    settings: v.pipe(v.nullish(SettingsSchema), v.description("Any Claude Code settings, shared by all providers.")),
    claude_args: v.pipe(
      v.nullish(v.array(text, "must be a list of strings")),
      v.description("Arguments for claude at every launch, before your own."),
    ),
    current_provider: v.pipe(
      v.nullish(text),
      v.description(
        "The provider of a launch that names none. Every launch that names one sets it. Default: the first in the file.",
      ),
    ),
    providers: v.pipe(
      v.nullish(v.record(v.string(), ProviderSchema, "must be an object")),
      v.description("The providers by name. A name may contain letters, digits, dots, dashes and underscores."),
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
