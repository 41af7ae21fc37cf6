import { applyEdits, modify } from "jsonc-parser";
import type { Files } from "../io/files.ts";
import { parseConfig } from "./load.ts";

/** Sets current_provider, and leaves every other byte of the file as it is. */
export function rememberProvider(files: Files, path: string, provider: string): void {
  files.edit(path, (text) => {
    if (parseConfig(text, path).current_provider === provider) return undefined;
    const edits = modify(text, ["current_provider"], provider, { formattingOptions: formattingOf(text) });
    return applyEdits(text, edits);
  });
}

function formattingOf(text: string) {
  const indent = /^\uFEFF?\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
