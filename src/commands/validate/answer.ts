import { asObject, parseJson } from "../../text/json.ts";

export interface Answer {
  readonly status: number;
  /** The target of a redirect, or empty. */
  readonly location: string;
  /** At least its beginning. */
  readonly body: string;
}

/** What a body is, regardless of the status. */
export type Reading =
  | { readonly kind: "message" }
  | { readonly kind: "openai" }
  | { readonly kind: "page" }
  | { readonly kind: "error"; readonly type: string; readonly message: string; readonly status: number | undefined }
  | { readonly kind: "other" };

export function readBody(body: string): Reading {
  const text = body.trim();
  if (/^(event|data):.*message_start/m.test(text)) return { kind: "message" };
  if (/^data:.*"chat\.completion/m.test(text)) return { kind: "openai" };
  if (/^<(!doctype|html|head|body|\?xml)/i.test(text)) return { kind: "page" };
  const json = asObject(parseJson(text));
  if (json.type === "message" && Array.isArray(json.content)) return { kind: "message" };
  if (Array.isArray(json.choices) || String(json.object ?? "").startsWith("chat.completion")) return { kind: "openai" };
  return readError(json) ?? { kind: "other" };
}

/** Errors in Anthropic's format, in OpenAI's, and with a code and message at the top level. */
function readError(json: Readonly<Record<string, unknown>>): Reading | undefined {
  const error = asObject(json.error);
  const message = [error.message, json.error, json.message, json.msg, json.detail].find(
    (each) => typeof each === "string",
  );
  if (typeof message !== "string") return undefined;
  const type = [error.type, error.code, json.code].filter((each) => each !== undefined && each !== null).join(" ");
  const code = Number(json.code ?? error.code);
  return { kind: "error", type, message, status: code >= 400 && code < 600 ? code : undefined };
}
