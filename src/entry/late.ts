import { isatty } from "node:tty";
import { buildOf } from "../build-info.ts";
import { runChild } from "../os/child.ts";
import { diskFiles, makeScratch } from "../os/disk.ts";
import { windowsEnvironment } from "../os/process.ts";
import { readStdin, stdinWriter, writeOut } from "../os/stdio.ts";
import { keychainOf, queryDatabase } from "../os/stores.ts";
import { terminalAsk } from "../terminal/ask.ts";
import { listenToTyping, openKeyboard } from "../terminal/input.ts";
import { terminalColumns } from "../terminal/log.ts";
import type { WorldParts } from "./world.ts";

/** All that a plain launch does not load. */
export { LATE_PROGRAM } from "../cli/run.ts";

export const WORLD_PARTS: WorldParts = {
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
  stdinWriter,
  terminalAsk,
  terminalColumns,
  windowsEnvironment,
  writeOut,
};
