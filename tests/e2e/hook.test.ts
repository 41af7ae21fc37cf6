import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { CCC, expectGone, newPlace, type Place, type RunOptions } from "../harness.ts";

const SESSION = "abc123";
const event = (parts: object = {}) => JSON.stringify({ session_id: SESSION, stop_hook_active: true, ...parts });
const result = (parts: object) => JSON.stringify({ type: "result", subtype: "success", is_error: false, ...parts });
const verdict = (completed: boolean, feedback: string) => result({ structured_output: { completed, feedback } });

/** A reviewer that records how it was called and prints the given lines. */
async function reviewer(place: Place, lines: string | readonly string[], after = "") {
  await writeFile(
    place.at("answer.jsonl"),
    [lines]
      .flat()
      .map((line) => `${line}\n`)
      .join(""),
  );
  await place.standIn(`
d="$HOME/call-$$"; mkdir "$d"
for word in "$@"; do printf '%s\\0' "$word"; done > "$d/args"
env > "$d/env"; head -n 1 > "$d/stdin"; pwd > "$d/cwd"
cat "$HOME/answer.jsonl"
${after}`);
}

const calls = async (place: Place) => {
  const names = (await readdir(place.home)).filter((name) => name.startsWith("call-"));
  const read = async (name: string, file: string) => readFile(place.at(name, file), "utf8");
  return Promise.all(
    names.map(async (name) => ({
      args: (await read(name, "args")).split("\0").slice(0, -1),
      env: await read(name, "env"),
      message: String(JSON.parse(await read(name, "stdin")).message.content),
      cwd: (await read(name, "cwd")).trim(),
    })),
  );
};

const hook = (place: Place, stdin: string | Uint8Array, args: string[] = [], options: RunOptions = {}) =>
  place.ccc(["supervisor-hook", "--settings", place.at("reviewer.json"), ...args], { stdin, ...options });

const folder = (place: Place) => join(place.project, ".claude/ccc");
const statePath = (place: Place) => join(folder(place), `supervisor-${SESSION}.json`);
const outputPath = (place: Place) => join(folder(place), `supervisor-${SESSION}-output.jsonl`);
const readState = async (place: Place) => JSON.parse(await readFile(statePath(place), "utf8"));
const writeState = async (place: Place, state: object) => {
  await mkdir(folder(place), { recursive: true });
  const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
  await writeFile(statePath(place), JSON.stringify({ session_id: SESSION, ...times, ...state }));
};

