import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder. */
export interface Scratch {
  readonly path: string;
  readonly remove: () => void;
}

export function makeScratch(): Scratch {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "ccc-")));
  // Claude Code may still be writing while it exits.
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) };
}
