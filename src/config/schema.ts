import * as v from "valibot";
import { isVariableName, SettingsSchema } from "../claude/accepted-settings.ts";
import { nearest } from "../text/words.ts";
import { ENGINES, MOST_CHECKS, REVIEW_CONTEXTS, SUPERVISOR_DEFAULTS, WHENS } from "./defaults.ts";

/** In seconds, about 23 days: timers overflow soon after. */
const LONGEST_TIMEOUT = 2_000_000;
const text = v.string("must be a string");
/** A path of any system: a ccc.json may be shared between them. */
const ABSOLUTE = /^(\/|[A-Za-z]:[\\/]|\\\\)/;
const flag = v.boolean("must be true or false");

/** The values of the preset that a provider was made from. Values that differ from them are the user's own. */
const PresetNoteSchema = v.looseObject(
  {
    name: v.pipe(text, v.description("The name of the preset.")),
    as_of: v.pipe(v.optional(text), v.description("The date of its facts.")),
    env: v.pipe(
      v.record(v.string(), v.pipe(text, v.description("A value of the preset.")), "must be an object"),
      v.description("Its variables, to tell them from your own."),
    ),
  },
  "must be an object",
);

export type PresetNote = v.InferOutput<typeof PresetNoteSchema>;

const ProviderSchema = v.pipe(
  v.nullish(
    v.looseObject(
      {
        ...SettingsSchema.entries,
        preset: v.pipe(
          v.optional(PresetNoteSchema),
          v.description(
            "The preset that it was made from, for ccc provider update. ccc writes it; Claude Code does not get it.",
          ),
        ),
      },
      "must be an object",
    ),
  ),
  v.description("env and any other Claude Code setting, for this provider only. They override the shared settings."),
);

