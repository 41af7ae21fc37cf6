import { type Change, changeConfig } from "../config/edit.ts";
import { readReviewerName, reviewerLabel } from "../config/reviewer-name.ts";
import type { Config, ProviderEntry } from "../config/schema.ts";
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { renameIn } from "../text/json-text.ts";
import { alreadyThere, entryOf } from "./save.ts";

export interface Renaming {
  readonly from: string;
  readonly to: string;
  /** References to change in the provider's variables, the new one by the old. */
  readonly references: ReadonlyMap<string, string>;
}

/** Renames a provider in ccc.json, in its place, with everything there that names it. Returns where it was named. */
export function renameProvider(files: Files, path: string, renaming: Renaming): string[] {
  let named: string[] = [];
  files.edit(path, (text = "") => {
    const { from, to } = renaming;
    // Validated first: the errors of the renamed file would mention names that the user has not written.
    const before = changeConfig(text, path, ({ providers }) => {
      if (entryOf(providers, from) === undefined)
        throw new CccError(`provider "${from}" is gone: another ccc has removed it`);
      if (entryOf(providers, to) !== undefined)
        throw alreadyThere(to, "Choose another name, or remove that one first.");
      return [];
    });
    return changeConfig(renameIn(before, ["providers", from], to), path, (config) => {
      if (entryOf(config.providers, from) !== undefined)
        throw new CccError(`${path} has a duplicate key, so ccc cannot change it safely`, {
          advice: "Remove one of the two; nothing was changed.",
        });
      const changes = namesChanged(config, renaming);
      named = changes.filter(({ path }) => path[0] !== "providers").map(({ path }) => path.join("."));
      return changes;
    });
  });
  return named;
}

/** What else in ccc.json names a provider, with the new name. */
function namesChanged(config: Config, { from, to, references }: Renaming): Change[] {
  const { current_provider, supervisor } = config;
  const fallback = supervisor?.fallback?.map((each) => {
    const reviewer = readReviewerName(each);
    return reviewer.provider === from ? reviewerLabel({ ...reviewer, provider: to }) : each;
  });
  return [
    ...(current_provider === from ? [{ path: ["current_provider"], value: to }] : []),
    ...(supervisor?.provider === from ? [{ path: ["supervisor", "provider"], value: to }] : []),
    ...(fallback?.some((each, index) => each !== supervisor?.fallback?.[index])
      ? [{ path: ["supervisor", "fallback"], value: fallback }]
      : []),
    ...pinsChanged(config, from, to),
    ...referencesChanged(entryOf(config.providers, to) ?? {}, to, references),
  ];
}

/** Folders that are pinned to the provider. */
function pinsChanged({ folders }: Config, from: string, to: string): Change[] {
  return Object.entries(folders ?? {}).flatMap(([folder, pin]) => {
    if (pin === from) return [{ path: ["folders", folder], value: to }];
    return typeof pin === "object" && pin.provider === from
      ? [{ path: ["folders", folder, "provider"], value: to }]
      : [];
  });
}

function referencesChanged(entry: ProviderEntry, name: string, references: Renaming["references"]): Change[] {
  return Object.entries(entry.env ?? {}).flatMap(([variable, value]) => {
    const moved = references.get(String(value));
    return moved === undefined ? [] : [{ path: ["providers", name, "env", variable], value: moved }];
  });
}
