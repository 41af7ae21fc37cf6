import { describe, expect, test } from "bun:test";
import {
  hasWritten,
  type LastAnswer,
  sessionFacts,
  sessionSteps,
  toolWatch,
  transcriptEnd,
} from "../../../src/claude/transcript.ts";

describe("last answer", () => {
  const prompt = (text: string, promptId?: string) => ({ type: "user", promptId, message: { content: text } });
  const toolResult = { type: "user", promptId: "p1", message: { content: [{ type: "tool_result", content: "x" }] } };
  const answer = (at: string, more: object = {}) => ({
    type: "assistant",
    timestamp: at,
    cwd: "/project",
    message: { stop_reason: "end_turn", model: "glm", content: [{ type: "text", text: "done" }] },
    ...more,
  });
  const summary = (...commands: string[]) => ({
    type: "system",
    subtype: "stop_hook_summary",
    hookInfos: commands.map((command) => ({ command, durationMs: 1 })),
  });
  const interrupted = prompt("[Request interrupted by user]", "p1");
  const found = (at: string, more: Partial<LastAnswer> = {}): LastAnswer => ({
    at,
    cwd: "/project",
    promptId: "p1",
    prompt: "work",
    stopHooks: [],
    ...more,
  });

  describe("the last answer in a transcript", () => {
    const stopReason = (stop_reason: string | null) => ({ message: { stop_reason, model: "glm" } });
    const table: [name: string, entries: object[], expected: LastAnswer | undefined][] = [
      ["of one turn", [prompt("work", "p1"), answer("1")], found("1")],
      ["of the last turn", [prompt("one", "p0"), answer("1"), prompt("work", "p1"), answer("2")], found("2")],
      ["after tools", [prompt("work", "p1"), answer("1", stopReason("tool_use")), toolResult, answer("2")], found("2")],
      [
        "of a long turn whose prompt is not among the lines",
        [toolResult, answer("2")],
        found("2", { prompt: undefined }),
      ],
      ["of an older version", [prompt("work"), answer("1")], found("1", { promptId: undefined })],
      [
        "with the Stop hooks that ran",
        [prompt("work", "p1"), answer("1"), summary("a", "b")],
        found("1", { stopHooks: ["a", "b"] }),
      ],
      [
        "before a prompt that is not answered yet",
        [prompt("work", "p1"), answer("1"), prompt("more", "p2")],
        found("1"),
      ],
      [
        "not one of a delegated agent",
        [prompt("work", "p1"), answer("1"), answer("2", { isSidechain: true })],
        found("1"),
      ],
      ["not an error of the API", [prompt("work", "p1"), answer("1", { isApiErrorMessage: true })], undefined],
      [
        "not one that Claude Code made up",
        [prompt("work", "p1"), answer("1", { message: { stop_reason: "stop_sequence", model: "<synthetic>" } })],
        undefined,
      ],
      ["not one in the middle of a turn", [prompt("work", "p1"), answer("1", stopReason("tool_use"))], undefined],
      ["not one that is still streaming", [prompt("work", "p1"), answer("1", stopReason(null))], undefined],
      ["not one that the user interrupted", [prompt("work", "p1"), answer("1"), interrupted], undefined],
      [
        "after an interruption",
        [prompt("one", "p0"), answer("1"), interrupted, prompt("work", "p1"), answer("2")],
        found("2"),
      ],
      ["in no lines", [], undefined],
    ];
    for (const [name, entries, expected] of table) {
      test(name, () =>
        expect(transcriptEnd(['{"cut off', ...entries.map((entry) => JSON.stringify(entry))]).lastAnswer()).toEqual(
          expected,
        ),
      );
    }
  });
});

test.each([
  ["the answer is in a schema", [{ type: "tool_use", id: "1", name: "StructuredOutput", input: {} }], true],
  [
    "with words before it",
    [
      { type: "text", text: "so" },
      { type: "tool_use", name: "StructuredOutput", input: {} },
    ],
    true,
  ],
  ["another tool ran", [{ type: "tool_use", id: "1", name: "Bash", input: {} }], false],
  ["it is text", [{ type: "text", text: "done" }], false],
])("whether feedback reaches the agent: %s", (_, content, isInSchema) => {
  const entries = [
    { type: "assistant", message: { content } },
    { type: "user", message: { content: [] } },
  ];
  expect(transcriptEnd(entries.map((entry) => JSON.stringify(entry))).isInSchema()).toBe(isInSchema);
});

