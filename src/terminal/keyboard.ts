/** The user's keyboard in raw mode: nothing is echoed, and every key arrives at once. */
export interface Keyboard {
  /** Acts on keys that the terminal itself handles in its usual mode: Ctrl-C and Ctrl-Z, for the whole process group. */
  signal(signal: "SIGINT" | "SIGTSTP"): void;
  /** Gives the terminal back, in its usual mode. */
  close(): void;
}

export interface KeyboardListener {
  readonly onBytes: (bytes: Uint8Array) => void;
  readonly onEnd: () => void;
  /** Before ccc is suspended. */
  readonly onSuspend: () => void;
  /** The size of the terminal may have changed, or its content. */
  readonly onRedraw: () => void;
}

/** Takes over the keyboard of the terminal on stdin. Its usual mode returns in every way that ccc can end but SIGKILL. */
export function openKeyboard(
  host: NodeJS.Process,
  write: (text: string) => void,
  { onBytes, onEnd, onSuspend, onRedraw }: KeyboardListener,
): Keyboard {
  const { stdin } = host;
  const take = () => {
    stdin.setRawMode(true);
    write(MARK_PASTES);
  };
  const giveBack = () => {
    stdin.setRawMode(false);
    write(UNMARKED_PASTES);
  };
  const resume = () => {
    take();
    onRedraw();
  };
  const suspend = () => {
    onSuspend();
    giveBack();
    // The signal's own effect: without a shell that could continue ccc, it has none.
    host.off("SIGTSTP", suspend);
    host.kill(host.pid, "SIGTSTP");
    host.on("SIGTSTP", suspend);
    resume();
  };
  const isPosix = host.platform !== "win32";
  const handlers: readonly (readonly [NodeJS.Signals, () => void])[] = isPosix
    ? [
        ["SIGTSTP", suspend],
        ["SIGCONT", resume],
        ["SIGWINCH", onRedraw],
      ]
    : [];
  take();
  stdin.on("data", onBytes);
  stdin.on("end", onEnd);
  // A terminal that is gone also sends SIGHUP.
  stdin.on("error", () => {});
  host.on("exit", giveBack);
  for (const [signal, handler] of handlers) host.on(signal, handler);
  return {
    signal(signal) {
      if (isPosix) host.kill(0, signal);
      else if (signal === "SIGINT") host.emit(signal, signal);
    },
    close() {
      giveBack();
      host.off("exit", giveBack);
      for (const [signal, handler] of handlers) host.off(signal, handler);
      // Only ccc's own listeners: others make pause() stop reading, so that the next program gets every key.
      stdin.off("data", onBytes);
      stdin.off("end", onEnd);
      stdin.pause();
      stdin.unref();
    },
  };
}

/** "Bracketed paste": the terminal marks the beginning and the end of a paste. */
const MARK_PASTES = "\u001b[?2004h";
/** Also what the footer may have left off in the middle of a row. */
const UNMARKED_PASTES = "\u001b[?2004l\u001b[?7h";