const SupervisorSchema = v.strictObject(
  {
    enabled: v.pipe(
      v.optional(flag),
      v.description("Review every stop, even without --supervisor. CCC_SUPERVISOR=0 overrides it."),
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
      v.metadata({ default: SUPERVISOR_DEFAULTS.max_iterations }),
    ),
    timeout_seconds: v.pipe(
      v.optional(wholeNumber(1, LONGEST_TIMEOUT)),
      v.description("Time limit for one review."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.timeout_seconds }),
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
    sandbox: v.pipe(
      v.optional(v.union([v.literal("auto"), v.boolean()], 'must be "auto", true or false')),
      v.description(
        "Run fresh reviews in Claude Code's own sandbox, on a copy of the project: any command, no network, no writes elsewhere. auto: if there is one. true: every review is fresh and sandboxed; without a sandbox the stop is not reviewed. false: never.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.sandbox }),
    ),
    checks: v.pipe(
      v.optional(
        v.pipe(
          v.array(v.pipe(text, v.regex(/\S/, "must not be empty")), "must be a list of commands"),
          v.maxLength(MOST_CHECKS, `must be at most ${MOST_CHECKS} commands`),
        ),
      ),
      v.description("Commands that must pass at every stop before a review. The first failure goes back to the agent."),
    ),
    check_timeout_seconds: v.pipe(
      v.optional(wholeNumber(1, LONGEST_TIMEOUT)),
      v.description("Time limit for each check. One that takes longer has failed."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.check_timeout_seconds }),
    ),
    proof: v.pipe(
      v.optional(v.union([v.boolean(), v.literal("parallel")], 'must be true, false or "parallel"')),
      v.description(
        'Run the checks again in copies of the project: with the tests as they were at the prompt, and on the code as it was then. A test that was weakened, or that does not test the change, is a point that the reviewer must rule on. "parallel": both at the same time, if your checks allow it.',
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.proof }),
    ),
    fallback: v.pipe(
      v.optional(v.array(v.pipe(text, v.regex(/\S/, "must not be empty")), "must be a list of providers")),
      v.description(
        'Reviewers to ask, in order, if the first cannot review: its key is refused, it is out of quota, its server fails or is too slow. "provider" or "provider:model".',
      ),
    ),
    confirm: v.pipe(
      v.optional(
        v.union(
          [v.boolean(), v.pipe(v.string(), v.regex(/\S/, "must not be empty"))],
          'must be true, false, "provider" or "provider:model"',
        ),
      ),
      v.description(
        'A reviewer that has the agent\'s conversation is lenient, so a fresh review must confirm its "done". true: by the same reviewers. "provider" or "provider:model": by that one, ideally of another model family. false: no confirmation.',
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.confirm }),
    ),
    budget_tokens: v.pipe(
      v.optional(wholeNumber(0, 1e12)),
      v.description(
        "Tokens that the reviews of one prompt may use; with the loop engine, the agent's count too. 0: no limit.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.budget_tokens }),
    ),
    stalemate: v.pipe(
      v.optional(wholeNumber(0)),
      v.description(
        "Give up when the same criterion is unmet, or the same check fails with the same last lines, in this many reviews in a row, or in two if no file changed. 0: never.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.stalemate }),
    ),
    nudge: v.pipe(
      v.optional(flag),
      v.description(
        "Send the agent back to work at once, without a review, if it stopped by accident: a tool call written as text, an empty or cut-off answer, a step that was announced and not taken.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.nudge }),
    ),
    agent_timeout_seconds: v.pipe(
      v.optional(wholeNumber(0, LONGEST_TIMEOUT)),
      v.description("Time limit for each run of the agent, with the loop engine. 0: none."),
      v.metadata({ default: SUPERVISOR_DEFAULTS.agent_timeout_seconds }),
    ),
    limit_wait_seconds: v.pipe(
      v.optional(wholeNumber(0, LONGEST_TIMEOUT)),
      v.description(
        "How long to wait for a usage limit of the agent's provider to reset, before the session continues. 0: do not wait, the default without a terminal.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.limit_wait_seconds }),
    ),
    notify: v.pipe(
      v.optional(
        v.union(
          [v.boolean(), v.pipe(v.string(), v.regex(/\S/, "must not be empty"))],
          "must be true, false or a command that notifies you",
        ),
      ),
      v.description(
        "Notify you when a run ends after more than a minute, or needs you. true: through the terminal. A command: run it instead, with CCC_OUTCOME and CCC_MESSAGE set.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.notify }),
    ),
    completion_marker: v.pipe(
      v.optional(text),
      v.description(
        "What a reviewer may answer instead of a verdict if the work is done. If there is other text before it, ccc asks whether it means that.",
      ),
      v.metadata({ default: SUPERVISOR_DEFAULTS.completion_marker }),
    ),
  },
  (issue) => (issue.expected === "never" ? unknownField(String(issue.path?.at(-1)?.key)) : "must be an object"),
);

function unknownField(name: string): string {
  if (isVariableName(name)) return `environment variables belong in providers.NAME.env.${name.toUpperCase()}`;
  const known = Object.keys(SupervisorSchema.entries);
  // For "timeout", timeout_seconds.
  const longer = known.find((each) => each.split("_").includes(name.toLowerCase()));
  return unknownSetting(nearest(name, known) ?? longer);
}

export function unknownSetting(meant: string | undefined): string {
  return `unknown setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

const PinSchema = v.pipe(
  v.union(
    [
      text,
      v.strictObject({
        provider: v.pipe(text, v.description("The provider.")),
        only: v.pipe(
          v.optional(flag),
          v.description("Refuse every other provider there, for agent and reviewer, unless --anyway is given."),
          v.metadata({ default: false }),
        ),
      }),
    ],
    'must be the name of a provider, or { "provider": NAME, "only": true }',
  ),
  v.description('A provider, or {"provider": NAME, "only": true}, which refuses every other provider there.'),
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
    default_provider: v.pipe(
      v.nullish(text),
      v.description("The provider of launches that name none. `ccc default` writes it."),
    ),
    current_provider: v.pipe(
      v.nullish(text),
      v.description(
        "The provider last started in a terminal, for launches that name none if there is no default_provider. ccc writes it. Default: the first in the file.",
      ),
    ),
    providers: v.pipe(
      v.nullish(v.record(v.string(), ProviderSchema, "must be an object")),
      v.description("The providers by name. A name may contain letters, digits, dots, dashes and underscores."),
    ),
    fallback: v.pipe(
      v.nullish(v.array(v.pipe(text, v.regex(/\S/, "must not be empty")), "must be a list of providers")),
      v.description(
        "Providers on which the loop engine continues a session, in order, if the agent's is out of quota, refuses its key or fails for good.",
      ),
    ),
    folders: v.pipe(
      v.nullish(
        v.record(v.pipe(v.string(), v.regex(ABSOLUTE, "must be an absolute path")), PinSchema, "must be an object"),
      ),
      v.description(
        "The provider of each pinned folder and everything below it, by absolute path. `ccc pin` writes them.",
      ),
    ),
    supervisor: v.pipe(v.nullish(SupervisorSchema), v.description("Supervisor mode.")),
  },
  "must be an object",
);

export type Config = v.InferOutput<typeof ConfigSchema>;

/** A provider in ccc.json: its settings, and the preset that they came from. */
export type ProviderEntry = NonNullable<v.InferOutput<typeof ProviderSchema>>;

function wholeNumber(least: number, most = 1e9) {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(least, message), v.maxValue(most, message));
}
