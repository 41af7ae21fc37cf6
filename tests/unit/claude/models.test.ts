import { describe, expect, test } from "bun:test";
import { hasAttribution, inEveryRole, modelsIn, modelVariables } from "../../../src/claude/models.ts";

describe("models", () => {
  describe("the configured model", () => {
    const sonnet = { ANTHROPIC_DEFAULT_SONNET_MODEL: "s" };
    const opus = { ...sonnet, ANTHROPIC_DEFAULT_OPUS_MODEL: "o" };
    const table: [name: string, env: Record<string, string>, model: string | undefined][] = [
      ["none", { ANTHROPIC_DEFAULT_HAIKU_MODEL: "h" }, undefined],
      ["that of sonnet, if nothing else is set", sonnet, "s"],
      ["that of opus before sonnet", opus, "o"],
      ["the main one before all others", { ...opus, ANTHROPIC_MODEL: "m" }, "m"],
      ["a blank one does not count", { ...opus, ANTHROPIC_MODEL: "" }, "o"],
    ];
    for (const [name, env, model] of table) test(name, () => expect(modelsIn(env).configured).toBe(model));
  });

  test("a request has the model behind an alias, without its window", () =>
    expect(modelsIn({ ANTHROPIC_MODEL: "opus", ANTHROPIC_DEFAULT_OPUS_MODEL: "big[1m]" }).requested()).toBe("big"));

  test("a request without a configured model has the fallback, or a default", () => {
    expect(modelsIn({}).requested("glm-5[1m]")).toBe("glm-5");
    expect(modelsIn({ ANTHROPIC_MODEL: "mine" }).requested("glm-5")).toBe("mine");
    expect(modelsIn({}).requested()).toStartWith("claude-opus-");
  });

  test("with one model in every role, every alias means that model", () => {
    const env = modelVariables(inEveryRole("m[1m]"));
    expect(Object.values(env)).toEqual(Array(6).fill("m[1m]"));
    for (const role of ["opus", "sonnet", "opusplan", "haiku", "fable"])
      expect(modelsIn({ ...env, ANTHROPIC_MODEL: role }).requested()).toBe("m");
  });

  test("the models that are named, each once, with their variables", () => {
    const env = {
      ANTHROPIC_MODEL: "opus",
      ANTHROPIC_DEFAULT_OPUS_MODEL: "big[1m]",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "small",
      ANTHROPIC_DEFAULT_FABLE_MODEL: "",
      CLAUDE_CODE_SUBAGENT_MODEL: "small",
    };
    expect([...modelsIn(env).variables()]).toEqual([
      ["big", ["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL"]],
      ["small", ["ANTHROPIC_DEFAULT_HAIKU_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"]],
    ]);
    expect([...modelsIn({}).variables()]).toEqual([]);
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
