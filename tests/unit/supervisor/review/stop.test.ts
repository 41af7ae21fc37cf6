import { describe, expect, spyOn, test } from "bun:test";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { StopEventSchema } from "../../../../src/claude/events.ts";
import type { ReviewWay } from "../../../../src/claude/runs.ts";
import { type ReviewContext, supervisorSettings, type When } from "../../../../src/config/defaults.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import type { SkipReason } from "../../../../src/supervisor/outcome.ts";
import type { LaunchRecord } from "../../../../src/supervisor/record/session.ts";
import type { DoneState } from "../../../../src/supervisor/record/state.ts";
import type { Reviewer } from "../../../../src/supervisor/review/reviewer.ts";
import { assembleStop, type StopFacts, whySkipped } from "../../../../src/supervisor/review/stop.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import { fakeWorld } from "../../fakes.ts";

/** A stop of which this is known. `content` are more files. */
function assemble(
  facts: Partial<StopFacts>,
  launched: Partial<LaunchRecord> = {},
  content: Record<string, string> = {},
) {
  const { world } = fakeWorld({ content });
  return assembleStop({
    world,
    id: "s",
    project: "/project",
    cwd: "/project",
    paths: cccPaths(world),
    launch: {
      cwd: "/project",
      claude: "/bin/claude",
      version: "2.1.325",
      same_model: true,
      reviewer: "glm",
      fallback: [],
      environment: { salt: "", plain: {}, hashed: [] },
      instructions: { path: null, text: "Look." },
      checks: { commands: [], left_out: [] },
      ...launched,
    },
    settings: undefined,
    isTerminal: false,
    options: supervisorSettings({}),
    redactor: createRedactor([]),
    log: { say: () => {} },
    asked: { prompts: ["do it"], userPromptId: "p1" },
    transcript: undefined,
    answer: undefined,
    baseline: undefined,
    instructionsChange: undefined,
    record: undefined,
    states: [],
    files: undefined,
    outputFile: "",
    note: () => {},
    ...facts,
  });
}

