import { isDeepStrictEqual } from "node:util";
import type { ProviderEntry } from "../config/schema.ts";
import { redact } from "../text/redact.ts";
import { shownValue } from "./summary.ts";

/** What differs between two states of a provider, as rows of a table: a sign, the name, the values. Secrets are masked. */
export function shownChanges(before: ProviderEntry, after: ProviderEntry): string[][] {
  const { env: oldEnv, preset: _old, ...old } = before;
  const { env: newEnv, preset: _new, ...next } = after;
  return [...rows(oldEnv ?? {}, newEnv ?? {}, shownVariable), ...rows(old, next, shownSetting)];
}

type Values = Readonly<Record<string, unknown>>;

function rows(before: Values, after: Values, shown: (name: string, value: unknown) => string): string[][] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [old, next] = [before[name], after[name]];
    if (isDeepStrictEqual(old, next)) return [];
    if (old === undefined) return [["+", name, shown(name, next)]];
    if (next === undefined) return [["-", name, shown(name, old)]];
    return [["~", name, `${shown(name, old)} → ${shown(name, next)}`]];
  });
}

function shownVariable(name: string, value: unknown): string {
  return shownValue(name, String(value)) || "(empty)";
}

function shownSetting(name: string, value: unknown): string {
  const text = redact(JSON.stringify(value), []);
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return name === "apiKeyHelper" ? "(a command)" : short;
}

const LONGEST = 60;
