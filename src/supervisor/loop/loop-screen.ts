import { createFooter, type Footer, isAnimated } from "../../terminal/footer.ts";
import { openInputLine } from "../../terminal/input-line.ts";
import type { Typing } from "../../terminal/typing.ts";
import { printable } from "../../text/printable.ts";
import type { World } from "../../world.ts";

/** What the loop shows, and what the user types meanwhile. */
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
