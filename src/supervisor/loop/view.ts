import type { StreamEvent } from "../../claude/stream.ts";
import type { Footer } from "../../terminal/footer.ts";
import { shownDuration, shownTime } from "../../text/duration.ts";
import { STATE_FOLDER } from "../hook-options.ts";
import { announcement } from "../review/announcement.ts";
import { LOG_NAME } from "../supervisor-log.ts";
import type { LoopView } from "./run-loop.ts";

/** Shows the loop on a terminal: what the agent says, a line per tool call, the verdict of each round. */
export function createView(footer: Footer, limit: number, clean: (text: string) => string): LoopView {
  return {
    event: (event) => {
      for (const line of describe(event, clean)) footer.print(line);
    },
    outcome: (outcome) => {
      footer.print(announcement(outcome, limit, `${STATE_FOLDER}/${LOG_NAME}`));
      if (outcome.kind === "rework") footer.print(indented(outcome.feedback));
    },
    waiting: ({ isResetKnown, until, left }, isStart) => {
      const what = isResetKnown ? "waiting for the usage limit to reset" : "waiting before the next attempt";
      if (isStart || !footer.isAnimated) footer.print(`… ${what}: ${shownTime(until)}, in ${shownDuration(left)}`);
      if (isStart) footer.start(what, new Date(until * 1000));
    },
  };
}

const LONGEST_TOOL_LINE = 120;

function describe(event: StreamEvent, clean: (text: string) => string): string[] {
  if (event.kind === "retry")
    return [`… API error${event.status === undefined ? "" : ` (HTTP ${event.status})`}; claude is retrying`];
  if (event.kind !== "text") return [];
  const tools = event.tools.map(({ name, what }) => `→ ${name}${what === "" ? "" : `: ${firstLine(clean(what))}`}`);
  return event.text.trim() === "" ? tools : [event.text.trim(), ...tools];
}

/** The text must be redacted before it is cut: half a key would not be recognized. */
function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > LONGEST_TOOL_LINE ? `${line.slice(0, LONGEST_TOOL_LINE)}…` : line;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
