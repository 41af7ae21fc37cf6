import type { ArgDef } from "citty";
import { type Definition, summary } from "../commands/definition.ts";

export const HELP_WIDTH = 100;

/**
 * The help of the command `path`. Plain paragraphs of its description come first. Sections (a title with indented lines
 * below) come last, unchanged.
 */
export function renderHelp(definition: Definition, path: string, width = HELP_WIDTH): string {
  const paragraphs = definition.description.split("\n\n");
  const isSection = (paragraph: string) => paragraph.includes("\n  ");
  const { args, children } = definition;
  const parts = [
    ...paragraphs.filter((each) => !isSection(each)).map((each) => wrap(each, width).join("\n")),
    `Usage\n  ${usageLine(definition, path, width - 2)}`,
    table("Arguments", entries(args, true), width),
    table("Commands", children.map(childRow), width),
    table("Options", [...entries(args, false), ["-h, --help", "show this help"]], width),
    ...paragraphs.filter(isSection),
    ...(children.length === 0 ? [] : [`Help for one command: ${path} <command> --help`]),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** How to call a command, in one line. Options that do not fit become "[options]". */
export function usageLine({ args, children }: Definition, path: string, width = HELP_WIDTH): string {
  if (children.length > 0) return `${path} ${children.map(({ name }) => name).join("|")} …`;
  const all = Object.entries(args);
  const options = all.filter(([, { type }]) => type !== "positional").map((each) => `[${label(...each)}]`);
  const positionals = all.filter(([, { type }]) => type === "positional").map((each) => bracketed(...each));
  const line = [path, ...options, ...positionals].join(" ");
  return line.length <= width ? line : [path, "[options]", ...positionals].join(" ");
}

type Row = readonly [left: string, right: string];

function entries(args: Definition["args"], positional: boolean): Row[] {
  const wanted = Object.entries(args).filter(([, { type }]) => (type === "positional") === positional);
  return wanted.map(([name, argument]) => [label(name, argument), described(argument)]);
}

function label(name: string, { type, valueHint, ...argument }: ArgDef): string {
  if (type === "positional") return valueHint ?? name;
  if (type === "boolean") return `--${name}`;
  const values = "options" in argument ? argument.options?.join("|") : undefined;
  return `--${name} ${valueHint ?? values ?? name.toUpperCase()}`;
}

function bracketed(name: string, argument: ArgDef): string {
  const text = label(name, argument);
  if (argument.required === false) return `[${text}]`;
  return text.includes("|") ? text : `<${text}>`;
}

function described({ type, description = "", default: value }: ArgDef): string {
  return value === undefined || type === "boolean" ? description : `${description} (default: ${value})`;
}

function childRow({ name, description }: Definition): Row {
  const sentence = summary(description);
  return [name, sentence.charAt(0).toLowerCase() + sentence.slice(1)];
}

function table(title: string, rows: readonly Row[], width: number): string {
  if (rows.length === 0) return "";
  const indent = 2 + Math.max(...rows.map(([left]) => left.length)) + 4;
  const lines = rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrap(right, Math.max(width - indent, NARROWEST));
    return [`  ${left}`.padEnd(indent) + first, ...rest.map((line) => " ".repeat(indent) + line)];
  });
  return [title, ...lines].join("\n");
}

const NARROWEST = 24;

function wrap(text: string, width: number): string[] {
  return Bun.wrapAnsi(text.replaceAll(/\s+/g, " "), width).split("\n");
}
