import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { CCC, expectGone, inTurn, newPlace, ONE_REVIEW, provider } from "../harness.ts";
import { readReport } from "../loop-report.ts";
import { reviewShares } from "../prefix.ts";
import { notDone, supervisedPlace } from "../supervised.ts";

const YES: Turn = { verdict: { completed: true, feedback: "I read the file" } };
const USED = { input_tokens: 2, cache_read_input_tokens: 100, cache_creation_input_tokens: 18, output_tokens: 5 };
const LOOP = ["--supervisor", "--engine", "loop", "glm"];

test("LOOP-01 LOOP-02 LOOP-03 LOOP-04 LOOP-06 LOOP-08 LOOP-09 LOOP-10 the loop on the real Claude Code: no, yes, exit code 0", async () => {
  await using place = await supervisedPlace(
    inTurn({
      agent: [
        { use: "Bash", input: { command: "echo working", description: "work" } },
        { say: "FIRST ANSWER" },
        { say: "SECOND ANSWER" },
      ],
      reviewer: [{ ...notDone("FEEDBACK-ONE"), usage: USED }, YES],
    }),
    { isConfirmed: true },
  );
  // Where ccc sees that no file has changed, a "done" needs no look.
  await $`git init -q ${place.project}`;
  await place.write(join(place.project, "SUPERVISOR.md"), "THE INSTRUCTIONS");

  const result = await place.ccc([...LOOP, "ORIGINAL REQUEST", "--allowedTools", "Bash"], {
    env: { GITHUB_STEP_SUMMARY: place.at("summary.md") },
  });

  expect(result).toMatchObject({ exitCode: 0, stdout: "SECOND ANSWER\n" });
  expect(result.stderr.split("\n").filter((line) => !line.startsWith("ccc: "))).toEqual([
    "→ Bash: echo working",
    "FIRST ANSWER",
    expect.stringMatching(/^Review 1 of 10: not done \(\d+ s, \d+ tokens\)$/),
    "  FEEDBACK-ONE",
    "SECOND ANSWER",
    expect.stringMatching(/^Review 2 of 10: done, confirmed by glm \(\d+ s, \d+ tokens in all\)\. I read the file$/),
    expect.stringMatching(
      /^2 agent runs \(\d+ s\): 30 tokens in, 15 out\. 2 reviews \(\d+ s\): 140 tokens in \(100 from the cache\), 15 out\. Cost: \$0\.\d{4}\.$/,
    ),
    "",
  ]);
  expect(result.stderr).toContain("Supervisor mode enabled");
  const [turns, reviews] = [place.turns(), place.reviews()];
  expect([turns.length, reviews.length]).toEqual([3, 3]);
  expect(turns[2]).toContain("FEEDBACK-ONE");
  for (const review of reviews) expect(review).toContain("THE INSTRUCTIONS");
  // Reviews begin with the agent's own request, so that the server can reuse its cache; not the one that confirms.
  expect(reviewShares(place.sandbox.received).slice(0, 2)).toEqual([1, 1]);
  expect(reviews[2]).toContain("You do not see its\\nconversation");
  expect(reviews[1]).toContain("1. ORIGINAL REQUEST\\n</section-");

  const report = await readReport(place);
  expect(report).toMatchObject({
    provider: "glm",
    outcome: "done",
    exit_code: 0,
    prompts: ["ORIGINAL REQUEST"],
    rounds: [
      {
        verdict: "not done",
        feedback: "FEEDBACK-ONE",
        input_tokens: 2,
        cache_read_tokens: 100,
        cache_write_tokens: 18,
      },
      {
        verdict: "done",
        feedback: "I read the file",
        reviewer: "glm",
        input_tokens: 20,
        cache_read_tokens: 0,
        confirmation: { reviewer: "glm", verdict: "done", input_tokens: 10, output_tokens: 5 },
      },
    ],
    agent: { phases: 2, input_tokens: 30, output_tokens: 15, cost_usd: expect.any(Number) },
    reviews: { count: 2, input_tokens: 22, output_tokens: 15, cost_usd: expect.any(Number) },
    answer: "SECOND ANSWER",
  });
  expect(await readFile(place.at("summary.md"), "utf8")).toContain("| 1 | not done |");
  const sessions = (await readdir(place.at(".claude/projects"), { recursive: true })).filter((name) =>
    name.endsWith(".jsonl"),
  );
  expect(sessions).toEqual([expect.stringContaining(report.session_id ?? "none")]);
});

