import { Terminal } from "@xterm/headless";

/** A program on a terminal of its own, with a screen that a test can read. */
export interface Screen extends AsyncDisposable {
  /** What a person would see now, with what has scrolled away. */
  text(): string;
  /** Everything that was ever written, cleared screens included. */
  history(): string;
  /** Waits until the screen shows this. */
  shows(wanted: string | RegExp): Promise<void>;
  type(keys: string): void;
  readonly exited: Promise<number>;
}

/** Only to say what was on the screen instead of hanging. */
const GIVE_UP_MS = 120_000;

const LAST_WORDS_MS = 5_000;

export function newScreen(
  command: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Screen {
  const terminal = new Terminal({ cols: 120, rows: 40, scrollback: 5000, allowProposedApi: true });
  const waiting = new Set<() => void>();
  let history = "";
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    env: { TERM: "xterm-256color", ...options.env },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_, data) => {
        history += new TextDecoder().decode(data);
        terminal.write(data, () => {
          for (const look of waiting) look();
        });
      },
    },
  });
  // Programs ask the terminal what it can do, and wait for the answer.
  terminal.onData((reply) => child.terminal?.write(reply));
  const text = () => {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
    return rows.join("\n").replaceAll("\u00a0", " ");
  };
  const isShown = (wanted: string | RegExp) =>
    typeof wanted === "string" ? text().includes(wanted) : wanted.test(text());
  return {
    text,
    history: () => Bun.stripANSI(history),
    exited: child.exited,
    type: (keys) => child.terminal?.write(keys),
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!isShown(wanted)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        setTimeout(() => reject(new Error(`${wanted} does not show:\n${text()}`)), GIVE_UP_MS).unref();
        // Its last words may still be on their way through the terminal.
        const giveUp = () => reject(new Error(`it ended without showing ${wanted}:\n${text()}`));
        child.exited.then(() => setTimeout(giveUp, LAST_WORDS_MS).unref());
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}
