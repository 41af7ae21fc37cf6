/** A line that shows what is going on, and for how long. Only on a terminal. */
export interface Spinner {
  start(what: string): void;
  /** Prints a line of text above the spinner. */
  print(text: string): void;
  stop(): void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const CLEAR_LINE = "\r\u001b[K";

export function createSpinner(write: (text: string) => void, isTerminal: boolean, now: () => Date): Spinner {
  let timer: Timer | undefined;
  let startedAt = 0;
  let frame = 0;
  let shown = "";
  const draw = () => {
    frame = (frame + 1) % FRAMES.length;
    write(`${CLEAR_LINE}${FRAMES[frame]} ${shown} ${Math.round((now().getTime() - startedAt) / 1000)} s`);
  };
  return {
    start(what) {
      if (!isTerminal) return;
      shown = what;
      startedAt = now().getTime();
      clearInterval(timer);
      draw();
      timer = setInterval(draw, 1_000);
    },
    print(text) {
      write(`${timer === undefined ? "" : CLEAR_LINE}${text}\n`);
    },
    stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      write(CLEAR_LINE);
    },
  };
}
