import type { StreamEvent } from "../../claude/stream.ts";
import { createFooter, type Footer, isAnimated } from "../../terminal/footer.ts";
import { openInputLine, type Typing } from "../../terminal/input.ts";
import { printable } from "../../text/shown.ts";
import { shownDuration, shownTime } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { announcement, meaningOf } from "../outcome.ts";
import { LOG_NAME, STATE_FOLDER } from "../project.ts";
import type { LoopView } from "./loop.ts";

/** What the loop shows, and what the user types while it runs. */
export interface LoopScreen {
  readonly footer: Footer;
  /** Undefined if stdin is not a terminal. */
  readonly typing: Typing | undefined;
}

/** On a terminal: progress and an input line at the bottom, output above. Elsewhere, only lines are printed. */
export function openLoopScreen(world: World, clean: (text: string) => string): LoopScreen {
  const footer = createFooter({
    write: world.stderr,
    isAnimated: isAnimated(world),
    columns: () => world.columns(2),
    now: world.now,
  });
  const shown: Footer = { ...footer, print: (text) => footer.print(printable(clean(text))) };
  const onMessage = (message: string) => shown.print(`queued: ${message.replaceAll("\n", "\n        ")}`);
  return { footer: shown, typing: openTyping(world, shown, onMessage) };
}

function openTyping(world: World, footer: Footer, onMessage: (message: string) => void): Typing | undefined {
  if (!world.isTerminal(0)) return undefined;
  return footer.isAnimated ? openInputLine({ footer, keyboard: world.keyboard, onMessage }) : world.typing(onMessage);
}

/** Shows the loop on a terminal: what the agent says, a line per tool call, the verdict of each round. */
export function createView(footer: Footer, limit: number, clean: (text: string) => string): LoopView {
  return {
    event: (event) => {
      for (const line of describe(event, clean)) footer.print(line);
    },
    outcome: (outcome) => {
      footer.print(announcement(outcome, limit, `${STATE_FOLDER}/${LOG_NAME}`));
      const { feedback } = meaningOf(outcome);
      if (feedback !== undefined) footer.print(indented(feedback));
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
