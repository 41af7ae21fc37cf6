import { usageError } from "../errors.ts";
import { LONGEST_ARGUMENT, NOT_PERSISTED } from "./arguments.ts";

export interface AgentRun {
  readonly settings: string;
  /** The user's options. */
  readonly options: readonly string[];
  /** The session to resume, undefined for the first run. */
  readonly sessionId: string | undefined;
  /** The prompt; undefined if it comes on stdin. */
  readonly message: string | undefined;
}

/** Arguments for an agent that ccc drives: it works on one message, streams what it does, and exits. */
export function agentArguments({ settings, options, sessionId, message }: AgentRun): string[] {
  return [
    ...["--settings", settings, ...(sessionId === undefined ? options : withoutSessionChoice(options))],
    ...["--print", "--verbose", "--output-format", "stream-json"],
    ...(sessionId === undefined ? [] : ["--resume", sessionId]),
    ...(message === undefined ? [] : ["--", message]),
  ];
}

/** Arguments for the interactive session that the user gets at the end. */
export function handOverArguments(
  settings: string,
  options: readonly string[],
  sessionId: string,
  typed: readonly string[],
): string[] {
  const prompt = typed.length === 0 ? [] : ["--", typed.join("\n\n").slice(0, LONGEST_ARGUMENT)];
  return ["--settings", settings, ...withoutSessionChoice(options), "--resume", sessionId, ...prompt];
}

/** Refuses options that would break the loop. */
export function refuseAgentOptions(options: readonly string[]): void {
  const found = options.find((word) => NOT_IN_A_LOOP.includes(word.split("=")[0] ?? ""));
  if (found !== undefined)
    throw usageError(`${found} cannot be combined with --engine loop`, "Leave it out, or use --engine hook.");
}

const NOT_IN_A_LOOP = ["--output-format", "--input-format", NOT_PERSISTED, "--json-schema", "--bg", "--background"];

/** Later runs resume the session of the first, whatever session the user chose for that one. */
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
