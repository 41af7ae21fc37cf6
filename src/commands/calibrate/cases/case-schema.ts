import * as v from "valibot";

/** What is true about the work when the agent stops. */
export const TRUTHS = ["done", "not_done", "needs_user"] as const;

export type Truth = (typeof TRUTHS)[number];

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));

/** A file of the project. A case may come from anybody, so its files stay in the project. */
const path = v.pipe(
  text,
  v.check(
    (name) => !/^([/\\~]|[A-Za-z]:)/.test(name) && !name.split(/[/\\]/).some((part) => ["", ".", ".."].includes(part)),
    "must be a path inside the project",
  ),
);

/** One thing that the agent does. "say" ends its answer to a prompt. */
const StepSchema = v.union(
  [
    v.strictObject({ say: text }),
    v.strictObject({ run: text }),
    v.strictObject({ read: path }),
    v.strictObject({ write: path, content: v.optional(v.string()) }),
    v.strictObject({ edit: path, old: text, new: v.string() }),
  ],
  "must be one of say, run, read, write (with content, or a file of the variant), edit (with old and new)",
);

export type CaseStep = v.InferOutput<typeof StepSchema>;

const expression = v.pipe(text, v.check(isExpression, "is not a regular expression"));

const VariantSchema = v.strictObject({
  truth: v.picklist(TRUTHS),
  /** For people: why that is the truth. */
  why: text,
  /** Instead of those that both variants have. */
  prompts: v.optional(v.pipe(v.array(text), v.nonEmpty())),
  turns: v.pipe(v.array(StepSchema), v.nonEmpty()),
  /** Regular expressions. A right verdict matches at least one of each group. */
  mention: v.optional(v.array(v.pipe(v.array(expression), v.nonEmpty())), []),
  /** What the reviewer must be shown to decide rightly, whatever it sees of the session. */
  visible: v.optional(v.array(text), []),
});

/** The case.json of a pair: the same work, once done and once not. */
export const PairSchema = v.pipe(
  v.strictObject({
    /** The kind of failure, in a few words. */
    kind: text,
    language: text,
    /** Programs that the case needs, besides a shell and git. */
    needs: v.optional(v.array(text), []),
    prompts: v.pipe(v.array(text), v.nonEmpty()),
    /** A shell command. It exits with 0 if, and only if, the work is done. */
    prove: text,
    variants: v.record(
      v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*$/, "is no name: use a-z, 0-9 and -")),
      VariantSchema,
    ),
  }),
  v.check(({ variants }) => Object.keys(variants).length === 2, "must have two variants"),
  v.check(
    ({ variants }) => Object.values(variants).filter(({ truth }) => truth === "done").length === 1,
    'must have one variant whose truth is "done"',
  ),
  v.check(
    ({ variants }) => Object.values(variants).every(({ truth, mention }) => truth !== "not_done" || mention.length > 0),
    'must say under "mention" what a right verdict on work that is not done mentions',
  ),
  v.check(
    ({ variants, prompts }) => Object.values(variants).every((each) => answersAll(each.turns, each.prompts ?? prompts)),
    'must have turns that end with "say", once for each prompt',
  ),
);

export type Pair = v.InferOutput<typeof PairSchema>;

function answersAll(turns: readonly CaseStep[], prompts: readonly string[]): boolean {
  const last = turns.at(-1);
  return last !== undefined && "say" in last && turns.filter((step) => "say" in step).length === prompts.length;
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source, "iu") instanceof RegExp;
  } catch {
    return false;
  }
}
