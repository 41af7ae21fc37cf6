import type { Screen } from "../screen.ts";

/** How long to wait for what a version may not do at all. */
const PATIENCE_MS = 10_000;

/** How long to wait for what every version does, even on a busy machine. */
export const EXPECTED_MS = 60_000;

/** Older versions have a different prompt character. */
export const PROMPT = /^[│ ]*[❯>]/m;

/** Types a prompt or a command for any version of Claude Code, and submits it once it is in the input box. */
export async function enter(screen: Screen, text: string): Promise<void> {
  screen.type(text);
  await screen.shows(new RegExp(`[❯>] ${text}`));
  screen.type("\r");
}

/** Whether the condition becomes true in time. */
export async function within(isTrue: () => boolean, patienceMs = PATIENCE_MS): Promise<boolean> {
  const end = Date.now() + patienceMs;
  while (!isTrue() && Date.now() < end) await Bun.sleep(100);
  return isTrue();
}
