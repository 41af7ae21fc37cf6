import * as v from "valibot";
import { MOST_CHECKS } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";

/** The sources of commands that must pass. */
export interface CheckSources {
  /** From the command line and ccc.json. */
  readonly own: readonly string[];
  /** The text of SUPERVISOR.md. */
  readonly text: string;
  /** Whether that file belongs to the project, and not to the user. */
  readonly isProjects: boolean;
}

interface CollectedChecks {
  /** Commands of the user, which run without a question. */
  readonly trusted: string[];
  /** All commands of a project, which run only if the user agrees to them. */
  readonly projects: string[];
  /** Those of the project that the user does not have as well. */
  readonly untrusted: string[];
  /** Why the front matter of SUPERVISOR.md could not be used. */
  readonly problem: string | undefined;
}

/** Which commands are to run, in order, and whose they are. */
export function collectChecks({ own, text, isProjects }: CheckSources): CollectedChecks {
  const { checks, problem } = splitInstructions(text);
  const trusted = unique(isProjects ? own : [...own, ...checks]);
  const projects = isProjects ? unique(checks) : [];
  return { trusted, projects, untrusted: projects.filter((each) => !trusted.includes(each)), problem };
}

function unique(commands: readonly string[]): string[] {
  return [...new Set(commands.map((command) => command.trim()))];
}

/** The commands of a session. */
export interface SettledChecks {
  readonly commands: string[];
  /** Those of the project that do not run, because nobody could be asked. */
  readonly left_out: string[];
}

/** The checks of a session that ccc did not start: the user cannot be asked, but an earlier yes counts. */
export function knownChecks(world: World, paths: Paths, folder: string, sources: CheckSources): SettledChecks {
  const { trusted, projects, untrusted } = collectChecks(sources);
  const hasAgreed = checkConsent(world.files, paths, folder, projects).read() === true;
  const commands = hasAgreed ? [...trusted, ...untrusted] : trusted;
  return { commands: commands.slice(0, MOST_CHECKS), left_out: hasAgreed ? [] : untrusted };
}

/** The user's answer about exactly these commands or instructions of a project, in this folder. */
interface Consent {
  /** The file with the answer. Without it, the user is asked again. */
  readonly path: string;
  /** Undefined if the user has never been asked. */
  readonly read: () => boolean | undefined;
  readonly save: (agreed: boolean) => void;
}

/** For the commands that a project wants ccc to run. */
export function checkConsent(files: Files, paths: Paths, folder: string, commands: readonly string[]): Consent {
  const { path, read, save } = answerFile(files, paths, "checks", { folder, commands: [...commands] });
  return { path, read: () => read()?.agreed ?? undefined, save: (agreed) => save({ agreed }) };
}

/** For the reviewer's instructions in a project. */
interface InstructionsConsent extends Consent {
  /** The supervised session during which the text appeared; undefined if ccc did not see that. */
  readonly changedIn: () => string | undefined;
  /** Records that the text appeared while an agent worked, unless there is a record of it already. */
  readonly noteChange: (session: string) => void;
}

/** `hash` identifies the text of the instructions. */
export function instructionsConsent(files: Files, paths: Paths, folder: string, hash: string): InstructionsConsent {
  const { path, read, save } = answerFile(files, paths, "instructions", { folder, hash });
  return {
    path,
    read: () => read()?.agreed ?? undefined,
    save: (agreed) => save({ ...read(), agreed }),
    changedIn: () => read()?.changed_in,
    noteChange: (session) => {
      if (read() === undefined) save({ agreed: null, changed_in: session });
    },
  };
}

function answerSchema() {
  return v.object({ agreed: v.nullable(v.boolean()), changed_in: v.optional(v.string()) });
}

type Answer = v.InferOutput<ReturnType<typeof answerSchema>>;

function answerFile(files: Files, { generated }: Paths, kind: "checks" | "instructions", about: object) {
  const name = new Bun.CryptoHasher("sha256").update(JSON.stringify(about)).digest("hex").slice(0, 32);
  const path = join(join(generated, kind), `${name}.json`);
  return {
    path,
    read: (): Answer | undefined => {
      const found = v.safeParse(answerSchema(), parseJson(files.read(path) ?? ""));
      return found.success ? found.output : undefined;
    },
    save: (answer: Answer) => files.writePrivate(path, prettyJson({ ...about, ...answer })),
  };
}

/** SUPERVISOR.md in its two parts. */
export interface InstructionParts {
  /** The commands under `checks:` in the front matter. */
  readonly checks: readonly string[];
  /** The instructions for the reviewer. */
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
    const found = v.safeParse(matterSchema(), Bun.YAML.parse(matter));
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

function matterSchema() {
  return v.object(
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
}