describe("retry error", () => {
  const error = { message: '429 {"error":{}}', status: 429, formatted: "429 Usage limit reached", connection: null };
  const entry = (fields: object) => JSON.stringify({ type: "system", subtype: "api_error", error, ...fields });
  const answer = JSON.stringify({ type: "assistant", message: {} });

  describe("the error that Claude Code is retrying after", () => {
    const table: [name: string, end: string, text: string | undefined][] = [
      ["is the last entry", `${answer}\n${entry({})}\n`, "429 Usage limit reached"],
      ["may lack its short form", entry({ error: { message: "429 x", status: 429 } }), "429 x"],
      ["is over if the session went on", `${entry({})}\n${answer}\n`, undefined],
      ["is not there in another entry", answer, undefined],
      ["is not there in half a line", entry({}).slice(0, 50), undefined],
      ["is not there in an empty transcript", "", undefined],
    ];
    test("says which retry it is, in newer versions", () =>
      expect(transcriptEnd([entry({ retryAttempt: 3 })]).retryError()?.attempt).toBe(3));
    for (const [name, end, text] of table) {
      test(name, () =>
        expect(transcriptEnd(end.split("\n")).retryError()).toEqual(
          text === undefined ? undefined : { status: 429, text, attempt: undefined },
        ),
      );
    }
  });
});

describe("session facts", () => {
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
});

describe("session steps", () => {
  const user = (content: unknown, more: object = {}) => ({ type: "user", message: { content }, ...more });
  const assistant = (...content: object[]) => ({ type: "assistant", message: { content } });
  const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
  const result = (id: string, content: unknown, is_error = false) =>
    user([{ type: "tool_result", tool_use_id: id, content, is_error }]);

  function read(...lines: unknown[]) {
    const { add, log } = sessionSteps();
    for (const line of lines) add(typeof line === "string" ? line : JSON.stringify(line));
    return log();
  }

  test("prompts and tool calls in order, with what they were about and how they ended", () => {
    const { steps, lastMessage } = read(
      user("do it"),
      assistant({ type: "text", text: "I start" }, call("1", "Write", { file_path: "/p/a", content: "x" })),
      result("1", "created"),
      assistant(call("2", "Bash", { command: "npm test", description: "d" })),
      result("2", [{ type: "text", text: "1 failed" }], true),
      user("and now this"),
      assistant({ type: "text", text: "done" }),
    );
    expect(steps).toEqual([
      { kind: "prompt", text: "do it" },
      { kind: "tool", name: "Write", about: "/p/a", hasFailed: false, output: "created" },
      { kind: "tool", name: "Bash", about: "npm test", hasFailed: true, output: "1 failed" },
      { kind: "prompt", text: "and now this" },
    ]);
    expect(lastMessage).toBe("done");
  });

  describe("the agent has answered the user's last prompt", () => {
    const said = assistant({ type: "text", text: "All is done." });
    const notice = { type: "user", promptSource: "system", message: { content: "<task-notification>\n" } };
    const cases: [name: string, lines: object[], isAnswered: boolean][] = [
      ["with its last message", [user("do it"), said], true],
      ["also after the user's own commands", [user("do it"), said, user("<command-name>/exit</command-name>")], true],
      ["but not while a tool runs", [user("do it"), said, assistant(call("1", "Bash", { command: "ls" }))], false],
      [
        "nor before it answers feedback",
        [user("do it"), said, { ...user("Stop hook feedback:\nx"), isMeta: true }],
        false,
      ],
      ["nor if the user interrupted", [user("do it"), said, user("[Request interrupted by user]")], false],
      ["nor if a background task reported to it", [user("do it"), said, notice, said], false],
      ["unless that was for an earlier prompt", [user("do it"), notice, said, user("and this"), said], true],
    ];
    test.each(cases)("%s", (_, lines, isAnswered) => expect(read(...lines).isAnswered).toBe(isAnswered));
  });

  test("a call that still runs has not failed, and a file that it writes counts", () => {
    const { steps } = read(user("do it"), assistant(call("1", "Write", { file_path: "/p/a", content: "x" })));
    expect(steps[1]).toEqual({ kind: "tool", name: "Write", about: "/p/a", hasFailed: false, output: "" });
    expect(hasWritten(steps, ["do it"], false)).toBe("yes");
  });

  test("delegated agents, notices, broken and unknown lines are left out", () => {
    const { steps, lastMessage } = read(
      { ...assistant(call("1", "Bash", { command: "x" })), isSidechain: true },
      user("<task-notification>ended</task-notification>"),
      result("unknown", "x"),
      '{"type":"user"',
      { type: "attachment" },
      assistant(),
    );
    expect({ steps, lastMessage }).toEqual({ steps: [], lastMessage: "" });
  });

  test("a file was written since the last prompt, and it is not one of Claude Code's own plans", () => {
    const prompt = { kind: "prompt", text: "x" } as const;
    const wrote = (about: string, name = "Write", hasFailed = false) =>
      ({ kind: "tool", name, about, hasFailed, output: "" }) as const;
    expect(hasWritten([prompt, wrote("/p/a.ts")], ["x"], false)).toBe("yes");
    expect(hasWritten([prompt, wrote("/p/a.ts", "Edit", true), wrote("/p/a.ts", "Read")], ["x"], false)).toBe("no");
    expect(hasWritten([wrote("/p/a.ts"), prompt], ["x"], false)).toBe("no");
    // Feedback of the loop engine is no prompt of the user's.
    expect(hasWritten([prompt, wrote("/p/a.ts"), { kind: "prompt", text: "add a test" }], ["x "], false)).toBe("yes");
    expect(hasWritten([prompt, wrote("", "Bash")], ["x"], false)).toBe("maybe");
    // It may have been before the steps that were read.
    expect(hasWritten([{ kind: "prompt", text: "add a test" }, wrote("a", "Read")], ["x"], true)).toBe("maybe");
    expect(hasWritten([prompt, wrote("a", "Read")], ["x"], true)).toBe("no");
    // An answer in a schema is a tool call, too.
    expect(hasWritten([prompt, wrote("", "StructuredOutput")], ["x"], false)).toBe("no");
    expect(hasWritten([prompt, wrote("/home/u/.claude/plans/a.md")], ["x"], false)).toBe("no");
  });

  test("a command, a delegated agent or an unknown tool may have written a file", () => {
    const tool = (name: string) => ({ kind: "tool", name, about: "x", hasFailed: true, output: "" }) as const;
    for (const name of ["Bash", "Task", "mcp__files__put"])
      expect(hasWritten([tool(name)], ["x"], false)).toBe("maybe");
    for (const name of ["Read", "Grep", "Glob"]) expect(hasWritten([tool(name)], ["x"], false)).toBe("no");
  });
});

