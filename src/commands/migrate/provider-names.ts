import { CLAUDE_SUBCOMMANDS } from "../../claude/subcommands.ts";
import { nameProblem } from "../../config/names.ts";
import { nameFor } from "../../providers/new-provider.ts";
import { PRESETS } from "../../providers/presets.ts";

/** The name of the preset for this server, or else the distinctive part of its host name. */
export function guessName(env: Readonly<Record<string, string>>): string {
  const { ANTHROPIC_BASE_URL: url } = env;
  if (url === undefined) return env.ANTHROPIC_API_KEY === undefined ? "anthropic" : "anthropic-api";
  const preset = PRESETS.find(({ baseUrl }) => baseUrl !== undefined && sameServer(baseUrl, url));
  const name = preset?.name ?? nameFor(url);
  return isUsable(name) ? name : "mine";
}

/** A name that can be typed, made of the one that a provider has elsewhere. Undefined if nothing of it can be used. */
export function typeableName(label: string): string | undefined {
  const letters = label.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = letters.match(/[a-z0-9]+(?:[._][a-z0-9]+)*/g) ?? [];
  const [first = "", ...more] = words;
  let name = first.slice(0, LONGEST_NAME);
  for (const word of more) {
    if (name.length + word.length >= LONGEST_NAME) break;
    name += `-${word}`;
  }
  return name !== "" && isUsable(name) ? name : undefined;
}

const LONGEST_NAME = 24;

function isUsable(name: string): boolean {
  return nameProblem(name) === undefined && !CLAUDE_SUBCOMMANDS.has(name);
}

function sameServer(a: string, b: string): boolean {
  const [one, other] = [URL.parse(a), URL.parse(b)];
  return one !== null && one.host === other?.host;
}

/** The name, with a number if it is taken. File systems may ignore case, so names may not differ in that alone. */
export function freeName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((each) => each.toLowerCase()));
  if (!lower.has(name.toLowerCase())) return name;
  for (let count = 2; ; count++) if (!lower.has(`${name}-${count}`.toLowerCase())) return `${name}-${count}`;
}
