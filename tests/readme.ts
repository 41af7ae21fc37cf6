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

/** The Chinese README shows the mainland providers. */
const MAINLAND = {
  "glm-cn": "glm",
  "kimi-cn": "kimi",
  "open.bigmodel.cn": "api.z.ai",
  "api.moonshot.cn": "api.moonshot.ai",
};

/** A line with the international providers in place of the mainland ones. */
export function international(line: string): string {
  return Object.entries(MAINLAND).reduce((text, [mainland, other]) => text.replaceAll(mainland, other), line);
}

/** A command line and its remark. */
export function splitCommand(line: string): { command: string; remark: string } {
  const at = line.search(/ +# /);
  return at === -1
    ? { command: line.trim(), remark: "" }
    : { command: line.slice(0, at).trim(), remark: line.slice(at).replace(/^ +# /, "") };
}
