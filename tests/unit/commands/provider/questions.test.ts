import { describe, expect, test } from "bun:test";
import type { Given } from "../../../../src/commands/provider/add.ts";
import { askWhatIsMissing } from "../../../../src/commands/provider/questions.ts";
import type { Ask, Choice } from "../../../../src/terminal/ask.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

/** Asks what is missing, and answers each question by a part of it. */
async function asked(
  given: Given,
  answers: Parameters<typeof scriptedAsk>[0],
  existing: readonly string[] = [],
  parts: Partial<World> = {},
) {
  const { ask, said: questions } = scriptedAsk(answers);
  let choices: readonly Choice[] = [];
  const choose: Ask["choose"] = (question, options) => {
    choices = options;
    return ask.choose(question, options);
  };
  const { world, said } = fakeWorld({ ask: { ...ask, choose }, ...parts });
  return { given: await askWhatIsMissing(given, existing, world), questions, choices, stderr: said.stderr };
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
    const { given, questions } = await asked({ name: "glm" }, { [KEY]: "a-key-of-mine", [PROMPT]: "no" });
    expect(given).toMatchObject({ key: "a-key-of-mine", fullPrompt: false });
    expect(questions).toHaveLength(2);
  });
  test("what a flag has said is not asked", async () => {
    const flags = { name: "glm", fullPrompt: true, model: "glm-4.7", contextWindow: "200000" };
    expect((await asked(flags, { [KEY]: "a-key-of-mine" })).given).toMatchObject(flags);
  });
  test("nothing is asked if the key comes from a flag", async () => {
    expect((await asked({ name: "glm", reference: "env:K" }, {})).questions).toEqual([]);
    expect((await asked({ name: "glm", key: "k" }, {})).questions).toEqual([]);
  });
  test("Claude elsewhere has no such questions", async () => {
    expect((await asked({ name: "openrouter" }, { [KEY]: "a-key-of-mine" })).questions).toHaveLength(1);
    expect((await asked({ name: "anthropic-api" }, { [KEY]: "a-key-of-mine" })).questions).toHaveLength(1);
    const own = { name: "own", baseUrl: "https://llm.example.com" };
    expect((await asked(own, { Model: "", [KEY]: "a-key-of-mine" })).questions).toHaveLength(2);
  });
  test("an address with a part that the user fills in", async () => {
    const { given } = await asked({ name: "qwen" }, { WorkspaceId: "ws-1", [KEY]: "a-key-of-mine", [PROMPT]: "no" });
    expect(given.baseUrl).toBe("https://ws-1.ap-southeast-1.maas.aliyuncs.com/apps/anthropic");
  });
  test("the list is searched by Chinese names, and the last entry by custom", async () => {
    const { choices } = await asked({ name: "mine" }, { Provider: "glm", [KEY]: "a-key-of-mine", [PROMPT]: "no" });
    const found = (word: string) => choices.filter(({ words = "" }) => words.includes(word)).map(({ value }) => value);
    expect(found("智谱")).toEqual(["glm", "glm-cn"]);
    expect(found("custom")).toEqual(["litellm", "another server"]);
  });
  test("the full system prompt, which costs more, is not what Enter means", async () => {
    expect((await asked({ name: "glm" }, { [KEY]: "a-key-of-mine", [PROMPT]: "" })).given.fullPrompt).toBe(false);
  });
  test("where to get a key, if the preset knows", async () => {
    const { stderr } = await asked({ name: "glm" }, { [KEY]: "a-key-of-mine", [PROMPT]: "" });
    expect(stderr).toMatch(/^│ {2}Get a key at https:\/\/\S+\n$/);
    const own = { name: "own", baseUrl: "https://llm.example.com" };
    expect((await asked(own, { Model: "", [KEY]: "a-key-of-mine" })).stderr).toBe("");
  });
  test("a key is needed, except by a server on this machine", async () => {
    const remote = { name: "own", baseUrl: "https://llm.example.com" };
    const { questions } = await asked(remote, { Model: "", [KEY]: ["", "two words", "a-key-of-mine"] });
    expect(questions.filter((each) => each.startsWith("rejected: "))).toHaveLength(2);
    expect(questions[1]).toBe("API key (hidden):");
    const local = await asked({ ...remote, baseUrl: "http://127.0.0.1:4000" }, { Model: "", [KEY]: "" });
    expect(local.questions[1]).toBe("API key (hidden, empty if the server needs none):");
    expect(local.given).not.toHaveProperty("key");
    const wrong = { Model: "", [KEY]: ["two words", "a-key-of-mine"] };
    expect((await asked({ ...remote, baseUrl: "http://127.0.0.1:4000" }, wrong)).given.key).toBe("a-key-of-mine");
  });
  test("the name is the server's, unless it is taken or cannot be typed", async () => {
    const own = { baseUrl: "https://llm.example.com", key: "a-key-of-mine" };
    expect((await asked(own, { Model: "", Name: "" })).given.name).toBe("llm");
    const { given, questions } = await asked(own, { Model: "", Name: ["", "use", "mine"] }, ["llm"]);
    expect(given.name).toBe("mine");
    expect(questions.filter((each) => each.startsWith("rejected: "))).toEqual([
      'rejected: provider "llm" already exists',
      "rejected: this word is a command of ccc",
    ]);
  });
});
