import { describe, expect, test } from "bun:test";
import type { StreamEvent } from "../../../../src/claude/stream.ts";
import { createView } from "../../../../src/supervisor/loop/view.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/outcome.ts";

function watch(isAnimated: boolean) {
  const printed: string[] = [];
  const started: unknown[] = [];
  const footer = {
    ...{ isAnimated, edit: () => {}, redraw: () => {}, hide: () => {}, stop: () => {} },
    start: (what: string, end?: Date) => started.push([what, end]),
    print: (text: string) => printed.push(text),
  };
  return { view: createView(footer, 10, (text) => text.replaceAll("key-1", "***")), printed, started };
}

describe("a loop shows", () => {
  const text = (said: string, ...tools: [name: string, what: string][]): StreamEvent => ({
    kind: "text",
    text: said,
    tools: tools.map(([name, what]) => ({ id: "", name, what })),
    usage: undefined,
  });
  const table: [what: string, event: StreamEvent, lines: string[]][] = [
    ["what the agent says", text(" hello\n"), ["hello"]],
    ["its tools, by their first line", text("", ["Bash", "npm test\nnpm run x"]), ["→ Bash: npm test"]],
    ["a tool without an argument", text("", ["TodoWrite", ""]), ["→ TodoWrite"]],
    ["both", text("first", ["Read", "a.ts"]), ["first", "→ Read: a.ts"]],
    ["no key", text("", ["Bash", "curl key-1"]), ["→ Bash: curl ***"]],
    ["a line of 120 letters", text("", ["Bash", "x".repeat(120)]), [`→ Bash: ${"x".repeat(120)}`]],
    ["not more of it", text("", ["Bash", "x".repeat(121)]), [`→ Bash: ${"x".repeat(120)}…`]],
    [
      "an error of the API",
      { kind: "retry", status: 529, attempt: 1, most: 2 },
      ["… API error (HTTP 529); claude is retrying"],
    ],
    [
      "a server that does not answer",
      { kind: "retry", status: undefined, attempt: 1, most: 2 },
      ["… API error; claude is retrying"],
    ],
    ["nothing else", { kind: "other" }, []],
  ];
  test.each(table)("%s", (_, event, lines) => {
    const { view, printed } = watch(true);
    view.event(event);
    expect(printed).toEqual(lines);
  });

  test("a verdict, with the feedback below it if the agent has to go on", () => {
    const { view, printed } = watch(true);
    view.outcome({ kind: "rework", round: 1, feedback: "a\nb", criteria: [], ...NOT_LOOKED });
    view.outcome({ kind: "done", rounds: 2, feedback: "fine", criteria: [], ...NOT_LOOKED });
    expect(printed).toEqual(["Review 1 of 10: not done", "  a\n  b", "Done after 2 reviews. fine"]);
  });
});

describe("a loop that waits says so", () => {
  const wait = { isResetKnown: true, until: 1_000, left: 60 };
  test("once above, and then in the footer", () => {
    const { view, printed, started } = watch(true);
    view.waiting(wait, true);
    const shown = [["waiting for the usage limit to reset", new Date(1_000_000)]];
    expect(started).toEqual(shown);
    view.waiting(wait, false);
    expect(printed).toEqual([expect.stringMatching(/^… waiting for the usage limit to reset: .*, in /)]);
    expect(started).toEqual(shown);
  });
  test("repeatedly, where there is no footer", () => {
    const { view, printed } = watch(false);
    view.waiting({ ...wait, isResetKnown: false }, true);
    view.waiting({ ...wait, isResetKnown: false }, false);
    expect(printed.map((line) => line.split(":")[0])).toEqual(Array(2).fill("… waiting before the next attempt"));
  });
});
