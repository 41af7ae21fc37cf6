import { readFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
export const READMES = ["README.md", "README.zh-CN.md"];

export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

export interface Readme {
  /** The level of each heading, in order. */
  readonly levels: readonly number[];
  readonly blocks: readonly Block[];
}

export async function readme(name: string): Promise<Readme> {
  const levels: number[] = [];
  const blocks: Block[] = [];
  let open: { language: string; lines: string[] } | undefined;
  for (const line of (await readFile(join(ROOT, name), "utf8")).split("\n")) {
    const fence = /^```(.*)$/.exec(line);
    if (fence !== null && open === undefined) open = { language: fence[1] ?? "", lines: [] };
    else if (fence !== null) {
      if (open !== undefined) blocks.push(open);
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (/^#+ /.test(line)) levels.push(line.indexOf(" "));
  }
  return { levels, blocks };
}

/** A command line and the comment after it. */
export function splitCommand(line: string): { command: string; remark: string } {
  const at = line.search(/ +# /);
  return at === -1
    ? { command: line.trim(), remark: "" }
    : { command: line.slice(0, at).trim(), remark: line.slice(at).replace(/^ +# /, "") };
}
