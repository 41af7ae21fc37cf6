import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { CCC, inTurn } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

const PRINT = ["--supervisor", "glm", "-p"];
const JSON_LINES = ["--output-format", "stream-json", "--verbose"];
const NEVER = new Promise<void>(() => {});
const DONE_LINE = /^ccc: Review 1 of 1: done \(\d+ s, \d+ tokens\)\. seen$/;
const goOn = (session: string) => `ccc: to continue: ccc glm --resume ${session}`;

/** The verdict depends on the request: done, unless it contains one of these. */
const byTask: Script = ({ role, body }) => {
  if (role !== "reviewer") return { say: "ok" };
  const asked = JSON.stringify(body.messages.slice(-3));
  if (asked.includes("UNCLEAR")) return { verdict: { completed: false, needs_user: true, feedback: "Which one?" } };
  return asked.includes("HARD") ? notDone("Not yet.") : DONE;
};

/** What ccc says after claude has ended. */
function ending(stderr: string): string[] {
  const lines = stderr.trimEnd().split("\n");
  const after = lines.slice(lines.findIndex((line) => line.includes("Supervisor mode enabled")) + 1);
  return after.filter((line) => !line.includes("settings.json sets CCC_RUN_NOTES"));
}

test("of several runs in one folder, each says how its own session ended, whatever the folder's settings; stdout is claude's alone", async () => {
  await using place = await supervisedPlace(byTask, { supervisor: { max_iterations: 1 } });
  // Earlier versions named a run to its hooks by this variable.
  const env = { CCC_RUN_NOTES: crypto.randomUUID(), CCC_RUN: "other", CCC_EXEC: "1.1" };
  await place.write(join(place.project, ".claude/settings.json"), { env });
  const plain = await place.ccc(["glm", "-p", "easy"]);
  const [easy, hard, unclear] = await Promise.all([
    place.ccc([...PRINT, "easy"]),
    place.ccc([...PRINT, "HARD", "--output-format", "json"]),
    place.ccc([...PRINT, "UNCLEAR"]),
  ]);

  expect(easy).toMatchObject({ exitCode: 0, stdout: plain.stdout });
  expect(ending(easy.stderr)).toEqual([expect.stringMatching(DONE_LINE)]);

  const { session_id, result } = JSON.parse(hard.stdout);
  expect([hard.exitCode, result]).toEqual([3, "ok"]);
  expect(ending(hard.stderr)).toEqual([
    expect.stringMatching(/^ccc: Review 1 of 1: not done \(\d+ s, \d+ tokens\)$/),
    expect.stringMatching(
      /^ccc: Stopped after 1 review: NOT done \(.*\)\. The last changes were not reviewed\. Last feedback: Not yet\.$/,
    ),
    `${goOn(session_id)}; the log is .claude/ccc/supervisor.log`,
  ]);

  expect(unclear).toMatchObject({ exitCode: 5, stdout: plain.stdout });
  expect(ending(unclear.stderr)[0]).toMatch(/^ccc: Needs you: Which one\? \(after 1 review, .*\)$/);
  expect(await readdir(place.at(".claude/ccc/runs"))).toBeEmpty();
});

test("a client of several turns gets claude's exit code, and how the last one ended; a command without work for the agent needs no review", async () => {
  await using place = await supervisedPlace(byTask, { supervisor: { max_iterations: 1 } });
  const turn = (text: string) => `${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`;
  const stdin = turn("easy") + turn("/clear") + turn("HARD");
  const turns = await place.ccc([...PRINT, "--input-format", "stream-json", ...JSON_LINES], { stdin });
  expect(turns.exitCode).toBe(0);
  expect(ending(turns.stderr)).toEqual([
    expect.stringMatching(DONE_LINE),
    expect.stringContaining("ccc: Review 1 of 1: not done"),
    expect.stringContaining("ccc: Stopped after 1 review: NOT done"),
    expect.stringContaining(goOn("")),
  ]);
  const types = turns.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types.at(-1)).toBe("result");

  const cost = await place.ccc([...PRINT, "/cost"]);
  expect(cost.exitCode).toBe(0);
  expect(ending(cost.stderr)).toEqual(["ccc: No review: no prompt reached the agent"]);
});

test("claude's own failure wins, with -p or with a stdout that is not a terminal", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ fail: 400, message: "out of order" }] }));
  const failed = await place.ccc(["--supervisor", "glm", "work"]);
  expect(failed.exitCode).toBe(1);
  expect(failed.stdout).toContain("out of order");
  expect(ending(failed.stderr)).toEqual([
    "ccc: NOT reviewed: claude exited with code 1 before the agent stopped",
    expect.stringContaining(goOn("")),
  ]);

  const refused = await place.ccc([...PRINT, "work", "--no-such-option"]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(ending(refused.stderr)).toEqual(["error: unknown option '--no-such-option'"]);
});

