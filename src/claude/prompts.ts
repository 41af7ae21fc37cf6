/** Prompts in a transcript, and who wrote them. */
import * as v from "valibot";
import { asObject, parseJson } from "../text/json.ts";
import { lazySchema } from "../text/schema.ts";
import { readContent } from "./stream.ts";

/** A prompt in a session's transcript, from the user or from somebody else. */
export interface Prompt {
  readonly id: string | undefined;
  /** The id of its line. */
  readonly uuid: string | undefined;
  readonly byUser: boolean;
  /** Whether the line says who sent it, as in newer versions. Otherwise the text decides. */
  readonly namesSender: boolean;
  /** Whether it came while the agent worked on another prompt. */
  readonly isQueued: boolean;
  readonly text: string;
}

/** The prompt in a line of a transcript; undefined if the line is something else. */
export function readPrompt(line: string): Prompt | undefined {
  // Most lines are not prompts, and long: not worth parsing.
  if (line.includes('"type":"user"')) return readTurn(parseJson(line));
  return line.includes('"type":"queued_command"') ? readQueued(parseJson(line)) : undefined;
}

function readTurn(entry: unknown): Prompt | undefined {
  if (!v.is(PromptSchema, entry) || entry.isSidechain || entry.isCompactSummary) return undefined;
  if (isToolResult(entry.message.content)) return undefined;
  const text = typed(readContent(entry.message.content).text.trim());
  const senders = sendersIn(entry);
  const namesSender = senders.length > 0;
  const byUser = namesSender ? senders.every((isUsers) => isUsers) : isPlain(text);
  // The text of a custom command, feedback and reminders, which belong to another line.
  if (text === "" || (entry.isMeta && (!namesSender || byUser))) return undefined;
  // A text that the user pasted has an origin or a source.
  const isPasted = Boolean(entry.origin || entry.promptSource);
  if (LOCAL_COMMAND.test(text) && !isPasted && (byUser || !namesSender)) return undefined;
  const [id, uuid] = [entry.promptId ?? undefined, entry.uuid ?? undefined];
  return { id, uuid, byUser, namesSender, isQueued: false, text };
}

/** Strict, unlike other schemas: an entry of an unknown form must not count as the user's prompt. */
const PromptSchema = lazySchema(() =>
  v.object({
    type: v.literal("user"),
    message: v.object({ content: v.unknown() }),
    promptId: v.nullish(v.string()),
    uuid: v.nullish(v.string()),
    promptSource: v.nullish(v.string()),
    origin: v.nullish(v.object({ kind: v.optional(v.string()) })),
    turnOrigin: v.nullish(v.string()),
    wakeupSource: v.nullish(v.string()),
    permissionMode: v.nullish(v.string()),
    isMeta: v.nullish(v.boolean()),
    isSidechain: v.nullish(v.boolean()),
    isCompactSummary: v.nullish(v.boolean()),
  }),
);

/**
 * For each field of a line that names its sender, whether that is the user. No field is on every line: a command typed in a
 * terminal has no `promptSource`, one of `-p` has only `turnOrigin`, and so has a command that the agent has scheduled.
 * Versions before 2.1.163 name only other senders; what was scheduled is hidden, and has a permission mode as only prompts have.
 */
function sendersIn(entry: v.InferOutput<typeof PromptSchema>): boolean[] {
  const { origin, promptSource, turnOrigin, wakeupSource, permissionMode, isMeta } = entry;
  const isHidden = isMeta === true && typeof permissionMode === "string";
  return [
    ...(isHidden ? [false] : []),
    ...(origin ? [origin.kind === "human"] : []),
    ...(promptSource ? [["typed", "queued", "suggestion_accepted", "sdk"].includes(promptSource)] : []),
    ...(turnOrigin ? [["human", "sdk"].includes(turnOrigin)] : []),
    ...(wakeupSource ? [false] : []),
  ];
}

