import type { ProviderEntry } from "../../config/schema.ts";
import { hasNewerModels } from "../../providers/preset-update.ts";
import type { DeepValidation } from "./deep-validate.ts";
import type { Validation } from "./validation.ts";

/** Where the server does not know a model: the provider's preset may have a newer one. */
export function withPresetAdvice<T extends Validation | DeepValidation>(
  found: T,
  name: string,
  entry: ProviderEntry,
): T {
  const isUnknown =
    found.cause === "model_unknown" ||
    ("checks" in found && found.checks.some(({ check, status }) => check === "model" && status === "invalid"));
  if (!isUnknown || !hasNewerModels(name, entry)) return found;
  return { ...found, advice: `Its preset now has other models: ccc provider update ${name}` };
}
