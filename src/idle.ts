import { buildOf } from "./build-info.ts";
import { cccPaths } from "./config/paths.ts";
import { libcFiles, readWhole } from "./os/libc.ts";
import { isIdleEvent } from "./supervisor/hooks/idle-event.ts";
import { sessionRecord } from "./supervisor/record/session.ts";

/**
 * The event of a hook that has something to do; undefined in a session where supervision was never switched on. It runs at
 * every prompt and stop of sessions that are not supervised, so the build bundles it on its own, as one file.
 */
export async function eventToHandle(host: NodeJS.Process, args: readonly string[]): Promise<string | undefined> {
  const libc = buildOf(host).libc === "glibc" ? libcFiles() : undefined;
  const rest = () => Bun.stdin.bytes();
  return unlessIdle(await (libc === undefined ? Bun.stdin.text() : readWhole(libc.readStdin, rest)), args, host);
}

/** The text of an event, unless there is nothing to do. */
export function unlessIdle(
  text: string,
  args: readonly string[],
  { platform }: Pick<NodeJS.Process, "platform">,
): string | undefined {
  const configDir = args[args.indexOf("--config-dir") + 1] ?? "";
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform });
  return isIdleEvent(text, (session) => exists(sessionRecord(paths, session).switch)) ? undefined : text;
}

/** Without node:fs, which takes a third of Bun's own start time to load. */
function exists(path: string): boolean {
  return Bun.file(path).lastModified !== NEVER;
}

/** What Bun returns for a file that does not exist. */
const NEVER = 2 ** 52 - 1;