describe("what the reviewer sees", () => {
  const GUARD = {
    hooks: { PreToolUse: [{ matcher: "", hooks: [{ type: "command", command: "ccc supervisor-guard" }] }] },
  };
  const WITHOUT_ATTRIBUTION = { env: { CLAUDE_CODE_ATTRIBUTION_HEADER: "0" } };
  const PRINT = {};
  const TERMINAL = { isTerminal: true, settings: WITHOUT_ATTRIBUTION };

  interface Situation {
    readonly isTerminal?: boolean;
    readonly settings?: object;
    readonly version?: string | null;
    readonly same_model?: boolean;
  }

  const way = (context: ReviewContext, { isTerminal = false, settings = {}, ...launch }: Situation, guard: object) =>
    assemble({ isTerminal, settings: "/reviewer.json", options: { ...supervisorSettings({}), context } }, launch, {
      "/reviewer.json": JSON.stringify({ ...settings, ...guard }),
    }).reviewers[0].way;

  const cases: [name: string, context: ReviewContext, situation: Situation, way: ReviewWay][] = [
    ["auto with -p", "auto", PRINT, "shared"],
    ["auto with -p on the first version that shares", "auto", { version: "2.1.269" }, "shared"],
    ["auto with -p on the version before", "auto", { version: "2.1.268" }, "fresh"],
    ["auto in a terminal without the attribution block", "auto", TERMINAL, "shared"],
    ["auto in a terminal with it", "auto", { isTerminal: true }, "fresh"],
    ["auto in a terminal on the first version that shares", "auto", { ...TERMINAL, version: "2.1.308" }, "shared"],
    ["auto in a terminal on the version before", "auto", { ...TERMINAL, version: "2.1.307" }, "fresh"],
    ["auto with another model", "auto", { same_model: false }, "fresh"],
    ["auto with an unknown version", "auto", { version: null }, "fresh"],
    ["session with another model", "session", { same_model: false }, "shared"],
    ["session on an old version", "session", { version: "2.0.77" }, "schema"],
    ["session with an unknown version", "session", { version: null }, "schema"],
    ["fresh, although the cache could be shared", "fresh", PRINT, "fresh"],
  ];
  test.each(cases)("%s", (_, context, situation, expected) => {
    expect(way(context, situation, GUARD)).toBe(expected);
    expect(way(context, situation, {})).toBe("schema");
  });

  test("no conversation for one that confirms; nobody does for a hook on its own", () => {
    const confirmed = { options: supervisorSettings({ supervisor: { confirm: true } }) };
    const fallback = [{ reviewer: "kimi", settings: "/kimi.json", same_model: false }];
    const ways = assemble(confirmed, { fallback }).confirmers?.map(({ name, way }) => `${name} ${way}`);
    expect(ways).toEqual(["glm fresh", "kimi fresh"]);
    expect(assemble({ ...confirmed, isStandalone: true }).confirmers).toBeUndefined();
  });

  test("the conversation and its instructions on the command line, if only the event is known", async () => {
    const { reviewers, evidence, lastMessage } = assemble({ isStandalone: true }, { version: null });
    const { args } = programOf(await reviewers[0].start(reviewers[0].way, "/project"));
    expect([reviewers[0].way, evidence, await lastMessage()]).toEqual(["schema", undefined, ""]);
    expect(args).toContain("Look.");
    expect(args).toContain("--json-schema");
  });

  test.each([
    ["2.1.325", [false, true, true]],
    ["2.1.143", [false, true, true]],
    // Would ask a model that answers in prose for an answer in the schema forever.
    ["2.1.142", [false, false, false]],
    [null, [false, false, false]],
  ])("a JSON schema to answer in, on version %p: %j", async (version, expected) => {
    const [reviewer] = assemble({}, { version }).reviewers;
    const ways = ["shared", "schema", "fresh"] as const;
    expect(ways.map(reviewer.isInSchema)).toEqual(expected);
    const programs = (await Promise.all(ways.map((way) => reviewer.start(way, "/project")))).map(programOf);
    expect(programs.map(({ args }) => args.includes("--json-schema"))).toEqual(expected);
  });
});

describe("supervisor.sandbox", () => {
  const withSandbox = (sandbox: "auto" | boolean, facts: Partial<StopFacts> = {}) =>
    assemble({ options: supervisorSettings({ supervisor: { sandbox } }), ...facts }).reviewers[0];

  test("without one: auto and false are as before, and true is no review at all", async () => {
    const tools = async (sandbox: "auto" | boolean) => {
      const started = await withSandbox(sandbox).start("fresh", "/project");
      return "failure" in started
        ? started.failure
        : [started.cwd, started.sandbox, started.program.args.includes("Bash,Read")];
    };
    expect(await tools("auto")).toEqual(["/project", undefined, false]);
    expect(await tools(false)).toEqual(["/project", undefined, false]);
    expect(await tools(true)).toBe(
      "supervisor.sandbox is true, and there is no sandbox: missing: bubblewrap and socat. apt-get install bubblewrap socat",
    );
  });

  test("where no folder for it can be made: auto reviews without it and logs why, and true is no review", async () => {
    const { world } = fakeWorld({ platform: "darwin", env: { HOME: "/home/u" } });
    const trial = { machine: "", claude: "/bin/claude", version: "2.1.325", why: null };
    world.files.writePrivate(join(cccPaths(world).generated, "sandbox.json"), JSON.stringify(trial));
    const refused = <T extends unknown[], R>(action: (path: string, ...rest: T) => R) => {
      return (path: string, ...rest: T) => {
        if (path.includes("/reviews")) throw new CccError("read-only file system");
        return action(path, ...rest);
      };
    };
    const { makeFolder, create, writePrivate } = world.files;
    const files = {
      ...world.files,
      makeFolder: refused(makeFolder),
      create: refused(create),
      writePrivate: refused(writePrivate),
    };
    const logged: string[] = [];
    const facts = { world: { ...world, files }, log: { say: (line: string) => void logged.push(line) } };
    const why = "it cannot be prepared: read-only file system";
    expect(await withSandbox("auto", facts).start("fresh", "/project")).toMatchObject({ cwd: "/project" });
    expect(logged.splice(0)).toEqual([`a review runs without a sandbox: ${why}`]);
    expect(await withSandbox(true, facts).start("fresh", "/project")).toMatchObject({
      failure: `supervisor.sandbox is true, and there is no sandbox: ${why}. Set XDG_CACHE_HOME to a folder in which ccc may write.`,
    });
    expect(logged).toEqual([]);
  });

  test("true: every review is a fresh one, and one that needs the conversation is none", async () => {
    expect([withSandbox("auto").way, withSandbox(true).way]).toEqual(["shared", "fresh"]);
    expect(await withSandbox(true, { isStandalone: true }).start("schema", "/project")).toMatchObject({
      failure: expect.stringContaining("there is no sandbox: this review needs the conversation"),
    });
  });
});

