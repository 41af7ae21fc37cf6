import { dialectOf, usesToolSearch } from "../../claude/dialect.ts";
import { TOOL_SEARCH } from "../../claude/foreign-models.ts";
import { callInput, type StreamedMessage } from "../../claude/message-stream.ts";
import { PROBE_TOOL } from "../../claude/probe-requests.ts";
import type { Json } from "../../text/json.ts";
import type { Validation } from "./validation.ts";

/** One thing that Claude Code needs of a provider. Names are stable: scripts may rely on them. */
export interface DeepCheck {
  readonly check: "model" | "streaming" | "tool_call" | "tool_result" | "tool_reference";
  readonly model: string;
  readonly status: Validation["status"];
  readonly detail: string;
  readonly advice: string;
  /** NAME=VALUE for the provider's env, if a setting helps. */
  readonly setting: string | null;
}

/** The answer to a probe: a message, or why there is none. */
export type Probed =
  | { readonly message: StreamedMessage; readonly failure?: undefined }
  | { readonly message?: undefined; readonly failure: Validation };

type Found = Omit<DeepCheck, "check" | "model">;

export function judgeStreaming({ message, failure }: Probed): Found {
  if (failure !== undefined) return failed(failure);
  if (!message.isStreamed) return wrong("the answer arrives in one piece, although a stream was asked for", GATEWAY);
  const cut = message.error ?? (message.isComplete ? undefined : "the stream ends in the middle");
  if (cut !== undefined) return wrong(`the stream breaks off: ${cut}`, "A proxy or gateway on the way may cut it off.");
  return works("the answer arrives as a stream");
}

export function judgeToolCall({ message, failure }: Probed): Found {
  if (failure !== undefined) return failed(failure, OTHER_MODEL);
  const call = probeCall(message);
  if (call !== undefined) {
    const word = callInput(call)?.word;
    return typeof word === "string"
      ? works("the model calls a tool")
      : wrong("the model's tool call is garbled", PARSER);
  }
  if (message.stopReason === "max_tokens") {
    return wrong("the answer ends before the tool call: it has reached its limit of tokens", OTHER_MODEL);
  }
  const text = message.blocks.map(({ text = "" }) => String(text)).join("");
  if (text.includes(PROBE_TOOL)) return wrong("the model writes its tool call as text", PARSER);
  return wrong("the model answers without calling the tool", OTHER_MODEL);
}

export function judgeToolResult({ message, failure }: Probed): Found {
  if (failure !== undefined) return failed(failure, GATEWAY);
  if (message.error !== undefined) return wrong(`the answer to a tool result breaks off: ${message.error}`, GATEWAY);
  return works("the model goes on after a tool result");
}

export function judgeToolReference({ message, failure }: Probed): Found {
  if (failure === undefined && probeCall(message) !== undefined) {
    return works("the model calls a tool that it knows by a tool_reference");
  }
  if (failure !== undefined && !isRefusal(failure)) return failed(failure);
  const what = failure === undefined ? "the model does not find a tool behind a tool_reference" : failure.detail;
  const setting = `${TOOL_SEARCH}=false`;
  return { ...wrong(what, `${setAdvice(setting)} Claude Code then sends all tools at once.`), setting };
}

/** Whether a server that has answered before fails because of what it was asked. Many fail with an error of their own. */
export function isRefusal({ cause, detail }: Validation): boolean {
  return cause === "request_refused" || (cause === "server_error" && !/status (503|529)/.test(detail));
}

/** Why a provider needs no tool_reference. */
export function withoutToolSearch(env: Readonly<Record<string, string>>): string | undefined {
  if (usesToolSearch(env)) return undefined;
  const setting = dialectOf(env).betas
    ? `${TOOL_SEARCH}=${env[TOOL_SEARCH]}`
    : "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS";
  return `not needed: ${setting} turns tool search off`;
}

/** The call that a probe asks for. */
export function probeCall({ blocks }: StreamedMessage): Json | undefined {
  return blocks.find(({ type, name }) => type === "tool_use" && name === PROBE_TOOL);
}

export function setAdvice(setting: string): string {
  const [name, value] = setting.split("=");
  return `Set "${name}": "${value}" in the provider's env.`;
}

export function notAsked(why: string): Found {
  return { status: "unchecked", detail: why, advice: "", setting: null };
}

function works(detail: string): Found {
  return { status: "valid", detail, advice: "", setting: null };
}

function wrong(detail: string, advice: string): Found {
  return { status: "invalid", detail, advice, setting: null };
}

/** A quota that is used up says nothing about what the server can do. */
export function failed(failure: Validation, better = failure.advice): Found {
  if (failure.status !== "invalid") return notAsked(`no answer: ${failure.detail}`);
  return wrong(failure.detail, isRefusal(failure) ? better : failure.advice);
}

const GATEWAY = "Use the provider's own address for Claude Code, or a gateway such as LiteLLM in front of it.";
const OTHER_MODEL = "Choose a model that can call tools: ANTHROPIC_MODEL and the models of the roles.";
const PARSER = "Turn on the server's parser for tool calls (vLLM: --enable-auto-tool-choice), or choose another model.";
