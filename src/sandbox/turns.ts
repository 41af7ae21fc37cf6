import type { VerdictAnswer } from "../supervisor/review/verdict.ts";

/** One response of the scripted model. */
export type Turn = { readonly delayMs?: number; readonly after?: Promise<unknown>; readonly usage?: TurnUsage } & (
  | { readonly say: string }
  | ToolCall
  | { readonly calls: readonly ToolCall[] }
  | { readonly verdict: VerdictAnswer }
  | { readonly fail: number; readonly message?: string }
);

export interface ToolCall {
  readonly use: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface TurnUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens: number;
}

/** Who sent a request: the agent, the reviewer, or Claude Code for a small task of its own. */
export type Role = "agent" | "reviewer" | "helper";

export interface Received {
  readonly role: Role;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: MessagesRequest;
}

export interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** Chooses the response to a request; `index` counts the earlier requests of the same role. */
export type Script = (received: Received, index: number) => Turn;

/** The tool that Claude Code gives a model to answer in a schema. */
export const ANSWER_TOOL = "StructuredOutput";

export function roleOf({ tools = [], messages }: MessagesRequest): Role {
  if (tools.length === 0 || isWarmUp(messages)) return "helper";
  return tools.some(isAnswerTool) || messages.some(isReviewMessage) ? "reviewer" : "agent";
}

/** The oldest version starts its built-in agents in advance, so that the server has their prompts in its cache. */
function isWarmUp(messages: MessagesRequest["messages"]): boolean {
  return messages.length === 1 && JSON.stringify(messages[0]?.content).includes('"text":"Warmup"');
}

function isAnswerTool({ name }: { readonly name: string }): boolean {
  return name === ANSWER_TOOL;
}

/** Whether ccc asks for a review in it. Forks are not saved, so the agent's requests never have one. */
function isReviewMessage({ role, content }: MessagesRequest["messages"][number]): boolean {
  return role === "user" && JSON.stringify(content).includes("This message comes from ccc, the program that asked");
}

/** The turn as this request allows it: a verdict is JSON in the text unless the answer has a schema. */
export function spoken(turn: Turn, { tools = [] }: MessagesRequest): Turn {
  if (!("verdict" in turn) || tools.some(isAnswerTool)) return turn;
  const { verdict, ...others } = turn;
  return { ...others, say: JSON.stringify(verdict) };
}

/** Older versions of Claude Code ask once more after the answer in the schema; newer ones stop there. */
export function isAfterVerdict({ messages }: MessagesRequest): boolean {
  const [before, last] = messages.slice(-2).map((message) => JSON.stringify(message.content));
  return last?.includes('"tool_result"') === true && before?.includes(ANSWER_TOOL) === true;
}