function programOf(started: Awaited<ReturnType<Reviewer["start"]>>) {
  if ("failure" in started) throw new Error(started.failure);
  return started.program;
}

describe("session evidence", () => {
  const entry = (type: string, ...content: unknown[]) => `${JSON.stringify({ type, message: { content } })}\n`;
  const CALL = entry("assistant", { type: "tool_use", id: "t1", name: "Bash", input: { command: "exit 3" } });
  const FAILURE = entry("user", { type: "tool_result", tool_use_id: "t1", is_error: true, content: "Exit code 3" });
  const ANSWER = entry("assistant", { type: "text", text: "All is done." });

  async function evidenceOf(transcript: string, answer: string | undefined, hasEnded = false) {
    const { evidence, lastMessage } = assemble({ transcript, answer, hasEnded });
    const { steps = [], lastMessage: claim } = (await evidence?.()) ?? {};
    expect(await lastMessage()).toBe(answer ?? claim ?? "");
    return { claim, failed: steps.map((step) => step.kind === "tool" && step.hasFailed) };
  }

  describe("the evidence of a session", () => {
    test("waits for steps that Claude Code writes down after it has reported the stop", async () => {
      await using transcript = await newTranscript(CALL);
      const found = evidenceOf(transcript.path, "All is done.");
      // Later than the first read. Should that be late itself, the test proves less, but holds.
      await Bun.sleep(20);
      await appendFile(transcript.path, FAILURE + ANSWER);
      expect(await found).toEqual({ claim: "All is done.", failed: [true] });
    });

    test("does not wait forever for a message that never arrives", async () => {
      await using transcript = await newTranscript(CALL + FAILURE + ANSWER);
      expect(await evidenceOf(transcript.path, "Other words.")).toEqual({ claim: "Other words.", failed: [true] });
      // What the agent did last may be missing, too.
      const isAnswered = async (answer: string) =>
        (await assemble({ transcript: transcript.path, answer }).evidence?.())?.isAnswered;
      expect([await isAnswered("All is done."), await isAnswered("Other words.")]).toEqual([true, false]);
    });

    test("of a long session goes back to the user's last prompt, and to enough steps", async () => {
      const prompt = entry("user", { type: "text", text: "do it" });
      const before = prompt + entry("other", "x".repeat(1_000_000));
      const isPartial = async (end: string) => {
        await using transcript = await newTranscript(before + end);
        return (await assemble({ transcript: transcript.path }).evidence?.())?.isPartial;
      };
      expect(await isPartial(CALL.repeat(60))).toBe(false);
      expect(await isPartial(prompt + CALL.repeat(48))).toBe(false);
      expect(await isPartial(prompt + CALL.repeat(49))).toBe(true);
    });

    test("is complete if there is no transcript: nothing was left out", async () => {
      const told = { project: "/project", transcript: undefined, lastMessage: "Done." };
      expect(await assemble({ answer: "Done." }).evidence?.()).toEqual({
        ...told,
        steps: [],
        isPartial: false,
        isAnswered: false,
      });
    });

    test("has the transcript's last message if Claude Code reported none", async () => {
      await using transcript = await newTranscript(CALL + FAILURE + ANSWER);
      expect(await evidenceOf(transcript.path, undefined)).toEqual({ claim: "All is done.", failed: [true] });
    });

    test("is complete once the agent's process has ended: the transcript is not waited for", async () => {
      await using transcript = await newTranscript(CALL + FAILURE + ANSWER);
      using timers = spyOn(globalThis, "setTimeout");
      expect(await evidenceOf(transcript.path, "Other words.", true)).toEqual({
        claim: "All is done.",
        failed: [true],
      });
      expect(timers).not.toHaveBeenCalled();
    });
  });

  async function newTranscript(lines: string) {
    const folder = await mkdtemp(join(tmpdir(), "ccc-evidence-"));
    const path = join(folder, "session.jsonl");
    await writeFile(path, lines);
    return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  }
});

