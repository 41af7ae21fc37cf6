import { describe, expect, test } from "bun:test";
import type { ChildRequest, ChildResult } from "../../../../src/os/child.ts";
import { askReviewers, type Reviewer } from "../../../../src/supervisor/review/ask-reviewers.ts";

type Ending = ChildResult["ending"];

const DONE = result({ structured_output: { completed: true, feedback: "seen" } });
const retry = (error_status: number) => ({
  type: "system",
  subtype: "api_retry",
  error_status,
  attempt: 1,
  max_retries: 2,
});

function result(more: object): object {
  return { type: "result", subtype: "success", is_error: false, result: "", ...more };
}

/** An error of the API, as Claude Code puts it into the conversation. */
function said(text: string): object {
  return { type: "assistant", error: "unknown", message: { content: [{ type: "text", text }] } };
}

function failure(status: number, text: string): object {
  return result({ is_error: true, api_error_status: status, result: `API Error: ${status} ${text}` });
}

/** Asks reviewers that answer with these lines of the stream, in turn. */
async function ask(answers: readonly (readonly object[] | Ending)[], names = ["glm", "kimi", "deepseek"]) {
  const asked: string[] = [];
  const trouble: string[] = [];
  let index = 0;
  const run = async (request: ChildRequest): Promise<ChildResult> => {
    const answer = answers[index++] ?? [];
    const lines = typeof answer === "string" ? [] : answer;
    lines.some((line) => request.onLine(new TextEncoder().encode(JSON.stringify(line))));
    return { exitCode: 0, ending: typeof answer === "string" ? answer : "exited", stderr: "" };
  };
  const [first, ...others] = names.map(
    (name): Reviewer => ({ name, way: "fresh", program: async () => ({ file: name, args: [], env: {} }) }),
  );
  if (first === undefined) throw new Error("no reviewer");
  const nothing = () => {};
  const found = await askReviewers([first, ...others], (reviewer) => ({
    reviewer: reviewer.name,
    way: reviewer.way,
    canBeFresh: true,
    child: async (way) => {
      asked.push(reviewer.name);
      return { program: await reviewer.program(way, "/"), cwd: "/", stdin: "" };
    },
    missing: () => [],
    timeoutSeconds: 60,
    marker: "[TASK_COMPLETED]",
    run,
    clock: () => 0,
    clean: (text) => text,
    onText: nothing,
    onLine: nothing,
    onEvent: nothing,
    onNoise: nothing,
    onTrouble: (message) => trouble.push(message),
  }));
  return { ...found, asked: asked.join(" "), trouble };
}

describe("the next reviewer is asked", () => {
  test.each([
    ["after a server error", [failure(500, "Internal")]],
    ["after an overload", [failure(529, "Overloaded")]],
    ["after a rate limit", [failure(429, "too many requests")]],
    ["after a refused key, at once", [retry(401), DONE]],
    ["after a quota with the status 403", [retry(403), failure(403, "weekly usage limit")]],
    // Claude Code 2.0.77 asks for the answer in the schema again and again.
    ["after a second error in a row without an end", [said("API Error: 500 {}"), said("API Error: 500 {}"), DONE]],
    ["after an empty account", [failure(402, "Insufficient Balance")]],
    ["after an unknown model", [failure(404, "no such model")]],
    ["after no answer in time", "timeout" as const],
    ["after no result", []],
    ["after a session that is too long for it", [failure(413, "too long")]],
  ])("%s", async (_, answer) => {
    expect(await ask([answer, [DONE]])).toMatchObject({
      asked: "glm kimi",
      reviewer: "kimi",
      verdict: { completed: true },
    });
  });

  test("and then the one after that", async () => {
    const found = await ask([[failure(500, "a")], [failure(500, "b")], [DONE]]);
    expect(found).toMatchObject({ asked: "glm kimi deepseek", reviewer: "deepseek" });
    expect(found.instead).toBe(
      "glm: the reviewer's API has a server error (HTTP 500): a; try again later. " +
        "kimi: the reviewer's API has a server error (HTTP 500): b; try again later",
    );
  });
});

describe("nobody else is asked", () => {
  test("after a verdict", async () =>
    expect(await ask([[DONE]])).toMatchObject({ asked: "glm", reviewer: "glm", instead: undefined, trouble: [] }));
  test("after an interruption", async () =>
    expect(await ask(["interrupted"])).toMatchObject({ asked: "glm", failure: "the hook was interrupted" }));
  test("after answers without a verdict: that was a review", async () =>
    expect(await ask([[result({})], [result({})]])).toMatchObject({
      asked: "glm glm",
      failure: "the reviewer gave no verdict, twice",
    }));
});

test("if nobody can review, the reason names each of them", async () => {
  const found = await ask([[failure(500, "Internal")], [failure(403, "weekly usage limit")]], ["glm", "kimi"]);
  expect(found).toMatchObject({
    failure:
      "glm: the reviewer's API has a server error (HTTP 500): Internal; try again later. " +
      "kimi: the reviewer's usage limit is reached (HTTP 403): weekly usage limit; try again later",
  });
});

test("without a fallback the reason says how to set one up", async () => {
  const found = await ask([[failure(500, "Internal")]], ["glm"]);
  expect(found).toMatchObject({ failure: expect.stringContaining("name it in supervisor.fallback") });
  const unsettled = await ask([[failure(500, "Internal")]], [""]);
  expect(unsettled).toMatchObject({ failure: expect.not.stringContaining("supervisor.fallback") });
});

test("retries and the next reviewer are shown", async () => {
  const { trouble } = await ask([[retry(500), failure(500, "Internal")], [DONE]]);
  expect(trouble).toEqual([
    "glm: the API answers HTTP 500; claude is retrying (1 of 2)",
    "glm: the reviewer's API has a server error (HTTP 500): Internal; try again later. Asking kimi",
  ]);
});