describe("exit codes", () => {
  test("3: review limit reached, not done", async () => {
    await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer: [notDone("again")] }), {
      supervisor: { engine: "loop", max_iterations: 2 },
    });
    expect(await place.ccc(["--supervisor", "glm", "work"])).toMatchObject({ exitCode: 3, stdout: "done\n" });
    expect(place.reviews()).toHaveLength(2);
    expect(await readReport(place)).toMatchObject({ outcome: "not done", exit_code: 3 });
  });

  test("4: no verdict after a few answers; all of them count, and a model without a known price has no cost", async () => {
    await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer: [{ say: "hm" }] }));
    const result = await place.ccc([...LOOP, "--model", "glm-4.6", "work"]);
    expect(result.exitCode).toBe(4);
    expect(result.stderr).toContain("NOT reviewed: the reviewer gave no verdict, twice");
    const usage = { input_tokens: 10 * place.reviews().length, output_tokens: 5 * place.reviews().length };
    // Three in the session; three in a schema, for each of which Claude Code itself asks once more.
    expect(place.reviews()).toHaveLength(9);
    expect(result.stderr.replaceAll(/ \(\d+ s\):/g, ":")).toContain(
      `\n1 agent run: 10 tokens in, 5 out. 1 review: ${usage.input_tokens} tokens in, ${usage.output_tokens} out.\n`,
    );
    expect(await readReport(place)).toMatchObject({
      outcome: "not reviewed",
      exit_code: 4,
      agent: { cost_usd: null },
      rounds: [usage],
      reviews: usage,
    });
    const stops = (await place.record())["stops.jsonl"]?.trim().split("\n") ?? [];
    expect(JSON.parse(stops.at(-1) ?? "")).toMatchObject({ outcome: "unreviewed", ...usage });
  });

  test('4: no tool ran, and supervisor.when is "changes"', async () => {
    await using place = await supervisedPlace(inTurn({ agent: [{ say: "hello" }], reviewer: [YES] }), {
      supervisor: { when: "changes" },
    });
    const result = await place.ccc([...LOOP, "work"]);
    expect(result).toMatchObject({ exitCode: 4, stdout: "hello\n" });
    expect(result.stderr).toContain(
      'No review: no tool ran since your last prompt, and supervisor.when is "changes"\n',
    );
    expect(await readReport(place)).toMatchObject({ outcome: "not reviewed", rounds: [], reviews: { count: 0 } });
    expect(place.reviews()).toBeEmpty();
  });

  test("1: the agent failed", async () => {
    await using place = await supervisedPlace(inTurn({ agent: [{ fail: 400, message: "no such model" }] }));
    const result = await place.ccc([...LOOP, "work"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("Failed: claude reports an error");
    expect(await readReport(place)).toMatchObject({ outcome: "failed" });
    const report = await place.ccc(["report", "--json"]);
    expect(JSON.parse(report.stdout)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("no such model"),
      prompts: [{ text: "work", rounds: [] }],
    });
  });

  test("1: no such session", async () => {
    await using place = await supervisedPlace();
    const result = await place.ccc([...LOOP, "--resume", "11111111-2222-4333-8444-555555555555", "work"]);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("No conversation found");
  });

  const mistakes: [name: string, args: string[], says: string][] = [
    ["no prompt", [], "no prompt"],
    ["an empty prompt", [" "], "no prompt"],
    ["two prompts", ["one", "two"], 'unexpected argument "two": claude takes one prompt'],
    [
      "an option that the loop sets itself",
      ["work", "--output-format", "json"],
      "--output-format cannot be combined with --engine loop",
    ],
  ];
  for (const [name, args, says] of mistakes) {
    test(`2: ${name}`, async () => {
      await using place = await newPlace();
      await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
      const result = await place.ccc([...LOOP, ...args]);
      expect(result).toMatchObject({ exitCode: 2, stdout: "" });
      expect(result.stderr).toContain(says);
    });
  }

  test("LDES-07 127: no claude", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
    await rm(join(place.bin, "claude"));
    expect((await place.ccc([...LOOP, "work"])).exitCode).toBe(127);
  });
});

/** A claude that acts as agent or reviewer depending on its arguments; the reviewer always says yes. */
const reviewing = `case "$*" in *--version*) echo 2.1.325; exit;; *--fork-session*) head -n 1 > "$HOME/review"; echo '{"type":"result","structured_output":{"completed":true,"feedback":""}}'; exit;; esac`;
const answered = `echo '{"type":"system","sessionId":"s1"}'; echo '{"type":"result","subtype":"success","result":"THE ANSWER"}'`;

