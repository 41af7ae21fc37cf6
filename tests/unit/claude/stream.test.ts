import { describe, expect, test } from "bun:test";
import {
  lookCollector,
  readStreamLine,
  type StreamEvent,
  type ToolResult,
  type Usage,
  usageMeter,
} from "../../../src/claude/stream.ts";

describe("stream", () => {
  const usage = (
    inputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    outputTokens: number,
    costUsd: number | undefined,
  ): Usage => ({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd });

  describe("readStreamLine", () => {
    const table: [name: string, line: unknown, event: StreamEvent][] = [
      [
        "text of an assistant",
        {
          type: "assistant",
          message: {
            id: "m1",
            usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 },
            content: [
              { type: "text", text: "a" },
              { type: "tool_use", name: "Bash", input: { timeout: 1, command: "ls" } },
              { type: "text", text: "b" },
            ],
          },
        },
        {
          kind: "text",
          text: "a\nb",
          tools: [{ id: "", name: "Bash", what: "ls" }],
          usage: { messageId: "m1", usage: usage(1, 2, 3, 4, undefined) },
        },
      ],
      [
        "an error of the API in the conversation",
        { type: "assistant", error: "server_error", message: { content: [{ type: "text", text: "API Error: 500" }] } },
        { kind: "text", text: "API Error: 500", tools: [], usage: undefined, isApiError: true },
      ],
      ["text by itself", { type: "text", content: "a" }, { kind: "text", text: "a", tools: [], usage: undefined }],
      [
        "a retry",
        { type: "system", subtype: "api_retry", error_status: 401, attempt: 1, max_retries: 2 },
        { kind: "retry", status: 401, attempt: 1, most: 2 },
      ],
      [
        "a retry without a status",
        { type: "system", subtype: "api_retry", error_status: null },
        { kind: "retry", status: undefined, attempt: undefined, most: undefined },
      ],
      [
        "results of tools",
        {
          type: "user",
          message: {
            content: [
              { type: "tool_result", tool_use_id: "1", content: "a" },
              { type: "tool_result", tool_use_id: "2", is_error: true, content: [{ type: "text", text: "b" }] },
              { type: "text", text: "c" },
            ],
          },
        },
        {
          kind: "tool results",
          results: [
            { id: "1", isError: false, text: "a" },
            { id: "2", isError: true, text: "b" },
          ],
        },
      ],
      ["the boundary of a compaction", { type: "system", subtype: "compact_boundary" }, { kind: "compaction" }],
      ["a compaction that begins", { type: "system", subtype: "status", status: "compacting" }, { kind: "compaction" }],
      ["another status", { type: "system", subtype: "status", status: null }, { kind: "other" }],
      [
        "a prompt that looks like one",
        { type: "user", subtype: "compact_boundary" },
        { kind: "tool results", results: [] },
      ],
      ["a session", { type: "system", subtype: "init", session_id: "s1" }, { kind: "other", session: "s1" }],
      ["a session in its other spelling", { sessionId: "s1" }, { kind: "other", session: "s1" }],
      ["a session that could be a path", { type: "x", session_id: "../s1" }, { kind: "other" }],
      ["another system line", { type: "system", subtype: "init" }, { kind: "other" }],
      ["no object", [1], { kind: "other" }],
      [
        "odd fields",
        { type: "assistant", message: "x", usage: 7 },
        { kind: "text", text: "", tools: [], usage: undefined },
      ],
      [
        "a result",
        {
          type: "result",
          subtype: "success",
          is_error: true,
          api_error_status: 500,
          api_error_type: "api_error",
          num_turns: 2,
          structured_output: { a: 1 },
          result: "r",
          total_cost_usd: 0.5,
          usage: { input_tokens: 3 },
        },
        {
          kind: "result",
          result: {
            subtype: "success",
            isError: true,
            status: 500,
            errorType: "api_error",
            turns: 2,
            structured: { a: 1 },
            answer: "r",
            errors: [],
            // The session's cost, not this run's.
            usage: usage(3, 0, 0, 0, undefined),
          },
        },
      ],
    ];
    for (const [name, line, event] of table) test(name, () => expect(readStreamLine(line)).toEqual(event));
  });

  describe("the usage of a result", () => {
    const model = (costUSD: number, costBasis?: string) => ({
      inputTokens: 1,
      cacheReadInputTokens: 20,
      cacheCreationInputTokens: 300,
      outputTokens: 4000,
      costUSD,
      ...(costBasis === undefined ? {} : { costBasis }),
    });
    const table: [name: string, models: object | undefined, tokens: object | undefined, expected: Usage][] = [
      ["nothing known", undefined, undefined, usage(0, 0, 0, 0, undefined)],
      ["an older version", undefined, { input_tokens: 5, output_tokens: 6 }, usage(5, 0, 0, 6, undefined)],
      ["a known price", { opus: model(0.5, "list") }, { input_tokens: 5 }, usage(1, 20, 300, 4000, 0.5)],
      ["an unknown price", { glm: model(0.5, "unknown") }, undefined, usage(1, 20, 300, 4000, undefined)],
      ["a price with no basis", { glm: model(0.5) }, undefined, usage(1, 20, 300, 4000, undefined)],
      [
        "two models",
        { opus: model(0.5, "list"), haiku: model(0.25, "list") },
        undefined,
        usage(2, 40, 600, 8000, 0.75),
      ],
      [
        "two models, one of them unknown",
        { opus: model(0.5, "list"), glm: model(0.25, "unknown") },
        undefined,
        usage(2, 40, 600, 8000, undefined),
      ],
      ["no request at all", {}, { input_tokens: 5 }, usage(0, 0, 0, 0, 0)],
      ["impossible figures", undefined, { input_tokens: -5, output_tokens: "6" }, usage(0, 0, 0, 0, undefined)],
    ];
    for (const [name, models, tokens, expected] of table)
      test(name, () => {
        const line = { type: "result", usage: tokens, model_usage_since_last_result: models, total_cost_usd: 9 };
        expect(readStreamLine(line)).toMatchObject({ result: { usage: expected } });
      });
  });

  describe("usageMeter", () => {
    const message = (id: string, input_tokens: number) =>
      readStreamLine({ type: "assistant", message: { id, usage: { input_tokens }, content: [] } });
    const result = (input_tokens: number) => readStreamLine({ type: "result", usage: { input_tokens } });
    const LONG_RUN = Array.from({ length: 2500 }, (_, index) => message(`${index}`, 1));
    const table: [name: string, lines: (StreamEvent | "end of run")[], input: number][] = [
      ["a result counts, not the messages before it", [message("a", 5), message("b", 7), result(13)], 13],
      ["several results add up", [message("a", 5), result(5), message("b", 7), result(7)], 12],
      ["without a result the messages count, each once", [message("a", 5), message("a", 5), message("b", 7)], 12],
      ["a killed run before one with a result", [message("a", 5), "end of run", message("b", 7), result(7)], 12],
      ["a killed run after a result", [message("a", 5), result(5), message("b", 7)], 12],
      ["a long run without a result", LONG_RUN, 2500],
      ["a long run with one: each message counts once", [...LONG_RUN, result(2500)], 2500],
    ];
    for (const [name, lines, input] of table)
      test(name, () => {
        const meter = usageMeter();
        for (const line of lines) {
          if (line === "end of run") meter.endRun();
          else meter.read(line);
        }
        expect(meter.total().inputTokens).toBe(input);
      });
  });
});

