import { isatty } from "node:tty";
import { buildOf } from "../build-info.ts";
import { run } from "../cli/run.ts";
import { runChild } from "../os/child.ts";
import { diskFiles, makeScratch } from "../os/files.ts";
import { exec, handOver } from "../os/process.ts";
import { runWatcher } from "../os/processes.ts";
import { readStdin, stdinWriter, writeOut } from "../os/stdio.ts";
import { keychainOf, queryDatabase } from "../os/stores.ts";
import { terminalAsk, terminalColumns } from "../terminal/dialog.ts";
import { listenToTyping, openKeyboard } from "../terminal/input.ts";
import { windowsEnvironment } from "../world.ts";
import { realWorld, type WorldParts } from "./world.ts";

/** Runs the command line, with all of ccc loaded. */
export async function runProgram(host: NodeJS.Process): Promise<void> {
  host.exit(await run(realWorld(host, { exec, handOver, late: () => PARTS })));
}

const PARTS: WorldParts = {
  buildOf,
  diskFiles,
  isatty,
  keychainOf,
  listenToTyping,
  makeScratch,
  openKeyboard,
  queryDatabase,
  readStdin,
  runChild,
  runWatcher,
  stdinWriter,
  terminalAsk,
  terminalColumns,
  windowsEnvironment,
  writeOut,
};
