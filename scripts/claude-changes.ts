import { versionOnNpm } from "./claude/get-claude.ts";
import { compareSurfaces, readSurface } from "./claude/surface.ts";

/**
 * `bun scripts/claude-changes.ts OLD NEW`: what changed between two versions of Claude Code that ccc may rely on, in Markdown.
 * Both are fetched from npm; a tag such as "latest" works too.
 */

const [before, after, ...rest] = process.argv.slice(2);
if (before === undefined || after === undefined || rest.length > 0) {
  console.error(
    "Usage: bun scripts/claude-changes.ts OLD NEW, for example: bun scripts/claude-changes.ts 2.1.308 latest",
  );
  process.exit(2);
}
try {
  const surfaces = [
    await readSurface(await versionOnNpm(before)),
    await readSurface(await versionOnNpm(after)),
  ] as const;
  console.log(compareSurfaces(...surfaces));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