describe("looks", () => {
  const calls = (...tools: [id: string, name: string][]): StreamEvent => ({
    kind: "text",
    text: "",
    tools: tools.map(([id, name]) => ({ id, name, what: `${name} ${id}` })),
    usage: undefined,
  });
  const results = (...each: ToolResult[]): StreamEvent => ({ kind: "tool results", results: each });
  const saw = (id: string, text = "x"): ToolResult => ({ id, isError: false, text });

  function looksOf(...events: StreamEvent[]) {
    const { read, looks } = lookCollector();
    for (const event of events) read(event);
    return looks();
  }

  describe("what counts as a look", () => {
    type Seen = { seen: string; exitCode: number } | undefined;
    const table: [name: string, tool: string, isError: boolean, text: string, seen: Seen][] = [
      ["a file that was read", "Read", false, "x", { seen: "x", exitCode: 0 }],
      ["a command", "Bash", false, "x", { seen: "x", exitCode: 0 }],
      [
        "a command that failed, with its exit code",
        ...(["Bash", true, "Exit code 12\n2 tests failed", { seen: "2 tests failed", exitCode: 12 }] as const),
      ],
      ["a command that failed without a word", "Bash", true, "Exit code 1", { seen: "", exitCode: 1 }],
      ["a command that prints what looks like one", "Bash", false, "Exit code 1", { seen: "Exit code 1", exitCode: 0 }],
      ["a command that was refused", "Bash", true, "Permission denied", undefined],
      ["a file that does not exist", "Read", true, "File does not exist.", undefined],
      ["an error of another tool that looks like a command's", "Read", true, "Exit code 1", undefined],
      ["a tool that looks at nothing", "TodoWrite", false, "x", undefined],
    ];
    test.each(table)("%s", (_, name, isError, text, seen) => {
      const looks = looksOf(calls(["1", name]), results({ id: "1", isError, text }));
      expect(looks).toEqual(seen === undefined ? [] : [{ name, what: `${name} 1`, ...seen }]);
    });

    test("a call without a result, and a result without a call, do not count", () =>
      expect(looksOf(calls(["1", "Read"]), results(saw("2")))).toEqual([]));

    test("a result counts once", () =>
      expect(looksOf(calls(["1", "Read"]), results(saw("1"), saw("1")), results(saw("1")))).toHaveLength(1));
  });

  describe("a run of any length needs a bounded amount of memory", () => {
    test("1,000 looks", () => {
      const events = Array.from({ length: 1_001 }, (_, at) => [calls([`${at}`, "Read"]), results(saw(`${at}`))]).flat();
      const looks = looksOf(...events);
      expect([looks.length, looks.at(-1)?.what]).toEqual([1_000, "Read 999"]);
    });
    test("1,000 calls without a result", () => {
      const events = Array.from({ length: 1_001 }, (_, at) => calls([`${at}`, "Read"]));
      expect(looksOf(...events, results(saw("1000"), saw("999"))).map(({ what }) => what)).toEqual(["Read 999"]);
    });
    test("the beginning of what was seen", () => {
      const looks = looksOf(calls(["1", "Bash"]), results(saw("1", "x".repeat(100_000))));
      expect(looks.map(({ seen }) => seen.length)).toEqual([30_000]);
    });
    test("no command line too long to keep: its end may change what the rest means", () => {
      const call = { id: "1", name: "Bash", what: `npm test ${"x".repeat(100_000)} || true` };
      expect(looksOf({ kind: "text", text: "", tools: [call], usage: undefined }, results(saw("1")))).toEqual([]);
    });
  });
});
