import { chmod, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { CCC, CLAUDE, newPlace, newSandbox, type Place, provider, settledIn } from "../harness.ts";
import { SAYS_DONE } from "../supervised.ts";

/** What a client may start as claude. */
export const HOWS = ["claude", "ccc-glm", "supervised"] as const;
export type How = (typeof HOWS)[number];

/** What a client has seen of a conversation. */
export interface Seen {
  /** Kinds of messages, in their order, without those that come at any time. */
  readonly messages: readonly string[];
  readonly results: readonly unknown[];
  /** What ran in the client itself: callbacks, hooks, tools. */
  readonly calls: readonly string[];
  readonly error: string | null;
}

export const NOTHING_SEEN: Seen = { messages: [], results: [], calls: [], error: null };

/** A claude for one conversation, in a home of its own, on a scripted API. */
export interface Claude {
  readonly how: How;
  readonly place: Place;
  /** What the client starts: a link, as installers make them. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the agent has begun an answer that never ends. */
  readonly waits: Promise<void>;
}

export interface Client {
  /** Packages of npm, with their versions. */
  readonly packages: Readonly<Record<string, string>>;
  /** Whether its optional dependencies are installed. Those of the SDK are another claude. */
  readonly isWhole?: boolean;
  /** By name; `folder` has the packages. */
  readonly conversations: Readonly<Record<string, (claude: Claude, folder: string) => Promise<Seen>>>;
}

/** How messages of supervised sessions alone begin. docs/clients.md explains them. */
export const EXPLAINED: readonly string[] = ["system informational", `**Notice:** ${SAYS_DONE}`];

/** Conversations that end before the agent stops, so that there is nothing to review. */
export const UNREVIEWED: readonly string[] = ["an interrupt", "an abort", "a cancelled prompt"];

/** What a client sees with one of them, and the outcomes of its reviews. */
export async function converse(
  how: How,
  conversation: (claude: Claude) => Promise<Seen>,
  supervisor: object = {},
): Promise<{ readonly seen: Seen; readonly outcomes: readonly string[] }> {
  await using place = await newPlace();
  const waits = Promise.withResolvers<void>();
  await using sandbox = newSandbox(({ role, body }) => {
    if (role !== "reviewer") return answerOf(JSON.stringify(body.messages), waits.resolve);
    return JSON.stringify(body.messages.at(-1)).includes('"tool_result"') ? DONE : LOOK;
  });
  await settledIn(place);
  await place.config({ providers: { glm: provider(sandbox, "token-of-tests") }, supervisor });
  const server = { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "token-of-tests" };
  const program = place.at(".local/bin/claude");
  await mkdir(place.at(".local/bin"), { recursive: true });
  await symlink(await programOf(how, place), program);
  const env = { ...place.env, ...(how === "claude" ? server : {}) };
  const seen = await conversation({ how, place, program, env, waits: waits.promise });
  const isExplained = (message: string) =>
    how === "supervised" && EXPLAINED.some((beginning) => message.startsWith(beginning));
  const messages = seen.messages.filter((message) => !isExplained(message));
  return { seen: { ...seen, messages }, outcomes: await outcomesIn(place) };
}

/** What kind of message Claude Code has written; none for those that come at any time. */
export function kindOf({ type, subtype }: { readonly type: string; readonly subtype?: string }): string[] {
  const kind = subtype === undefined ? type : `${type} ${subtype}`;
  return AT_ANY_TIME.has(kind) ? [] : [kind];
}

/** How the stops on record ended. */
async function outcomesIn(place: Place): Promise<string[]> {
  const files = await readdir(place.at(".claude/ccc"), { recursive: true }).catch(() => []);
  const stops = files.filter((name) => basename(name) === "stops.jsonl").map((name) => place.at(".claude/ccc", name));
  const lines = (await Promise.all(stops.map((path) => readFile(path, "utf8")))).join("").trim().split("\n");
  return lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line).outcome])).filter((outcome) => outcome);
}

async function programOf(how: How, place: Place): Promise<string> {
  if (how === "claude") return CLAUDE;
  if (how === "ccc-glm") {
    const made = await place.ccc(["provider", "editor", "glm", "--json"]);
    return JSON.parse(made.stdout).vscode["claudeCode.claudeProcessWrapper"];
  }
  const script = join(place.bin, "supervised");
  await place.write(script, `#!/bin/sh\nexec "${CCC}" --supervisor glm "$@"\n`);
  await chmod(script, 0o755);
  return script;
}

const LOOK = { use: "Bash", input: { command: "ls", description: "look" } };
const DONE = { verdict: { completed: true, feedback: "seen" } };

/** How the scripted agent answers what a conversation asks. `onWait` is called when it begins an answer that never ends. */
function answerOf(asked: string, onWait: () => void): Turn {
  if (asked.includes('"tool_result"')) return { say: "after the tool" };
  if (asked.includes("RUN")) return { use: "Bash", input: { command: "touch made", description: "make a file" } };
  if (asked.includes("ADD")) return { use: "mcp__own__add", input: {} };
  if (asked.includes("SCHEMA")) return { use: "StructuredOutput", input: { answer: "42" } };
  if (asked.includes("WAIT")) {
    onWait();
    return { say: "too late", after: new Promise<void>(() => {}) };
  }
  return { say: "hello" };
}

/** Hooks of ccc are among the messages; the others depend on time. */
const AT_ANY_TIME = new Set([
  "system hook_started",
  "system hook_response",
  "system hook_progress",
  "system status",
  "system thinking_tokens",
  "system notification",
  "system session_state_changed",
  "rate_limit_event",
]);
