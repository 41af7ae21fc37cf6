import { parseTree } from "jsonc-parser";
import type { Files } from "../io/files.ts";
import { checkConfig } from "./check.ts";

/** Sets current_provider, and leaves every other byte of the file as it is. */
export function rememberProvider(files: Files, path: string, provider: string): void {
  files.edit(path, (text = "") => {
    const { current_provider } = checkConfig(text, path);
    return current_provider === provider ? undefined : withCurrentProvider(text, provider);
  });
}

export function withCurrentProvider(text: string, provider: string): string {
  // Of two keys of one name the last counts.
  const key = parseTree(text)?.children?.findLast((property) => property.children?.[0]?.value === "current_provider");
  const value = key?.children?.[1];
  if (value !== undefined) return splice(text, value.offset, value.length, JSON.stringify(provider));
  // As the first key: what follows keeps its place, and whatever separates keys here separates this one too.
  const afterBrace = text.indexOf("{") + 1;
  const space = /^\s*/.exec(text.slice(afterBrace))?.[0] ?? "";
  return splice(
    text,
    afterBrace,
    0,
    `${space}"current_provider": ${JSON.stringify(provider)},${space === "" ? " " : ""}`,
  );
}

function splice(text: string, offset: number, length: number, replacement: string): string {
  return text.slice(0, offset) + replacement + text.slice(offset + length);
}
