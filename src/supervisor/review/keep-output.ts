import { bestEffort } from "../best-effort.ts";
import type { Session } from "./supervised-stop.ts";

/** Saves the review as it streams. If that fails, the review goes on without. A file that is too large is set aside, once. */
export function keepOutput(
  session: Pick<Session, "files" | "outputFile" | "log" | "redactor">,
  largest = LARGEST_OUTPUT,
) {
  const open = () =>
    bestEffort(session.log.say, SAVE_REVIEW, () => session.files?.openAppend(session.outputFile, largest));
  let output = open();
  const close = () => {
    output?.close();
    output = undefined;
  };
  const line = (bytes: Uint8Array) => {
    if (output !== undefined && output.size() > largest) {
      close();
      output = open();
    }
    const isWritten = bestEffort(session.log.say, SAVE_REVIEW, () => {
      output?.write(Buffer.concat([session.redactor.line(bytes), NEWLINE]));
      return true;
    });
    if (!isWritten) close();
  };
  return { line, close };
}

/** With the one that was set aside, a session has twice as much. */
const LARGEST_OUTPUT = 20_000_000;
const NEWLINE = Buffer.from("\n");
const SAVE_REVIEW = "save the review";
