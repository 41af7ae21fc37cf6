import type { ChangedProvider } from "../../providers/save.ts";
import { shownChanges } from "../../providers/shown-changes.ts";
import { forgetEntry } from "../../providers/store-key.ts";
import { TOKENS } from "../../providers/variables.ts";
import { createLog } from "../../terminal/log.ts";
import { columns } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { readRecord } from "../use/use-record.ts";

/** Shows on stderr what a change of a provider replaced, and where the old file is kept. */
export function tellChanges({ before, after, backup }: ChangedProvider, world: World): void {
  if (before === undefined) return;
  const rows = shownChanges(before, after).map(([sign, ...rest]) => [`  ${sign}`, ...rest]);
  world.stderr(columns(rows, world.isTerminal(2) ? world.columns(2) : Number.POSITIVE_INFINITY));
  if (backup !== undefined) createLog(world).info(`ccc.json as it was: ${backup} (replaced keys are masked there)`);
}

/** What `ccc use` wrote into settings.json does not follow a change of ccc.json. */
export function tellUse(name: string, world: World): void {
  if (readRecord(world.files, usePlaces(world).record)?.provider !== name) return;
  createLog(world).info(`plain claude uses "${name}", too; to update it: ccc use ${name}`);
}

/** Removes keys from the keychain that ccc stored for a provider and that it no longer uses. */
export async function forgetReplacedEntries(
  { before, after }: ChangedProvider,
  name: string,
  world: World,
): Promise<void> {
  for (const token of TOKENS) {
    const old = before?.env?.[token];
    if (TOKENS.some((each) => after.env?.[each] === old)) continue;
    const forgotten = await forgetEntry(old, name, world);
    if (forgotten?.isRemoved === false) createLog(world).warn(forgotten.message);
  }
}
