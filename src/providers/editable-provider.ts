import { whereBroken } from "../config/check.ts";
import type { ProviderEntry } from "../config/schema.ts";
import { CccError } from "../errors.ts";
import { isObject, type Json, parseJson, prettyJson } from "../text/json.ts";
import { PLACEHOLDER_KEYS } from "./presets.ts";
import { isReference } from "./references.ts";
import { isSecretVariable } from "./variables.ts";

/** Stands for a key, which must not be on the screen. */
export const UNCHANGED = "(unchanged)";

/** A provider as its user edits it: without its keys, and without what ccc notes about the preset. */
export function editableText({ preset: _, ...settings }: ProviderEntry): string {
  if (!isObject(settings.env)) return prettyJson(settings);
  const hidden = hiddenIn(settings.env);
  const env = Object.entries(settings.env).map(([name, value]) => [name, hidden.has(name) ? UNCHANGED : value]);
  return prettyJson({ ...settings, env: Object.fromEntries(env) });
}

/** The provider that an edited text describes, with its keys. Throws what is wrong with the text. */
export function editedProvider(text: string, original: ProviderEntry): Json {
  const json = parseJson(text);
  if (json === undefined) throw new CccError(`this is not valid JSON: ${whereBroken(text)}`);
  if (!isObject(json)) throw new CccError("this must be an object, { … }");
  const note = original.preset === undefined ? {} : { preset: original.preset };
  if (!isObject(json.env)) return { ...json, ...note };
  const hidden = hiddenIn(original.env ?? {});
  const env = Object.entries(json.env).map(([name, value]) => [
    name,
    value === UNCHANGED ? keyFor(name, hidden) : value,
  ]);
  return { ...json, env: Object.fromEntries(env), ...note };
}

/** The key that a variable had, or the only one that there is: the variable may have been renamed. */
function keyFor(name: string, hidden: ReadonlyMap<string, unknown>): unknown {
  if (hidden.has(name)) return hidden.get(name);
  const [only] = hidden.values();
  if (hidden.size === 1) return only;
  throw new CccError(`env.${name}: "${UNCHANGED}" stands for the key that was there, but there was none`);
}

function hiddenIn(env: Json): Map<string, unknown> {
  return new Map(Object.entries(env).filter(([name, value]) => isHidden(name, String(value ?? ""))));
}

function isHidden(name: string, value: string): boolean {
  const isShown = value === "" || isReference(value) || PLACEHOLDER_KEYS.has(value) || /^\$\{\w+\}$/.test(value);
  return !isShown && isSecretVariable(name, value);
}
