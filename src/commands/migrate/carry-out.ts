import { basename } from "node:path";
import { keepBackup } from "../../config/backup.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { CccError } from "../../errors.ts";
import { saveProvider } from "../../providers/save.ts";
import { valueAt } from "../../text/json.ts";
import { appendIn, parseText, removeEntry, removeIn } from "../../text/json-text.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/use-places.ts";
import type { Migration } from "./plan-migration.ts";

/** Carries out a plan. Everything is saved in its new place before it is removed, so it can be interrupted at any point. */
export function carryOut(plan: Migration, world: World): void {
  const { files, now } = world;
  const { backups, settings } = usePlaces(world);
  const paths = cccPaths(world);
  const keep = (path: string, text: string | undefined) => {
    if (text !== undefined) keepBackup(files, backups, text, now(), basename(path));
  };
  const edits = plan.remove.length > 0 || plan.hooks.length > 0;
  // Fail before anything is changed.
  if (edits) edited(files.read(settings), settings, plan);
  if (plan.provider?.isThere === false) {
    keep(paths.config, files.read(paths.config));
    saveProvider(files, { ...paths, backups }, plan.provider.name, plan.provider.settings);
  }
  if (edits) {
    files.hold(settings, ({ found, path, write }) => {
      const text = edited(found?.text, path, plan);
      keep(path, found?.text);
      write(text, found?.mode ?? 0o600);
    });
  }
  for (const path of plan.commands) {
    keep(path, files.read(path));
    files.remove(path);
  }
  const { patch } = plan;
  if (patch !== undefined && patch.obstacle === undefined) files.move(patch.real, patch.claude);
}

function edited(text: string | undefined, path: string, plan: Migration): string {
  const after = withoutFormer(text ?? "{}", plan);
  const value = parseText(after);
  if (value !== undefined && plan.remove.every((each) => valueAt(value, each) === undefined)) return after;
  throw new CccError(`${path} could not be edited; nothing was changed in it`, {
    advice: "Perhaps it has a duplicate key: the last one counts, so remove the other.",
  });
}

/** The text of settings.json without what the plan removes, and without objects that become empty. */
export function withoutFormer(text: string, { remove, hooks }: Pick<Migration, "remove" | "hooks">): string {
  let edited = text;
  for (const path of remove) edited = removeIn(edited, path);
  for (const { event, entry, without } of hooks) {
    edited = removeEntry(edited, ["hooks", event], entry);
    if (without !== undefined) edited = appendIn(edited, ["hooks", event], without);
  }
  const emptied = [...hooks.map(({ event }) => ["hooks", event]), ...(hooks.length > 0 ? [["hooks"]] : []), ["env"]];
  for (const path of emptied) {
    const value = valueAt(parseText(edited), path);
    if (typeof value === "object" && value !== null && Object.keys(value).length === 0) edited = removeIn(edited, path);
  }
  return edited;
}
