import { redact } from "../text/redact.ts";
import { shownCommand } from "./shown-command.ts";

/** A reference for display. It is not a key itself, but its command may contain one. */
export function shownReference(reference: string): string {
  const command = /^cmd:\s*/.exec(reference)?.[0];
  return command === undefined ? redact(reference, []) : command + shownCommand(reference.slice(command.length));
}
