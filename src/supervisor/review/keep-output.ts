import { bestEffort } from "../best-effort.ts";
import type { Session } from "./supervised-stop.ts";

/** Saves the review as it streams. If that fails, the review goes on without. */
export function keepOutput(session: Pick<Session, "files" | "outputFile" | "log" | "redactor">) {
  let output = bestEffort(session.log.say, SAVE_REVIEW, () => session.files?.openAppend(session.outputFile));
  const close = () => {
    output?.close();
    output = undefined;
  };
  const line = (bytes: Uint8Array) => {
    const written = bestEffort(session.log.say, SAVE_REVIEW, () => {
      output?.write(Buffer.concat([session.redactor.line(bytes), NEWLINE]));
      return true;
    });
    if (written === undefined) close();
  };
  return { line, close };
}

const NEWLINE = Buffer.from("\n");
const SAVE_REVIEW = "save the review";
