import type { Settings } from "../claude/settings.ts";
import { CccError } from "../io/errors.ts";
import type { Files } from "../io/files.ts";
import { changeConfig } from "./edit.ts";
import { settingsFileName, VARIANTS } from "./files.ts";
import type { Paths } from "./paths.ts";

/** Puts a provider into ccc.json. One of the same name is replaced only where that is wanted. */
export function saveProvider(files: Files, paths: Paths, name: string, settings: Settings, replace: boolean): void {
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, ({ providers }) => {
      // Looked at under the lock: another ccc may have come first.
      if (!replace && Object.hasOwn(providers ?? {}, name)) throw alreadyThere(name);
      return [{ path: ["providers", name], value: settings }];
    }),
  );
}

export function alreadyThere(name: string, advice = REPLACE): CccError {
  return new CccError(`there is a provider "${name}" already; nothing was changed`, { advice });
}

const REPLACE = "To replace it: --replace. To keep both, give the new one another name.";

/** Takes a provider out of ccc.json, with what was generated for it, which holds its key. */
export function removeProvider(files: Files, paths: Paths, name: string): void {
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, ({ current_provider, supervisor }) => {
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
    if (own.includes(file) || begins.some((begin) => file.startsWith(begin)))
      files.remove(`${paths.generated}/${file}`);
  }
}
