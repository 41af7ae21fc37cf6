import type { Settings } from "../claude/settings.ts";
import { changeConfig } from "../config/edit.ts";
import { settingsFileName, VARIANTS } from "../config/files.ts";
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { forgetKeys, type KeyPaths } from "./forget-keys.ts";

/** Puts a provider into ccc.json. One of the same name is replaced only where that is wanted; returns what it was. */
export function saveProvider(
  files: Files,
  paths: KeyPaths,
  name: string,
  settings: Settings,
  replace: boolean,
): Settings | undefined {
  let before: Settings | undefined;
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, ({ providers }) => {
      before = Object.hasOwn(providers ?? {}, name) ? (providers?.[name] ?? {}) : undefined;
      // Looked at under the lock: another ccc may have come first.
      if (!replace && before !== undefined) throw alreadyThere(name);
      return [{ path: ["providers", name], value: settings }];
    }),
  );
  if (before !== undefined) forgetKeys(files, paths, before);
  return before;
}

export function alreadyThere(name: string, advice = REPLACE): CccError {
  return new CccError(`there is a provider "${name}" already; nothing was changed`, { advice });
}

const REPLACE = "To replace it: --replace. To keep both, give the new one another name.";

/** Takes a provider out of ccc.json, with what was generated for it, and with its key wherever ccc wrote it down. */
export function removeProvider(files: Files, paths: KeyPaths, name: string): Settings {
  let before: Settings = {};
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, ({ current_provider, supervisor, providers }) => {
      before = providers?.[name] ?? {};
      if (supervisor?.provider === name) {
        throw new CccError(`"${name}" reviews for the others: supervisor.provider in ${paths.config} names it`, {
          advice: "Name another reviewer there first; nothing was changed.",
        });
      }
      const isCurrent = current_provider === name;
      return [
        { path: ["providers", name], value: undefined },
        ...(isCurrent ? [{ path: ["current_provider"], value: undefined }] : []),
      ];
    }),
  );
  const own = VARIANTS.map((variant) => settingsFileName(name, variant));
  const begins = own.map((file) => file.replace(/\.json$/, "+"));
  for (const file of files.list(paths.generated)) {
    const isOwn = own.includes(file) || begins.some((begin) => file.startsWith(begin));
    if (isOwn) files.remove(join(paths.generated, file));
  }
  forgetKeys(files, paths, before);
  return before;
}