test("with nohup, the loop outlives its terminal", async () => {
  const asked = Promise.withResolvers<void>();
  const isClosed = Promise.withResolvers<void>();
  await using place = await supervisedPlace(({ role }) => {
    if (role === "reviewer") return YES;
    asked.resolve();
    return { say: "after the terminal", after: isClosed.promise };
  });
  const ccc = Bun.spawn(["nohup", CCC, ...LOOP, "work"], {
    cwd: place.project,
    env: place.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  await asked.promise;
  // As a shell does whose terminal is closed: to all processes of its job.
  process.kill(-ccc.pid, "SIGHUP");
  isClosed.resolve();
  expect([await ccc.stdout.text(), await ccc.exited]).toEqual(["after the terminal\n", 0]);
});

test("the loop ends even if reviews cannot be counted", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer: [notDone("again")] }));
  const session = "11111111-2222-4333-8444-555555555555";
  await mkdir(place.at(".claude/ccc/sessions", session, "state.json"), { recursive: true });
  expect(await place.ccc([...LOOP, "--session-id", session, "work"])).toMatchObject({ exitCode: 3 });
  expect(place.reviews()).toHaveLength(1);
});

test("a dry run shows the agent's first run, and refuses what a real run would", async () => {
  await using place = await newPlace();
  await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
  const plan = JSON.parse((await place.ccc(["--dry-run", "--json", ...LOOP, "work"])).stdout);
  expect(plan.args.slice(2)).toEqual(["--print", "--verbose", "--output-format", "stream-json", "--", "work"]);
  expect((await place.ccc(["--dry-run", "--json", ...LOOP, "work", "--output-format", "json"])).exitCode).toBe(2);
});

describe("an agent that", () => {
  async function loopWith(
    script: string,
    { supervisor = {}, ...config }: { supervisor?: object; providers?: object } = {},
  ) {
    const place = await newPlace();
    const providers = { glm: provider({ url: "http://127.0.0.1:9" }, "t") };
    await place.config({ providers, ...config, supervisor: { ...ONE_REVIEW, ...supervisor } });
    await place.standIn(`${reviewing}\n${script}`);
    return place;
  }

  test("LOOP-05 LDES-03 gets its own terminal and streams its output", async () => {
    await using place = await loopWith(
      `[ -t 0 ] && [ -t 1 ] && echo yes > "$HOME/terminal"; for w in "$@"; do echo "$w"; done > "$HOME/args"; ${answered}`,
    );
    expect(await place.ccc([...LOOP, "-x y"])).toMatchObject({ exitCode: 2 });
    expect(await place.ccc([...LOOP, "--model", "m", "--", "-do this"])).toMatchObject({
      exitCode: 0,
      stdout: "THE ANSWER\n",
    });
    expect(await readFile(place.at("terminal"), "utf8")).toBe("yes\n");
    expect((await readFile(place.at("args"), "utf8")).split("\n").slice(2)).toEqual([
      "--model",
      "m",
      "--print",
      "--verbose",
      "--output-format",
      "stream-json",
      "--",
      "-do this",
      "",
    ]);
  });

  test("LOOP-15 LOOP-16 LOOP-17 prints garbage between its lines is still understood, and the garbage is logged", async () => {
    await using place = await loopWith(
      `echo 'noise'; printf '\\033[1mcodes\\033[0m\\n'; echo '{"broken'; echo '{"type":"text","content":"HEARD"}'; echo '{"type":"invented"}'; ${answered}`,
    );
    const result = await place.ccc([...LOOP, "work"]);
    expect(result).toMatchObject({ exitCode: 0, stdout: "THE ANSWER\n" });
    expect(result.stderr).toContain("HEARD\n");
    const log = await readFile(join(place.project, ".claude/ccc/supervisor.log"), "utf8");
    for (const line of ["noise", "codes", '{"broken']) expect(log).toContain(` ${line}\n`);
  });

  test("prints escape codes before its lines and does not exit after its answer is still understood", async () => {
    await using place = await loopWith(`printf '\\033[?25l'; ${answered}; sleep 300`, {
      supervisor: { agent_timeout_seconds: 1 },
    });
    expect(await place.ccc([...LOOP, "work"])).toMatchObject({ exitCode: 0, stdout: "THE ANSWER\n" });
  });

  test("prints a key does not leak it into the report, the summary, its answer or stderr", async () => {
    const secret = "a-secret-token-of-the-test";
    await using place = await loopWith(
      `echo '{"type":"text","session_id":"s1","content":"I saw ${secret}"}'; echo '{"type":"result","result":"It is ${secret}"}'`,
      { providers: { glm: provider({ url: "http://127.0.0.1:9" }, secret) } },
    );
    const result = await place.ccc([...LOOP, "work"], { env: { GITHUB_STEP_SUMMARY: place.at("summary.md") } });
    expect(result).toMatchObject({ exitCode: 0, stdout: "It is ***\n" });
    expect(result.stderr).toContain("I saw ***");
    expect(await readReport(place)).toMatchObject({ answer: "It is ***" });
    expect(result.stderr + (await readFile(place.at("summary.md"), "utf8"))).not.toContain(secret);
  });

  test("dies leaves nothing running, not even in another process group", async () => {
    await using place = await loopWith(
      `echo $$ > "$HOME/pids"; perl -e 'setpgrp(0, 0); exec @ARGV' sleep 300 & echo $! >> "$HOME/pids"; kill -9 $$`,
    );
    expect((await place.ccc([...LOOP, "work"])).exitCode).toBe(1);
    await expectGone(place);
  });

  test("dies halfway is a failure", async () => {
    await using place = await loopWith(
      `echo '{"type":"system","session_id":"s1"}'; printf '{"type":"assis'; kill -9 $$`,
    );
    const result = await place.ccc([...LOOP, "work"]);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("Failed: claude exited without a result");
    expect(await readReport(place)).toMatchObject({ session_id: "s1", outcome: "failed", prompts: ["work"] });
  });

  test("works longer than a review may take is not stopped", async () => {
    await using place = await loopWith(`sleep 1.5; ${answered}`, { supervisor: { timeout_seconds: 1 } });
    expect(await place.ccc([...LOOP, "work"])).toMatchObject({ exitCode: 0, stdout: "THE ANSWER\n" });
  });

  test("never stops is killed at its timeout", async () => {
    await using place = await loopWith(`echo $$ > "$HOME/pids"; sleep 300 & echo $! >> "$HOME/pids"; wait`, {
      supervisor: { agent_timeout_seconds: 1 },
    });
    const result = await place.ccc([...LOOP, "work"]);
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain("the agent did not stop within 1 second (agent_timeout_seconds in ccc.json)");
    await expectGone(place);
  });

  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    test(`is working on ${signal} is stopped, and the report says so`, async () => {
      await using place = await loopWith(
        `echo $$ > "$HOME/pids"; sleep 300 & echo $! >> "$HOME/pids"; echo '{"type":"text","session_id":"s1","content":"READY"}'; wait`,
      );
      const child = place.start([...LOOP, "work"]);
      for await (const chunk of child.stderr) if (new TextDecoder().decode(chunk).includes("READY")) break;
      child.kill(signal);
      expect(await child.exited).toBe(exitCode);
      await expectGone(place);
      const reason = `interrupted by ${signal === "SIGINT" ? "Ctrl-C" : signal} while the agent was working`;
      expect(await readReport(place)).toMatchObject({
        session_id: "s1",
        outcome: "interrupted",
        reason,
        exit_code: exitCode,
      });
    });
  }
});

