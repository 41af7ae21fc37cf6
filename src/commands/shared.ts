import { parseArgs } from "node:util";
import type { ArgsDef, SubCommandsDef } from "citty";
import { usageError } from "../errors.ts";
import type { ChildResult } from "../os/child.ts";
import type { EndSignal, World } from "../world.ts";

const LONGEST_SECONDS = 3600;

/** The value of --timeout, in milliseconds. */
export function timeoutIn(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const number = Number(seconds);
  if (number > 0 && number <= LONGEST_SECONDS) return number * 1000;
  throw usageError(`--timeout takes seconds, above 0 and up to ${LONGEST_SECONDS}`);
}

/** A citty command, whatever its arguments are. */
export type AnyCommand = Exclude<Awaited<SubCommandsDef[string]>, () => unknown>;

/** A citty command with everything resolved that citty lets a command compute later. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  /** The first sentence of the description. */
  readonly summary: string;
  readonly args: ArgsDef;
  readonly children: readonly Definition[];
  readonly command: AnyCommand;
}

export async function define(command: AnyCommand): Promise<Definition> {
  const meta = await settle(command.meta);
  const children = Object.values((await settle(command.subCommands)) ?? {});
  const description = meta?.description ?? "";
  return {
    name: meta?.name ?? "",
    description,
    summary: firstSentence(description),
    args: (await settle(command.args)) ?? {},
    children: await Promise.all(children.map(async (child) => define(await settle(child)))),
    command,
  };
}

function firstSentence(description: string): string {
  const [paragraph = ""] = description.split("\n\n");
  return paragraph.replaceAll("\n", " ").split(/\.(?:\s|$)/)[0] ?? "";
}

async function settle<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof value === "function" ? (value as () => T | Promise<T>)() : value;
}

export interface InterruptibleWorld {
  /** Starts no more programs once ccc is asked to end: between two programs, nothing else would notice that. */
  readonly world: World;
  /** The signal that asked it to end. */
  readonly signal: () => EndSignal | undefined;
  readonly stopListening: () => void;
}

export function interruptibleWorld(world: World): InterruptibleWorld {
  let first: EndSignal | undefined;
  const stopListening = world.onSignal((signal) => {
    first ??= signal;
  });
  return {
    world: { ...world, run: (request) => (first === undefined ? world.run(request) : Promise.resolve(INTERRUPTED)) },
    signal: () => first,
    stopListening,
  };
}

const INTERRUPTED: ChildResult = { exitCode: null, ending: "interrupted", stderr: "" };

export const JSON_FLAG = { type: "boolean", default: false, description: "print JSON for programs" } as const;

export const PROVIDER_OR_CURRENT = {
  type: "positional",
  required: false,
  description: "a provider in ccc.json (default: the current one)",
} as const;

/** Every value of an option that may be given several times, in order. */
export function everyValue(words: readonly string[], name: string): readonly string[] {
  const options = { [name]: { type: "string", multiple: true } } as const;
  const { values } = parseArgs({ args: [...words], options, strict: false });
  const given = values[name];
  return Array.isArray(given) ? given.map(String) : [];
}
