import type { Json } from "../text/json.ts";

/**
 * Settings with a status line. It is run again at this interval, not only when something happens in the conversation;
 * versions that do not know the interval ignore it.
 */
export function withStatusLine(settings: Json, command: string, refreshSeconds: number): Json {
  return { ...settings, statusLine: { type: "command", command, refreshInterval: refreshSeconds } };
}
