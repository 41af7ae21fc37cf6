import { usageError } from "../errors.ts";
import { LONGEST_ARGUMENT, NOT_PERSISTED } from "./arguments.ts";

/** One run of the agent. */
export interface AgentRun {
  readonly settings: string;
  /** The user's own options. */
  readonly options: readonly string[];
  /** The session to go on with, undefined for the first run. */
  readonly sessionId: string | undefined;
  /** What to work on; undefined where it comes on stdin. */
  readonly message: string | undefined;
}

/** Arguments for claude as an agent that ccc drives: it works on one message, tells what it does, and ends. */
export function agentArguments({ settings, options, sessionId, message }: AgentRun): string[] {
  return [
    ...["--settings", settings, ...(sessionId === undefined ? options : withoutSessionChoice(options))],
    ...["--print", "--verbose", "--output-format", "stream-json"],
    ...(sessionId === undefined ? [] : ["--resume", sessionId]),
    ...(message === undefined ? [] : ["--", message]),
  ];
}

/** Arguments for claude as the user gets it back at the end. */
export function handOverArguments(
  settings: string,
  options: readonly string[],
  sessionId: string,
  typed: readonly string[],
): string[] {
  const prompt = typed.length === 0 ? [] : ["--", typed.join("\n\n").slice(0, LONGEST_ARGUMENT)];
  return ["--settings", settings, ...withoutSessionChoice(options), "--resume", sessionId, ...prompt];
}

/** Refuses options that would take from the loop what it lives on. */
export function refuseAgentOptions(options: readonly string[]): void {
  const found = options.find((word) => NOT_IN_A_LOOP.includes(word.split("=")[0] ?? ""));
  if (found !== undefined)
    throw usageError(`${found} does not go with --engine loop`, "Leave it out, or use --engine hook.");
}

const NOT_IN_A_LOOP = ["--output-format", "--input-format", NOT_PERSISTED, "--json-schema", "--bg", "--background"];

/** Which session to work in is the user's choice for the first run only. */
function withoutSessionChoice(options: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < options.length; index++) {
    const word = options[index] ?? "";
    if (FIRST_RUN_FLAGS.includes(word) || FIRST_RUN_VALUES.some((name) => word.startsWith(`${name}=`))) continue;
    if (!FIRST_RUN_VALUES.includes(word)) kept.push(word);
    else if (options[index + 1]?.startsWith("-") === false) index++;
  }
  return kept;
}

const FIRST_RUN_FLAGS = ["-c", "--continue", "--fork-session", "-p", "--print"];
const FIRST_RUN_VALUES = ["-r", "--resume", "--session-id", "--from-pr", "-w", "--worktree"];
