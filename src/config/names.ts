import { CccError } from "../errors.ts";
import { asObject } from "../text/json.ts";
import { isCommandName } from "./command-names.ts";
import { settingsFileName, VARIANTS } from "./files.ts";

/** Refuses provider names that could not be typed, or whose generated files would be another provider's. */
export function checkProviderNames(json: unknown, path: string): void {
  const takenBy = new Map<string, string>();
  for (const name of providerNames(json)) {
    const problem = nameProblem(name) ?? collision(name, takenBy);
    if (problem !== undefined) {
      throw new CccError(`${path}: providers.${name}: ${problem}`, {
        advice: "Give the provider another name; nothing was changed.",
      });
    }
  }
}

/** Why a provider cannot be called so, if it cannot. */
export function nameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9._-]+$/.test(name))
    return "a provider's name may hold letters, digits, dot, dash and underscore only";
  if (name.startsWith("-")) return "a provider's name may not begin with a dash: it would be read as an option";
  if (isCommandName(name)) return "this word is a command of ccc";
  if (UNUSABLE_KEYS.includes(name)) return "this word cannot be used as a name";
  return undefined;
}

/** Keys that valibot drops from a record without a word. */
const UNUSABLE_KEYS = ["__proto__", "prototype", "constructor"];

function collision(name: string, takenBy: Map<string, string>): string | undefined {
  for (const variant of VARIANTS) {
    // Upper and lower case are one name on the file systems of macOS and Windows.
    const file = settingsFileName(name, variant).toLowerCase();
    const other = takenBy.get(file);
    if (other !== undefined) return `its generated file ${file} would be that of providers.${other}`;
    takenBy.set(file, name);
  }
  return undefined;
}

function providerNames(json: unknown): string[] {
  return Object.keys(asObject(asObject(json).providers));
}
