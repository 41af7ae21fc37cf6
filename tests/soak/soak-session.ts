import { join } from "node:path";
import { CCC } from "../harness.ts";
import type { SupervisedPlace } from "../supervised.ts";
import { kindOf } from "./soak-turns.ts";

/** One Claude Code for many prompts: starting one for each would take too long. */
export interface SoakSession {
  readonly pid: number;
  readonly id: () => string;
  /** Sends a prompt and waits for the answer to it. */
  turn(number: number): Promise<void>;
  compact(): Promise<void>;
  end(): Promise<void>;
}

const OPTIONS = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];

export function startSession(
  place: SupervisedPlace,
  mark: Readonly<Record<string, string>>,
  resume?: string,
): SoakSession {
  const args = ["--supervisor", "glm", "-p", ...OPTIONS, "--allowedTools", "Bash", "Agent"];
  const child = Bun.spawn([CCC, ...args, ...(resume === undefined ? [] : ["--resume", resume])], {
    cwd: place.project,
    env: { ...place.env, ...mark },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  let id = resume ?? "";
  const lines = readLines(child.stdout);
  const until = async (what: string, isLast: (line: Line) => boolean) => {
    for (;;) {
      const { value, done } = await soon(lines.next(), what);
      if (done) throw new Error(`claude ended before ${what}`);
      id = value.session_id ?? id;
      if (isLast(value)) return;
    }
  };
  const send = (content: string) => {
    child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
    return child.stdin.flush();
  };
  return {
    pid: child.pid,
    id: () => id,
    async turn(number) {
      const kind = kindOf(number);
      await Bun.write(join(place.bin, "turn"), `${number} ${kind}\n`);
      await send(`TURN ${number} ${kind}`);
      const isAnswer = ({ type, is_error, result = "" }: Line) =>
        type === "result" && (kind === "error" ? is_error === true : result === `ANSWER ${number}`);
      await until(`the answer to turn ${number} (${kind})`, isAnswer);
    },
    async compact() {
      await send("/compact");
      await until("it compacted", ({ type, subtype }) => type === "system" && subtype === "compact_boundary");
    },
    async end() {
      await child.stdin.end();
      for await (const _ of lines);
      await child.exited;
    },
  };
}

/** A session that hangs is a failure too. */
async function soon<T>(next: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`nothing for a minute while waiting: ${what}`)), 60_000);
  return Promise.race([next, late.promise]).finally(() => clearTimeout(timer));
}

interface Line {
  readonly type?: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly is_error?: boolean;
  readonly result?: string;
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<Line, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("{")) yield JSON.parse(line) as Line;
  }
}
