import { splitInstructions } from "./front-matter.ts";

export interface CheckSources {
  /** From the command line and ccc.json. */
  readonly own: readonly string[];
  /** The text of SUPERVISOR.md. */
  readonly text: string;
  /** Whether that file belongs to the project, and not to the user. */
  readonly isProjects: boolean;
}

export interface CollectedChecks {
  /** Commands of the user, which run without a question. */
  readonly trusted: string[];
  /** All commands of a project, which run only if the user agrees to them. */
  readonly projects: string[];
  /** Those of them that are not the user's as well. */
  readonly untrusted: string[];
  /** What is wrong with the front matter of SUPERVISOR.md. */
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
