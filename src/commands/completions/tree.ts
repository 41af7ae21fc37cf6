import type { ArgsDef } from "citty";
import { type AnyCommand, type Definition, define, summary } from "../definition.ts";

/** The parts of a command that completion needs. */
export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  readonly positionals: readonly Positional[];
  readonly children: readonly CommandNode[];
}

export interface Option {
  readonly name: string;
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly values: readonly string[] | undefined;
}

export interface Positional {
  readonly name: string;
  readonly values: readonly string[];
}

export async function readTree(command: AnyCommand): Promise<CommandNode> {
  return node(await define(command));
}

function node({ name, description, args, children }: Definition): CommandNode {
  return { name, description: brief(summary(description)), ...readArguments(args), children: children.map(node) };
}

function readArguments(args: ArgsDef): Pick<CommandNode, "options" | "positionals"> {
  const options: Option[] = [];
  const positionals: Positional[] = [];
  for (const [name, argument] of Object.entries(args)) {
    const values = argument.type === "enum" ? (argument.options ?? []) : [];
    const { valueHint = "" } = argument;
    const description = brief(argument.description);
    if (argument.type === "positional") {
      positionals.push({ name, values: valueHint.includes("|") ? valueHint.split("|") : [] });
    } else options.push({ name: `--${name}`, description, values: argument.type === "boolean" ? undefined : values });
  }
  return { options, positionals };
}

/** The first clause: short enough to stand beside a candidate. */
export function brief(description = ""): string {
  return description.split(/[.,:;](?=\s|$)| \(/)[0]?.trim() ?? "";
}