describe("tool watch", () => {
  const user = (promptId: string, content: unknown = "do it", more: object = {}) =>
    JSON.stringify({ type: "user", promptId, message: { content }, ...more });
  const agent = (...content: object[]) => JSON.stringify({ type: "assistant", message: { content } });
  const says = (text: string) => agent({ type: "text", text });
  const uses = (type = "tool_use") => agent({ type, id: "t", name: "Bash", input: {} });
  const result = (promptId: string) => user(promptId, [{ type: "tool_result", content: "x" }]);
  const END = says("the end");

  describe("whether a tool ran in the turns from p2 to p3", () => {
    const table: [name: string, lines: string[], used: boolean | undefined][] = [
      ["no", [user("p1"), user("p2"), says("x"), user("p3"), END], false],
      ["before them", [user("p1"), uses(), result("p1"), user("p2"), user("p3"), END], false],
      ["in the first", [user("p2"), uses(), result("p2"), says("x"), user("p3"), END], true],
      ["in the last", [user("p2"), says("x"), user("p3"), uses(), result("p3"), END], true],
      ["of the server", [user("p2"), user("p3"), uses("server_tool_use"), END], true],
      ["by a delegated agent", [user("p2"), user("p3"), uses().replace("{", '{"isSidechain":true,'), END], true],
      [
        "a delegated agent's last message",
        [user("p2"), user("p3"), END.replace("{", '{"isSidechain":true,')],
        undefined,
      ],
      ["the last message is not there yet", [user("p2"), says("the end"), user("p3")], undefined],
      ["the last message is not there yet, but a call is", [user("p2"), user("p3"), uses()], true],
      ["the last prompt is not there yet", [user("p2"), END], undefined],
      ["the first prompt is missing", [user("p3"), END], undefined],
      ["the first prompt is missing, and its result is there", [result("p2"), user("p3"), END], undefined],
      ["an empty message proves nothing", [user("p2"), user("p3"), agent({ type: "thinking" })], undefined],
      ["a message that quotes a call", [user("p2"), user("p3"), says('{"type":"tool_use"}'), END], false],
      ["broken lines", [user("p2"), "{", user("p3"), '{"type":"assistant"}', END], false],
      ["nothing", [], undefined],
    ];
    for (const [name, lines, used] of table)
      test(name, () => {
        const watch = toolWatch({ since: "p2", current: "p3", lastMessage: "I say:\n\nthe end\n" });
        for (const line of lines) watch.add(line);
        expect(watch.usedTools()).toBe(used);
      });
  });

  test("tools are counted since p2, once the last message shows that all calls are there", () => {
    const watch = toolWatch({ since: "p2", current: "p3", lastMessage: "the end" });
    const counts = [user("p1"), uses(), user("p2"), uses(), says("the end"), user("p3"), uses(), END].map((line) => {
      watch.add(line);
      return watch.toolCalls();
    });
    expect(counts).toEqual([...Array(7).fill(undefined), 2]);
  });

  describe("whether the lines reach back before p2, and so have all of its turn", () => {
    const table: [name: string, lines: string[], whole: boolean][] = [
      ["an earlier prompt", [user("p1"), user("p2")], true],
      ["an earlier prompt's result", [result("p1"), user("p2")], true],
      ["p2 first", [user("p2")], false],
      ["p2 first, and a later prompt", [user("p2"), user("p3")], false],
      ["p2 after its own result", [result("p2"), user("p2")], false],
      ["p2 after a line without an id", [user(""), user("p2")], false],
      ["a line without an id after p2", [user("p2"), user("")], false],
      ["no p2", [user("p1"), user("p3")], false],
    ];
    for (const [name, lines, whole] of table)
      test(name, () => {
        const watch = toolWatch({ since: "p2", current: "p3", lastMessage: "the end" });
        for (const line of lines) watch.add(line);
        expect(watch.hasWholeTurns()).toBe(whole);
      });
  });
});

