import type { Verdict } from "../supervisor/review/verdict.ts";

/** One response of the scripted model. */
export type Turn = { readonly delayMs?: number; readonly after?: Promise<unknown>; readonly usage?: TurnUsage } & (
  | { readonly say: string }
  | { readonly use: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly verdict: Verdict }
  | { readonly fail: number; readonly message?: string }
);

export interface TurnUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens: number;
}

/** Who sent a request: the agent, the reviewer (whose answer has a schema), or Claude Code for a small task of its own. */
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

export function roleOf({ tools = [] }: MessagesRequest): Role {
  if (tools.some((tool) => tool.name === ANSWER_TOOL)) return "reviewer";
  return tools.length > 0 ? "agent" : "helper";
}

/** Older versions of Claude Code ask once more after the answer in the schema; newer ones stop there. */
export function isAfterVerdict({ messages }: MessagesRequest): boolean {
  const [before, last] = messages.slice(-2).map((message) => JSON.stringify(message.content));
  return last?.includes('"tool_result"') === true && before?.includes(ANSWER_TOOL) === true;
}
