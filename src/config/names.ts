import { CccError } from "../errors.ts";
import { asObject } from "../text/json.ts";
import { isCommandName } from "./command-names.ts";
import { settingsFileName, VARIANTS } from "./settings-files.ts";

/** Refuses provider names that cannot be typed, or whose generated files would overwrite another provider's. */
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

/** Why a provider cannot have this name, if it cannot. */
export function nameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9._-]+$/.test(name))
    return "a provider name may contain only letters, digits, dots, dashes and underscores";
  if (name.startsWith("-")) return "a provider name may not begin with a dash: it would be read as an option";
  if (isCommandName(name)) return "this word is a command of ccc";
  if (UNUSABLE_KEYS.includes(name)) return "this word cannot be used as a name";
  return undefined;
}

/** Keys that valibot silently drops from a record. */
const UNUSABLE_KEYS = ["__proto__", "prototype", "constructor"];

function collision(name: string, takenBy: Map<string, string>): string | undefined {
  for (const variant of VARIANTS) {
    // The file systems of macOS and Windows ignore case.
    const file = settingsFileName(name, variant).toLowerCase();
    const other = takenBy.get(file);
    if (other !== undefined) return `its generated file ${file} would overwrite that of providers.${other}`;
    takenBy.set(file, name);
  }
  return undefined;
}

function providerNames(json: unknown): string[] {
  return Object.keys(asObject(asObject(json).providers));
}
