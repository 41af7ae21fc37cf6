import { cloudOf } from "../claude/clouds.ts";
import type { ProviderEntry } from "../config/schema.ts";
import { CccError } from "../errors.ts";
import { presetOrigin } from "./preset-note.ts";
import { TOKENS } from "./variables.ts";

/** The variable that holds a provider's key. Throws if it has none that ccc could change. */
export function keyVariable(name: string, entry: ProviderEntry): string {
  const env = Object.fromEntries(Object.entries(entry.env ?? {}).map(([each, value]) => [each, String(value)]));
  const [used, other] = TOKENS.filter((token) => env[token]);
  const byHand = `Change that by hand: ccc provider edit ${name}`;
  if (entry.apiKeyHelper) throw new CccError(`the key of "${name}" comes from its apiKeyHelper`, { advice: byHand });
  if (other !== undefined) {
    throw new CccError(`"${name}" has two keys, ${used} and ${other}`, { advice: byHand });
  }
  if (used !== undefined) return used;
  const origin = presetOrigin(name, entry);
  const preset = origin.kind === "none" ? undefined : origin.preset;
  const cloud = cloudOf(env);
  if (cloud !== undefined || (!env.ANTHROPIC_BASE_URL && preset?.token === undefined)) {
    throw new CccError(
      `"${name}" takes no key, because it uses ${cloud === undefined ? "your Claude login" : `the credentials of ${cloud.host}`}`,
      { advice: "For Anthropic with an API key: ccc provider add anthropic-api" },
    );
  }
  return preset?.token ?? "ANTHROPIC_AUTH_TOKEN";
}
