import { cccPaths } from "../../config/ccc-paths.ts";
import { messageOf } from "../../errors.ts";
import { removeOldRecords } from "../../supervisor/record/old-records.ts";
import { counted } from "../../text/counts.ts";
import type { World } from "../../world.ts";
import { type Check, ok, warn } from "./check-result.ts";
import { findLeftovers } from "./leftovers.ts";

/** Fixes what is safe to fix, and says what it did. Nothing that the user wrote is changed. */
export function fixLeftovers(world: World): Check[] {
  const { files } = world;
  const paths = cccPaths(world);
  const { open, locks, temporary } = findLeftovers(world, paths);
  const done = [
    ...open.map((path) => attempted(`${path} is now readable by you only`, () => files.makePrivate(path))),
    ...locks.map((path) => attempted(`removed the lock ${path}`, () => files.removeStaleLock(path))),
    ...temporary.map((path) => attempted(`removed ${path}, which a killed process left`, () => files.remove(path))),
  ];
  const old = removeOldRecords(files, paths);
  if (old > 0)
    done.push(ok("fixed", `removed ${counted(old, "record")} of launches and sessions that are too old to matter`));
  return done.length === 0 ? [ok("fixed", "nothing needed fixing")] : done;
}

function attempted(what: string, action: () => void): Check {
  try {
    action();
    return ok("fixed", what);
  } catch (error) {
    return warn("fixed", `not everything: ${messageOf(error)}`, "Fix it by hand, perhaps as another user.");
  }
}
