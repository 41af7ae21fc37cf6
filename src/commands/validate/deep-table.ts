import { columns } from "../../text/table.ts";
import type { DeepCheck } from "./deep-checks.ts";
import type { DeepValidation } from "./deep-validate.ts";
import type { Validation } from "./validation.ts";

/** The checks of one provider, each with what helps, and what they cost. */
export function deepTable(
  { checks, requests, tokens }: DeepValidation,
  signs: Readonly<Record<Validation["status"], string>>,
  width: number,
): string {
  const rows = checks.flatMap(({ check, status, detail, advice }) => [
    [`  ${signs[status]} ${LABELS[check]}`, detail],
    ...(advice === "" ? [] : [["", advice]]),
  ]);
  const used = tokens.input + tokens.output;
  const cost = `  ${requests} ${requests === 1 ? "request" : "requests"}`;
  const known = used === 0 ? "" : `, ${used.toLocaleString("en")} tokens as far as the server counted them`;
  return `${columns(rows, width)}${cost}${known}\n`;
}

const LABELS: Readonly<Record<DeepCheck["check"], string>> = {
  model: "model",
  streaming: "streaming",
  tool_call: "tool call",
  tool_result: "tool result",
  tool_reference: "tool reference",
};
