import { createFooter, isAnimated } from "../../terminal/footer.ts";
import type { World } from "../../world.ts";

/** Shows on stderr that a review is going on and, on a terminal, what it does. */
export function showProgress(world: World) {
  const columns = () => world.columns(2);
  const footer = createFooter({ write: world.stderr, isAnimated: isAnimated(world), columns, now: world.now });
  let reviewer = "";
  return {
    start(session: string, name: string, checks: number): void {
      reviewer = name;
      const first = checks === 0 ? "" : `${checks === 1 ? "a check" : `${checks} checks`} first, then `;
      footer.print(`… reviewing session ${session}: ${first}${name}`);
      footer.start("preparing the review");
    },
    step(step: string): void {
      footer.start(step.startsWith("check ") ? step : `${reviewer} is reviewing${step === "" ? "" : `: ${step}`}`);
    },
    trouble(message: string): void {
      footer.print(`… ${message}`);
    },
    stop: footer.stop,
  };
}
