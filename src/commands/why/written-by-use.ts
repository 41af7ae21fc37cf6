import { CccError } from "../../errors.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import { readRecord, type UseRecord } from "../use/use-record.ts";
import { HELPER, type UseSettings } from "./collect-settings.ts";

/** What `ccc use` wrote into the user's settings, from its record. Undefined if there is no readable record. */
export function writtenByUse(world: World): UseSettings | undefined {
  const { record: path, settings } = usePlaces(world);
  try {
    const record = readRecord(world.files, path);
    if (record === undefined) return undefined;
    const isThere = record.settings === settings || record.settings === world.files.realPath(settings);
    return isThere ? written(record) : undefined;
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function written({ provider, states }: UseRecord): UseSettings {
  const env: Record<string, unknown> = {};
  let apiKeyHelper: unknown;
  for (const change of states[0]?.changes ?? []) {
    if (!("after" in change)) continue;
    const [outer, name, ...more] = change.path;
    if (outer === "env" && name !== undefined && more.length === 0) env[name] = change.after;
    if (outer === HELPER && name === undefined) apiKeyHelper = change.after;
  }
  return { provider, env, apiKeyHelper };
}
