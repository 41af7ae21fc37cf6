import { buildOf } from "../build-info.ts";
import { type HookAction, runHook } from "../cli/hooks.ts";
import { CccError } from "../errors.ts";
import { isHook } from "../markers.ts";
import { runChild } from "../os/child.ts";
import { diskFiles, makeScratch } from "../os/files.ts";
import { isAlive } from "../os/process.ts";
import { runWatcher } from "../os/processes.ts";
import { readStdin, stdinWriter, writeOut } from "../os/stdio.ts";
import { keychainOf } from "../os/stores.ts";
import { windowsEnvironment } from "../world.ts";
import type { HookInput } from "./idle.ts";
import { realWorld, type WorldParts } from "./world.ts";

/** Runs a hook without loading what only commands need. `input` is its event, if already read. */
export async function runHookOf(host: NodeJS.Process, act: HookAction, input: HookInput | undefined): Promise<void> {
  const world = realWorld(host, { exec: notInHook, handOver: notInHook, late: () => PARTS });
  const [name, ...args] = world.argv;
  endWithParent(host);
  if (isHook(name)) host.exit(await runHook(name, args, world, act, input && (() => input.json)));
}

/**
 * Ends a hook, its reviewer and its checks once the Claude Code that waits for it is gone. Claude Code ends its hooks
 * when it exits, but cannot when it is killed.
 */
function endWithParent(host: NodeJS.Process): void {
  const parent = host.ppid;
  const look = () => {
    // Windows keeps the id of a parent that has ended.
    if (host.ppid !== parent || !isAlive(parent)) host.kill(host.pid, "SIGTERM");
  };
  setInterval(look, LOOK_MS).unref();
}

const LOOK_MS = 250;

/** Libraries for terminals would take longer to load than everything a hook needs. */
function notInHook(): never {
  throw new CccError("a hook has no terminal");
}

const PARTS: WorldParts = {
  buildOf,
  diskFiles,
  keychainOf,
  makeScratch,
  readStdin,
  runChild,
  runWatcher,
  stdinWriter,
  windowsEnvironment,
  writeOut,
  isatty: () => false,
  listenToTyping: notInHook,
  openKeyboard: notInHook,
  queryDatabase: notInHook,
  terminalAsk: () => ({ choose: notInHook, text: notInHook, secret: notInHook, confirm: notInHook }),
  terminalColumns: notInHook,
};
