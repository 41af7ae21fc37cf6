import { FailureEventSchema, readEvent, WAKE } from "../../claude/events.ts";
import { classifyFailure } from "../../claude/failures.ts";
import { isTerminalSession } from "../../claude/sessions.ts";
import { limitWait } from "../../config/defaults.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError, EXIT } from "../../errors.ts";
import { shownTime } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { LIMIT_RESET, limitEnd, limitSoFar } from "../limits.ts";
import { type HookOptions, readSettings } from "../options.ts";
import { openTerminal } from "../record/launch.ts";
import { openSession } from "../record/session.ts";

/**
 * After an error that ended a turn in a terminal: if it is a usage limit, waits until it resets and wakes the session. Ends
 * without waking it if the user continues before, or if claude ends.
 */
export async function waitAfterFailure(
  world: World,
  { configDir }: HookOptions,
  input: () => unknown,
  pause: (seconds: number, other: Promise<void>) => Promise<void>,
): Promise<number> {
  if (configDir === undefined) throw new CccError("--config-dir is missing, so there is no record of the session");
  const { files } = world;
  const { CLAUDE_PID: claude = "" } = world.env;
  const env = { ...world.env, CCC_CONFIG_DIR: configDir };
  const event = readEvent(input(), FailureEventSchema, "StopFailure");
  const { error, last_assistant_message: text = "" } = event;
  const failure = classifyFailure({ text, isRateLimit: error === "rate_limit" }, world.now());
  if (!isTerminalSession(env) || claude === "") return EXIT.ok;
  if (failure.kind !== "usage limit" && failure.kind !== "rate limit") return EXIT.ok;

  const allowed = limitWait(readSettings({ ...world, env }, () => {}));
  const paths = cccPaths({ env, platform: world.platform });
  const record = openSession(files, paths, event.session_id);
  const seconds = () => world.now().getTime() / 1000;
  const startedAt = seconds();
  const before = limitSoFar(record, startedAt);
  const until = limitEnd(failure.resetAt && failure.resetAt.getTime() / 1000, before, startedAt, allowed);
  if (until === undefined) return EXIT.ok;

  const { wait } = openTerminal(files, paths, claude);
  const own = `${event.session_id} ${shownTime(until)} ${world.pid}\n`;
  wait.save(own);
  // Claude Code sends SIGTERM when it exits.
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  world.onSignal(() => {
    isEnded = true;
    ended.resolve();
  });
  const isWanted = () => !isEnded && wait.read() === own && world.isAlive(Number(claude));
  while (isWanted() && seconds() < until)
    await pause(Math.min(until - seconds(), LONGEST_PAUSE_SECONDS), ended.promise);
  const isOver = isWanted();
  if (wait.read() === own) wait.remove();
  if (!isOver) return EXIT.ok;
  const now = seconds();
  record.limit.save({ waits: before.waits + 1, seconds: before.seconds + now - startedAt, ended: now });
  world.stderr(`${LIMIT_RESET}\n`);
  return WAKE;
}

/** In short steps: the user may continue meanwhile, and timers stand still while a machine sleeps. */
const LONGEST_PAUSE_SECONDS = 5;