describe("what the hook prints", () => {
  // stdout is empty for "done" and for a failed review; the log tells them apart.
  const table: [name: string, line: string, stdout: string, says: string][] = [
    [
      "HOOK-02 CLI-09 not completed: blocks with the feedback",
      verdict(false, "add error handling"),
      '{"decision":"block","reason":"add error handling"}',
      "round 1: not done",
    ],
    ["HOOK-03 CLI-08 completed: prints nothing", verdict(true, ""), "", "round 1: done"],
    ["HOOK-05 completed with a comment: prints nothing", verdict(true, "all there"), "", "round 1: done"],
    ["CLI-08 completed alone is enough", result({ result: { completed: true } }), "", "round 1: done"],
    [
      "HOOK-06 empty feedback is replaced by a default sentence",
      verdict(false, " "),
      '{"decision":"block","reason":"The work is not done yet',
      "round 1: not done",
    ],
    [
      "HDES-06 the verdict as an object in result",
      result({ result: { completed: false, feedback: "F" } }),
      '{"decision":"block","reason":"F"}',
      "round 1: not done",
    ],
    [
      "HDES-06 the verdict as a string in result",
      result({ result: '{"completed":false,"feedback":"F"}' }),
      '{"decision":"block","reason":"F"}',
      "round 1: not done",
    ],
    [
      "a verdict in a fence",
      result({ result: 'Here:\n```json\n{"completed": false, "feedback": "F"}\n```\n' }),
      '{"decision":"block","reason":"F"}',
      "round 1: not done",
    ],
    ["a marker on its own line", result({ result: "\n[TASK_COMPLETED]\n" }), "", "round 1: done"],
    ["HOOK-18 no verdict: prints nothing", result({ result: "looks good" }), "", "could not review"],
    ["HOOK-18 a truncated verdict: prints nothing", result({ result: '{"completed": fal' }), "", "could not review"],
    [
      "HOOK-18 a marker inside a sentence is ignored",
      result({ result: "not [TASK_COMPLETED] yet" }),
      "",
      "could not review",
    ],
    [
      "a verdict in broken JSON, after thoughts",
      result({ result: "<think>\nNo tests.\n</think>\n{'completed': False, 'feedback': 'F',}<|im_end|>" }),
      '{"decision":"block","reason":"F"}',
      "round 1: not done",
    ],
    [
      "a verdict that is neither yes nor no is ignored",
      result({ structured_output: { completed: "perhaps", feedback: "" } }),
      "",
      "could not review",
    ],
    [
      "HOOK-16 an API error: prints nothing",
      result({ is_error: true, api_error_status: 500, result: "overloaded" }),
      "",
      "could not review",
    ],
  ];
  for (const [name, line, stdout, says] of table) {
    test(name, async () => {
      await using place = await newPlace();
      await reviewer(place, line);
      const run = await hook(place, event());
      expect(run.exitCode).toBe(0);
      expect(run.stdout.slice(0, stdout.length || undefined)).toBe(stdout);
      expect(run.stderr).toContain(says);
    });
  }

  test("alone it keeps to one review, whatever ccc.json wants, and the log says so", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    const supervisor = { checks: ["false"], proof: true, nudge: true, confirm: true };
    await place.config({ providers: { glm: { env: {} } }, supervisor });
    const run = await hook(place, event({ last_assistant_message: "Let me now run the tests:" }));
    expect(run).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await calls(place)).toHaveLength(1);
    expect(await readFile(join(folder(place), "supervisor.log"), "utf8")).toMatch(
      /no checks, proof, nudges or confirmation: the hook belongs to no supervised launch\n.*round 1: done/,
    );
  });

  test("with --announce it also tells the user", async () => {
    await using place = await newPlace();
    const say = async (line: string, stdin = event()) => {
      await reviewer(place, line);
      return JSON.parse((await hook(place, stdin, ["--announce"])).stdout);
    };
    expect(await say(verdict(false, "F"))).toEqual({
      decision: "block",
      reason: "F",
      systemMessage: expect.stringMatching(/^Review 1 of 10: not done \(\d+ s.*\)$/),
    });
    expect(await say(verdict(true, ""))).toEqual({
      systemMessage: expect.stringMatching(/^Review 2 of 10: done \(\d+ s.*\)$/),
    });
    expect(await say(result({ is_error: true, result: "broken" }))).toEqual({
      systemMessage:
        "NOT reviewed: claude reports an error: broken. The agent was allowed to stop; see .claude/ccc/supervisor.log",
    });
    expect((await say("", "nonsense")).systemMessage).toContain("NOT reviewed: the event on stdin is not JSON");
  });

  test("feedback over 10,000 characters is cut at a sentence and names the file with the rest", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "This sentence is one of many. ".repeat(2000)));
    const { reason } = JSON.parse((await hook(place, event())).stdout);
    expect(reason.length).toBeLessThanOrEqual(10_000);
    expect(reason).toEndWith(`one of many.\n[cut; the complete review is in ${outputPath(place)}]`);
  });
});

