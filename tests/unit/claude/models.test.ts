import { describe, expect, test } from "bun:test";
import {
  CLOUDS,
  configuredModel,
  hostOf,
  inEveryRole,
  modelOf,
  modelVariables,
  namedModels,
  requestedModel,
} from "../../../src/claude/models.ts";
import { BLANKS } from "../../../src/providers/variables.ts";

describe("clouds", () => {
  test("a launch blanks the variables of all known clouds, and of no other", () => {
    const blanked = Object.keys(BLANKS).filter((name) => name.startsWith("CLAUDE_CODE_USE_"));
    expect(CLOUDS.map(({ variable }) => variable).sort()).toEqual(blanked.sort());
  });

  describe("hostOf", () => {
    const table: [env: Record<string, string>, host: string][] = [
      [{}, "Anthropic"],
      [{ CLAUDE_CODE_USE_BEDROCK: "0" }, "Anthropic"],
      [{ CLAUDE_CODE_USE_BEDROCK: "true" }, "AWS"],
      [{ CLAUDE_CODE_USE_VERTEX: "1" }, "Google Cloud"],
      [{ CLAUDE_CODE_USE_GATEWAY: "1" }, "a gateway"],
    ];
    for (const [env, host] of table) test(JSON.stringify(env), () => expect(hostOf(env)).toBe(host));
  });
});

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

  test("the model of a request, unless that is left to Claude Code", () => {
    expect(requestedModel({ ANTHROPIC_MODEL: "opus", ANTHROPIC_DEFAULT_OPUS_MODEL: "big[1m]" })).toBe("big");
    expect(requestedModel({ ANTHROPIC_DEFAULT_HAIKU_MODEL: "h" })).toBeUndefined();
  });

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
    expect([...namedModels(env)]).toEqual([
      ["big", ["ANTHROPIC_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL"]],
      ["small", ["ANTHROPIC_DEFAULT_HAIKU_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"]],
    ]);
    expect([...namedModels({})]).toEqual([]);
  });
});