describe("the reviewers of a session", () => {
  /** Who is asked in a session with these reviewers, each with its settings file and the retries that it has. */
  function asked(...[first = "", ...others]: string[]) {
    const fallback = others.map((reviewer) => ({ reviewer, settings: `/${reviewer}.json`, same_model: false }));
    const { reviewers } = assemble({ settings: `/${first}.json` }, { reviewer: first, fallback });
    return Promise.all(
      reviewers.map(async ({ name, way, start }) => {
        const { args, env } = programOf(await start(way, "/project"));
        return [name, args[args.indexOf("--settings") + 1], env.CLAUDE_CODE_MAX_RETRIES];
      }),
    );
  }

  test("have their own settings each, and the last one tries longest: nobody comes after it", async () => {
    expect(await asked("kimi")).toEqual([["kimi", "/kimi.json", "4"]]);
    expect(await asked("kimi", "glm")).toEqual([
      ["kimi", "/kimi.json", "2"],
      ["glm", "/glm.json", "4"],
    ]);
    expect(await asked("kimi", "glm", "qwen")).toEqual([
      ["kimi", "/kimi.json", "2"],
      ["glm", "/glm.json", "2"],
      ["qwen", "/qwen.json", "4"],
    ]);
  });
});

describe("what ccc noticed", () => {
  const CHANGE = "SUPERVISOR.md changed after the session started.";
  test.each<[string, Partial<StopFacts>, string[], RegExp[]]>([
    ["an ordinary stop", {}, [], []],
    ["instructions that changed, and more", { instructionsChange: CHANGE, findings: ["x"] }, [], [/^SUPER/, /^x$/]],
    ["checks that nobody agreed to", { findings: ["x"] }, ["make"], [/^1 check in SUPERVISOR.md did not run/, /^x$/]],
  ])("%s", (_, facts, left_out, wanted) => {
    const { findings } = assemble(facts, { checks: { commands: [], left_out } });
    expect(findings).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe("the tool calls of a prompt", () => {
  const TASK = { id: "1", type: "shell", status: "running", description: "x" };
  test.each<[string, object, object | undefined]>([
    ["are counted", {}, { since: "p1", calls: 1 }],
    ["are not known while a task in the background may add to them", { background_tasks: [TASK] }, undefined],
  ])("%s", async (_, more, expected) => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript_path = join(folder, "t.jsonl");
    const content = [{ type: "tool_use", name: "Bash", input: {} }];
    const lines = [
      { type: "user", promptId: "p1", message: { content: "x" } },
      { type: "assistant", message: { content } },
      { type: "assistant", message: { content: [{ type: "text", text: "done" }] } },
    ];
    await writeFile(transcript_path, lines.map((line) => JSON.stringify(line)).join("\n"));
    const known = { session_id: "s", transcript_path, prompt_id: "p1", last_assistant_message: "done" };
    const event = v.parse(StopEventSchema, { ...known, ...more });
    expect(await assemble({ event }).checks.toolCalls()).toEqual(expected as never);
    await rm(folder, { recursive: true });
  });
});

describe("why a stop is skipped", () => {
  const NOTICE = "<task-notification>\n<status>completed</status>\n</task-notification>";
  const FAILURE = "<task-notification>\n<status>failed</status>\n</task-notification>";

  const prompt = (prompt_id: string | null, text: string, by_user = true, mode = "default") => ({
    at: "",
    prompt_id,
    text,
    by_user,
    mode,
  });
  const P1 = prompt("p1", "do it");
  const P2 = prompt("p2", NOTICE, false);

  const entry = (promptId: string) => ({ type: "user", promptId, message: { content: "x" } });
  const says = (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } });
  const USES = { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: {} }] } };
  const MEGABYTE = { type: "attachment", text: "x".repeat(1_000_000) };
  const WORKED = [entry("p1"), USES, says("done")];
  const NOTICED = [...WORKED, entry("p2"), says("noticed")];

  interface Situation {
    readonly event?: object;
    readonly recorded?: readonly ReturnType<typeof prompt>[] | undefined;
    readonly done?: DoneState | undefined;
    /** What identifies the files now; undefined: not known. */
    readonly files?: string | undefined;
    readonly when?: When;
    readonly hasWakeUp?: boolean;
    readonly transcript: readonly object[];
  }

  const DONE = { prompts: 1, files: "tree" };
  const AFTER_DONE: Situation = {
    event: { prompt_id: "p2", last_assistant_message: "noticed" },
    recorded: [P1, P2],
    done: DONE,
    transcript: NOTICED,
  };
  const NO_FILES = { since: "", top: "/", worktree: undefined, files: [], more: 0, suspicious: [] };
  const NOT_KNOWN = { why: "too slow" } as const;
  const TALKED: Situation = {
    event: { last_assistant_message: "hello" },
    transcript: [entry("p1"), says("hello")],
    when: "changes",
  };

  const tasks = (type: string, status = "running") => ({
    background_tasks: [{ type, status, description: "", command: "" }],
  });

  const table: [name: string, situation: Situation, why: SkipReason | undefined][] = [
    ["the agent worked", { transcript: WORKED }, undefined],
    ["plan mode", { event: { permission_mode: "plan" }, recorded: [{ ...P1, mode: "plan" }], transcript: [] }, "plan"],
    ["plan mode that the agent entered", { event: { permission_mode: "plan" }, transcript: [] }, undefined],
    ["a plan that was accepted", { recorded: [{ ...P1, mode: "plan" }], transcript: WORKED }, undefined],
    ["a delegated agent works", { event: tasks("subagent"), transcript: WORKED }, "delegated"],
    ["a delegated agent has finished", { event: tasks("subagent", "completed"), transcript: WORKED }, undefined],
    ["a shell runs", { event: tasks("shell"), transcript: WORKED }, undefined],
    [
      "a delegated agent works in plan mode",
      {
        event: { permission_mode: "plan", ...tasks("teammate") },
        recorded: [{ ...P1, mode: "plan" }],
        transcript: [],
      },
      "delegated",
    ],
    ["a wake-up is scheduled", { hasWakeUp: true, transcript: WORKED }, "scheduled"],
    ["a task ended after done", AFTER_DONE, "unchanged"],
    ["a task changed files after done", { ...AFTER_DONE, files: "other" }, undefined],
    ["the files are not known any more", { ...AFTER_DONE, files: undefined }, undefined],
    ["the files were never known", { ...AFTER_DONE, done: { prompts: 1, files: null }, files: undefined }, "unchanged"],
    ["a task failed after done", { ...AFTER_DONE, recorded: [P1, { ...P2, text: FAILURE }] }, undefined],
    [
      "a tool ran after done",
      { ...AFTER_DONE, transcript: [...WORKED, entry("p2"), USES, says("noticed")] },
      undefined,
    ],
    ["a task ended after a review that did not say done", { ...AFTER_DONE, done: undefined }, undefined],
    [
      "a hook of the user's made the agent go on",
      { ...AFTER_DONE, event: { last_assistant_message: "noticed" } },
      undefined,
    ],
    [
      "the user asked for more after done",
      { ...AFTER_DONE, recorded: [P1, { ...P2, text: "more", by_user: true }] },
      undefined,
    ],
    [
      "the second of two tasks ended after done",
      {
        event: { prompt_id: "p3", last_assistant_message: "again" },
        recorded: [P1, P2, prompt("p3", NOTICE, false)],
        done: DONE,
        transcript: [...NOTICED, entry("p3"), says("again")],
      },
      "unchanged",
    ],
    [
      "a tool ran after the first of them",
      {
        event: { prompt_id: "p3", last_assistant_message: "again" },
        recorded: [P1, P2, prompt("p3", NOTICE, false)],
        done: DONE,
        transcript: [...WORKED, entry("p2"), USES, says("x"), entry("p3"), says("again")],
      },
      undefined,
    ],
    ["only talk", { ...TALKED, when: "always" }, undefined],
    ["only talk, and changes count", TALKED, "talk"],
    ["work, and changes count", { when: "changes", transcript: WORKED }, undefined],
    ["work before a task ended, and changes count", { ...AFTER_DONE, done: undefined, when: "changes" }, undefined],
    [
      "talk after feedback, and changes count",
      { ...TALKED, event: { last_assistant_message: "hello", stop_hook_active: true } },
      undefined,
    ],
    [
      "work long before a message that was typed meanwhile, and changes count",
      {
        ...TALKED,
        transcript: [entry("p0"), entry("p1"), USES, MEGABYTE, MEGABYTE, entry("p1"), says("hello")],
      },
      undefined,
    ],
    [
      "work for the prompt before, far above, and changes count",
      { ...TALKED, transcript: [entry("p0"), USES, MEGABYTE, entry("p0"), entry("p1"), says("hello")] },
      "talk",
    ],
    ["a transcript that ends with the prompt, and changes count", { ...TALKED, transcript: [entry("p1")] }, undefined],
    ["a version without ids, and changes count", { ...TALKED, recorded: [prompt(null, "do it")] }, undefined],
    ["no prompts on record, and changes count", { ...TALKED, recorded: undefined }, undefined],
  ];
  for (const [name, situation, why] of table) {
    test(name, async () => {
      const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
      const transcript_path = join(folder, "t.jsonl");
      await writeFile(transcript_path, situation.transcript.map((line) => JSON.stringify(line)).join("\n"));
      const {
        recorded = "recorded" in situation ? undefined : [P1],
        done,
        when = "always",
        hasWakeUp = false,
      } = situation;
      const event = v.parse(StopEventSchema, {
        session_id: "s",
        transcript_path,
        prompt_id: "p1",
        last_assistant_message: "done",
        ...situation.event,
      });
      const files = "files" in situation ? situation.files : "tree";
      const changes = async () => (files === undefined ? NOT_KNOWN : { ...NO_FILES, tree: files });
      expect(await whySkipped({ event, stop: { recorded, changes, options: { when } }, done, hasWakeUp })).toBe(why);
      await rm(folder, { recursive: true });
    });
  }

  test("waits for a transcript that is written after the event", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript_path = join(folder, "t.jsonl");
    const event = v.parse(StopEventSchema, { session_id: "s", transcript_path, ...AFTER_DONE.event });
    const changes = async () => NOT_KNOWN;
    const reason = whySkipped({
      event,
      stop: { recorded: [P1, P2], changes, options: { when: "always" } },
      done: DONE,
      hasWakeUp: false,
    });
    const lines = [...WORKED, entry("p2"), USES, says("noticed")].map((line) => `${JSON.stringify(line)}\n`);
    await writeFile(transcript_path, lines.slice(0, 4).join(""));
    await writeFile(transcript_path, lines.join(""));
    expect(await reason).toBeUndefined();
    await rm(folder, { recursive: true });
  });
});