describe("the end of a transcript", () => {
  const answer = (model: string, rest = {}) => ({ type: "assistant", message: { role: "assistant", model }, ...rest });
  const request = (model: string) => ({ type: "api-request", params: { model } });
  const prompt = { type: "user", message: { content: 'a "type":"assistant" in a prompt' } };

  describe("the model of a session's last answer", () => {
    const table: [name: string, entries: readonly object[], models: string[]][] = [
      ["nothing yet", [prompt], []],
      ["no answer yet: as Claude Code asked for it", [prompt, request("glm-5"), answer("<synthetic>")], ["glm-5"]],
      ["as the server calls it", [prompt, answer("glm-5"), prompt], ["glm-5"]],
      ["as Claude Code asked for it, first", [request("glm-5[1m]"), answer("glm-5-air")], ["glm-5[1m]", "glm-5-air"]],
      ["the last of two", [request("a"), answer("a"), request("b"), answer("b")], ["b", "b"]],
      ["a request without an answer does not count", [request("a"), answer("a"), request("b")], ["a", "a"]],
      ["nor does an error", [request("a"), answer("a"), request("b"), answer("<synthetic>")], ["a", "a"]],
      ["nor does a delegated agent", [answer("a"), answer("b", { isSidechain: true })], ["a"]],
      ["nor does one whose model would write on the terminal", [answer("a"), answer("b\u001b[2Jb")], ["a"]],
      ["nor does a message without a model", [answer("a"), { type: "assistant", message: {} }], ["a"]],
    ];
    for (const [name, entries, models] of table) {
      test(name, () => expect(transcriptEnd(entries.map((each) => JSON.stringify(each))).lastModels()).toEqual(models));
    }

    test("a line that is cut off does not count", () => {
      const text = `${JSON.stringify(answer("a"))}\n${JSON.stringify(answer("b"))}`;
      expect(transcriptEnd(text.slice(5).split("\n")).lastModels()).toEqual(["b"]);
      expect(transcriptEnd(text.slice(0, -5).split("\n")).lastModels()).toEqual(["a"]);
    });
  });

  test.each([
    ["a prompt", JSON.stringify(prompt), true],
    ["an answer", JSON.stringify(answer("glm-5")), true],
    ["neither", JSON.stringify(request("glm-5")), false],
  ])("Claude Code would continue a transcript with %s: %p", (_, end, expected) =>
    expect(transcriptEnd([end, ""]).hasConversation()).toBe(expected),
  );
});
