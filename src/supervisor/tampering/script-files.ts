import { asObject, isObject, type Json, parseJson } from "../../text/json.ts";
import { baseName, isElsewhere } from "./test-files.ts";

/** Files whose scripts are commands. */
export function isScriptFile(path: string): boolean {
  return SCRIPT_KEYS.has(baseName(path)) && !isElsewhere(path);
}

const SCRIPT_KEYS: ReadonlyMap<string, string> = new Map([
  ["package.json", "scripts"],
  ["composer.json", "scripts"],
  ["deno.json", "tasks"],
]);

export type Scripts = ReadonlyMap<string, string>;

/** The scripts by name; undefined if the text is not JSON. */
export function scriptsIn(path: string, text: string): Scripts | undefined {
  const json = objectIn(text);
  return json && entriesOf(asObject(json[SCRIPT_KEYS.get(baseName(path)) ?? ""]));
}

/** Settings of tools for tests that have a key of their own in package.json. */
export function testSettingsIn(text: string): Scripts {
  const json = Object.entries(objectIn(text) ?? {});
  return entriesOf(Object.fromEntries(json.filter(([key]) => TOOL_KEYS.has(key))));
}

const TOOL_KEYS = new Set(
  "jest vitest mocha ava nyc c8 tap jasmine eslintConfig eslintIgnore stylelint xo lint-staged husky".split(" "),
);

/** Whether a script is about tests by its name. */
export function isTestScript(name: string): boolean {
  return /(?:^|[:_-]|pre|post)(?:tests?|check|lint|type-?check|tsc|coverage|cov|ci|verify|validate|e2e|unit|spec)(?:$|[:_-])/.test(
    name,
  );
}

function objectIn(text: string): Json | undefined {
  const json = text.trim() === "" ? {} : parseJson(text);
  return isObject(json) ? json : undefined;
}

function entriesOf(json: Json): Scripts {
  return new Map(
    Object.entries(json).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}