describe("how the reviewer is called", () => {
  test("CLI-07 HOOK-07 HOOK-08 HOOK-19 HDES-04 HDES-05 with a fork of the session, a schema, its own settings and a marker", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    await place.write(place.at("reviewer.json"), { env: { ANTHROPIC_AUTH_TOKEN: "reviewers-own" } });
    await place.write(join(place.project, "SUPERVISOR.md"), "THE PROJECT'S INSTRUCTIONS");
    await place.write(place.at(".claude/SUPERVISOR.md"), "the user's instructions");
    const env = {
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: SESSION,
      CLAUDE_CODE_MESSAGING_TOKEN: "t",
      ANTHROPIC_API_KEY: "agents",
      MINE: "stays",
    };
    await hook(place, event({ stop_hook_active: false }), [], { env });
    const [call] = await calls(place);
    const after = (flag: string) => call?.args[call.args.indexOf(flag) + 1];
    for (const flag of ["--print", "--fork-session", "--no-session-persistence", "--verbose"])
      expect(call?.args).toContain(flag);
    expect([after("--resume"), after("--output-format"), after("--settings")]).toEqual([
      SESSION,
      "stream-json",
      place.at("reviewer.json"),
    ]);
    expect(after("--system-prompt")).toBe("THE PROJECT'S INSTRUCTIONS");
    expect(call?.message).toContain("THE PROJECT'S INSTRUCTIONS");
    expect(JSON.parse(after("--json-schema") ?? "")).toMatchObject({
      type: "object",
      properties: { completed: { type: "boolean" }, feedback: { type: "string" } },
      required: ["completed", "feedback"],
    });
    expect(call?.env).toContain("CCC_SUPERVISOR_HOOK=1\n");
    expect(call?.env).toContain("MINE=stays\n");
    // Its key is in its settings.
    expect(call?.env).toContain("ANTHROPIC_AUTH_TOKEN=ccc-settings-not-loaded\n");
    expect(call?.env).not.toMatch(
      /CLAUDECODE|CLAUDE_CODE_SESSION_ID|CLAUDE_CODE_MESSAGING_TOKEN|ANTHROPIC_API_KEY=agents/,
    );
    expect(call?.cwd).toBe(place.project);
  });

  test("CLI-04 in the session's project, where the state is kept, even if the agent has changed folders", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    await hook(place, event({ cwd: place.home }), [], { cwd: place.home, env: { CLAUDE_PROJECT_DIR: place.project } });
    expect(existsSync(statePath(place))).toBe(true);
    await hook(place, event({ cwd: place.project }), ["--state-dir", "elsewhere"], { cwd: place.home });
    expect(existsSync(join(place.project, `elsewhere/supervisor-${SESSION}.json`))).toBe(true);
    expect(new Set((await calls(place)).map(({ cwd }) => cwd))).toEqual(new Set([place.project]));
  });

  test("LDES-05 LDES-06 with every prompt of the user, without the supervisor's own feedback", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    const user = (content: unknown, more = {}) =>
      JSON.stringify({ type: "user", message: { role: "user", content }, ...more });
    await place.write(
      place.at("transcript.jsonl"),
      [
        user("FIRST REQUEST", { promptId: "p1" }),
        user("Stop hook feedback:\nSUPERVISORS OWN", { isMeta: true }),
        user([{ type: "tool_result", content: "TOOL RESULT" }]),
        user([{ type: "text", text: "SECOND REQUEST" }], { promptId: "p2" }),
        user("<task-notification>NOTIFICATION</task-notification>", { promptSource: "system", promptId: "p3" }),
        user("DELEGATED", { isSidechain: true }),
        "not json",
      ].join("\n"),
    );
    await hook(place, event({ transcript_path: place.at("transcript.jsonl"), prompt_id: "p2" }));
    const [call] = await calls(place);
    expect(call?.message).toContain("The user's original request");
    expect(call?.message).toContain("1. FIRST REQUEST\n\n2. SECOND REQUEST");
    expect(call?.message).not.toMatch(/SUPERVISORS OWN|TOOL RESULT|NOTIFICATION|DELEGATED/);
  });

  test("with the agent's current folder, if it is not the project", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    await hook(place, event({ cwd: "/somewhere/else" }), [], { env: { CLAUDE_PROJECT_DIR: place.project } });
    expect((await calls(place))[0]?.message).toContain("/somewhere/else, which is not where you are");
  });

  test("HDES-03 not at all in the reviewer's own session, where the hook does not even wait for stdin", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    // A pipe that stays open and empty.
    const child = Bun.spawn([CCC, "supervisor-hook"], {
      env: { ...place.env, CCC_SUPERVISOR_HOOK: "1" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    expect(await child.exited).toBe(0);
    expect([await child.stdout.text(), await child.stderr.text()]).toEqual(["", expect.stringContaining("skipped")]);
    expect(await calls(place)).toBeEmpty();
  });

  test("not while a delegated agent works, but with a background shell running, which is mentioned", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    const task = (type: string) => ({
      id: "1",
      type,
      status: "running",
      description: "a task",
      command: "npm run dev",
    });
    expect(await hook(place, event({ background_tasks: [task("subagent")] }))).toMatchObject({
      exitCode: 0,
      stdout: "",
    });
    expect(await calls(place)).toBeEmpty();
    expect(existsSync(statePath(place))).toBe(false);
    await hook(place, event({ background_tasks: [task("shell")] }));
    expect((await calls(place))[0]?.message).toContain("- shell: a task: `npm run dev`");
  });
});

