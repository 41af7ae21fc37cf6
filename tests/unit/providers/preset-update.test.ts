import { describe, expect, test } from "bun:test";
import { withPresetAdvice } from "../../../src/commands/validate/preset-advice.ts";
import { invalid } from "../../../src/commands/validate/validation.ts";
import { findPreset } from "../../../src/providers/new-provider.ts";
import { presetEnv } from "../../../src/providers/preset-env.ts";
import { presetNote, presetOrigin, withPresetNote } from "../../../src/providers/preset-note.ts";
import { hasNewerModels, presetUpdate } from "../../../src/providers/preset-update.ts";
import { PRESETS, type Preset } from "../../../src/providers/presets.ts";

function preset(name: string): Preset {
  const found = findPreset(name);
  if (found === undefined) throw new Error(`no preset ${name}`);
  return found;
}

const GLM = preset("glm");
const NOW = presetEnv(GLM);
const OPUS = "ANTHROPIC_DEFAULT_OPUS_MODEL";
const SONNET = "ANTHROPIC_DEFAULT_SONNET_MODEL";
const WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";
const KEY = { ANTHROPIC_AUTH_TOKEN: "the-key" };
/** The preset as it was: an older model and window, one variable that is gone, one that did not exist. */
const { API_TIMEOUT_MS: _new, ...rest } = NOW;
const THEN = { ...rest, [OPUS]: "glm-4", [WINDOW]: "1", GONE: "1" };
const note = { name: "glm", as_of: "2026-01-01", env: THEN };

describe("a provider made from an earlier preset", () => {
  test("gets what has changed; its key and variables of the user's own stay", () => {
    const entry = { permissions: { deny: ["Bash"] }, env: { ...THEN, ...KEY, MINE: 1 }, preset: note };
    expect(presetUpdate("any", entry)).toEqual({
      preset: GLM,
      from: "2026-01-01",
      isGuess: false,
      isNeeded: true,
      kept: [],
      after: { permissions: { deny: ["Bash"] }, env: { ...NOW, ...KEY, MINE: 1 }, preset: presetNote(GLM) },
    });
  });

  const own: [situation: string, env: Record<string, string>, after: Record<string, string>, kept: string[]][] = [
    ["a value that the user has changed", { ...THEN, GONE: "2" }, { ...NOW, GONE: "2" }, ["GONE"]],
    [
      "a model that the user has changed, and its window",
      { ...THEN, [OPUS]: "m" },
      { ...NOW, [OPUS]: "m", [WINDOW]: "1" },
      [OPUS, WINDOW],
    ],
    ["a model of another role, but not the window", { ...THEN, [SONNET]: "m" }, { ...NOW, [SONNET]: "m" }, []],
    ["a value that the user has removed", omit(THEN, OPUS, WINDOW), omit(NOW, OPUS, WINDOW), [OPUS, WINDOW]],
    [
      "a variable that the user set before the preset did",
      { ...THEN, API_TIMEOUT_MS: "5" },
      { ...NOW, API_TIMEOUT_MS: "5" },
      ["API_TIMEOUT_MS"],
    ],
    [
      "a value that already is the new one",
      { ...THEN, [OPUS]: NOW[OPUS] ?? "", [WINDOW]: "7" },
      { ...NOW, [WINDOW]: "7" },
      [WINDOW],
    ],
  ];
  test.each(own)("keeps %s", (_, env, after, kept) => {
    const update = presetUpdate("any", { env: { ...env, ...KEY }, preset: note });
    expect(update?.after.env).toEqual({ ...after, ...KEY });
    expect(update?.kept.map(({ name }) => name).sort()).toEqual(kept.sort());
  });

  test("is not updated where `add --model` set the user's own model", () => {
    const env = { ANTHROPIC_BASE_URL: NOW.ANTHROPIC_BASE_URL ?? "", ANTHROPIC_MODEL: "m", [OPUS]: "m", [SONNET]: "m" };
    const update = presetUpdate("glm", withPresetNote({ env }, GLM));
    expect(update).toMatchObject({ isNeeded: false, kept: [] });
  });

  test("is left alone if this ccc does not have the preset", () => {
    expect(presetUpdate("any", { env: {}, preset: { name: "no-such", env: {} } })).toBeUndefined();
  });
});

test.each(PRESETS.map((each) => [each.name, each] as const))(
  "a provider just made from %s is up to date",
  (name, each) => {
    const update = presetUpdate(name, withPresetNote({ env: { ...presetEnv(each), ...KEY } }, each));
    expect(update).toMatchObject({ isNeeded: false, kept: [], isGuess: false });
  },
);

describe("a provider without a note", () => {
  const url = (ANTHROPIC_BASE_URL: string) => ({ env: { ANTHROPIC_BASE_URL } });
  const table: [name: string, baseUrl: string, guess: string | undefined][] = [
    ["mine", "https://api.z.ai/api/anthropic/", "glm"],
    ["kimi-code-256k", "https://api.kimi.com/coding", "kimi-code-256k"],
    ["mine", "https://api.kimi.com/coding", undefined],
    ["glm", "https://elsewhere.test", undefined],
  ];
  test.each(table)("%s on %s is taken for one of the preset %s", (name, baseUrl, guess) => {
    const origin = presetOrigin(name, url(baseUrl));
    expect(origin.kind === "none" ? undefined : origin.preset?.name).toBe(guess);
  });

  test("gets all values of the preset, and a note", () => {
    const entry = { env: { ...url(NOW.ANTHROPIC_BASE_URL ?? "").env, ...KEY, [OPUS]: "glm-4", MINE: "1" } };
    const update = presetUpdate("mine", entry);
    expect(update).toMatchObject({ isGuess: true, isNeeded: true, from: undefined });
    expect(update?.after).toEqual({ env: { ...NOW, ...KEY, MINE: "1" }, preset: presetNote(GLM) });
  });
});

test("validate points to the update if the server does not know the model, and the preset has others", () => {
  const behind = { env: { ...THEN, ...KEY }, preset: note };
  const fresh = withPresetNote({ env: { ...NOW, ...KEY } }, GLM);
  const unknown = invalid("model_unknown", "no model", "Set ANTHROPIC_MODEL.");
  const advice = "Its preset now has other models: ccc provider update glm";
  expect(withPresetAdvice(unknown, "glm", behind)).toEqual({ ...unknown, advice });
  expect(withPresetAdvice(unknown, "glm", fresh)).toEqual(unknown);
  const refused = invalid("key_refused", "no", "Check it.");
  expect(withPresetAdvice(refused, "glm", behind)).toEqual(refused);
  const check = {
    check: "model" as const,
    model: "m",
    status: "invalid" as const,
    detail: "",
    advice: "",
    setting: null,
  };
  const deep = {
    ...invalid("incomplete", "lacks: model", ""),
    checks: [check],
    requests: 1,
    tokens: { input: 0, output: 0 },
  };
  expect(withPresetAdvice(deep, "glm", behind).advice).toBe(advice);
  expect(withPresetAdvice({ ...deep, checks: [{ ...check, check: "streaming" }] }, "glm", behind).advice).toBe("");
});

test.each([
  ["other models", { env: THEN, preset: note }, true],
  ["the same models, but another window", { env: { ...THEN, [OPUS]: NOW[OPUS] ?? "" }, preset: note }, false],
  ["the same values", withPresetNote({ env: NOW }, GLM), false],
  ["no models for a server of the user's own", { env: { ANTHROPIC_BASE_URL: "https://own.test" } }, false],
])("a preset has %s", (_, entry, is) => expect(hasNewerModels("any", entry)).toBe(is));

function omit(env: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
