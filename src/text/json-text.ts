/**
 * Edits of JSON text that keep every other byte: order, indentation, line endings, comments. jsonc-parser's `modify` does not:
 * it formats all of a container on one line, removes comments beside what it removes, puts a key before a comment on a line
 * of its own, and changes the first of duplicate keys, although the last one counts.
 */

import { createScanner, type Node, type ParseError, parse, parseTree } from "jsonc-parser";
import { BYTE_ORDER_MARK } from "./json.ts";

/** The keys that lead to a value. */
export type Path = readonly string[];

/** Parses JSON with comments; undefined if the text is invalid. */
export function parseText(text: string): unknown {
  const errors: ParseError[] = [];
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const value: unknown = parse(json, errors, { allowTrailingComma: false });
  return errors.length > 0 ? undefined : value;
}

/** Sets a value, and creates the missing objects on the path. */
export function setIn(text: string, path: Path, value: unknown): string {
  const { node, rest } = walk(text, path);
  const [key, ...deeper] = rest;
  if (key !== undefined) return insert(text, node, wrap(deeper, value), key);
  const isShort = !text.includes("\n") && node.parent !== undefined;
  const written = isShort ? JSON.stringify(value) : render(value, text, lineIndent(text, node.offset));
  return splice(text, node.offset, node.length, written);
}

/** Appends an entry to an existing list. */
export function appendIn(text: string, path: Path, value: unknown): string {
  return insert(text, walk(text, path).node, value);
}

/** Removes a key; or, of a list, the last entry that equals `entry`. */
export function removeIn(text: string, path: Path, entry?: unknown): string {
  const { node, rest } = walk(text, path);
  if (rest.length > 0) return text;
  const entries = node.type === "array" ? (node.children ?? []) : [];
  const removed =
    entry === undefined ? node.parent : entries.findLast((each) => Bun.deepEquals(nodeValue(text, each), entry, true));
  return removed === undefined ? text : cut(text, removed);
}

/** Renames a key; the order stays. */
export function renameIn(text: string, path: Path, name: string): string {
  const { node, rest } = walk(text, path);
  const key = rest.length > 0 ? undefined : node.parent?.children?.[0];
  return key === undefined ? text : splice(text, key.offset, key.length, JSON.stringify(name));
}

/** Follows a path as far as it exists, and returns the rest of it. */
function walk(text: string, path: Path): { node: Node; rest: Path } {
  let node = parseTree(text) ?? { type: "object", offset: 0, length: text.length };
  for (const [depth, key] of path.entries()) {
    // If a key occurs twice, the last one counts.
    const property =
      node.type === "object" ? node.children?.findLast(({ children }) => children?.[0]?.value === key) : undefined;
    const value = property?.children?.[1];
    if (value === undefined) return { node, rest: path.slice(depth) };
    node = value;
  }
  return { node, rest: [] };
}

/** Adds an item after the last one, formatted like the first. */
function insert(text: string, container: Node, value: unknown, key?: string): string {
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const children = container.children ?? [];
  const first = children[0];
  const last = children.at(-1);
  const close = container.offset + container.length - 1;
  if (first === undefined || last === undefined) {
    if (!text.slice(0, close).includes("\n") && container.parent !== undefined)
      return splice(text, close, 0, name + JSON.stringify(value));
    const outer = lineIndent(text, container.offset);
    const indent = outer + unitOf(text);
    const isCommented = text.slice(container.offset + 1, close).trim() !== "";
    const before = isCommented ? indent.slice(outer.length) : eolOf(text) + indent;
    const start = isCommented ? close : container.offset + 1;
    return splice(text, start, close - start, `${before}${name}${render(value, text, indent)}${eolOf(text)}${outer}`);
  }
  const space = /\s*$/.exec(text.slice(container.offset + 1, first.offset))?.[0] ?? "";
  const indent = space.slice(space.lastIndexOf("\n") + 1);
  const added = space.includes("\n")
    ? `${eolOf(text)}${indent}${name}${render(value, text, indent)}`
    : ` ${name}${JSON.stringify(value)}`;
  return splice(text, last.offset + last.length, 0, `,${added}`);
}

/** Removes an item and its comma. */
function cut(text: string, item: Node): string {
  const siblings = item.parent?.children ?? [];
  const index = siblings.indexOf(item);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  const end = item.offset + item.length;
  if (previous !== undefined) {
    const start = previous.offset + previous.length;
    const [comma, rest] = commaAfter(text, start);
    const between = text.slice(start, comma) + text.slice(rest, item.offset);
    return splice(text, start, end - start, between.trim() === "" ? "" : between);
  }
  if (next !== undefined) {
    const [, rest] = commaAfter(text, end);
    const space = /^\s*/.exec(text.slice(rest))?.[0] ?? "";
    return splice(text, item.offset, rest + space.length - item.offset, "");
  }
  const open = (item.parent?.offset ?? 0) + 1;
  const isAlone = text.slice(open, item.offset).trim() === "";
  const close = (item.parent?.offset ?? 0) + (item.parent?.length ?? 0) - 1;
  return isAlone && text.slice(end, close).trim() === ""
    ? splice(text, open, close - open, "")
    : splice(text, item.offset, item.length, "");
}

/** Where the comma after an item begins and ends; comments before it may contain others. */
function commaAfter(text: string, offset: number): [start: number, end: number] {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === "," ? [next, next + 1] : [offset, offset];
}

/** The value over several lines, all but the first indented by `indent`. */
function render(value: unknown, text: string, indent: string): string {
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
