import { buildOf } from "./build-info.ts";
import { runHook } from "./cli/hooks.ts";
import { CccError } from "./errors.ts";
import type { HookName } from "./marks.ts";
import { runChild } from "./os/child.ts";
import { diskFiles } from "./os/disk.ts";
import { readStdin } from "./os/input.ts";
import { keychainOf } from "./os/keychain.ts";
import { makeScratch } from "./os/scratch.ts";
import { stdinWriter } from "./os/stdin-writer.ts";
import { windowsEnvironment } from "./os/windows-env.ts";
import { writeOut } from "./os/write.ts";
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