describe("counting", () => {
  test("CLI-13 HOOK-10 the first call creates the state", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    await hook(place, event());
    expect(await readState(place)).toMatchObject({
      session_id: SESSION,
      count: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  test("CLI-14 HOOK-11 count 3 becomes 4 and updated_at changes", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    await writeState(place, { count: 3, something: "of mine" });
    await hook(place, event());
    const state = await readState(place);
    expect(state).toMatchObject({ count: 4, created_at: "2026-01-01T00:00:00.000Z", something: "of mine" });
    expect(Date.parse(state.updated_at)).toBeGreaterThan(Date.parse(state.created_at));
  });

  test("CLI-06 CLI-15 HOOK-04 there is no review after ten", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    await writeState(place, { count: 10 });
    expect(await hook(place, event())).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await calls(place)).toBeEmpty();
    expect((await readState(place)).count).toBe(10);
  });

  test("restarts with the user's next prompt, but not with a task notification", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    await writeState(place, { count: 10, prompt_id: "p1", feedback: ["old"] });
    const line = (promptId: string, more: object) =>
      JSON.stringify({ type: "user", promptId, message: { content: "x" }, ...more });
    await place.write(
      place.at("t.jsonl"),
      [line("p1", {}), line("p2", { promptSource: "system" }), line("p3", {})].join("\n"),
    );
    const stop = (prompt_id: string) => hook(place, event({ prompt_id, transcript_path: place.at("t.jsonl") }));
    expect((await stop("p2")).stdout).toBe("");
    expect((await stop("p3")).stdout).toContain("block");
    expect(await readState(place)).toMatchObject({ count: 1, prompt_id: "p3", feedback: ["F"] });
    expect((await stop("p2")).stdout).toContain("block");
    expect((await readState(place)).count).toBe(2);
  });

  test("HOOK-12 of 24 concurrent hooks exactly ten are counted and reviewed", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    const runs = await Promise.all(Array.from({ length: 24 }, () => hook(place, event())));
    expect(runs.filter(({ stdout }) => stdout.includes("block"))).toHaveLength(10);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 0));
    expect(await calls(place)).toHaveLength(10);
    expect((await readState(place)).count).toBe(10);
    expect(
      (await readFile(outputPath(place), "utf8"))
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toHaveLength(10);
  });

  test("HOOK-17 with a corrupt state, or none that can be saved in the project, it warns and still reviews", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    await mkdir(folder(place), { recursive: true });
    await writeFile(statePath(place), '{"session_id":"abc1');
    const torn = await hook(place, event());
    expect(torn.stdout).toContain("block");
    expect(torn.stderr).toContain("is invalid; counting starts over");
    await rm(folder(place), { recursive: true });
    await writeFile(folder(place), "a file where the folder should be");
    const unwritable = [await hook(place, event()), await hook(place, event())];
    for (const run of unwritable) expect(run.stdout).toContain("block");
    expect(unwritable[0]?.stderr).toContain("could not save the state");
    // The count continues in ccc's own folder, so the loop still ends.
    expect(JSON.parse(await readFile(place.at(`.claude/ccc/supervisor-${SESSION}.json`), "utf8")).count).toBe(2);
  });
});

