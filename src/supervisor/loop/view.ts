import type { StreamEvent } from "../../claude/stream.ts";
import type { Spinner } from "../../terminal/spinner.ts";
import { announcement } from "../answer.ts";
import type { LoopView } from "./loop.ts";

/** The loop as a person follows it: what the agent says, a line for each tool, the verdict of each round. */
export function createView(spinner: Spinner, limit: number, clean: (text: string) => string): LoopView {
  return {
    event: (event) => {
      for (const line of describe(event, clean)) spinner.print(line);
    },
    outcome: (outcome) => {
      spinner.print(announcement(outcome, limit));
      if (outcome.kind === "rework") spinner.print(indented(outcome.feedback));
    },
  };
}

const LONGEST_TOOL_LINE = 120;

function describe(event: StreamEvent, clean: (text: string) => string): string[] {
  if (event.kind === "retry")
    return [
      `… the API does not answer${event.status === undefined ? "" : ` (HTTP ${event.status})`}, claude tries again`,
    ];
  if (event.kind !== "text") return [];
  const tools = event.tools.map(({ name, what }) => `→ ${name}${what === "" ? "" : `: ${firstLine(clean(what))}`}`);
  return event.text.trim() === "" ? tools : [event.text.trim(), ...tools];
}

/** Of a text that is clean already: half a key would not be recognised. */
function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > LONGEST_TOOL_LINE ? `${line.slice(0, LONGEST_TOOL_LINE)}…` : line;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
