import { describe, expect, test } from "bun:test";
import type { ChildResult } from "../../../../src/os/child.ts";
import { type AgentJob, type LimitReached, runAgent } from "../../../../src/supervisor/loop/agent.ts";
import { SESSION } from "../session-in-memory.ts";

const init = { type: "system", subtype: "init", session_id: SESSION };
const result = (answer: string, more: object = {}) => ({
  ...{ type: "result", subtype: "success", is_error: false, result: answer },
  usage: { input_tokens: 10, output_tokens: 2 },
  ...more,
});
const retry = { type: "system", subtype: "api_retry", error_status: 429 };

/** A run of the agent that prints these lines. */
async function run(
  lines: readonly (object | string | undefined)[],
  end: Partial<ChildResult> = {},
  parts: Partial<AgentJob> & { readonly limit?: LimitReached } = {},
) {
  const noise: string[] = [];
  const sessions: string[] = [];
  const said: string[] = [];
  let read = 0;
  const phase = await runAgent({
    child: { program: { file: "claude", args: [], env: {} }, cwd: "/", stdin: "", timeoutMs: 90_000 },
    run: async ({ onLine }) => {
      const isStopped = lines.some((line) => {
        read++;
        const text = typeof line === "object" ? JSON.stringify(line) : line;
        return onLine(text === undefined ? undefined : new TextEncoder().encode(text));
      });
      return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
    },
    onEvent: (event) => event.kind === "text" && said.push(event.text),
    onSession: (id) => sessions.push(id),
    onNoise: (line) => noise.push(line),
    retriedLimit: () => parts.limit,
    now: () => new Date("2026-01-01T10:00:00Z"),
    clean: (text) => text.replaceAll("key-1", "***"),
    ...parts,
  });
  return { phase, noise, sessions: [...new Set(sessions)], said, read };
}

describe("a run of the agent", () => {
  test("ends with its answer, its session and what it used", async () => {
    const { phase, sessions } = await run([init, result("done")]);
    expect(phase).toMatchObject({ kind: "answered", answer: "done", usage: { inputTokens: 10, outputTokens: 2 } });
    expect(sessions).toEqual([SESSION]);
  });

  const failures: [situation: string, lines: (object | string)[], end: Partial<ChildResult>, why: string][] = [
    [
      "without a result",
      [init],
      { exitCode: 3, stderr: "no key-1" },
      "claude exited without a result (exit code 3): no ***",
    ],
    ["with a notice only", ["\u001b[31mout of memory\u001b[0m"], { exitCode: 3 }, "(exit code 3): out of memory"],
    [
      "too late",
      [init],
      { ending: "timeout" },
      "the agent did not stop within 90 seconds (agent_timeout_seconds in ccc.json)",
    ],
    ["with an error", [result("bad", { is_error: true })], {}, "claude reports an error: bad"],
    ["with reasons", [result("", { is_error: true, errors: ["a", "b"] })], {}, "claude reports an error: a; b"],
    [
      "without any",
      [result("", { is_error: true, subtype: "error_max_turns" })],
      {},
      "claude reports an error: error_max_turns",
    ],
  ];
  test.each(failures)("fails %s", async (_, lines, end, why) => {
    const { phase } = await run(lines, end);
    expect(phase).toMatchObject({ kind: "failed", why: expect.stringContaining(why) });
  });

  test("ends when the user interrupts, whatever it said", async () =>
    expect((await run([init, result("done")], { ending: "interrupted" })).phase.kind).toBe("interrupted"));

  test("that answered in time succeeds, even if claude does not exit", async () =>
    expect((await run([init, result("done")], { ending: "timeout" })).phase).toMatchObject({ answer: "done" }));
});

describe("a usage limit", () => {
  test("in the answer is known with its reset", async () => {
    const text = "API Error: 429 usage limit reached, resets at 2026-01-01 12:00:00 UTC";
    const { phase } = await run([init, result(text, { is_error: true, api_error_status: 429 })]);
    expect(phase).toMatchObject({ kind: "limited", why: `claude reports an error: ${text}` });
  });

  const limit = { why: "limit reached", resetAt: 7 };
  test("that claude retries after ends the run at once, and is shown", async () => {
    const { phase, said, read } = await run([init, retry, result("done")], {}, { limit });
    expect(phase).toMatchObject({ kind: "limited", ...limit });
    expect([said, read]).toEqual([["limit reached"], 2]);
  });
  test("is looked for only after an error, and in the session", async () => {
    const asked: string[] = [];
    const retriedLimit = (id: string) => {
      asked.push(id);
      return undefined;
    };
    expect((await run([retry, init, result("done")], {}, { retriedLimit })).phase.kind).toBe("answered");
    expect(asked).toEqual([]);
    await run([init, retry, result("done")], {}, { retriedLimit });
    expect(asked).toEqual([SESSION]);
  });
});

describe("lines that are not JSON", () => {
  test("are noise, without colours; empty ones are not", async () => {
    const { noise, phase } = await run(["\u001b[1mhello\u001b[0m ", "  ", undefined, init, result("done")]);
    expect(noise).toEqual(["hello", "a line that was too long"]);
    expect(phase.kind).toBe("answered");
  });
  test("may precede JSON on the same line", async () => {
    const { phase } = await run([init, `\u001b[2K noise ${JSON.stringify(result("done"))}`]);
    expect(phase).toMatchObject({ kind: "answered", answer: "done" });
  });
});