/** A message that reaches the agent while it works. The line does not have the id of a prompt. */
function readQueued(entry: unknown): Prompt | undefined {
  if (!v.is(QueuedSchema, entry) || entry.isSidechain) return undefined;
  const { prompt, origin, isMeta, commandMode } = entry.attachment;
  const text = readContent(prompt).text.trim();
  if (text === "") return undefined;
  const isPrompt = isMeta !== true && (commandMode ?? "prompt") === "prompt";
  // In a terminal every message of the user has an origin. Those of SDKs and editors have none.
  const byUser = isPrompt && (origin ? origin.kind === "human" : entry.entrypoint !== "cli" && isPlain(text));
  const namesSender = !isPrompt || Boolean(origin);
  return { id: undefined, uuid: entry.uuid ?? undefined, byUser, namesSender, isQueued: true, text };
}

const QueuedSchema = lazySchema(() =>
  v.object({
    type: v.literal("attachment"),
    uuid: v.nullish(v.string()),
    entrypoint: v.nullish(v.string()),
    isSidechain: v.nullish(v.boolean()),
    attachment: v.object({
      type: v.literal("queued_command"),
      prompt: v.unknown(),
      commandMode: v.nullish(v.string()),
      origin: v.nullish(v.object({ kind: v.optional(v.string()) })),
      isMeta: v.nullish(v.boolean()),
    }),
  }),
);

/** Turns the markup of a command back into what the user typed. */
function typed(text: string): string {
  const [, name, args = ""] = COMMAND.exec(text) ?? [];
  return name === undefined ? text : `${name} ${args}`.trim();
}

const COMMAND =
  /^<command-message>[^<]*<\/command-message>\s*<command-name>([^<]+)<\/command-name>(?:\s*<command-args>([\s\S]*)<\/command-args>)?$/;

/** What `/clear`, `/exit` and commands for the shell (`!ls`) leave: no prompts, even where the agent comments on them. */
const LOCAL_COMMAND = /^<(?:command-name|bash-input|bash-stdout|bash-stderr)>/;

function isToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => asObject(block).type === "tool_result");
}

/**
 * Whether a text has a form that only users write. Claude Code begins its own with a tag, or with one of a few phrases. A
 * user may paste such a text: it decides only where nothing says who sent a prompt.
 */
export function isPlain(text: string): boolean {
  return !/^\s*<[a-z!?/]/i.test(text) && !PHRASES.test(text);
}

const PHRASES = new RegExp(
  [
    String.raw`^\s*(\[(MESSAGE FROM|SYSTEM|Request interrupted)|Another Claude session|# /loop|# Autonomous loop`,
    "Caveat: The messages below|Stop hook feedback|This session is being continued)",
  ].join("|"),
  "i",
);

/** Whether the agent answers this prompt. Claude Code also records what it only showed to the user. */
export function startsTurn({ text, isQueued }: Pick<Prompt, "text" | "isQueued">): boolean {
  return !isQueued && !SHOWN.test(text);
}

const SHOWN = /^(<local-command-|<bash-std|Caveat: The messages below|\[Request interrupted)/;

/**
 * Whether a prompt of Claude Code's own reports that a background task did not end well. The description of a task is the
 * agent's text, but comes after the status.
 */
export function reportsFailure(prompt: string): boolean {
  return prompt
    .split("<task-notification>")
    .slice(1)
    .some((notification) => /<status>([^<]*)<\/status>/.exec(notification)?.[1] !== "completed");
}

/** The prompts that the agent schedules in a line of a transcript. When their time comes, they arrive like the user's. */
export function scheduledCalls(line: string): string[] {
  if (!line.includes('"tool_use"')) return [];
  const { content } = asObject(asObject(parseJson(line)).message);
  return (Array.isArray(content) ? content : []).flatMap((block) =>
    v.is(SchedulingSchema, block) ? block.input.prompt : [],
  );
}

const SchedulingSchema = lazySchema(() =>
  v.object({
    type: v.literal("tool_use"),
    // CronCreate and ScheduleWakeup today.
    name: v.pipe(v.string(), v.regex(/cron|schedul|wake|remind/i)),
    input: v.object({ prompt: v.string() }),
  }),
);

/** The project's file in which Claude Code keeps prompts that it sends even to a later session. */
export const SCHEDULED_TASKS = ".claude/scheduled_tasks.json";
