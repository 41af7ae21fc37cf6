import { describe, expect, test } from "bun:test";
import { checkConfig } from "../../../src/config/check.ts";
import { namedModels, providersOfSession } from "../../../src/providers/session-provider.ts";

const MODELS = new Map([
  ["glm", ["glm-5", "glm-5-air"]],
  ["kimi", ["kimi-k3[1m]"]],
  ["kimi-work", ["Kimi-K3"]],
  ["console", []],
  ["relay", ["claude-opus-5-5"]],
]);

describe("the providers that a session can have run on", () => {
  const table: [name: string, models: string[], recorded: string | undefined, providers: string[]][] = [
    ["the one that names the model", ["glm-5"], undefined, ["glm"]],
    ["in any role", ["glm-5-air"], undefined, ["glm"]],
    ["by the name that Claude Code asked for, first", ["glm-5", "kimi-k3"], undefined, ["glm"]],
    ["else by the server's name", ["other", "glm-5"], undefined, ["glm"]],
    ["all that name it, whatever its case and window", ["kimi-k3"], undefined, ["kimi", "kimi-work"]],
    ["the recorded one of these", ["kimi-k3"], "kimi-work", ["kimi-work"]],
    ["not a recorded one that has another model: the answer is newer", ["glm-5"], "kimi", ["glm"]],
    ["the recorded one if nobody names the model", ["other"], "kimi", ["kimi"]],
    ["the recorded one if there is no answer", [], "kimi", ["kimi"]],
    ["not a recorded one that is gone", ["other"], "gone", []],
    ["none", ["other"], undefined, []],
    ["one that names no model, for Claude Code's own", ["claude-sonnet-5-5"], undefined, ["console"]],
    ["one that names it, before those that name none", ["claude-opus-5-5"], undefined, ["relay"]],
    ["a date in the name does not make it another model", ["claude-opus-5-5-20261001"], undefined, ["relay"]],
  ];
  for (const [name, models, recorded, providers] of table) {
    test(name, () => expect(providersOfSession({ models, recorded }, MODELS)).toEqual(providers));
  }
});

test("the models that each provider names: its own, the shared ones, and those of variables", () => {
  const config = checkConfig(
    JSON.stringify({
      settings: { env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: "small", ANTHROPIC_MODEL: "shared" } },
      providers: {
        glm: { model: "opus", env: { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: "$" + "{GLM_MODEL}" } },
        kimi: { env: { ANTHROPIC_MODEL: "kimi-k3" } },
      },
    }),
    "/c/ccc.json",
  );
  const providers = new Map(Object.entries(config.providers ?? {}).map(([name, each]) => [name, each ?? {}]));
  const loaded = { path: "", config, providers, stamp: "", isStamped: true };
  const sets = (env: Record<string, string>) =>
    new Map([...namedModels(loaded, env)].map(([name, models]) => [name, models.toSorted()]));
  expect(sets({ GLM_MODEL: "glm-5" }).get("glm")).toEqual(["glm-5", "opus", "small"]);
  expect(sets({ GLM_MODEL: "glm-5" }).get("kimi")).toEqual(["kimi-k3", "small"]);
  expect(sets({}).get("glm")).toEqual(["opus", "shared", "small"]);
});
