import type { Settings } from "../claude/settings.ts";
import { changeConfig } from "../config/edit.ts";
import { settingsFileName, VARIANTS } from "../config/settings-files.ts";
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { forgetKeys, type KeyPaths } from "./forget-keys.ts";

/** Saves a provider in ccc.json. Returns the one that it replaced, if `replace` allows that. */
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
      // Checked under the lock: another ccc may have added it meanwhile.
      if (!replace && before !== undefined) throw alreadyThere(name);
      return [{ path: ["providers", name], value: settings }];
    }),
  );
  if (before !== undefined) forgetKeys(files, paths, before);
  return before;
}

export function alreadyThere(name: string, advice = REPLACE): CccError {
  return new CccError(`provider "${name}" already exists; nothing was changed`, { advice });
}

const REPLACE = "To replace it, pass --replace. To keep both, choose another name.";

/** Removes a provider from ccc.json, with its generated files, and its key from everywhere ccc wrote it. */
export function removeProvider(files: Files, paths: KeyPaths, name: string): Settings {
  let before: Settings = {};
  files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, ({ current_provider, supervisor, providers }) => {
      before = providers?.[name] ?? {};
      if (supervisor?.provider === name) {
        throw new CccError(`"${name}" is the reviewer: supervisor.provider in ${paths.config} names it`, {
          advice: "Choose another reviewer there first. Nothing was changed.",
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
