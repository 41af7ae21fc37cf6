import { redact } from "../text/redact.ts";
import { shownCommand } from "./shown-command.ts";

/** A reference as anyone may see it. It says where a key is, and is none itself; but a command may hold another one. */
export function shownReference(reference: string): string {
  const command = /^cmd:\s*/.exec(reference)?.[0];
  return command === undefined ? redact(reference, []) : command + shownCommand(reference.slice(command.length));
}