describe("output and log", () => {
  test("CLI-16 CLI-17 HOOK-13 HOOK-14 HOOK-15 HDES-06 each line is appended unchanged, and text goes to stderr as it streams", async () => {
    await using place = await newPlace();
    const lines = [
      '{"type": "text",  "content": "I look at the files"}',
      '{"type":"assistant","message":{"content":[{"type":"text","text":"I run the tests"}]}}',
      verdict(true, ""),
    ];
    await reviewer(place, [...lines, "no json at all", ""]);
    const run = await hook(place, event());
    expect(run.stdout).toBe("");
    expect(run.stderr).toContain("I look at the files\nI run the tests\n");
    expect(await readFile(outputPath(place), "utf8")).toBe(`${lines.join("\n")}\n`);
    await hook(place, event());
    expect(await readFile(outputPath(place), "utf8")).toBe(`${[...lines, ...lines].join("\n")}\n`);
    expect(await readFile(join(folder(place), "supervisor.log"), "utf8")).toContain("not JSON: no json at all");
  });

  test("no secret the reviewer says reaches the agent, the state or stderr", async () => {
    await using place = await newPlace();
    await place.write(place.at("reviewer.json"), { env: { ANTHROPIC_AUTH_TOKEN: "reviewers-secret-token" } });
    await reviewer(place, [
      '{"type":"text","content":"I saw reviewers-secret-token"}',
      verdict(false, "remove reviewers-secret-token"),
    ]);
    const run = await hook(place, event());
    expect(run.stdout).toBe('{"decision":"block","reason":"remove ***"}');
    expect(run.stderr).toContain("I saw ***");
    expect((await readState(place)).feedback).toEqual(["remove ***"]);
  });

  test("no secret is in the log or in the user's message", async () => {
    await using place = await newPlace();
    await place.write(place.at("reviewer.json"), { env: { ANTHROPIC_AUTH_TOKEN: "reviewers-secret-token" } });
    await reviewer(
      place,
      "noise with reviewers-secret-token and agents-secret-key",
      'echo "died of reviewers-secret-token" >&2; exit 3',
    );
    const run = await hook(place, event(), ["--announce"], { env: { ANTHROPIC_API_KEY: "agents-secret-key" } });
    const log = await readFile(join(folder(place), "supervisor.log"), "utf8");
    expect(run.stdout).toContain("claude exited without a result (exit code 3): died of ***");
    for (const text of [run.stdout, run.stderr, log]) expect(text).not.toMatch(/secret/);
  });

  test("a large log is rotated", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(true, ""));
    await mkdir(folder(place), { recursive: true });
    await writeFile(join(folder(place), "supervisor.log"), "x".repeat(1_100_000));
    await hook(place, event());
    expect((await readFile(join(folder(place), "supervisor.log"), "utf8")).length).toBeLessThan(10_000);
    expect(existsSync(join(folder(place), "supervisor.log.1"))).toBe(true);
  });
});

