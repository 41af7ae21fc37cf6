import * as v from "valibot";
import { MOST_CHECKS } from "../../config/defaults.ts";
import { messageOf } from "../../errors.ts";

/** SUPERVISOR.md in its two parts. */
export interface InstructionParts {
  /** The commands under `checks:` in the front matter. */
  readonly checks: readonly string[];
  /** What the reviewer is told. */
  readonly body: string;
  /** Why the front matter could not be used. */
  readonly problem: string | undefined;
}

/**
 * Separates the front matter from the instructions: YAML between two lines of `---` at the top. Without `checks:` it is
 * not for ccc, and the text stays as it is: such files are older than checks.
 */
export function splitInstructions(text: string): InstructionParts {
  const whole = (problem?: string): InstructionParts => ({ checks: [], body: text, problem });
  const [, matter = "", body = ""] = FRONT_MATTER.exec(text) ?? [];
  if (!HAS_CHECKS.test(matter))
    return whole(isUnclosed(text) ? 'the line "---" after the checks is missing' : undefined);
  try {
    const found = v.safeParse(MatterSchema, Bun.YAML.parse(matter));
    if (!found.success) return { checks: [], body, problem: found.issues[0].message };
    return { checks: found.output.checks.map((command) => command.trim()), body, problem: undefined };
  } catch (error) {
    return { checks: [], body, problem: messageOf(error) };
  }
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n((?:.{0,20000}?\n)?)---[ \t]*(?:\r?\n(.*))?$/s;
const HAS_CHECKS = /^checks[ \t]*:/m;

function isUnclosed(text: string): boolean {
  return /^\uFEFF?---[ \t]*\r?\n(?:[ \t]*#.*\n|[ \t]*\r?\n)*checks[ \t]*:/.test(text);
}

const MatterSchema = v.object(
  {
    checks: v.pipe(
      v.array(
        v.pipe(v.string("each of the checks must be a string: put it in quotes"), v.regex(/\S/, "a check is empty")),
        "checks must be a list: one command per line, each after a dash",
      ),
      v.maxLength(MOST_CHECKS, `there may be at most ${MOST_CHECKS} checks`),
    ),
  },
  "it must be a list of names and values",
);
