import { expect, test } from "bun:test";
import { sessionFacts } from "../../../src/claude/session-facts.ts";

function factsOf(...entries: object[]) {
  const { add, facts } = sessionFacts();
  for (const entry of entries) add(JSON.stringify(entry));
  add("not JSON");
  return facts();
}

const PROMPT = { type: "user", message: { role: "user", content: "do it" }, cwd: "/p", entrypoint: "sdk-cli" };
const ANSWER = { type: "assistant", message: { model: "glm-5", content: [] }, cwd: "/p/sub" };

test("the folders, the prompts and that the agent has answered", () => {
  const { prompts, ...facts } = factsOf({ type: "queue-operation", cwd: "/other" }, PROMPT, ANSWER);
  expect(facts).toEqual({ folders: ["/p", "/p/sub"], cwd: "/p/sub", isTerminal: false, hasAnswer: true });
  expect(prompts.map(({ text }) => text)).toEqual(["do it"]);
});

test("a session that was resumed in a terminal", () =>
  expect(factsOf(PROMPT, { ...PROMPT, entrypoint: "cli" }).isTerminal).toBe(true));

test("a version that does not say how it runs counts as a terminal", () =>
  expect(factsOf({ ...PROMPT, entrypoint: undefined }).isTerminal).toBe(true));

test.each([
  ["Claude Code's own message about an error", { ...ANSWER, message: { model: "<synthetic>", content: [] } }],
  ["a delegated agent's answer", { ...ANSWER, isSidechain: true }],
])("%s is no answer", (_, entry) => expect(factsOf(PROMPT, entry).hasAnswer).toBe(false));

test("nothing is known of an empty transcript", () =>
  expect(factsOf()).toEqual({ folders: [], cwd: undefined, isTerminal: true, hasAnswer: false, prompts: [] }));
