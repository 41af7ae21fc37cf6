import { keepBackup } from "../config/backup.ts";
import { changeConfig, changesBetween } from "../config/edit.ts";
import { allPins } from "../config/pins.ts";
import { readReviewerName } from "../config/reviewer-name.ts";
import type { Config, ProviderEntry } from "../config/schema.ts";
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { forgetKeys, type KeyPaths } from "./forget-keys.ts";
import { removeGenerated } from "./generated-files.ts";
import { lastUsagePath } from "./usage/last-usage.ts";

/** A provider before and after a change of ccc.json. */
export interface ChangedProvider {
  readonly before: ProviderEntry | undefined;
  readonly after: ProviderEntry;
  /** The path of a copy of ccc.json as it was; replaced keys are masked in it. */
  readonly backup: string | undefined;
}

/** Adds a provider to ccc.json. */
export function saveProvider(files: Files, paths: KeyPaths, name: string, entry: ProviderEntry): void {
  changeProvider(files, paths, name, (before) => {
    // Checked under the lock: another ccc may have added it meanwhile.
    if (before !== undefined) throw alreadyThere(name);
    return entry;
  });
}

/** Changes a provider in ccc.json or adds it. With a date, a copy of the file is kept if a provider is changed. */
export function changeProvider(
  files: Files,
  paths: KeyPaths,
  name: string,
  change: (before: ProviderEntry | undefined) => ProviderEntry,
  now?: Date,
): ChangedProvider {
  let before: ProviderEntry | undefined;
  let after: ProviderEntry = {};
  let backup: string | undefined;
  files.edit(paths.config, (text) => {
    const edited = changeConfig(text, paths.config, ({ providers }) => {
      before = entryOf(providers, name);
      after = change(before);
      return changesBetween(before === undefined ? undefined : providers?.[name], after, ["providers", name]);
    });
    if (edited === text) return undefined;
    if (text !== undefined && before !== undefined && now !== undefined)
      backup = keepBackup(files, paths.backups, text, now, "ccc.json");
    return edited;
  });
  if (before !== undefined) forgetKeys(files, paths, before);
  // The last usage may be that of another account.
  files.remove(lastUsagePath(paths, name));
  return { before, after, backup };
}

export function entryOf(providers: Config["providers"], name: string): ProviderEntry | undefined {
  return Object.hasOwn(providers ?? {}, name) ? (providers?.[name] ?? {}) : undefined;
}

export function alreadyThere(name: string, advice = REPLACE): CccError {
  return new CccError(`provider "${name}" already exists; nothing was changed`, { advice });
}

const REPLACE = "To replace it, pass --replace. To keep both, choose another name.";

/** Removes a provider from ccc.json, with its generated files, and its key from everywhere ccc wrote it. */
export function removeProvider(files: Files, paths: KeyPaths, name: string): ProviderEntry {
  let before: ProviderEntry = {};
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, ({ current_provider, supervisor, providers, folders }) => {
      before = providers?.[name] ?? {};
      const isFallback = supervisor?.fallback?.some((each) => readReviewerName(each).provider === name);
      if (supervisor?.provider === name || isFallback) {
        const field = isFallback ? "fallback" : "provider";
        throw new CccError(
          `"${name}" is ${isFallback ? "a" : "the"} reviewer: supervisor.${field} in ${paths.config} names it`,
          {
            advice: "Choose another reviewer there first. Nothing was changed.",
          },
        );
      }
      const pin = allPins({ folders }).find(({ provider }) => provider === name);
      if (pin !== undefined) {
        throw new CccError(`${pin.folder} is pinned to "${name}"`, {
          advice: "Remove the pin there first: ccc pin --remove. Nothing was changed.",
        });
      }
      const isCurrent = current_provider === name;
      return [
        { path: ["providers", name], value: undefined },
        ...(isCurrent ? [{ path: ["current_provider"], value: undefined }] : []),
      ];
    }),
  );
  removeGenerated(files, paths.generated, name);
  forgetKeys(files, paths, before);
  return before;
}
