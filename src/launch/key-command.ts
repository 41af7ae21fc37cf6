import type { Env } from "../world.ts";
import { shellWord } from "./shell.ts";

/** The command by which Claude Code asks ccc for a provider's key. */
export function keyCommand(self: string, provider: string, env: Env): string {
  const folder = env.CCC_CONFIG_DIR ? ["--config-dir", env.CCC_CONFIG_DIR] : [];
  return [self, "key", provider, ...folder].map(shellWord).join(" ");
}
