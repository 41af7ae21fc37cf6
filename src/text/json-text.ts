import { isDeepStrictEqual } from "node:util";
import { type Node, type ParseError, parse, parseTree } from "jsonc-parser";
import { withoutBom } from "./json.ts";

/** Changes to the text of a JSON file that leave every other byte as it is: order, indentation, line ends, comments. */
export type Path = readonly string[];

/** The value of a JSON text that may hold comments; undefined where it is none. */
export function parseText(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(withoutBom(text), errors, { allowTrailingComma: false });
  return errors.length > 0 ? undefined : value;
}

/** Sets a value, and makes the objects on the way to it that are missing. */
export function setIn(text: string, path: Path, value: unknown): string {
  const { node, rest } = walk(text, path);
  const [key, ...deeper] = rest;
  if (key === undefined) return splice(text, node.offset, node.length, render(value, text, node.offset));
  return insert(text, node, wrap(deeper, value), key);
}

/** Adds an entry to the end of a list that is there. */
export function appendIn(text: string, path: Path, value: unknown): string {
  return insert(text, walk(text, path).node, value);
}

/** Removes a key. */
export function removeIn(text: string, path: Path): string {
  const { node, rest } = walk(text, path);
  return rest.length > 0 || node.parent === undefined ? text : cut(text, node.parent);
}

/** Removes the last entry of a list that is equal to this one. */
export function removeEntry(text: string, path: Path, value: unknown): string {
  const { node, rest } = walk(text, path);
  const entries = rest.length > 0 || node.type !== "array" ? [] : (node.children ?? []);
  const found = entries.findLast((entry) => isDeepStrictEqual(nodeValue(text, entry), value));
  return found === undefined ? text : cut(text, found);
}

/** How far a path leads, and what is left of it there. */
function walk(text: string, path: Path): { node: Node; rest: Path } {
  let node = parseTree(text) ?? { type: "object", offset: 0, length: text.length };
  for (const [depth, key] of path.entries()) {
    // Of two keys of one name the last counts.
    const property =
      node.type === "object" ? node.children?.findLast(({ children }) => children?.[0]?.value === key) : undefined;
    const value = property?.children?.[1];
    if (value === undefined) return { node, rest: path.slice(depth) };
    node = value;
  }
  return { node, rest: [] };
}

/** Puts an item behind the last one, in the way in which the first one stands there. */
function insert(text: string, container: Node, value: unknown, key?: string): string {
  const item = (multiline: boolean, at: number, indent?: string) =>
    `${key === undefined ? "" : `${JSON.stringify(key)}: `}${multiline ? render(value, text, at, indent) : JSON.stringify(value)}`;
  const children = container.children ?? [];
  const first = children[0];
  const last = children.at(-1);
  const close = container.offset + container.length - 1;
  if (first === undefined || last === undefined) {
    if (!text.slice(0, close).includes("\n") && container.parent !== undefined)
      return splice(text, close, 0, item(false, close));
    const outer = lineIndent(text, container.offset);
    const indent = outer + unitOf(text);
    const isCommented = text.slice(container.offset + 1, close).trim() !== "";
    const before = isCommented ? indent.slice(outer.length) : eolOf(text) + indent;
    const start = isCommented ? close : container.offset + 1;
    return splice(text, start, close - start, `${before}${item(true, start, indent)}${eolOf(text)}${outer}`);
  }
  const space = /\s*$/.exec(text.slice(container.offset + 1, first.offset))?.[0] ?? "";
  const isMultiline = space.includes("\n");
  const indent = space.slice(space.lastIndexOf("\n") + 1);
  const separator = isMultiline ? eolOf(text) + indent : " ";
  return splice(text, last.offset + last.length, 0, `,${separator}${item(isMultiline, last.offset, indent)}`);
}

/** Takes out an item and the comma that goes with it. */
function cut(text: string, item: Node): string {
  const siblings = item.parent?.children ?? [];
  const index = siblings.indexOf(item);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  const end = item.offset + item.length;
  if (previous !== undefined) {
    const start = previous.offset + previous.length;
    return splice(text, start, end - start, "");
  }
  if (next !== undefined) {
    const comma = text.indexOf(",", end);
    const space = /^\s*/.exec(text.slice(comma + 1))?.[0] ?? "";
    return splice(text, item.offset, comma + 1 + space.length - item.offset, "");
  }
  const open = (item.parent?.offset ?? 0) + 1;
  const isAlone = text.slice(open, item.offset).trim() === "";
  const close = (item.parent?.offset ?? 0) + (item.parent?.length ?? 0) - 1;
  return isAlone && text.slice(end, close).trim() === ""
    ? splice(text, open, close - open, "")
    : splice(text, item.offset, item.length, "");
}

function render(value: unknown, text: string, at: number, indent = lineIndent(text, at)): string {
  if (!text.includes("\n") && at > 1) return JSON.stringify(value);
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", eolOf(text) + indent);
}

function wrap(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function nodeValue(text: string, node: Node): unknown {
  return parse(text.slice(node.offset, node.offset + node.length));
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function splice(text: string, offset: number, length: number, replacement: string): string {
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}