test("LOOP-10 LOOP-11 LDES-04 a reviewer whose instructions know only the marker: its words are feedback, the marker behind words is done", async () => {
  const reviewer: Turn[] = [
    { say: "The empty list has no test. Add one." },
    { say: "As I said: the empty list has no test." },
    { say: "I ran the tests, they pass.\n\n[TASK_COMPLETED]" },
  ];
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "one" }, { say: "two" }], reviewer }));
  await place.write(
    join(place.project, "SUPERVISOR.md"),
    "If all is done, output [TASK_COMPLETED]. Else say what is missing.",
  );
  expect(await place.ccc([...LOOP, "do it"])).toMatchObject({ exitCode: 0, stdout: "two\n" });
  expect(place.turns().at(-1)).toContain("As I said: the empty list has no test.");
  expect(await readReport(place)).toMatchObject({
    outcome: "done",
    rounds: [{ verdict: "not done" }, { verdict: "done" }],
  });
  // Each was asked once about its answer.
  expect(place.reviews()).toHaveLength(4);
  expect(place.reviews().at(-1)).toContain("answer with [TASK_COMPLETED] alone");
});

test("LOOP-11 LOOP-12 LDES-08 an existing session is resumed, and the user's option is used for the first run only", async () => {
  const criteria = [{ id: "C1", text: "the first is done", status: "met", evidence: "the answer" } as const];
  const first = { verdict: { completed: true, feedback: "yes", criteria } };
  await using place = await supervisedPlace(
    inTurn({ agent: [{ say: "one" }, { say: "two" }, { say: "three" }], reviewer: [first, notDone("F"), YES] }),
  );
  await place.ccc([...LOOP, "first task"]);
  const { session_id } = await readReport(place);
  expect(await place.ccc([...LOOP, "--resume", session_id ?? "", "second task"])).toMatchObject({
    exitCode: 0,
    stdout: "three\n",
  });
  const last = place.turns().at(-1);
  for (const words of ["first task", "one", "second task", "two"]) expect(last).toContain(words);
  // Earlier work does not answer the new prompt.
  const [, second] = place.reviews();
  expect(second).toContain("1. first task\\n\\n2. second task");
  expect(second).toContain("at most seven criteria, C2, C3, …");
  expect(existsSync(join(place.project, `.claude/ccc/supervisor-${session_id}.json`))).toBe(true);
});