describe("HOOK-16 a reviewer that fails", () => {
  const faults: [name: string, script: string, says: string][] = [
    ["ends with an error", "echo boom >&2; exit 1", "claude exited without a result (exit code 1): boom"],
    ["is killed in the middle of a line", `printf '{"type":"assist'; kill -9 $$`, "claude exited without a result"],
    ["says nothing", "exit 0", "claude exited without a result (exit code 0)"],
    ["prints garbage", "head -c 100000 /dev/urandom; exit 1", "claude exited without a result"],
  ];
  for (const [name, script, says] of faults) {
    test(name, async () => {
      await using place = await newPlace();
      await place.standIn(script);
      const run = await hook(place, event());
      expect(run).toMatchObject({ exitCode: 0, stdout: "" });
      expect(run.stderr).toContain(says);
    });
  }

  test("does not exist", async () => {
    await using place = await newPlace();
    await rm(join(place.bin, "claude"));
    const run = await hook(place, event());
    expect(run).toMatchObject({ exitCode: 0, stdout: "" });
    expect(run.stderr).toContain("Claude Code was not found");
  });

  test("keeps running after its verdict is not waited for", async () => {
    await using place = await newPlace();
    const children = `echo $$ > "$HOME/pids"; perl -e 'setpgrp(0, 0); exec @ARGV' sleep 300 & echo $! >> "$HOME/pids"`;
    await place.standIn(`${children}; echo '${verdict(false, "F")}'; sleep 300`);
    expect((await hook(place, event())).stdout).toBe('{"decision":"block","reason":"F"}');
    await expectGone(place);
  });

  test("hangs is killed at the timeout, with everything it started", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: {} }, supervisor: { timeout_seconds: 1 } });
    await place.standIn(
      `trap '' TERM; echo $$ > "$HOME/pids"; (trap '' TERM; exec sleep 300) & echo $! >> "$HOME/pids"; sleep 300`,
    );
    const run = await hook(place, event());
    expect(run).toMatchObject({ exitCode: 0, stdout: "" });
    expect(run.stderr).toContain("no verdict within 1 second");
    await expectGone(place);
  });

  test("is killed when Claude Code kills the hook", async () => {
    await using place = await newPlace();
    await place.standIn(
      `echo $$ > "$HOME/pids"; sleep 300 & echo $! >> "$HOME/pids"; echo '{"type":"text","content":"READY"}'; wait`,
    );
    const child = place.start(["supervisor-hook"], { stdin: event() });
    for await (const chunk of child.stderr) if (new TextDecoder().decode(chunk).includes("READY")) break;
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    await expectGone(place);
  });

  test("streams 300 MB without using more memory, and only the end is kept", async () => {
    await using place = await newPlace();
    const megabyte = `{"type":"system","subtype":"noise","text":"${"x".repeat(1_000_000)}"}`;
    await writeFile(place.at("line"), `${megabyte}\n`);
    const peak = async (count: number) => {
      await rm(folder(place), { recursive: true, force: true });
      await place.standIn(
        `i=0; while [ $i -lt ${count} ]; do cat "$HOME/line"; i=$((i+1)); done; echo '${verdict(false, "F")}'`,
      );
      const child = place.start(["supervisor-hook"], { stdin: event() });
      const stdout = await child.stdout.text();
      await child.exited;
      expect(stdout).toBe('{"decision":"block","reason":"F"}');
      return child.resourceUsage()?.maxRSS ?? Number.NaN;
    };
    const [small, large] = [await peak(1), await peak(300)];
    const [newer, older] = [await stat(outputPath(place)), await stat(`${outputPath(place)}.1`)];
    expect(newer.size + older.size).toBeGreaterThan(20_000_000);
    expect(newer.size + older.size).toBeLessThan(43_000_000);
    expect(await readFile(outputPath(place), "utf8")).toEndWith(`${verdict(false, "F")}\n`);
    // The amount of uncollected garbage varies.
    expect(large - small).toBeLessThan(150_000_000);
  });
});

describe("a hostile project", () => {
  test("cannot make the hook hang with named pipes", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    await mkdir(folder(place), { recursive: true });
    const pipes = [
      join(place.project, "SUPERVISOR.md"),
      join(folder(place), "supervisor.log"),
      outputPath(place),
      place.at("transcript"),
    ];
    for (const path of pipes) expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
    const run = await hook(place, event({ transcript_path: place.at("transcript"), prompt_id: "p" }));
    expect(run.stdout).toBe('{"decision":"block","reason":"F"}');
  });

  test("cannot make it write through links or into a foreign folder", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    await mkdir(folder(place), { recursive: true });
    await writeFile(place.at(".bashrc"), "mine\n");
    for (const path of [join(folder(place), "supervisor.log"), outputPath(place)])
      await symlink(place.at(".bashrc"), path);
    await writeFile(join(place.project, ".gitignore"), "mine\n");
    expect((await hook(place, event())).stdout).toContain("block");
    expect((await hook(place, event(), ["--state-dir", "."])).stdout).toContain("block");
    expect(await readFile(place.at(".bashrc"), "utf8")).toBe("mine\n");
    expect(await readFile(join(place.project, ".gitignore"), "utf8")).toBe("mine\n");
  });
});

