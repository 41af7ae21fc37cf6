/** One answer of the scripted model. */
export type Turn = { readonly delayMs?: number; readonly after?: Promise<unknown> } & (
  | { readonly say: string }
  | { readonly use: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly verdict: Verdict }
  | { readonly fail: number; readonly message?: string }
);

export interface Verdict {
  readonly completed: boolean;
  readonly feedback: string;
}

/** Who asks: the agent at work, its reviewer (who has to answer in a schema), or one of Claude Code's small helpers. */
export type Role = "agent" | "reviewer" | "helper";

/** A request as the sandbox received it. */
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

/** Chooses the answer to a request; `index` counts the requests of the same role before it. */
export type Script = (received: Received, index: number) => Turn;

/** The tool by which Claude Code lets a model answer in a schema. */
export const ANSWER_TOOL = "StructuredOutput";

export function roleOf({ tools = [] }: MessagesRequest): Role {
  if (tools.some((tool) => tool.name === ANSWER_TOOL)) return "reviewer";
  return tools.length > 0 ? "agent" : "helper";
}

/** Older versions of Claude Code want a closing word after the answer in the schema; newer ones end with it. */
export function isAfterVerdict({ messages }: MessagesRequest): boolean {
  const [before, last] = messages.slice(-2).map((message) => JSON.stringify(message.content));
  return last?.includes('"tool_result"') === true && before?.includes(ANSWER_TOOL) === true;
}