describe("a signal to ccc alone ends claude too", () => {
  const signals: [signal: NodeJS.Signals, code: number, how: string][] = [
    ["SIGTERM", 143, "claude exited with code 143"],
    // Claude Code exits with 0 then.
    ["SIGINT", 130, "claude was interrupted"],
  ];
  for (const [signal, code, how] of signals) {
    test(signal, async () => {
      const asked = Promise.withResolvers<void>();
      await using place = await supervisedPlace(() => {
        asked.resolve();
        return { say: "too late", after: NEVER };
      });
      const child = place.start([...PRINT, "work"]);
      await asked.promise;
      child.kill(signal);
      // It ends when claude does: both hold the other end of the pipe.
      const stderr = await child.stderr.text();
      expect(await child.exited).toBe(code);
      expect(ending(stderr)[0]).toBe(`ccc: NOT reviewed: ${how} before the agent stopped`);
    });
  }
});

test("Ctrl-C on a terminal reaches claude once, and ccc ends after it", async () => {
  const asked = Promise.withResolvers<void>();
  await using place = await supervisedPlace(() => {
    asked.resolve();
    return { say: "too late", after: NEVER };
  });
  await using screen = newScreen([CCC, ...PRINT, "work"], { cwd: place.project, env: place.env });
  await asked.promise;
  screen.type("\u0003");
  await screen.shows("NOT reviewed: claude was interrupted before the agent stopped");
  expect(await screen.exited).toBe(130);
});

test("a refused key ends a run at once, as `ccc doctor` says it, with -p and in the loop", async () => {
  await using place = await supervisedPlace(() => ({ fail: 401, message: "no such key" }));
  // Claude Code's own number of retries takes minutes.
  const env = { CLAUDE_CODE_MAX_RETRIES: "10" };
  const why = `${place.sandbox.url} rejects the key (status 401`;
  const doctor = await place.ccc(["doctor", "glm"], { env });
  expect(doctor.stdout + doctor.stderr).toContain(`${why}, "no such key")`);
  const before = place.sandbox.received.length;
  const print = await place.ccc([...PRINT, "work"], { env });
  expect(print.exitCode).toBe(1);
  expect(ending(print.stderr)).toEqual([
    expect.stringContaining(`ccc: NOT reviewed: ${why}, "no such key"). Check that the key is complete`),
    expect.stringContaining("ccc: to continue: ccc glm --resume "),
  ]);
  const loop = await place.ccc(["--supervisor", "--engine", "loop", "glm", "work"], { env });
  expect(loop).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) });
  // Each asks for the key again before it gives up.
  expect(place.sandbox.received.length - before).toBeLessThanOrEqual(10);
});

test("an answer in a schema is reviewed once, because Claude Code passes no feedback on; the loop continues", async () => {
  const isReview = (messages: readonly unknown[]) => JSON.stringify(messages).includes("This message comes from ccc");
  let reviews = 0;
  await using place = await supervisedPlace(({ body: { messages } }) => {
    if (isReview(messages)) {
      reviews++;
      const criteria = [{ id: "C1", text: "it answers", status: "unmet", evidence: "its answer" }];
      return { say: JSON.stringify({ completed: false, feedback: "More.", criteria }) };
    }
    return { use: "StructuredOutput", input: { answer: reviews } };
  });
  const schema = ["--json-schema", '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"]}'];
  const once = await place.ccc([...PRINT, "work", ...schema]);
  expect([once.exitCode, once.stdout.trim(), reviews]).toEqual([3, '{"answer":0}', 1]);
  expect(ending(once.stderr)).toEqual([
    expect.stringContaining("ccc: with --json-schema Claude Code passes no feedback on"),
    // Not the words for an agent that can answer.
    expect.stringMatching(
      /^ccc: Stopped after 1 review: NOT done.* so the agent did not continue: More\. Not met: C1 it answers$/,
    ),
    expect.stringContaining(goOn("")),
  ]);
  await place.config({ ...(await Bun.file(place.at(".claude/ccc.json")).json()), supervisor: { max_iterations: 1 } });
  const loop = await place.ccc(["--supervisor", "--engine", "loop", "glm", "work", ...schema]);
  expect([loop.exitCode, loop.stdout.trim(), reviews]).toEqual([3, '{"answer":2}', 2]);
});
