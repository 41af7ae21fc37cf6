import { describe, expect, test } from "bun:test";
import {
  configuredModel,
  hasAttribution,
  inEveryRole,
  modelOf,
  modelVariables,
  variablesByModel,
} from "../../../src/claude/models.ts";

describe("model", () => {
  describe("configuredModel", () => {
    const sonnet = { ANTHROPIC_DEFAULT_SONNET_MODEL: "s" };
    const opus = { ...sonnet, ANTHROPIC_DEFAULT_OPUS_MODEL: "o" };
    const table: [name: string, env: Record<string, string>, model: string | undefined][] = [
      ["none", { ANTHROPIC_DEFAULT_HAIKU_MODEL: "h" }, undefined],
      ["that of sonnet, if nothing else is set", sonnet, "s"],
      ["that of opus before sonnet", opus, "o"],
      ["the main one before all others", { ...opus, ANTHROPIC_MODEL: "m" }, "m"],
      ["a blank one does not count", { ...opus, ANTHROPIC_MODEL: "" }, "o"],
    ];
    for (const [name, env, model] of table) test(name, () => expect(configuredModel(env)).toBe(model));
  });

  test("a request has the model behind an alias, without its window", () =>
    expect(modelOf({ ANTHROPIC_MODEL: "opus", ANTHROPIC_DEFAULT_OPUS_MODEL: "big[1m]" }, undefined)).toBe("big"));

  test("with one model in every role, every alias means that model", () => {
    const env = modelVariables(inEveryRole("m[1m]"));
    expect(Object.values(env)).toEqual(Array(6).fill("m[1m]"));
    for (const role of ["opus", "sonnet", "opusplan", "haiku", "fable"])
      expect(modelOf({ ...env, ANTHROPIC_MODEL: role }, undefined)).toBe("m");
  });

  test("the models that are named, each once, with their variables", () => {
    const env = {
      ANTHROPIC_MODEL: "opus",
      ANTHROPIC_DEFAULT_OPUS_MODEL: "big[1m]",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "small",
      ANTHROPIC_DEFAULT_FABLE_MODEL: "",
      CLAUDE_CODE_SUBAGENT_MODEL: "small",
    };
    expect([...variablesByModel(env)]).toEqual([
      ["big", ["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL"]],
      ["small", ["ANTHROPIC_DEFAULT_HAIKU_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"]],
    ]);
    expect([...variablesByModel({})]).toEqual([]);
  });

  test.each([
    [{}, true],
    [{ CLAUDE_CODE_ATTRIBUTION_HEADER: "1" }, true],
    [{ CLAUDE_CODE_ATTRIBUTION_HEADER: "0" }, false],
    [{ CLAUDE_CODE_ATTRIBUTION_HEADER: 0 }, false],
    [{ CLAUDE_CODE_ATTRIBUTION_HEADER: "False" }, false],
  ])("requests have Claude Code's attribution block: %j %p", (env, expected) =>
    expect(hasAttribution(env)).toBe(expected),
  );
});
