/** What ccc says to the user, and what it asks. */
import type { Readable, Writable } from "node:stream";
import { WriteStream } from "node:tty";
import * as clack from "@clack/prompts";
import { type ConsolaInstance, createConsola } from "consola/core";
import { CccError, EXIT, usageError } from "../errors.ts";
import { wrap } from "../text/table.ts";

/** Questions to the user at a terminal. Ctrl-C, Ctrl-D or Escape cancels the whole command. */
export interface Ask {
  /** One of several options. A long list is searched by typing. */
  choose(question: string, options: readonly Choice[]): Promise<string>;
  /** `initial` can be edited; `preset` is shown, and is the answer if nothing is typed. */
  text(
    question: string,
    options?: { initial?: string; preset?: string; check?: (answer: string) => string | undefined },
  ): Promise<string>;
  /** The input is hidden. */
  secret(question: string, check: (answer: string) => string | undefined): Promise<string>;
  confirm(question: string, preset: boolean): Promise<boolean>;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** What a search also finds it by; not shown. */
  readonly words?: string;
}

/** Whether there is a user at a terminal to ask. */
export function canAsk({ isTerminal }: { readonly isTerminal: (fd: 0 | 2) => boolean }): boolean {
  return isTerminal(0) && isTerminal(2);
}

/** Whether a command may continue: because of --yes, or because the user agrees. Throws if it cannot ask. */
export async function isAgreed(
  question: string,
  { yes, to, preset = false }: { readonly yes: boolean; readonly to: string; readonly preset?: boolean },
  world: { readonly isTerminal: (fd: 0 | 2) => boolean; readonly ask: Ask },
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(world)) throw usageError(`not a terminal: pass --yes to ${to}`);
  return world.ask.confirm(question, preset);
}

/** Where questions are asked. */
interface AskStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** A function, because the first access to the streams of a process is slow. */
export function terminalAsk(streams: () => AskStreams): Ask {
  // readline stops reading at Ctrl-D, without a word to clack, which would wait forever.
  clack.updateSettings({ aliases: { "\u0004": "cancel" } });
  return {
    choose: async (message, options) =>
      answered(
        options.length <= FEW
          ? await clack.select({
              message,
              options: options.map(({ value, label }) => ({ value, label })),
              ...streams(),
            })
          : await clack.autocomplete({
              message,
              options: options.map(({ value, label }) => ({ value, label })),
              filter: (search, { value }) =>
                isFound(
                  search,
                  options.find((each) => each.value === value),
                ),
              validate: (chosen) => (chosen === undefined ? "nothing matches: change the search" : undefined),
              maxItems: 12,
              ...streams(),
            }),
      ),
    text: async (question, { initial, preset = "", check } = {}) =>
      answered(
        await clack.text({
          message: question,
          ...streams(),
          ...(initial === undefined ? {} : { initialValue: initial }),
          ...(preset === "" ? {} : { placeholder: preset, defaultValue: preset }),
          validate: (answer = "") => check?.(answer.trim() || preset),
        }),
      ).trim() || preset,
    secret: async (question, check) =>
      answered(
        await clack.password({
          message: question,
          ...streams(),
          mask: "•",
          validate: (answer = "") => check(answer.trim()),
        }),
      ).trim(),
    confirm: async (question, preset) =>
      answered(await clack.confirm({ message: question, initialValue: preset, ...streams() })),
  };
}

function isFound(search: string, choice: Choice | undefined): boolean {
  return `${choice?.label} ${choice?.words ?? ""}`.toLowerCase().includes(search.trim().toLowerCase());
}

/** So few options need no search. */
const FEW = 6;

function answered<T>(answer: T | typeof clack.CANCEL_SYMBOL): T {
  if (answer !== clack.CANCEL_SYMBOL) return answer as T;
  throw new CccError("cancelled; nothing was changed", { exitCode: EXIT.interrupted });
}

const DEFAULT_COLUMNS = 80;

/** The width of the terminal on stdout or stderr. */
export function terminalColumns(fd: 1 | 2): number {
  return new WriteStream(fd).columns || DEFAULT_COLUMNS;
}

/** Everything that ccc says to the user, on stderr: stdout is for results. Hooks have their own log. */
export function createLog({ isTerminal, columns, stderr }: LogTerminal): ConsolaInstance {
  const width = isTerminal(2) ? columns(2) : Number.POSITIVE_INFINITY;
  const say = (label: string, text: string) => stderr(`${wrap(`ccc: ${label}${text}`, width)}\n`);
  return createConsola({ reporters: [{ log: ({ type, args }) => say(LABELS[type] ?? "", args.join(" ")) }] });
}

interface LogTerminal {
  readonly isTerminal: (fd: 2) => boolean;
  readonly columns: (fd: 2) => number;
  readonly stderr: (text: string) => void;
}

/** An error needs no label: it is the last thing that ccc says. */
const LABELS: Partial<Record<string, string>> = { warn: "warning: " };
