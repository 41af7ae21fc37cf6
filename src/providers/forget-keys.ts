import type { Settings } from "../claude/settings.ts";
import type { Paths } from "../config/ccc-paths.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson } from "../text/json.ts";
import { secretsIn, withoutKnown, writtenForms } from "../text/redact.ts";
import { PLACEHOLDER_KEYS } from "./presets.ts";
import { isReference } from "./references.ts";
import { kindOf } from "./variables.ts";

export interface KeyPaths extends Paths {
  /** The folder with copies of changed files. */
  readonly backups: string;
}

/**
 * Deletes keys that are no longer in ccc.json from everything that ccc wrote: generated settings with such a key are
 * removed (also those of other providers, which hold their reviewer's key), and copies of files get it masked.
 */
export function forgetKeys(files: Files, paths: KeyPaths, before: Settings): void {
  const left = new Set(keysOfAll(files.read(paths.config) ?? ""));
  const forms = writtenForms(keysOf(before).filter((key) => !left.has(key)));
  if (forms.length === 0) return;
  const holds = (text: string) => forms.some((form) => text.includes(form));
  for (const path of filesIn(files, paths.generated, /^settings-.*\.json$/)) {
    if (holds(files.read(path) ?? "")) files.remove(path);
  }
  for (const path of filesIn(files, paths.backups, /./)) {
    const text = files.read(path) ?? "";
    if (holds(text)) files.writePrivate(path, withoutKnown(text, forms));
  }
}

function filesIn(files: Files, folder: string, wanted: RegExp): string[] {
  const paths = files.list(folder).flatMap((name) => (wanted.test(name) ? [join(folder, name)] : []));
  return paths.filter((path) => files.identify(path)?.isFile === true);
}

function keysOfAll(config: string): string[] {
  const { settings, providers } = asObject(parseJson(config));
  return [settings, ...Object.values(asObject(providers))].flatMap((each) => keysOf(asObject(each)));
}

/** The secret values among a provider's variables. */
function keysOf({ env }: Readonly<{ env?: unknown }>): string[] {
  const block = Object.entries(asObject(env)).map(([name, value]) => [name, String(value ?? "")] as const);
  const held = block.filter(([, value]) => !isReference(value));
  const credentials = held.filter(([name]) => kindOf(name) === "credential").map(([, value]) => value);
  return [...credentials, ...secretsIn(Object.fromEntries(held))].filter((key) => !PLACEHOLDER_KEYS.has(key));
}
