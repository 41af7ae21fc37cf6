import type { ParseError } from "jsonc-parser";
import * as v from "valibot";
import type { Settings } from "../claude/settings.ts";
import { CccError } from "../io/errors.ts";
import type { Files } from "../io/files.ts";
import { jsonEditing } from "./json.ts";
import { checkProviderNames } from "./names.ts";
import { type Config, ConfigSchema } from "./schema.ts";

/** ccc.json, checked, with its providers in the order of the file. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  readonly providers: ReadonlyMap<string, Settings>;
}

export function loadConfig(files: Files, path: string): LoadedConfig {
  const text = files.read(path);
  if (text === undefined) throw new CccError(`there is no ${path} yet`, { advice: firstConfig(path) });
  const config = parseConfig(text, path);
  const providers = new Map(Object.entries(config.providers ?? {}).map(([name, value]) => [name, value ?? {}]));
  if (providers.size === 0) throw new CccError(`${path} has no providers`, { advice: firstConfig(path) });
  return { path, config, providers };
}

export function parseConfig(text: string, path: string): Config {
  const json = parseJson(text, path);
  checkProviderNames(json, path);
  const result = v.safeParse(ConfigSchema, json);
  if (result.success) return result.output;
  // The messages are the schema's own: valibot's would quote the value, which may be a key.
  const problems = result.issues.map((issue) => `${v.getDotPath(issue) ?? "the file"}: ${issue.message}`);
  throw new CccError(`${path} is not valid\n${problems.map((problem) => `  ${problem}`).join("\n")}`, {
    advice: "Correct the file; nothing was changed.",
  });
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // The engine's message quotes the text around the fault, which may be a key.
    throw new CccError(`${path} is not valid JSON: ${whereBroken(text)}`, {
      advice: "Correct the file; nothing was changed.",
    });
  }
}

function whereBroken(text: string): string {
  const { parse: parseTolerant, printParseErrorCode } = jsonEditing();
  const errors: ParseError[] = [];
  parseTolerant(text, errors, { disallowComments: true, allowEmptyContent: false });
  const [first] = errors;
  if (first === undefined) return "it cannot be read";
  const before = text.slice(0, first.offset).split("\n");
  const what = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return `${what} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function firstConfig(path: string): string {
  return `Put a provider into ${path}, for example:
{
  "providers": {
    "glm": {
      "env": {
        "ANTHROPIC_BASE_URL": "https://api.z.ai/api/anthropic",
        "ANTHROPIC_AUTH_TOKEN": "your key"
      }
    }
  }
}
Then: ccc glm`;
}
