/**
 * Where ccc starts: the first argument decides which entry is loaded. Claude Code waits for most of them, so each loads
 * little. The imports here are part of every start, which is cheaper than files of their own.
 */

import { endIdleHook } from "./entry/idle.ts";
import { answerKey } from "./entry/key.ts";
import { repeatLaunch } from "./entry/repeat.ts";

if (!(await enter(process.argv[2]))) await import("./entry/program.ts").then(({ runProgram }) => runProgram(process));

/** Returns false if the whole program has to handle the command. */
function enter(command: string | undefined): Promise<boolean> {
  switch (command) {
    case "key":
      return answerKey(process);
    case "statusline":
      return import("./entry/statusline.ts").then(({ statusline }) => statusline(process));
    case "supervisor-guard":
      return import("./entry/guard.ts").then(({ guard }) => guard(process));
    case "supervisor-hook":
    case "supervisor-prompt":
    case "supervisor-failure":
      return handleHook();
    case "supervisor-watch":
      return watch();
    default:
      return launch();
  }
}

async function handleHook(): Promise<boolean> {
  const idle = await endIdleHook(process);
  if (idle === "done") return true;
  if (process.argv[2] === "supervisor-prompt")
    await import("./entry/prompt.ts").then(({ promptHook }) => promptHook(process, idle.input));
  else await import("./entry/stop.ts").then(({ stopHook }) => stopHook(process, idle.input));
  return true;
}

async function watch(): Promise<boolean> {
  if (process.argv.length > 3) return false;
  await import("./os/processes.ts").then(({ watchRuns }) => watchRuns(Bun.stdin.stream()));
  return true;
}

async function launch(): Promise<boolean> {
  await repeatLaunch(process);
  const disk = () => import("./os/files.ts").then(({ diskFiles }) => diskFiles(process.pid));
  return import("./entry/launch.ts").then(({ launchPlainly }) => launchPlainly(process, disk));
}
