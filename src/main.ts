import {
  GUARD_COMMAND,
  type HookName,
  IDLE_FLAG,
  isHook,
  plainKey,
  STATUS_COMMAND,
  skipReason,
} from "./before-start.ts";

const args = process.argv.slice(2);
// A hook in the reviewer's own session exits before anything else is loaded.
const skip = skipReason(args, process.env);
if (skip !== undefined) await Bun.write(Bun.stderr, skip);
else if (args.length === 1 && args[0] === GUARD_COMMAND) await import("./guard.ts").then(({ guard }) => guard(process));
else if (isHook(args[0])) await handle(args[0]);
else if (args[0] === "key") await answerKey();
else if (args[0] === STATUS_COMMAND) await answerStatus();
else await import("./start.ts").then(({ start }) => start(process));

async function handle(name: HookName): Promise<void> {
  // Most sessions are not supervised, and their hooks end before anything else is loaded.
  const isIdle = args.includes(IDLE_FLAG);
  const event = isIdle
    ? await import("./idle.ts").then(({ eventToHandle }) => eventToHandle(process, args))
    : undefined;
  if (isIdle && event === undefined) return;
  await import("./session-hooks.ts").then(({ sessionHook }) => sessionHook(process, name, args.slice(1), event));
}

/** Claude Code waits for its key before the first request, so the usual one is answered before anything else is loaded. */
async function answerKey(): Promise<void> {
  const key = plainKey(args, process.platform);
  if (key === undefined) await import("./start.ts").then(({ start }) => start(process));
  else await Bun.write(Bun.stdout, `${key}\n`);
}

/** Claude Code runs its status line again and again, so it is printed before anything else is loaded. */
async function answerStatus(): Promise<void> {
  const isPrinted = await import("./statusline.ts").then(({ statusline }) => statusline(process));
  if (!isPrinted) await import("./start.ts").then(({ start }) => start(process));
}
