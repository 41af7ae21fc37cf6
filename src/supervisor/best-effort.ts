import { messageOf } from "../errors.ts";

/** Runs a side effect that a review does not depend on. A failure is only reported: "could not <what>: …". */
export function bestEffort<T>(say: (message: string) => void, what: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    say(`could not ${what}: ${messageOf(error)}`);
    return undefined;
  }
}
