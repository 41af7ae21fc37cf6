import { describe, expect, test } from "bun:test";
import { keyProblem, lacksWindow, nameFor } from "../../../src/providers/new-provider.ts";

describe("a provider is named after its server", () => {
  test.each([
    ["https://api.deepseek.com/anthropic", "deepseek"],
    ["https://www.example.org", "example"],
    ["https://ai.example.net", "example"],
    ["https://z.ai", "z.ai"],
    ["https://gateway.eu.llm-hub.com", "llm-hub"],
    ["http://localhost:4000", "local"],
    ["http://127.0.0.1:8000", "local"],
    ["http://[::1]:8000", "local"],
    ["not a URL", ""],
  ])("%s: %p", (baseUrl, name) => expect(nameFor(baseUrl)).toBe(name));
});

describe("the user is told of the window that Claude Code assumes", () => {
  const baseUrl = "https://glm.test";
  const table: [what: string, of: Parameters<typeof lacksWindow>[0], window: number | undefined, is: boolean][] = [
    ["for a model that it does not know", { baseUrl, model: "glm-4.7" }, undefined, true],
    ["unless the window is given", { baseUrl, model: "glm-4.7" }, 200_000, false],
    ["unless the model's name says that it is so large", { baseUrl, model: "glm-4.7[1m]" }, undefined, false],
    ["not for Claude", { baseUrl, model: "claude-sonnet-5" }, undefined, false],
    ["not at Anthropic", { baseUrl: undefined, model: "next" }, undefined, false],
    ["not without a model", { baseUrl, model: undefined }, undefined, false],
  ];
  test.each(table)("%s", (_, of, window, is) => expect(lacksWindow(of, window)).toBe(is));
});

describe("a text is not a key", () => {
  test.each([
    ["", "a key is required"],
    ["sk 1", "a key contains no spaces and no control characters"],
    ["sk-\u200b1", "a key contains no spaces and no control characters"],
    ["env:GLM_KEY", "that is a reference, not a key: pass it with --token-ref"],
    ["${GLM_KEY}", "that names a variable: pass it with --token-ref env:NAME"],
    ["sk-0123456789", undefined],
  ])("%p: %p", (text, problem) => expect(keyProblem(text)).toBe(problem));
});
