import { buildOf } from "./build-info.ts";
import { runHook } from "./cli/hooks.ts";
import { CccError } from "./errors.ts";
import type { HookName } from "./marks.ts";
import { runChild } from "./os/child.ts";
import { diskFiles, makeScratch } from "./os/disk.ts";
import { windowsEnvironment } from "./os/process.ts";
import { readStdin, stdinWriter, writeOut } from "./os/stdio.ts";
import { keychainOf } from "./os/stores.ts";
import { realWorld, type WorldParts } from "./real-world.ts";

/**
 * Runs a hook. The session waits for it, so the build bundles it on its own, as one file, without what only commands need.
 * `input` is stdin, if it was read already.
 */
export async function sessionHook(
  host: NodeJS.Process,
  name: HookName,
  args: readonly string[],
  input: string | undefined,
): Promise<void> {
  const world = realWorld(host, { exec: notInHook, handOver: notInHook, late: () => PARTS, input });
  host.exit(await runHook(name, args, world));
}

/** There is nobody to ask, and nothing to start. Terminals and prompts take longer to load than the rest. */
function notInHook(): never {
  throw new CccError("a hook has no terminal");
}

const PARTS: WorldParts = {
  ...{ buildOf, diskFiles, keychainOf, makeScratch, readStdin, runChild, stdinWriter, windowsEnvironment, writeOut },
  isatty: () => false,
  listenToTyping: notInHook,
  openKeyboard: notInHook,
  queryDatabase: notInHook,
  terminalAsk: () => ({ choose: notInHook, text: notInHook, secret: notInHook, confirm: notInHook }),
  terminalColumns: notInHook,
};
