import { describe, expect, test } from "bun:test";
import { askWhatIsMissing } from "../../../../src/commands/provider/questions.ts";
import type { Given } from "../../../../src/commands/provider/settle.ts";
import type { Ask, Choice } from "../../../../src/terminal/ask.ts";
import { fakeWorld } from "../../fakes.ts";

/** Asks what is missing, and answers each question by a part of it. */
async function asked(given: Given, answers: Readonly<Record<string, string>>) {
  const questions: string[] = [];
  let choices: readonly Choice[] = [];
  const answer = (question: string) => {
    questions.push(question);
    const key = Object.keys(answers).find((each) => question.includes(each));
    if (key === undefined) throw new Error(`not expected: ${question}`);
    return answers[key] ?? "";
  };
  const ask: Ask = {
    choose: async (question, options) => {
      choices = options;
      return answer(question);
    },
    text: async (question, { check } = {}) => {
      const text = answer(question);
      expect(check?.(text)).toBeUndefined();
      return text;
    },
    secret: async (question) => answer(question),
    confirm: async (question) => answer(question) === "yes",
  };
  const { world } = fakeWorld({ ask });
  return { given: await askWhatIsMissing(given, [], world), questions, choices };
}

const PROMPT = "full system prompt";
const KEY = "API key";

describe("the questions of ccc provider add", () => {
  test("a local model: its name, its window, and the price of the full system prompt", async () => {
    const { given, questions } = await asked({ name: "ollama" }, { Model: "qwen3", Context: "65536", [PROMPT]: "no" });
    expect(given).toMatchObject({ model: "qwen3", contextWindow: "65536", fullPrompt: false });
    expect(questions).toHaveLength(3);
    expect(questions[2]).toContain("5,000 tokens more");
  });
  test("the window may be left empty", async () => {
    const { given } = await asked({ name: "lmstudio" }, { Model: "m", Context: "", [PROMPT]: "yes" });
    expect(given).toMatchObject({ contextWindow: undefined, fullPrompt: true });
  });
  test("a preset knows the window of its own models", async () => {
    const { given, questions } = await asked({ name: "glm" }, { [KEY]: "k", [PROMPT]: "no" });
    expect(given).toMatchObject({ key: "k", fullPrompt: false });
    expect(questions).toHaveLength(2);
  });
  test("what a flag has said is not asked", async () => {
    const flags = { name: "glm", fullPrompt: true, model: "glm-4.7", contextWindow: "200000" };
    expect((await asked(flags, { [KEY]: "k" })).given).toMatchObject(flags);
  });
  test("nothing is asked if the key comes from a flag", async () => {
    expect((await asked({ name: "glm", reference: "env:K" }, {})).questions).toEqual([]);
    expect((await asked({ name: "glm", key: "k" }, {})).questions).toEqual([]);
  });
  test("Claude elsewhere has no such questions", async () => {
    expect((await asked({ name: "openrouter" }, { [KEY]: "k" })).questions).toHaveLength(1);
    expect((await asked({ name: "anthropic-api" }, { [KEY]: "k" })).questions).toHaveLength(1);
    const own = { name: "own", baseUrl: "https://llm.example.com" };
    expect((await asked(own, { Model: "", [KEY]: "k" })).questions).toHaveLength(2);
  });
  test("an address with a part that the user fills in", async () => {
    const { given } = await asked({ name: "qwen" }, { WorkspaceId: "ws-1", [KEY]: "k", [PROMPT]: "no" });
    expect(given.baseUrl).toBe("https://ws-1.ap-southeast-1.maas.aliyuncs.com/apps/anthropic");
  });
  test("the list is searched by Chinese names, and the last entry by custom", async () => {
    const { choices } = await asked({ name: "mine" }, { Provider: "glm", [KEY]: "k", [PROMPT]: "no" });
    const found = (word: string) => choices.filter(({ words = "" }) => words.includes(word)).map(({ value }) => value);
    expect(found("智谱")).toEqual(["glm", "glm-cn"]);
    expect(found("custom")).toEqual(["litellm", "another server"]);
  });
});
