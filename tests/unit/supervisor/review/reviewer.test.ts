import { describe, expect, test } from "bun:test";
import type { ApiFailureKind } from "../../../../src/claude/failures.ts";
import type { ReviewWay } from "../../../../src/claude/runs.ts";
import type { ChildRequest, ChildResult } from "../../../../src/os/child.ts";
import {
  askReviewers,
  type Lacking,
  type Reviewer,
  type ReviewJob,
  withoutFallbackAdvice,
} from "../../../../src/supervisor/review/reviewer.ts";
import { messagesOn } from "../../fakes.ts";

const CODE = "4c1f09ae";

describe("several reviewers", () => {
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
  async function ask(
    answers: readonly (readonly object[] | Ending)[],
    names = ["glm", "kimi", "deepseek"],
    parts: Partial<ReviewJob> = {},
  ) {
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
      (name): Reviewer => ({
        name,
        way: "fresh",
        isInSchema: () => true,
        start: async () => ({ program: { file: name, args: [], env: {} }, cwd: "/", sandbox: undefined }),
      }),
    );
    if (first === undefined) throw new Error("no reviewer");
    const nothing = () => {};
    const found = await askReviewers([first, ...others], (reviewer) => ({
      reviewer: reviewer.name,
      way: reviewer.way,
      canBeFresh: true,
      open: async (way) => {
        asked.push(reviewer.name);
        const started = await reviewer.start(way, "/");
        return "failure" in started
          ? started
          : { ...started, isInSchema: true, code: CODE, message: "review", question: () => "question" };
      },
      onQuestion: nothing,
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
      ...parts,
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

    test("after two reviews without a verdict", async () => {
      const found = await ask([[result({})], [result({})], [DONE]]);
      expect(found).toMatchObject({ asked: "glm glm kimi", instead: "glm: the reviewer gave no verdict, twice" });
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
    test('after a "done" that does not count: that was a review', async () => {
      const missing = () => ["no evidence for C1"];
      expect(await ask([[DONE], [DONE]], undefined, { missing })).toMatchObject({
        asked: "glm glm",
        failure: `the reviewer's "done" does not count: no evidence for C1`,
      });
    });
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
});

describe("one reviewer", () => {
  const result = (more: object) => ({ type: "result", subtype: "success", is_error: false, result: "", ...more });
  const done = (feedback = "seen") => result({ structured_output: { completed: true, feedback } });
  const notDone = (feedback = "no") => result({ structured_output: { completed: false, feedback } });
  const says = (text: string, more: object = {}) => ({
    type: "assistant",
    message: { content: [{ type: "text", text }] },
    ...more,
  });
  const apiError = (text: string) => says(text, { error: "unknown" });
  const retry = (error_status: number) => ({ type: "system", subtype: "api_retry", error_status });
  const COMPACTION = { type: "system", subtype: "compact_boundary" };
  const FOREIGN = result({
    is_error: true,
    api_error_status: 400,
    result: "API Error: 400 The `content[].thinking` in the thinking mode must be passed back to the API.",
  });
  const TOO_LONG = result({ is_error: true, api_error_status: 400, result: "prompt is too long" });

  /** What the reviewer prints when it is asked: JSON lines, other lines, and how it ends. */
  type Answer = readonly (object | string | Uint8Array | undefined)[];
  type Ending = Partial<ChildResult> & {
    readonly lines?: Answer;
    /** What it prints when it is asked again. It ends before the next question. */
    readonly later?: readonly Answer[];
  };

  /** Runs a review whose reviewer answers in this way, each time that its process is started. */
  async function reviewed(
    answers: readonly (Answer | Ending)[],
    parts: Partial<ReviewJob> & { isInSchema?: boolean } = {},
  ) {
    const ways: ReviewWay[] = [];
    const lackings: (Lacking | undefined)[] = [];
    const patience: (number | undefined)[] = [];
    const questions: (readonly string[])[] = [];
    const told: string[] = [];
    const endings: ChildResult["ending"][] = [];
    const heard = { text: "", noise: [] as string[], trouble: [] as string[], lines: 0, read: 0 };
    const run = async ({ onLine, timeoutMs, stdin }: ChildRequest): Promise<ChildResult> => {
      const given = answers[patience.length] ?? [];
      patience.push(timeoutMs);
      const {
        lines = [],
        later = [],
        ...ending
      } = "lines" in given || !Array.isArray(given) ? (given as Ending) : { lines: given };
      const bytes = (line: object | string) =>
        line instanceof Uint8Array
          ? line
          : new TextEncoder().encode(typeof line === "string" ? line : JSON.stringify(line));
      const messages = messagesOn(stdin);
      let isStopped = false;
      for (const each of [lines, ...later]) {
        const { value, done = false } = await messages.next();
        if (value !== undefined) told.push(value);
        isStopped ||= done;
        isStopped ||= each.some((line) => {
          heard.read++;
          return onLine(line && bytes(line));
        });
      }
      const result = { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...ending } as const;
      endings.push(result.ending);
      return result;
    };
    const { isInSchema = true, ...others } = parts;
    const job: ReviewJob = {
      way: "schema",
      canBeFresh: true,
      open: async (way, lacking) => {
        ways.push(way);
        lackings.push(lacking);
        const program = { file: "claude", args: [], env: {} };
        const question = ({ missing }: Lacking) => `question: ${missing.join("; ")}`;
        return { program, cwd: "/", isInSchema, code: CODE, message: `review (${way})`, question };
      },
      onQuestion: ({ missing }) => questions.push(missing),
      missing: () => [],
      timeoutSeconds: 60,
      marker: "[TASK_COMPLETED]",
      run,
      clock: () => 0,
      clean: (text) => text.replaceAll("key-1", "***"),
      onText: (text) => {
        heard.text += text;
      },
      onLine: () => {
        heard.lines++;
      },
      onEvent: () => {},
      reviewer: "kimi",
      onTrouble: (message) => heard.trouble.push(message),
      onNoise: (line) => heard.noise.push(line),
      ...others,
    };
    const start = async () => ({ program: { file: "claude", args: [], env: {} }, cwd: "/", sandbox: undefined });
    const reviewer = { name: job.reviewer, way: job.way, isInSchema: () => isInSchema, start };
    const found = await askReviewers([reviewer], () => job);
    const verdict =
      "verdict" in found ? `${found.verdict.completed ? "done" : "not done"}: ${found.verdict.feedback}` : "";
    const failure =
      "failure" in found ? `${found.isUnavailable ? "unavailable: " : ""}${withoutFallbackAdvice(found.failure)}` : "";
    const cause = "failure" in found ? found.cause : undefined;
    const { looks } = found;
    return { said: verdict || failure, cause, looks, ways, lackings, patience, heard, questions, told, endings };
  }

  describe("the verdict of a review", () => {
    const table: [situation: string, answers: readonly (Answer | Ending)[], said: string][] = [
      ["done", [[done()]], "done: seen"],
      ["not done", [[notDone()]], "not done: no"],
      ["in the text, without a schema", [[result({ result: '{"completed": true, "feedback": "ok"}' })]], "done: ok"],
      ["the second time", [[result({ result: "hm" })], [done()]], "done: seen"],
      [
        "never",
        [[result({ result: "hm" })], [result({ result: "hm" })]],
        "unavailable: the reviewer gave no verdict, twice",
      ],
      [
        "not from a run that ended in an error",
        [[{ ...done(), is_error: true, result: "broken" }]],
        "unavailable: claude reports an error: broken",
      ],
      ["in a second result, after one without", [[result({ result: "hm" }), done()]], "done: seen"],
      ["before a later crash", [{ lines: [done()], exitCode: 1 }], "done: seen"],
      ["too late", [{ lines: [], ending: "timeout" }], "unavailable: no verdict within 60 seconds"],
      ["in time, though claude did not end", [{ lines: [done()], ending: "timeout" }], "done: seen"],
      ["interrupted by the user", [{ lines: [], ending: "interrupted" }], "the hook was interrupted"],
      [
        "claude ends without a word",
        [{ lines: [], exitCode: 3, stderr: "no key-1" }],
        "unavailable: claude exited without a result (exit code 3): no ***",
      ],
      [
        "an error without words",
        [[result({ is_error: true, subtype: "error_during_execution", result: "", errors: [] })]],
        "unavailable: claude reports an error: error_during_execution",
      ],
      [
        "an error with several reasons",
        [[result({ is_error: true, result: "", errors: ["a", "b"] })]],
        "unavailable: claude reports an error: a; b",
      ],
      [
        "an error without any detail",
        [[result({ is_error: true, subtype: "", result: "", errors: [] })]],
        "unavailable: claude reports an error: no details given",
      ],
    ];
    test.each(table)("%s", async (_, answers, said) => expect((await reviewed(answers)).said).toBe(said));

    test("one second is in the singular", async () =>
      expect((await reviewed([{ lines: [], ending: "timeout" }], { timeoutSeconds: 1 })).said).toEndWith(
        "within 1 second",
      ));

    test("that comes too late may be the fault of the API; one that is none is not", async () => {
      expect((await reviewed([{ lines: [], ending: "timeout" }])).cause).toBe("other");
      expect((await reviewed([[result({ result: "hm" })], [result({ result: "hm" })]])).cause).toBeUndefined();
    });

    test("ends the reviewer at once, though it waits for another message", async () => {
      const { heard, told, endings } = await reviewed([{ lines: [says("let me see"), done()], later: [[notDone()]] }]);
      expect(heard).toMatchObject({ read: 2, lines: 2, text: "let me see" });
      expect([told, endings]).toEqual([["review (schema)"], ["stopped"]]);
    });

    test("in a shared session may be in any block of the last message", async () => {
      const part = (content: object, id = "m2") => ({
        type: "assistant",
        message: { id, usage: { input_tokens: 1, output_tokens: 1 }, content: [content] },
      });
      const text = (each: string) => ({ type: "text", text: each });
      const done = '{"completed": true, "feedback": "seen"}';
      const notDone = '{"completed": false, "feedback": "no"}';
      const read = async (...lines: object[]) =>
        (await reviewed([[...lines, result({})], []], { way: "shared", isInSchema: false })).said;
      expect(await read(part(text(notDone)), part(text("Fix that first.")))).toBe("not done: no");
      expect(await read(part(text(done)), part({ type: "thinking", thinking: "…" }))).toBe("done: seen");
      // What contradicts it is in another block of the same message, or what it said is not its last word.
      expect(await read(part(text(notDone)), part(text(done)))).not.toStartWith("done");
      const call = { type: "tool_use", id: "1", name: "Bash", input: { command: "npm test" } };
      expect(await read(part(text(done)), part(call), part(text("It fails."), "m3"))).not.toStartWith("done");
      expect(await read(part(text(notDone), "m1"), part(text(done)))).toBe("done: seen");
    });
    test("in a shared session is in the last message, not in what was resumed", async () => {
      const resumed = result({ result: '{"completed": true, "feedback": "old"}' });
      const { said } = await reviewed([[says('{"completed": false, "feedback": "new"}'), resumed]], {
        way: "shared",
        isInSchema: false,
      });
      expect(said).toBe("not done: new");
    });
  });

  describe("a verdict that lacks something", () => {
    const missing = () => ["no evidence for C1", "C2 is open"];
    /** The evidence is missing in the first answer alone. */
    const once = () => {
      let asked = 0;
      return () => (asked++ === 0 ? ["no evidence for C1"] : []);
    };
    test("is asked for just that, in the same process, which is then ended", async () => {
      const later = [[done("b")], [notDone()]];
      const { said, told, questions, endings, patience } = await reviewed([{ lines: [done("a")], later }], {
        missing: once(),
      });
      expect(said).toBe("done: b");
      expect(told).toEqual(["review (schema)", "question: no evidence for C1"]);
      expect(questions).toEqual([["no evidence for C1"]]);
      expect([endings, patience.length]).toEqual([["stopped"], 1]);
    });
    test("is reviewed anew, with what it lacked, if the process is gone", async () => {
      const { said, told, lackings, heard } = await reviewed([[done("a")], [done("b")]], { missing: once() });
      expect(said).toBe("done: b");
      expect(told).toEqual(["review (schema)", "review (schema)"]);
      expect(lackings).toMatchObject([undefined, { verdict: { feedback: "a" }, missing: ["no evidence for C1"] }]);
      expect(heard.noise).toEqual(["the reviewer gave no verdict that counts; reviewing once more"]);
    });
    test("does not count, if it is still missing after two questions and says done", async () => {
      const later = [[done()], [done()], [done()]];
      const { said, told } = await reviewed([{ lines: [done()], later }], { missing });
      expect(said).toBe(`the reviewer's "done" does not count: no evidence for C1; C2 is open`);
      expect(told).toEqual(["review (schema)", ...Array(2).fill("question: no evidence for C1; C2 is open")]);
    });
    test("counts, if it says not done", async () => {
      const later = [[notDone()], [notDone()]];
      expect((await reviewed([{ lines: [done()], later }], { missing })).said).toBe("not done: no");
      expect((await reviewed([[done()], [notDone()]], { missing })).said).toBe("not done: no");
    });
    test("counts, if it says not done and the reviewer fails before it adds the rest, unless it is interrupted", async () => {
      const broke = result({ is_error: true, api_error_status: 402, result: "API Error: 402 Insufficient Balance" });
      const later = [[broke]];
      expect((await reviewed([{ lines: [notDone()], later }], { missing })).said).toBe("not done: no");
      expect((await reviewed([[notDone()], { ending: "timeout" }], { missing })).said).toBe("not done: no");
      const full = result({ is_error: true, api_error_status: 400, result: "prompt is too long" });
      const fresh = { missing, way: "fresh" } as const;
      expect((await reviewed([{ lines: [notDone()], later: [[full]] }], fresh)).said).toBe("not done: no");
      const program = { file: "claude", args: [], env: {} };
      const started = {
        program,
        cwd: "/",
        isInSchema: true,
        code: CODE,
        message: "review",
        question: () => "question",
      };
      // The second one cannot be started.
      const opened = [started, { failure: "no sandbox", isUnavailable: false }];
      const open = async () => opened.shift() ?? started;
      expect((await reviewed([[notDone()]], { missing, open })).said).toBe("not done: no");
      expect((await reviewed([{ lines: [done()], later }], { missing })).said).toStartWith("unavailable: ");
      const interrupted = await reviewed([{ lines: [notDone()], ending: "interrupted" }], { missing });
      expect(interrupted.said).toBe("the hook was interrupted");
    });
    test("in the words of an answer is not found in those of the next one", async () => {
      const words = '{"completed": true, "feedback": "seen"}';
      const lines = [says(words), result({ result: words })];
      const later = [[result({ usage: { input_tokens: 1 } })], [says("hm"), result({})]];
      const { said, told } = await reviewed([{ lines, later }, [result({})]], {
        way: "shared",
        isInSchema: false,
        missing: once(),
      });
      expect(said).toBe("unavailable: the reviewer gave no verdict, twice");
      expect(told[2]).toBe("question: it has no verdict that ccc can read");
    });
    test("is judged by what the reviewer has looked at", async () => {
      const call = { type: "tool_use", id: "1", name: "Read", input: { file_path: "a.ts" } };
      const answer = { type: "tool_result", tool_use_id: "1", content: "text of a" };
      const lines = [
        { type: "assistant", message: { content: [call] } },
        { type: "user", message: { content: [answer] } },
        done(),
      ];
      const seen: unknown[] = [];
      const { looks } = await reviewed([lines], {
        missing: (_, looked) => {
          seen.push([...looked]);
          return [];
        },
      });
      const look = { name: "Read", what: "a.ts", seen: "text of a", exitCode: 0 };
      expect([seen, looks]).toEqual([[[look]], [look]]);
    });
  });

  describe("an answer without a verdict", () => {
    const hm = result({ result: "hm" });
    test('may have a "done" that it could have quoted; with the code it counts', async () => {
      const quoted = 'curl printed this.\n\n{"completed": true, "feedback": "ok"}';
      const own = quoted.replace("}", `, "code": "${CODE}"}`);
      const asked = async (...answers: string[]) => {
        const [lines = [], ...later] = answers.map((answer) => [says(answer), result({})]);
        return reviewed([{ lines, later: [...later, [hm]] }], { way: "shared", isInSchema: false });
      };
      expect(await asked(own)).toMatchObject({ said: "done: ok", told: ["review (shared)"] });
      expect(await asked(quoted, own)).toMatchObject({
        said: "done: ok",
        told: [
          "review (shared)",
          "question: it says done between other text and without the code, where it may be a quote",
        ],
      });
      expect((await asked(quoted, quoted, quoted)).said).not.toStartWith("done");
    });
    test("LOOP-10 may end with the marker: asked whether it is the verdict, the reviewer may end with it again", async () => {
      const marked = "I looked, and all is well.\n\n[TASK_COMPLETED]";
      const asked = async (...answers: string[]) => {
        const [lines = [], ...later] = answers.map((answer) => [says(answer), result({})]);
        return reviewed([{ lines, later: [...later, [hm]] }], { way: "shared", isInSchema: false });
      };
      const { said, told } = await asked(marked, marked);
      expect(said).toStartWith("done");
      expect(told).toEqual(["review (shared)", expect.stringContaining("answer with [TASK_COMPLETED] alone")]);
      const quoted = "The agent wrote:\n\n[TASK_COMPLETED]";
      for (const answers of [
        [quoted, quoted, quoted],
        [marked, quoted, quoted],
        ["hm", marked, "hm"],
      ])
        expect((await asked(...answers)).said).not.toStartWith("done");
    });
    test("shows its code to nobody: the agent may read the output before the review ends", async () => {
      const lines: string[] = [];
      const onLine = (line: Uint8Array) => void lines.push(new TextDecoder().decode(line));
      const answer = `{"completed": true, "feedback": "ok", "code": "${CODE}"}`;
      const { said, heard } = await reviewed([[says(answer), result({ result: answer })]], { onLine });
      expect([said, heard.text]).toEqual(["done: ok", answer.replace(CODE, "[code]")]);
      expect(lines.map((line) => JSON.parse(line).result)).toEqual([undefined, answer.replace(CODE, "[code]")]);
      expect(lines.join()).not.toContain(CODE);
    });
    test("is asked for one, in the same process", async () => {
      const { said, told, questions } = await reviewed([{ lines: [hm], later: [[done()], [hm]] }]);
      expect([said, told]).toEqual([
        "done: seen",
        ["review (schema)", "question: it has no verdict that ccc can read"],
      ]);
      expect(questions).toEqual([["it has no verdict that ccc can read"]]);
    });
    test("is not a turn of Claude Code's own, in which no model is asked", async () => {
      const { said, told } = await reviewed([{ lines: [result({}), says("hm"), done()], later: [[notDone()]] }]);
      expect([said, told]).toEqual(["done: seen", ["review (schema)"]]);
    });
    test("may be empty", async () => {
      for (const empty of [[says(""), result({})], [result({ num_turns: 2 })]]) {
        const { told } = await reviewed([{ lines: empty, later: [[done()]] }]);
        expect(told).toHaveLength(2);
      }
    });
    test("is reviewed anew after two questions, from a shared session in a schema", async () => {
      const parts = { way: "shared" as const };
      const { said, told, ways } = await reviewed([{ lines: [hm], later: [[hm], [hm], [done()]] }, [done()]], parts);
      expect([said, ways]).toEqual(["done: seen", ["shared", "schema"]]);
      expect(told.filter((message) => message.startsWith("question"))).toHaveLength(2);
    });
    test("and an error after it is an error, also of a process that waits for the next question", async () => {
      const broke = result({ is_error: true, api_error_status: 402, result: "API Error: 402 Insufficient Balance" });
      const { said, endings } = await reviewed([{ lines: [hm], later: [[broke], [done()]] }]);
      expect(said).toStartWith("unavailable: the reviewer's account is out of credit (HTTP 402)");
      expect(endings).toEqual(["stopped"]);
    });
  });

  describe("a reviewer without an end", () => {
    let messages = 0;
    const request = (content: object, tokens: number, id = `m${messages++}`) => ({
      type: "assistant",
      message: { id, usage: { input_tokens: tokens, output_tokens: 0 }, content: [content] },
    });
    const prose = (id?: string) => request({ type: "text", text: "All is well." }, 10, id);
    const look = (tokens = 10, id?: string) =>
      request({ type: "tool_use", id: "1", name: "Bash", input: { command: "ls" } }, tokens, id);
    const inSchema = () => request({ type: "tool_use", id: "1", name: "StructuredOutput", input: {} }, 10);
    const many = (count: number, each: () => object) => Array.from({ length: count }, each);

    test.each([
      ["prose", prose],
      ["answers that do not fit the schema", inSchema],
    ])("is ended after six answers: %s", async (_, answer) => {
      expect((await reviewed([[...many(6, answer), done()]])).said).toBe("done: seen");
      const { said, heard } = await reviewed([many(3_000, answer), many(3_000, answer)]);
      expect([said, heard.read]).toEqual(["unavailable: the reviewer gave no verdict, twice", 14]);
    });
    test("is not one that looks: words before a tool are no answer", async () => {
      const steps = Array.from({ length: 20 }, (_, at) => [prose(`s${at}`), look(10, `s${at}`)]).flat();
      expect((await reviewed([[...steps, done()]])).said).toBe("done: seen");
    });
    test("is ended when it has used five million tokens, or a hundred times its first request if that is more", async () => {
      const used = async (first: number, rest: number) => {
        const usage = { input_tokens: first + rest };
        return (await reviewed([[look(first), look(rest), look(0), { ...done(), usage }]])).said;
      };
      expect(await used(10, 4_999_990)).toBe("done: seen");
      expect(await used(10, 4_999_991)).toBe("no verdict within 5M tokens");
      expect(await used(100_000, 9_900_000)).toBe("done: seen");
      expect(await used(100_000, 9_900_001)).toBe("no verdict within 10M tokens");
    });
    test("counts each request once, over all answers of the process", async () => {
      const usage = { input_tokens: 2_000_000 };
      const each = () => [look(2_000_000), { ...result({ result: "hm" }), usage }];
      const lines = [look(0), ...each()];
      const { said } = await reviewed([{ lines, later: [each(), [look(1_000_001), done()]] }]);
      expect(said).toBe("no verdict within 5M tokens");
      const { said: less } = await reviewed([{ lines, later: [each(), [look(1_000_000), done()]] }]);
      expect(less).toBe("done: seen");
    });
  });

  describe("a session that is too long for the reviewer", () => {
    const noise = "the reviewer's model cannot take the session; asking with a digest of it";
    test.each([
      ["by the API's error", [TOO_LONG]],
      ["by one about thinking of another model", [FOREIGN]],
      ["as claude starts to shorten it", [says("hm"), COMPACTION, done()]],
    ])("is left out the next time: %s", async (_, lines) => {
      const { said, ways, heard } = await reviewed([lines, [done("fresh")]]);
      expect([said, ways, heard.noise]).toEqual(["done: fresh", ["schema", "fresh"], [noise]]);
    });
    test("is a failure, if a fresh review is not possible", async () =>
      expect((await reviewed([[TOO_LONG]], { canBeFresh: false })).said).toBe(
        "unavailable: the session is too long for the reviewer's model",
      ));
  });

  describe("errors of the API", () => {
    test("401 ends the review at once: no retry helps", async () => {
      const { said, heard } = await reviewed([[retry(401), done()]]);
      expect(said).toStartWith("unavailable: the API refused the reviewer's key (HTTP 401)");
      expect(heard).toMatchObject({ read: 1, trouble: ["kimi: the API answers HTTP 401; claude is retrying"] });
    });
    test.each([403, 429, 500])("after %d it continues", async (status) => {
      const { said, heard } = await reviewed([[retry(status), done()]]);
      expect([said, heard.trouble]).toEqual([
        "done: seen",
        [`kimi: the API answers HTTP ${status}; claude is retrying`],
      ]);
    });
    test("in the conversation: the second in a row ends it", async () => {
      const { said, heard } = await reviewed([[apiError("API Error: 500 x"), apiError("API Error: 500 y"), done()]]);
      expect(said).toStartWith("unavailable: the reviewer's API has a server error (HTTP 500)");
      expect(heard.read).toBe(2);
    });
    test("in the conversation: after one alone, the result says what happened", async () => {
      const broke = result({ is_error: true, api_error_status: 402, result: "API Error: 402 Insufficient Balance" });
      const { said } = await reviewed([[apiError("API Error: 500 x"), broke]]);
      expect(said).toStartWith("unavailable: the reviewer's account is out of credit (HTTP 402)");
    });
    test("in the conversation: with an answer between, it continues", async () =>
      expect(
        (await reviewed([[apiError("API Error: 500 x"), says("ok"), apiError("API Error: 500 y"), done()]])).said,
      ).toBe("done: seen"));
  });

  describe("the reason for a failure", () => {
    const parts = { reviewer: "kimi:k2", clock: () => Date.parse("2026-08-24T20:00:00Z") };
    const failed = (api_error_status: number | undefined, text: string, more: object = {}) =>
      result({ is_error: true, api_error_status, result: text, ...more });

    const TABLE: readonly (readonly [
      status: number | undefined,
      text: string,
      message: string,
      cause: ApiFailureKind,
    ])[] = [
      [
        401,
        "Denied.",
        "the API refused the reviewer's key (HTTP 401): Denied; check it with `ccc validate kimi`",
        "refused",
      ],
      [
        403,
        "Failed to authenticate. API Error: 403 You've reached your weekly (7-day) usage limit.",
        "the reviewer's usage limit is reached (HTTP 403): You've reached your weekly (7-day) usage limit; try again later",
        "usage limit",
      ],
      [
        429,
        "API Error: Request rejected (429) · usage limit exceeded, resets at 2026-08-24T23:00:00Z (2056)",
        "the reviewer's usage limit is reached (HTTP 429): usage limit exceeded, resets at 2026-08-24T23:00:00Z (2056); it resets at 2026-08-24 23:00 UTC",
        "usage limit",
      ],
      [
        402,
        "API Error: 402 Insufficient Balance",
        "the reviewer's account is out of credit (HTTP 402): Insufficient Balance; add credit at its provider",
        "no credit",
      ],
      [
        500,
        "API Error: 500 Internal server error. This is a server-side issue, usually temporary",
        "the reviewer's API has a server error (HTTP 500): Internal server error; try again later",
        "server error",
      ],
      [
        undefined,
        "API Error: Connection refused (ECONNREFUSED)",
        "the reviewer's API cannot be reached: Connection refused (ECONNREFUSED); check it with `ccc validate kimi`",
        "unreachable",
      ],
      [400, "API Error: 400 bad model", "claude reports an error (HTTP 400): bad model", "other"],
    ];

    test.each(TABLE)("%p %p", async (status, text, message, cause) => {
      expect(await reviewed([[failed(status, text)]], parts)).toMatchObject({ said: `unavailable: ${message}`, cause });
    });

    test("the error's type counts, too", async () => {
      const type = { api_error_type: "exceeded_current_quota_error" };
      const { said } = await reviewed([[failed(429, "API Error: 429 Your account is suspended", type)]], parts);
      expect(said).toStartWith("unavailable: the reviewer's account is out of credit");
    });

    test("a key in the server's words is masked before they are cut", async () => {
      const text = `API Error: 401 ${"x".repeat(497)} key-1`;
      expect((await reviewed([[failed(401, text)]], parts)).said).toContain("x **; check");
    });

    const RETRIES: [message: string, reviewer: string, retry: object][] = [
      [
        "kimi: the API answers HTTP 529; claude is retrying (1 of 4)",
        "kimi",
        { error_status: 529, attempt: 1, max_retries: 4 },
      ],
      ["the API cannot be reached; claude is retrying (2 of 4)", "", { attempt: 2, max_retries: 4 }],
      ["the API answers HTTP 500; claude is retrying", "", { error_status: 500, attempt: 2 }],
      ["the API answers HTTP 503; claude is retrying", "", { error_status: 503, max_retries: 4 }],
    ];
    test.each(RETRIES)("while it lasts: %s", async (message, reviewer, more) => {
      const { heard } = await reviewed([[{ type: "system", subtype: "api_retry", ...more }, done()]], { reviewer });
      expect(heard.trouble).toEqual([message]);
    });
  });

  describe("all tries together have one time limit", () => {
    test("the second try gets the time that the first has left over", async () => {
      let now = 1_000;
      const { patience } = await reviewed([[result({ result: "hm" })], [done()]], {
        clock: () => now,
        onNoise: () => {
          now += 20_000;
        },
      });
      expect(patience).toEqual([60_000, 40_000]);
    });
  });

  describe("what a reviewer prints beside JSON", () => {
    test("is logged as noise, shortened and without secrets", async () => {
      const { heard } = await reviewed([[`warning key-1 ${"x".repeat(600)}`, "{broken", undefined, done()]]);
      expect(heard.noise.map((line) => line.slice(0, 24))).toEqual([
        "not JSON: warning *** xx",
        "not JSON: {broken",
        "a line of the review was",
      ]);
      expect(heard.noise[0]).toHaveLength("not JSON: ".length + 500);
      expect(heard.lines).toBe(1);
    });
    test("is limited to twenty lines", async () => {
      const { heard } = await reviewed([[...Array.from({ length: 30 }, () => "x"), done()]]);
      expect([heard.noise.length, heard.noise.at(-1)]).toEqual([21, "more lines that are not JSON were omitted"]);
    });
    test("is masked only as far as it is logged: a broken reviewer may print endless junk", async () => {
      let cleaned = 0;
      const clean = (text: string) => `${text}${cleaned++}`;
      await reviewed([[...Array.from({ length: 1000 }, () => "x"), done()]], { clean });
      expect(cleaned).toBeLessThan(30);
    });
    test("ends the review if it is more than 500 MB", async () => {
      // Memory that nobody writes to costs nothing.
      const half = new Uint8Array(250_000_000);
      expect((await reviewed([[half, half, done()]])).said).toBe("done: seen");
      expect((await reviewed([[half, half]])).said).toStartWith("unavailable: claude exited without a result");
      const { said, heard } = await reviewed([[half, half, "x", done()]]);
      expect([said, heard.read]).toEqual(["no verdict within 500 MB of output", 3]);
    });
    test("empty texts are not shown", async () => {
      let shown = 0;
      await reviewed([[says(""), says("a"), done()]], { onText: () => shown++ });
      expect(shown).toBe(1);
    });
  });
});
