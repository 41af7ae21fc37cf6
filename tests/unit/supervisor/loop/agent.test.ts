import { describe, expect, test } from "bun:test";
import type { ChildResult } from "../../../../src/os/child.ts";
import { runAgent } from "../../../../src/supervisor/loop/agent.ts";
import { fakeWorld } from "../../fakes.ts";
import { SESSION } from "../session-in-memory.ts";

const init = { type: "system", subtype: "init", session_id: SESSION };
const result = (answer: string, more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: answer,
  usage: { input_tokens: 10, output_tokens: 2 },
  ...more,
});
const retry = { type: "system", subtype: "api_retry", error_status: 429 };

/** A run of the agent that prints these lines, with this error as the last entry of its transcript. */
async function run(
  lines: readonly (object | string | undefined)[],
  end: Partial<ChildResult> = {},
  error:
    | { readonly status: number; readonly formatted: string; readonly retryAttempt?: number | undefined }
    | undefined = undefined,
  env: Readonly<Record<string, string>> = {},
  canRelay = false,
) {
  const noise: string[] = [];
  const sessions: string[] = [];
  const said: string[] = [];
  let read = 0;
  const entry = `${JSON.stringify({ type: "system", subtype: "api_error", error, retryAttempt: error?.retryAttempt })}\n`;
  const { world } = fakeWorld({
    content: error === undefined ? {} : { [`/home/u/.claude/projects/-project/${SESSION}.jsonl`]: entry },
    now: () => new Date("2026-01-01T10:00:00Z"),
    run: async ({ onLine }) => {
      const isStopped = lines.some((line) => {
        read++;
        const text = typeof line === "object" ? JSON.stringify(line) : line;
        return onLine(text === undefined ? undefined : new TextEncoder().encode(text));
      });
      return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
    },
  });
  const phase = await runAgent(world, {
    child: { program: { file: "claude", args: [], env: {} }, cwd: "/", stdin: "", timeoutMs: 90_000 },
    settings: { env: { ANTHROPIC_BASE_URL: "https://u:p@glm.test/api?key=1", ...env } },
    onEvent: (event) => event.kind === "text" && said.push(event.text),
    onSession: (id) => sessions.push(id),
    onNoise: (line) => noise.push(line),
    clean: (text) => text.replaceAll("key-1", "***"),
    canRelay,
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

  test.each([
    [429, "Usage limit reached. It resets at 2026-01-01T11:00:00Z", "2026-01-01T11:00:00Z"],
    [403, "You've reached your usage limit, try again in 2 hours", "2026-01-01T12:00:00Z"],
  ])("that lasts longer than claude's retries ends the run at once, and is shown: %p", async (status, text, reset) => {
    const { phase, said, read } = await run([init, retry, result("done")], {}, { status, formatted: text });
    const why = `API Error: ${text}`;
    expect(phase).toMatchObject({ kind: "limited", why, resetAt: Date.parse(reset) / 1000 });
    expect([said, read]).toEqual([[why], 2]);
  });

  const LONG = { status: 429, formatted: "Usage limit reached. It resets at 2026-01-01T11:00:00Z" };
  const retried: [name: string, error: typeof LONG | undefined, lines?: object[]][] = [
    [
      "at a limit that ends meanwhile",
      { ...LONG, formatted: "Usage limit reached. It resets at 2026-01-01T10:02:00Z" },
    ],
    [
      "at a limit that ends with the last of them",
      { ...LONG, formatted: "Usage limit reached. It resets at 2026-01-01T10:03:00Z" },
    ],
    ["at a limit whose reset is not known", { ...LONG, formatted: "Usage limit reached" }],
    ["at a rate limit", { ...LONG, formatted: "Too many requests, try again in 10 minutes" }],
    ["at an error of the server", { status: 500, formatted: "Overloaded. Your limit will reset" }],
    ["without a transcript", undefined],
    ["if the error is an earlier one: claude does not retry", LONG, [init]],
    ["before the session is known", LONG, [retry, init]],
  ];
  test.each(retried)("claude's retries go on %s", async (_, error, lines = [init, retry]) =>
    expect((await run([...lines, result("done")], {}, error)).phase.kind).toBe("answered"),
  );
});

describe("if the session can continue on another provider", () => {
  const failed = (status: number, formatted: string) =>
    run([init, { ...retry, error_status: status }, result("done")], {}, { status, formatted }, {}, true);

  test("a limit without an end ends the run at once", async () =>
    expect((await failed(429, "Usage limit reached")).phase).toMatchObject({ kind: "limited", resetAt: undefined }));

  test("so does an empty account", async () =>
    expect((await failed(429, "余额不足")).phase).toMatchObject({ kind: "failed", cause: "no credit" }));

  test.each([
    [429, "Usage limit reached. It resets at 2026-01-01T10:02:00Z"],
    [429, "Too many requests"],
    [529, "Overloaded"],
  ])("claude still retries what may pass: %d %s", async (status, text) =>
    expect((await failed(status, text)).phase.kind).toBe("answered"),
  );

  const causes: [answer: string, status: number | undefined, cause: string | undefined][] = [
    ["API Error: 401 no", 401, "refused"],
    ["API Error: 529 overloaded", 529, "server error"],
    ["API Error: Connection error.", undefined, "unreachable"],
    ["API Error: 400 bad", 400, "other"],
    ["Prompt is too long", undefined, "other"],
    ["The agent crashed", undefined, undefined],
  ];
  test.each(causes)("the cause of an error is known: %s", async (answer, status, cause) => {
    const { phase } = await run([init, result(answer, { is_error: true, api_error_status: status })]);
    expect(phase).toMatchObject({ kind: "failed", cause });
  });
});

test.each([
  ["this model does not support image input", "This model cannot see the images in the session: run /compact on"],
  ["Expected `thinking` or `redacted_thinking`", "switch thinking off (MAX_THINKING_TOKENS=0)"],
  ["Prompt is too long", "Prompt is too long. The session is longer than this model's context: run /compact on"],
])("an error about another model's session comes with advice: %s", async (text, advice) => {
  const { phase } = await run([init, result(`API Error: 400 ${text}`, { is_error: true, api_error_status: 400 })]);
  expect(phase).toMatchObject({ kind: "failed", cause: "other", why: expect.stringContaining(advice) });
});

describe("a refused key", () => {
  const refused = (status: number, attempt?: number) => ({ ...retry, error_status: status, attempt });
  const ADVICE =
    "Check that the key is complete, not expired, and made for this address: keys are often bound to a region or plan.";
  const why = (said: string) => `https://***@glm.test/api?*** rejects the key (${said}). ${ADVICE}`;
  const error = (status: number, formatted: string, retryAttempt?: number) => ({ status, formatted, retryAttempt });

  const ending: [name: string, status: number, error: ReturnType<typeof error> | undefined, said: string][] = [
    ["a 401", 401, undefined, "status 401"],
    ["a 401 with the server's words, masked", 401, error(401, "401 bad key-1"), 'status 401, "bad ***"'],
    ["a 403 that is no quota", 403, error(403, "403 not allowed"), 'status 403, "not allowed"'],
  ];
  test.each(ending)("ends the run at once, as doctor would say it: %s", async (_, status, found, said) => {
    const { phase, read } = await run([init, refused(status, 3), result("done")], {}, found);
    expect(phase).toMatchObject({ kind: "failed", why: why(said) });
    expect(read).toBe(2);
  });

  const retried: [name: string, line: object, error?: ReturnType<typeof error>, env?: Record<string, string>][] = [
    ["at the first one: the next request may have another key", refused(401, 1)],
    ["at the first one, if only the stream numbers retries", refused(401, 1), error(401, "401 bad key")],
    ["at the first one, if only the transcript numbers retries", refused(401), error(401, "401 bad key", 1)],
    ["at another error, if the transcript still ends with a refusal", refused(529, 2), error(401, "401 bad key")],
    ["at a 403 whose text is not known yet", refused(403, 3)],
    ["at Kimi's weekly quota", refused(403, 3), error(403, "403 You've reached your weekly usage limit")],
    ["at an empty account", refused(403, 3), error(403, "403 余额不足")],
    ["at another error", refused(529, 3), error(529, "529 Overloaded")],
    [
      "at a cloud, which renews its credentials",
      refused(403, 3),
      error(403, "403 no"),
      { CLAUDE_CODE_USE_BEDROCK: "1" },
    ],
  ];
  test.each(retried)("lets claude retry %s", async (_, line, found, env) =>
    expect((await run([init, line, result("done")], {}, found, env)).phase.kind).toBe("answered"),
  );
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
