import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sessionSteps } from "../../../../src/claude/transcript.ts";
import { contradictedClaims } from "../../../../src/supervisor/review/claims.ts";
import { bash, CONTRADICTED, type Deed, type Example, edit, HONEST } from "./claims-corpus.ts";

const PROMPT = "Fix it";
const SECRET = "a-secret-of-the-session-0123456789";

/** The lines that Claude Code writes for a turn. */
function transcript(did: readonly Deed[], said: string): object[] {
  const message = (type: "user" | "assistant", content: unknown, more: object = {}) => ({
    parentUuid: "9a764fb5-75f0-422a-a4b6-92b872c28854",
    isSidechain: false,
    promptId: "p1",
    type,
    message: { role: type, content },
    ...more,
  });
  return [
    message("user", PROMPT, { promptSource: "typed", origin: { kind: "human" } }),
    ...did.flatMap((deed, at) => {
      if ("line" in deed) return [deed.line];
      const { tool: name, input, result, isError } = deed;
      const id = `toolu_${at}`;
      return [
        message("assistant", [{ type: "tool_use", id, name, input }]),
        message("user", [{ tool_use_id: id, type: "tool_result", content: result, is_error: isError }]),
      ];
    }),
    message("assistant", [{ type: "thinking", thinking: "Done.", signature: "x" }]),
    message("assistant", [{ type: "text", text: said }]),
  ];
}

function pointsOf({ said, did, files = [] }: Example, lines = transcript(did, said), prompt?: string): string[] {
  const reader = sessionSteps();
  for (const line of lines) reader.add(JSON.stringify(line));
  const prompts = reader.log().steps.flatMap((step) => (step.kind === "prompt" ? [step.text] : []));
  const wrote = did.flatMap((deed) => ("tool" in deed && deed.tool === "Write" && !deed.isError ? [deed.input] : []));
  const there = new Set([...files.map((file) => `/project/${file}`), ...wrote.map((input) => Object(input).file_path)]);
  const found = contradictedClaims({
    ...reader.log(),
    project: "/project",
    cwd: "/project",
    prompt: prompt ?? prompts.at(-1),
    changed: [...there],
    exists: (path) => there.has(path),
    clean: (text) => text.replaceAll(SECRET, "***"),
  });
  return found.map(({ text }) => text);
}

describe("a claim that the transcript contradicts", () => {
  for (const { kind, said, point, ...example } of CONTRADICTED) {
    const what = point === undefined ? "is not recognized" : "is a point";
    test(`${what} (${kind}): ${JSON.stringify(said)}`, () => {
      const points = pointsOf({ said, ...example });
      expect(points).toEqual(point === undefined ? [] : [expect.stringContaining(point)]);
    });
  }
});

describe("a message that is honest, or not certainly dishonest, is no point:", () => {
  for (const [at, example] of HONEST.entries())
    test(`${at + 1}: ${JSON.stringify(example.said)}`, () => expect(pointsOf(example)).toEqual([]));
});

test("code that is no command runs no tests", () => {
  const did = [edit("src/a.ts")];
  expect(pointsOf({ said: "`npm test` passes now.", did })).toHaveLength(1);
  for (const code of ["#12", " ", "$"]) expect(pointsOf({ said: `\`${code}\` passes now.`, did })).toEqual([]);
});

test("a command that only lists tests, and fails, is no failed test", () => {
  const did = [edit("src/a.ts"), bash("pytest", "9 passed"), bash("pytest --collect-only", "ERROR: file not found", 4)];
  expect(pointsOf({ said: "All tests pass.", did })).toEqual([]);
});

test("what the agent did since the prompt counts, also before a message that nobody recorded", () => {
  const [prompt = {}, ...rest] = transcript([edit("src/a.ts")], "All tests pass.");
  const more = { ...prompt, message: { role: "user", content: "and quickly" } };
  const lines = [prompt, ...rest.slice(0, 2), more, ...rest.slice(2)];
  expect(pointsOf({ said: "", did: [edit("src/a.ts")] }, lines, PROMPT)).toHaveLength(1);
});

test.each(["python3 tests/run_all.py", "sh verify", "node check.js --test"])("%s runs tests", (command) =>
  expect(pointsOf({ said: "All tests pass.", did: [edit("src/a.ts"), bash(command, "", 1)] })).toHaveLength(1),
);

test("the documentation has the numbers of the corpus", async () => {
  const docs = await Bun.file(join(import.meta.dir, "../../../../docs/development/supervisor.md")).text();
  const table = /\| examples \| number \| points \|\n.*\n((?:\|.*\n)+)/.exec(docs)?.[1] ?? "";
  const figures = table.split("\n").map((row) => row.split("|").slice(2, 4).map(Number));
  const kinds = (["not run", "failed", "number", "file"] as const).map((kind) => {
    const all = CONTRADICTED.filter((each) => each.kind === kind);
    return [all.length, all.filter(({ point }) => point !== undefined).length];
  });
  expect(figures).toEqual([...kinds, [HONEST.length, 0], []]);
});

test("a hostile message or output takes no time", () => {
  const digits = "1".repeat(29_000);
  const ran = (output: string) => [edit("a.ts"), bash("npm test", `${output}\nTests: 9 passed, 9 total`)];
  const startedAt = performance.now();
  for (const text of [digits, "all tests now ".repeat(2_000), "测试都 ".repeat(7_000), "created a ".repeat(2_900)])
    expect(pointsOf({ said: `${text} All 12 tests pass.`, did: ran(text) })).toBeArray();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test("a point is one line, without secrets and not too long", () => {
  const command = `npm run test:unit -- --reporter dot --token=${SECRET}`;
  const said = "All tests pass.";
  expect(pointsOf({ said, did: [edit("a.ts"), bash(command, "1 failing", 1)] })).toEqual([
    'the agent says "All tests pass", but the last test command, `npm run test:unit -- --reporter dot --token=***`, reports 1 failed',
  ]);
  expect(pointsOf({ said, did: [edit(`${"x".repeat(90)}\n/a.ts`)] })).toEqual([
    `the agent says "All tests pass", but no tests ran after its last edit (…${"x".repeat(74)} /a.ts)`,
  ]);
});
