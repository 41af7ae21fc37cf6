import { type IBuffer, Terminal } from "@xterm/headless";

/** A program in its own terminal, with a screen that a test can read. */
export interface Screen extends AsyncDisposable {
  /** What a user would see now, including the scrollback. */
  text(): string;
  /** The same as the terminal has it: cell by cell, with colors. */
  cells(): IBuffer;
  /** All output so far, including cleared screens. */
  history(): string;
  /** All output so far, byte for byte. */
  raw(): string;
  /** Waits until the screen shows this. */
  shows(wanted: string | RegExp): Promise<void>;
  type(keys: string): void;
  /** Types a prompt or a command for Claude Code and submits it once it is in the input box. */
  submit(text: string): Promise<void>;
  readonly exited: Promise<number>;
}

/** After this, the test fails and shows the screen instead of hanging. */
const GIVE_UP_MS = 120_000;

const LAST_OUTPUT_MS = 5_000;

export function newScreen(
  command: readonly string[],
  {
    cols = 120,
    rows = 40,
    ...options
  }: { cwd: string; env: Readonly<Record<string, string>>; cols?: number; rows?: number },
): Screen {
  const terminal = new Terminal({ cols, rows, scrollback: 5000, allowProposedApi: true });
  const waiting = new Set<() => void>();
  let history = "";
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    env: { TERM: "xterm-256color", ...options.env },
    terminal: {
      cols,
      rows,
      data: (_, data) => {
        history += new TextDecoder().decode(data);
        terminal.write(data, () => {
          for (const look of waiting) look();
        });
      },
    },
  });
  // Programs query the terminal's features and wait for the reply.
  terminal.onData((reply) => child.terminal?.write(reply));
  const text = () => {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
    return rows.join("\n").replaceAll("\u00a0", " ");
  };
  const isShown = (wanted: string | RegExp) =>
    typeof wanted === "string" ? text().includes(wanted) : wanted.test(text());
  const type = (keys: string) => void child.terminal?.write(keys);
  const shows = (wanted: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!isShown(wanted)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      setTimeout(() => reject(new Error(`the screen does not show ${wanted}:\n${text()}`)), GIVE_UP_MS).unref();
      // The last output may still be on its way through the terminal.
      const giveUp = () => reject(new Error(`the program exited without showing ${wanted}:\n${text()}`));
      child.exited.then(() => setTimeout(giveUp, LAST_OUTPUT_MS).unref());
      look();
    });
  return {
    text,
    cells: () => terminal.buffer.active,
    history: () => Bun.stripANSI(history),
    raw: () => history,
    exited: child.exited,
    type,
    shows,
    submit: async (prompt) => {
      type(prompt);
      await shows(`❯ ${prompt}`);
      type("\r");
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
    },
  };
}
