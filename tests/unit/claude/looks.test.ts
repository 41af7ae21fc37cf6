import { describe, expect, test } from "bun:test";
import { lookCollector } from "../../../src/claude/looks.ts";
import type { StreamEvent, ToolResult } from "../../../src/claude/stream.ts";

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
  const table: [name: string, tool: string, isError: boolean, text: string, counts: boolean][] = [
    ["a file that was read", "Read", false, "x", true],
    ["a command", "Bash", false, "x", true],
    ["a command that failed", "Bash", true, "Exit code 1\n2 tests failed", true],
    ["a command that was refused", "Bash", true, "Permission denied", false],
    ["a file that does not exist", "Read", true, "File does not exist.", false],
    ["an error of another tool that looks like a command's", "Read", true, "Exit code 1", false],
    ["a tool that looks at nothing", "TodoWrite", false, "x", false],
  ];
  test.each(table)("%s", (_, name, isError, text, counts) => {
    const looks = looksOf(calls(["1", name]), results({ id: "1", isError, text }));
    expect(looks).toEqual(counts ? [{ name, what: `${name} 1`, seen: text }] : []);
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
  test("the beginning of what was called and seen", () => {
    const long = "x".repeat(100_000);
    const call = { id: "1", name: "Bash", what: long };
    const [look] = looksOf({ kind: "text", text: "", tools: [call], usage: undefined }, results(saw("1", long)));
    expect([look?.what.length, look?.seen.length]).toEqual([1_000, 30_000]);
  });
});