test("with a full disk the review still takes place and the exit code is 0", async () => {
  await using place = await newPlace();
  await reviewer(place, verdict(false, "F"));
  const full = async (redirect: string) =>
    Bun.spawn(["sh", "-c", `"${CCC}" supervisor-hook --announce ${redirect}`], {
      env: place.env,
      cwd: place.project,
      stdin: new Blob([event()]),
      stdout: "ignore",
      stderr: "ignore",
    }).exited;
  expect([await full(">/dev/full"), await full("2>/dev/full"), await full(">&- 2>&-")]).toEqual([0, 0, 0]);
});

describe("an invalid event", () => {
  const events: [name: string, stdin: string | Uint8Array, says: string][] = [
    ["empty", "", "no event on stdin"],
    ["not JSON", "Stop!", "is not JSON"],
    ["binary", new Uint8Array([0, 255, 254, 10, 0]), "is not JSON"],
    ["a list", "[]", "is not a Stop event"],
    ["without a session", "{}", "is not a Stop event: session_id is missing or invalid"],
    ["with a path for a session", event({ session_id: "../../etc/x" }), "is not a Stop event: session_id"],
    ["with a hidden session", event({ session_id: ".." }), "is not a Stop event: session_id"],
    ["of another type", event({ session_id: 7 }), "is not a Stop event: session_id"],
    ["huge", " ".repeat(9_000_000), "is too large"],
  ];
  for (const [name, stdin, says] of events) {
    test(`${name}: is reported, and the agent may stop`, async () => {
      await using place = await newPlace();
      await reviewer(place, verdict(false, "F"));
      const run = await hook(place, stdin);
      expect(run).toMatchObject({ exitCode: 0, stdout: "" });
      expect(run.stderr).toContain(says);
      expect(await calls(place)).toBeEmpty();
    });
  }

  test("CLI-05 unknown fields are accepted", async () => {
    await using place = await newPlace();
    await reviewer(place, verdict(false, "F"));
    expect(
      (await hook(place, event({ invented_tomorrow: { a: [1] }, background_tasks: [{ odd: 1 }] }))).stdout,
    ).toContain("block");
  });

  test("property: for any bytes in event and stream, the exit code is 0 and stdout is empty or one JSON object", async () => {
    await using place = await newPlace();
    await place.standIn(`cat "$HOME/stream"`);
    const json = fc.jsonValue().map((value) => JSON.stringify(value));
    const likely = fc
      .record({ session_id: fc.constantFrom(SESSION, "x"), background_tasks: fc.jsonValue() })
      .map((value) => JSON.stringify(value));
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    const stdin = fc.oneof(bytes, json.map(Buffer.from), likely.map(Buffer.from), fc.constant(Buffer.from(event())));
    const line = fc.record({
      type: fc.constantFrom("result", "assistant", "system", "text"),
      message: fc.jsonValue(),
      result: fc.jsonValue(),
      structured_output: fc.jsonValue(),
    });
    const stream = fc.oneof(
      bytes,
      fc.array(line.map((value) => JSON.stringify(value))).map((lines) => Buffer.from(lines.join("\n"))),
    );
    await fc.assert(
      fc.asyncProperty(stdin, stream, fc.boolean(), async (given, streamed, announce) => {
        await writeFile(place.at("stream"), streamed);
        await rm(folder(place), { recursive: true, force: true });
        const run = await hook(place, given, announce ? ["--announce"] : []);
        expect(run.exitCode).toBe(0);
        if (run.stdout !== "") expect(JSON.parse(run.stdout)).toBeObject();
      }),
      { numRuns: 60 },
    );
  });
});
