import * as v from "valibot";
import { type HelpPage, HelpPageSchema, parseHelpPage } from "../claude/help-page.ts";
import type { Paths } from "../config/ccc-paths.ts";
import { CccError } from "../errors.ts";
import { join } from "../os/path.ts";
import { withoutProvider } from "../providers/variables.ts";
import { parseJson } from "../text/json.ts";
import type { World } from "../world.ts";
import { fingerprintOf } from "./claude-version.ts";

/** The help of a subcommand of claude, such as ["mcp", "add"]; undefined if claude does not answer soon. */
export type ReadHelp = (subcommand: readonly string[]) => Promise<HelpPage | undefined>;

/** Reads claude's own help. Pages are cached until the program changes: someone is waiting for them with Tab pressed. */
export function claudeHelp(world: World, claude: string, paths: Paths): ReadHelp {
  const path = join(paths.generated, "claude-help.json");
  const of = fingerprintOf(world, claude);
  const pages = { ...cached(world, path, of) };
  return async (subcommand) => {
    const name = subcommand.join(" ");
    const known = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (known !== undefined) return known;
    const page = parseHelpPage(await ask(world, claude, paths, subcommand));
    // Every page lists --help at least.
    if (page.options.length === 0) return undefined;
    pages[name] = page;
    keep(world, path, JSON.stringify({ of, pages } satisfies Cache));
    return page;
  };
}

const CacheSchema = v.object({ of: v.string(), pages: v.record(v.string(), HelpPageSchema) });

type Cache = v.InferOutput<typeof CacheSchema>;

function cached({ files }: World, path: string, of: string): Cache["pages"] {
  try {
    const { success, output } = v.safeParse(CacheSchema, parseJson(files.read(path) ?? ""));
    return success && output.of === of ? output.pages : {};
  } catch (error) {
    if (error instanceof CccError) return {};
    throw error;
  }
}

/** In a read-only home every page is asked for again. */
function keep({ files }: World, path: string, text: string): void {
  try {
    files.writePrivate(path, text);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
  }
}

/** It takes a third of a second, on a busy machine several times that. */
const LONGEST_WAIT_MS = 4_000;

/** Runs claude where no project can interfere. */
async function ask(world: World, claude: string, paths: Paths, subcommand: readonly string[]): Promise<string> {
  let text = "";
  try {
    const { exitCode } = await world.run({
      program: { file: claude, args: [...subcommand, "--help"], env: withoutProvider(world.env) },
      cwd: paths.folder,
      stdin: "",
      timeoutMs: LONGEST_WAIT_MS,
      onLine: (line) => {
        text += `${new TextDecoder().decode(line)}\n`;
        return false;
      },
    });
    return exitCode === 0 ? text : "";
  } catch (error) {
    if (error instanceof CccError) return "";
    throw error;
  }
}
