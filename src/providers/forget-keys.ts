import type { Settings } from "../claude/settings.ts";
import type { Paths } from "../config/paths.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson } from "../text/json.ts";
import { secretsIn, withoutKnown, writtenForms } from "../text/redact.ts";
import { PLACEHOLDER_KEYS } from "./presets.ts";
import { isReference } from "./references.ts";
import { kindOf } from "./variables.ts";

/** Where ccc writes keys. */
export interface KeyPaths extends Paths {
  /** The folder of the copies that are kept of changed files. */
  readonly backups: string;
}

/**
 * Takes the keys of a provider that ccc.json no longer has out of all that ccc wrote: generated settings are removed, a
 * reviewer's key is in those of others, and in copies of files the key is masked.
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

/** What is secret in a provider's variables, by their names or because they prove who the user is. */
function keysOf({ env }: Readonly<{ env?: unknown }>): string[] {
  const block = Object.entries(asObject(env)).map(([name, value]) => [name, String(value ?? "")] as const);
  const held = block.filter(([, value]) => !isReference(value));
  const credentials = held.filter(([name]) => kindOf(name) === "credential").map(([, value]) => value);
  return [...credentials, ...secretsIn(Object.fromEntries(held))].filter((key) => !PLACEHOLDER_KEYS.has(key));
}
