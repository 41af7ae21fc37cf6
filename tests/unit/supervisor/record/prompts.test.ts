import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StopEvent } from "../../../../src/claude/events.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import { eventPrompts, loopPrompts, sessionPrompts } from "../../../../src/supervisor/record/prompts.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { reviewState, type StateFile } from "../../../../src/supervisor/record/state.ts";
import { memoryFiles } from "../../fakes.ts";

describe("the prompts on record, line by line:", () => {
  const prompt = { at: "t", prompt_id: "p", by_user: true, text: "do it", mode: "plan" };
  const { mode: _, ...older } = prompt;
  test.each([
    ["a prompt", [prompt], [prompt]],
    ["one of an older version", [older], [{ ...prompt, mode: null }]],
    ["one of a newer version", [{ ...prompt, more: 1 }], [prompt]],
    ["one without an id", [{ ...prompt, prompt_id: null }], [{ ...prompt, prompt_id: null }]],
    ["one in doubt", [{ ...prompt, doubt: "d" }], [{ ...prompt, doubt: "d" }]],
    [
      "one that is settled later",
      [{ ...prompt, doubt: "d" }, prompt, { settles: "d", by_user: false }],
      [{ ...prompt, by_user: false }, prompt],
    ],
    [
      "the last of two rulings counts",
      [
        { ...prompt, doubt: "d" },
        { settles: "d", by_user: false },
        { settles: "d", by_user: true },
      ],
      [prompt],
    ],
    [
      "a ruling on another one",
      [
        { ...prompt, doubt: "d" },
        { settles: "e", by_user: false },
      ],
      [{ ...prompt, doubt: "d" }],
    ],
    ...Object.keys(older).map(
      (name) => [`one without ${name} is ignored`, [{ ...prompt, [name]: undefined }, prompt], [prompt]] as const,
    ),
    ...Object.keys(prompt).map(
      (name) => [`one with another type of ${name} is ignored`, [{ ...prompt, [name]: 1 }, prompt], [prompt]] as const,
    ),
    ["one with another type of doubt is ignored", [{ ...prompt, doubt: 1 }, prompt], [prompt]],
    ["what is not an object is ignored", [null, 1, "text", [prompt], prompt], [prompt]],
  ])("%s", (_name, lines, read) => {
    const files = memoryFiles();
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
    const path = "/c/ccc/sessions/s/prompts.jsonl";
    files.append(path, ["{ damaged", ...lines.map((line) => JSON.stringify(line)), ""].join("\n"), 1e6);
    expect(openSession(files, paths, "s").prompts.read()).toEqual([...read]);
  });

  test("a text that is too long is cut, and says by how much; the longest that is not is whole", () => {
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
    const { prompts } = openSession(memoryFiles(), paths, "s");
    const [longest, longer] = ["x".repeat(1_000_000), "x".repeat(1_000_003)];
    prompts.append({ ...prompt, text: longest }, { ...prompt, text: longer });
    const texts = prompts.read()?.map(({ text }) => text.replace(longest, "…"));
    expect(texts).toEqual(["…", "…\n[… 3 more characters, which ccc did not record …]"]);
  });

  test("none, if nothing was ever recorded", () => {
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
    expect(openSession(memoryFiles(), paths, "s").prompts.read()).toBeUndefined();
  });
});

describe("event prompts", () => {
  let folder = "";
  let transcript = "";
  const line = (uuid: string, promptId: string | undefined, content: string) =>
    `${JSON.stringify({ type: "user", uuid, promptId, message: { content } })}\n`;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    transcript = join(folder, "t.jsonl");
    await writeFile(transcript, line("u1", "p1", "first") + line("u2", "p2", "second"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  type Event = Parameters<typeof eventPrompts>[0];
  const prompts = (event: Partial<Event>, seen?: string) =>
    eventPrompts(event as Event, seen === undefined ? [] : [stateAfter(seen)], undefined);

  /** The state after a stop that has seen this prompt. */
  function stateAfter(seen: string): StateFile {
    const state = { path: "/s", edit: memoryFiles().edit.bind(undefined, "/s") };
    reviewState(state).claim({ sessionId: "s", userPromptId: seen, seen, limit: 9, now: "", agentTokens: 0 }, () => {});
    return state;
  }

  describe("the prompts of a session without a record", () => {
    test("are those of the transcript, and the event says which one is answered", async () =>
      expect(await prompts({ transcript_path: transcript, prompt_id: "p1" })).toEqual({
        prompts: ["first", "second"],
        userPromptId: "p1",
      }));
    test("without an id in the event, it is the last one", async () =>
      expect(await prompts({ transcript_path: transcript })).toMatchObject({
        prompts: ["first", "second"],
        userPromptId: "u2",
        seen: "u2",
      }));
    test("without an id, an agent that continues after a review still answers the same one", async () =>
      expect(await prompts({ transcript_path: transcript, stop_hook_active: true }, "u2")).toEqual({
        prompts: ["first", "second"],
        userPromptId: undefined,
        seen: "u2",
      }));
    test("are not known without a transcript", async () =>
      expect(await prompts({ prompt_id: "p1" })).toEqual({ prompts: [], userPromptId: "p1" }));
  });
});

describe("whose prompts they are", () => {
  const turn = (id: string, content: string, marks: object = HUMAN) => ({
    type: "user",
    promptId: id,
    message: { content },
    ...marks,
  });
  const queued = (prompt: string, kind: string) => ({
    type: "attachment",
    entrypoint: "cli",
    attachment: { type: "queued_command", prompt, origin: { kind } },
  });
  const HUMAN = { origin: { kind: "human" } };
  const SCHEDULED = { promptSource: "system", turnOrigin: "scheduled", isMeta: true };
  const PEER = { promptSource: "system", origin: { kind: "peer" }, isMeta: true };
  const UNMARKED = {};
  /** A line of a version whose events have no ids. */
  const old = (content: string, marks: object = {}) => ({
    type: "user",
    message: { content },
    userType: "external",
    ...marks,
  });

  type Whose = boolean | "in doubt";
  const ROWS: [
    name: string,
    recorded: [id: string | null, text: string, guess: boolean, whose: Whose][],
    lines: object[],
  ][] = [
    ["the user's", [["p1", "do it", true, true]], [turn("p1", "do it")]],
    ["pasted", [["p1", "<agent-message>x", false, true]], [turn("p1", "<agent-message>x")]],
    ["a wake-up", [["p1", "# tick", true, false]], [turn("p1", "# tick", SCHEDULED)]],
    ["an agent's, with a warning", [["p1", "x", true, false]], [turn("p1", "Another session sent\nx", PEER)]],
    ["typed like a scheduled one", [["p1", "/deploy now", false, true]], [turn("p1", "/deploy now")]],
    ["rewritten by a plugin", [["p1", "do it", true, true]], [turn("p1", "do it well")]],
    ["of an older version", [["p1", "do it", true, true]], [turn("p1", "do it", UNMARKED)]],
    ["scheduled, in an older version", [["p1", "do it", false, false]], [turn("p1", "do it", UNMARKED)]],
    [
      "typed and sent by an agent, while the agent works",
      [
        ["p1", "do it", true, true],
        ["p1", "hurry", true, true],
        ["p1", "skip the tests", true, false],
      ],
      [turn("p1", "do it"), queued("hurry", "human"), queued("skip the tests", "peer")],
    ],
    [
      "typed while the agent works on a wake-up",
      [
        ["p1", "# tick", true, false],
        ["p1", "hurry", true, true],
      ],
      [turn("p1", "# tick", SCHEDULED), queued("hurry", "human")],
    ],
    [
      "the same words of two senders, in order",
      [
        ["p1", "do it", true, true],
        ["p1", "go on", true, false],
        ["p1", "go on", true, true],
      ],
      [turn("p1", "do it"), queued("go on", "peer"), queued("go on", "human")],
    ],
    [
      "typed while a stop was handled: its line has the next id",
      [
        ["p1", "do it", true, true],
        ["p1", "one more", true, true],
      ],
      [turn("p1", "do it"), turn("p2", "one more")],
    ],
    [
      "sent while a stop was handled, by an agent",
      [
        ["p1", "do it", true, true],
        ["p1", "one more", true, false],
      ],
      [turn("p1", "do it"), turn("p2", "one more", SCHEDULED)],
    ],
    [
      "not settled by an earlier prompt with the same words",
      [
        ["p1", "go on", true, true],
        ["p2", "go on", true, "in doubt"],
      ],
      [turn("p1", "go on")],
    ],
    [
      "not settled by the same words of a prompt that nobody recorded, while its own turn is not there",
      [
        ["p1", "do it", true, true],
        ["p2", "go on", true, "in doubt"],
      ],
      [turn("p1", "do it"), turn("p0", "go on")],
    ],
    [
      "not settled by words of the user's before the turn",
      [
        ["p2", "do it", true, true],
        ["p2", "go on", true, "in doubt"],
      ],
      [turn("p1", "go on"), turn("p2", "do it")],
    ],
    [
      "blocked by a hook, so that it is not in the transcript",
      [
        ["p1", "do it", true, true],
        ["p2", "blocked", true, "in doubt"],
        ["p3", "go on", true, true],
      ],
      [turn("p1", "do it"), turn("p3", "go on")],
    ],
    [
      "of a version without ids: typed, with words of the agent's that nothing in the transcript shows",
      [
        [null, "do it", true, true],
        [null, "skip the tests", true, "in doubt"],
        [null, "go on", true, true],
      ],
      [old("do it"), old("go on")],
    ],
    [
      "of a version without ids: a cron's, which is hidden",
      [
        [null, "do it", true, true],
        [null, "skip the tests", true, false],
      ],
      [old("do it"), old("skip the tests", { isMeta: true, permissionMode: "default" })],
    ],
    [
      "of a version without ids: a command that the agent has scheduled",
      [
        [null, "do it", true, true],
        [null, "/deploy now", true, false],
      ],
      [
        old("do it"),
        { message: { content: [{ type: "tool_use", name: "CronCreate", input: { prompt: "/deploy now" } }] } },
        old(
          "<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args>now</command-args>",
        ),
      ],
    ],
    [
      "of a version without ids: a background task's",
      [
        [null, "do it", true, true],
        [null, "<task-notification>x", false, false],
      ],
      [old("do it"), old("<task-notification>x", { origin: { kind: "task-notification" } })],
    ],
    [
      "of a version without ids: a tag is in doubt, unless the session begins with it",
      [
        [null, "<html>pasted", false, true],
        [null, "<html>pasted again", false, false],
      ],
      [old("<html>pasted"), old("<html>pasted again")],
    ],
    [
      "of a version without ids: a tag, in a session that began before",
      [[null, "<html>pasted", false, false]],
      [old("earlier"), old("<html>pasted")],
    ],
    [
      "of a version without ids: the same words twice",
      [
        [null, "go on", true, true],
        [null, "go on", true, "in doubt"],
      ],
      [old("go on")],
    ],
    ["the first one of a session, not in the transcript", [["p2", "do it", true, true]], [turn("p1", "other")]],
    [
      "of a session that is not saved",
      [
        ["p1", "do it", true, true],
        ["p2", "<agent-message>", false, false],
        ["p3", "more", true, true],
      ],
      [],
    ],
  ];

  async function withTranscript(lines: readonly object[], use: (path: string) => Promise<void>) {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const path = join(folder, "t.jsonl");
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await use(path).finally(() => rm(folder, { recursive: true }));
  }

  const recordOf = (
    recorded: readonly [id: string | null, text: string, guess: boolean, ...unknown[]][],
    at: string,
  ) => {
    const { prompts } = openSession(memoryFiles(), { generated: "/ccc" }, "s");
    const line = ([prompt_id, text, by_user]: (typeof recorded)[number], index: number) => ({
      at,
      prompt_id,
      by_user,
      text,
      mode: null,
      doubt: `d${index}`,
    });
    prompts.append(...recorded.map(line));
    return prompts;
  };
  const LONG_AGO = "2026-01-01";
  const whose = (prompts: ReturnType<typeof recordOf>) =>
    prompts.read()?.map(({ by_user, doubt }) => (doubt === undefined ? by_user : "in doubt"));

  test.each(ROWS)("%s", (_, recorded, lines) =>
    withTranscript(lines, async (transcript) => {
      const prompts = recordOf(recorded, LONG_AGO);
      await prompts.settle(transcript, (action) => action(), Date.now());
      const expected = recorded.map(([, , , expectedWhose]) => expectedWhose);
      expect(whose(prompts)).toEqual(expected);
      const counted = recorded.filter(([, , , each]) => each === true).map(([, text]) => text);
      const asked = await eventPrompts({} as StopEvent, [], prompts.read());
      expect(asked.prompts).toEqual(counted);
    }),
  );

  test("a line that comes late is waited for at a stop, and only there", () =>
    withTranscript([turn("p0", "earlier")], async (transcript) => {
      const recorded = [["p0", "earlier", true] as const, ["p1", "# tick", true] as const].map((each) => [...each]);
      const prompts = recordOf(recorded as [string, string, boolean][], new Date().toISOString());
      await prompts.settle(transcript, (action) => action());
      expect(whose(prompts)).toEqual([true, "in doubt"]);
      const settling = prompts.settle(transcript, (action) => action(), Date.now() - 10_000);
      await Promise.race([settling, Bun.sleep(100)]);
      appendFileSync(transcript, JSON.stringify(turn("p1", "# tick", SCHEDULED)));
      await settling;
      expect(whose(prompts)).toEqual([true, false]);
    }));

  test("is known for one stop even if it cannot be written down", () =>
    withTranscript([turn("p1", "do it")], async (transcript) => {
      const prompts = recordOf([["p1", "do it", true]], LONG_AGO);
      expect(await prompts.settle(transcript, () => {}, Date.now())).toMatchObject([{ by_user: true, text: "do it" }]);
      expect(whose(prompts)).toEqual(["in doubt"]);
    }));
});

describe("loop prompts", () => {
  /** The prompts of a loop that starts at midnight, and whose messages to the agent are these. */
  function started(sent: readonly string[] = [], earlier: readonly string[] = []) {
    const record = openSession(memoryFiles(), cccPaths({ env: { HOME: "/home/u" }, platform: "linux" }), "s");
    const before = earlier.map((text) => ({ at: "1969-12-31", prompt_id: null, by_user: true, text, mode: null }));
    if (before.length > 0) record.prompts.append(...before);
    let minutes = 0;
    let writes = 0;
    const now = () => new Date(minutes * 60_000);
    const write = (action: () => void) => {
      writes++;
      action();
    };
    const prompts = loopPrompts(now, write, new Set(sent));
    return {
      at: (minute: number, own: readonly string[], transcript?: string) => {
        minutes = minute;
        return prompts.record({ record, transcript }, own);
      },
      recorded: () => (record.prompts.read() ?? []).map(({ at, text }) => `${at.slice(11, 16)} ${text}`.trim()),
      writes: () => writes,
    };
  }

  test("the task is recorded with the time at which the loop began, later prompts with theirs", async () => {
    const { at, recorded } = started();
    await at(5, ["task", "typed meanwhile"]);
    await at(9, ["task", "typed meanwhile", "and more"]);
    expect(recorded()).toEqual(["00:00 task", "00:05 typed meanwhile", "00:09 and more"]);
  });

  test("what is on record stays, and is not written again", async () => {
    const { at, recorded, writes } = started([], ["an earlier task"]);
    expect((await at(1, ["task"])).prompts).toEqual(["an earlier task", "task"]);
    expect((await at(2, ["task"])).prompts).toEqual(["an earlier task", "task"]);
    expect(recorded()).toEqual(["an earlier task", "00:00 task"]);
    expect(writes()).toBe(1);
  });

  test("without a record, the transcript has the earlier prompts; what this run has sent is not among them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    try {
      const transcript = join(folder, "s.jsonl");
      const said = ["an earlier task", "task", "FEEDBACK"].map((content) => ({ type: "user", message: { content } }));
      await writeFile(transcript, said.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const { at, recorded } = started(["task", "FEEDBACK"]);
      for (const minute of [1, 2])
        expect((await at(minute, ["task"], transcript)).prompts).toEqual(["an earlier task", "task"]);
      expect(recorded()).toEqual(["00:01 an earlier task", "00:00 task"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("every prompt of the user restarts the count of reviews", async () => {
    const { at } = started();
    const first = await at(1, ["task"]);
    expect((await at(2, ["task"])).userPromptId).toBe(first.userPromptId);
    expect((await at(3, ["task", "more"])).userPromptId).not.toBe(first.userPromptId);
  });
});

describe("prompts without ids", () => {
  const STATE = "/state.json";

  const entry = (uuid: string, content = `say ${uuid}`, more: object = {}) => ({
    type: "user",
    uuid,
    message: { content },
    ...more,
  });
  const NOTICE = (uuid: string) => entry(uuid, "<task-notification>x</task-notification>");
  const U1 = entry("u1");
  const U2 = entry("u2");

  interface SeenStop {
    readonly transcript: readonly object[];
    readonly isRepeated?: boolean;
    /** Ends without a review. */
    readonly isSkipped?: boolean;
  }

  const prompts = (transcript: string, isRepeated: boolean, state: StateFile) =>
    eventPrompts({ transcript_path: transcript, stop_hook_active: isRepeated } as StopEvent, [state], undefined);

  /** The rounds of a session's stops with a limit of one review per prompt; undefined: not reviewed. */
  async function rounds(stops: readonly SeenStop[]): Promise<(number | undefined)[]> {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    const memory = memoryFiles();
    const place = { path: STATE, edit: memory.edit.bind(undefined, STATE) };
    const found: (number | undefined)[] = [];
    for (const { transcript: lines, isRepeated = false, isSkipped = false } of stops) {
      await writeFile(transcript, lines.map((line) => JSON.stringify(line)).join("\n"));
      const asked = await prompts(transcript, isRepeated, place);
      if (isSkipped) continue;
      const claim = { sessionId: "s", ...asked, limit: 1, now: "now", agentTokens: 0 };
      found.push(reviewState(place).claim(claim, () => {}).number);
    }
    await rm(folder, { recursive: true });
    return found;
  }

  const REVIEWED = 1;
  const LIMIT = undefined;

  describe("with versions that give prompts no ids, and one review for each prompt", () => {
    const first: SeenStop = { transcript: [U1] };
    const again: SeenStop = { transcript: [U1], isRepeated: true };
    const table: [name: string, stops: SeenStop[], expected: (number | undefined)[]][] = [
      ["two prompts, both reviewed", [first, again, { transcript: [U1, U2] }], [REVIEWED, LIMIT, REVIEWED]],
      ["the second is not in the transcript yet", [first, again, { transcript: [U1] }], [REVIEWED, LIMIT, REVIEWED]],
      [
        "one that is not there yet counts once more when it is",
        [
          first,
          again,
          { transcript: [U1] },
          { transcript: [U1, U2], isRepeated: true },
          { transcript: [U1, U2], isRepeated: true },
        ],
        [REVIEWED, LIMIT, REVIEWED, REVIEWED, LIMIT],
      ],
      ["the same text twice", [first, again, { transcript: [U1, { ...U1, uuid: "u3" }] }], [REVIEWED, LIMIT, REVIEWED]],
      [
        "a notification is not the user's",
        [first, again, { transcript: [U1, NOTICE("n1")] }],
        [REVIEWED, LIMIT, LIMIT],
      ],
      [
        "a prompt after a notification, not in the transcript yet",
        [first, { transcript: [U1, NOTICE("n1")] }, { transcript: [U1, NOTICE("n1")] }],
        [REVIEWED, LIMIT, REVIEWED],
      ],
      [
        "a prompt after a stop that was skipped, not in the transcript yet",
        [first, { transcript: [U1, NOTICE("n1")], isSkipped: true }, { transcript: [U1, NOTICE("n1")] }],
        [REVIEWED, REVIEWED],
      ],
      [
        "a prompt after a command of Claude Code's own, not in the transcript yet",
        [first, again, { transcript: [U1, entry("c1", "<local-command-stdout>x</local-command-stdout>")] }],
        [REVIEWED, LIMIT, REVIEWED],
      ],
      [
        "feedback is not a prompt",
        [first, { transcript: [U1, entry("f1", "Stop hook feedback", { isMeta: true })], isRepeated: true }],
        [REVIEWED, LIMIT],
      ],
      [
        "lines without ids",
        [{ transcript: [{ ...U1, uuid: null }] }, { transcript: [U1, { ...U2, uuid: null }] }],
        [1, 1],
      ],
    ];
    // Each waits a second for what is missing.
    for (const [name, stops, expected] of table)
      test.concurrent(name, async () => expect(await rounds(stops)).toEqual(expected));
  });

  describe("a transcript without ids is read", () => {
    /** The prompt of a stop, if the transcript has u1, and u2 is added 200 ms later. The stop before has seen `seen`. */
    async function promptOf(seen: string, isRepeated: boolean) {
      const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
      const transcript = join(folder, "t.jsonl");
      await writeFile(transcript, `${JSON.stringify(U1)}\n`);
      const memory = memoryFiles();
      const place = { path: STATE, edit: memory.edit.bind(undefined, STATE) };
      const claim = { sessionId: "s", userPromptId: seen, seen, limit: 1, now: "now", agentTokens: 0 };
      reviewState(place).claim(claim, () => {});
      const found = prompts(transcript, isRepeated, place);
      await Promise.race([found, Bun.sleep(200)]);
      appendFileSync(transcript, JSON.stringify(U2));
      const { userPromptId } = await found;
      await rm(folder, { recursive: true });
      return userPromptId;
    }
    test("once, if it has a new prompt", async () => expect(await promptOf("u0", false)).toBe("u1"));
    test("once, if the agent continues with the last one", async () =>
      expect(await promptOf("u1", true)).toBeUndefined());
    test("until it has a new prompt, if the agent cannot have worked on the last one", async () =>
      expect(await promptOf("u1", false)).toBe("u2"));
  });
});

describe("scheduled prompts", () => {
  const cron = (id: string, recurring = false) => ({ id, prompt: `wake ${id}`, recurring });

  /** Stops of a session one after the other: the prompt of the user's, and what is scheduled. Is the last one to wait? */
  function waits(...stops: [userPromptId: string | undefined, crons: ReturnType<typeof cron>[]][]) {
    const files = memoryFiles();
    const record = openSession(files, { generated: "/ccc" }, "s");
    let last = false;
    for (const [userPromptId, crons] of stops) {
      record.scheduled.add(crons, userPromptId);
      last = record.scheduled.hasWakeUp(crons, userPromptId);
    }
    return { last, isScheduled: record.scheduled.has, content: files.content };
  }

  describe("a scheduled prompt", () => {
    test("lets the review wait", () => expect(waits(["1:a", [cron("x")]]).last).toBe(true));
    test("until it has come", () => expect(waits(["1:a", [cron("x")]], ["1:a", []]).last).toBe(false));
    test("and again if that one schedules another", () =>
      expect(waits(["1:a", [cron("x")]], ["1:a", [cron("y")]]).last).toBe(true));
    test("of an earlier prompt of the user's does not", () =>
      expect(waits(["1:a", [cron("x")]], ["2:b", [cron("x")]]).last).toBe(false));
    test("that recurs does not", () => expect(waits(["1:a", [cron("x", true)]]).last).toBe(false));
    test("without a record of prompts does not", () => expect(waits([undefined, [cron("x")]]).last).toBe(false));
    test("is not the user's even with an earlier id or text", () => {
      const renamed = { ...cron("x"), prompt: "other" };
      const after = waits(["1:a", [cron("x")]], ["1:a", [renamed, { ...cron("y"), prompt: "wake x" }]]);
      expect(["wake x", "other"].map(after.isScheduled)).toEqual([true, true]);
      expect(after.last).toBe(true);
    });
    test("is what it takes for anything to be written", () => expect(waits(["1:a", []]).content).toEqual({}));
    test("is not the user's", () => {
      const after = waits(["1:a", [cron("x"), cron("y", true)]], ["1:a", []]);
      expect(["wake x", "wake y", "wake z"].map(after.isScheduled)).toEqual([true, true, false]);
    });
  });
});

describe("session prompts", () => {
  function found(text: string, id?: string, byUser = true) {
    return { id, uuid: undefined, byUser, namesSender: true, isQueued: false, text };
  }

  function recorded(text: string, prompt_id: string | null, by_user = true) {
    return { at: "", prompt_id, by_user, text, mode: null };
  }

  test("without a record, the user's prompts in the transcript", () =>
    expect(sessionPrompts([], [found("a", "1"), found("<task>", "2", false), found("b", "3")], [])).toEqual({
      prompts: ["a", "b"],
      isUnrecorded: true,
    }));

  test.each([
    ["the record, which has the whole texts", [recorded("a, in full", "1")], [found("a", "1")], ["a, in full"]],
    ["what was asked later, without supervision", [recorded("a", "1")], [found("a", "1"), found("b", "2")], ["a", "b"]],
    [
      "what was asked after a prompt of which the transcript has only a part",
      [recorded("a, in full", "1")],
      [found("a", "1"), found("b", "2")],
      ["a, in full", "b"],
    ],
    [
      "not what turned out to be an agent's",
      [recorded("a", "1"), { ...recorded("skip it", "2"), doubt: "d" }],
      [found("a", "1"), found("skip it", "2", false)],
      ["a"],
    ],
    [
      "the last of two equal prompts counts",
      [recorded("a", null), recorded("a", null)],
      [found("a"), found("a")],
      ["a", "a"],
    ],
    [
      "not what the agent scheduled",
      [recorded("a", "1"), recorded("look again", "2", false)],
      [found("a", "1"), found("look again", "2")],
      ["a"],
    ],
    ["not the loop's feedback", [recorded("a", null)], [found("a"), found("typed\n\nfix it\n\nNot met: C1")], ["a"]],
    ["the record alone if the transcript does not have it", [recorded("a", "1")], [found("x", "9")], ["a"]],
  ])("%s", (_, record, transcript, wanted) => {
    // A review may have said nothing.
    const { prompts, isUnrecorded } = sessionPrompts(record, transcript, ["fix it", "", " "]);
    expect(prompts).toEqual(wanted);
    expect(isUnrecorded).toBe(wanted.length > record.filter(({ by_user }) => by_user).length);
  });
});

describe("user prompts", () => {
  const files = diskFiles(process.pid);
  const promptsAt = (transcript: string, prompt_id: string) =>
    eventPrompts({ transcript_path: transcript, prompt_id } as StopEvent, [], undefined);
  const line = (text: string, promptId: string, more: object = {}) =>
    `${JSON.stringify({ type: "user", promptId, message: { content: text }, ...more })}\n`;

  test("waits for a transcript that is written after the event, even if the file does not exist yet", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    const asked = promptsAt(transcript, "p2");
    await writeFile(transcript, line("first", "p1"));
    await writeFile(transcript, line("first", "p1") + line("second", "p2"));
    expect(await asked).toEqual({ prompts: ["first", "second"], userPromptId: "p2" });
    await rm(folder, { recursive: true });
  });

  test("distinguishes Claude Code's own prompts from the user's; a missing one counts as the user's", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    await writeFile(transcript, line("first", "p1") + line("wake", "p2", { promptSource: "system", isMeta: true }));
    expect(await promptsAt(transcript, "p2")).toEqual({ prompts: ["first"], userPromptId: undefined });
    expect(await promptsAt(transcript, "p3")).toEqual({ prompts: ["first"], userPromptId: "p3" });
    await rm(folder, { recursive: true });
  });

  test("what the user asked while nothing was recorded is added once, and only to a record that exists", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    await writeFile(transcript, line("first", "p1") + line("second", "p2") + line("third", "p3"));
    const paths = { folder, config: "", generated: folder, checked: "" };
    const record = openSession(files, paths, "s");
    const texts = () => record.prompts.read()?.map(({ text }) => text);
    await record.prompts.addMissing(transcript, "now");
    expect(record.prompts.read()).toBeUndefined();
    record.prompts.append({ at: "", prompt_id: "p1", by_user: true, text: "first", mode: null });
    await record.prompts.addMissing(transcript, "now");
    expect(texts()).toEqual(["first", "second", "third"]);
    const append = () => {
      throw new Error("nothing is missing");
    };
    await openSession({ ...files, append }, paths, "s").prompts.addMissing(transcript, "now");
    await rm(folder, { recursive: true });
  });

  test("with versions whose prompts have no ids, the text says which ones are missing, be it a single one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    const said = (text: string) => `${JSON.stringify({ type: "user", message: { content: text } })}\n`;
    await writeFile(transcript, said("first ") + said("second"));
    const record = openSession(files, { generated: folder }, "s");
    record.prompts.append({ at: "", prompt_id: null, by_user: true, text: "first\n", mode: null });
    await record.prompts.addMissing(transcript, "now");
    expect(record.prompts.read()?.map(({ text }) => text)).toEqual(["first\n", "second"]);
    await rm(folder, { recursive: true });
  });

  describe("the prompts on record", () => {
    const prompt = (text: string, prompt_id: string | null, by_user = true) => ({
      at: "",
      text,
      prompt_id,
      by_user,
      mode: null,
    });
    const table: [name: string, recorded: ReturnType<typeof prompt>[], prompts: string[], id: string | undefined][] = [
      ["nothing recorded", [], [], undefined],
      ["one prompt", [prompt("a", "p1")], ["a"], "1:p1"],
      ["two prompts", [prompt("a", "p1"), prompt("b", "p2")], ["a", "b"], "2:p2"],
      ["a message typed while the agent works is one more", [prompt("a", "p1"), prompt("b", "p1")], ["a", "b"], "2:p1"],
      ["a version without ids", [prompt("a", null), prompt("a", null)], ["a", "a"], "2:"],
      ["a wake-up does not count", [prompt("a", "p1"), prompt("wake", "p2", false)], ["a"], "1:p1"],
    ];
    for (const [name, recorded, prompts, userPromptId] of table) {
      test(name, async () =>
        expect(await eventPrompts({} as StopEvent, [], recorded)).toEqual({ prompts, userPromptId }),
      );
    }
  });
});

describe("how much of a long transcript is read to learn whose a prompt is:", () => {
  const MEGABYTE = JSON.stringify({ type: "attachment", text: "x".repeat(1_000_000) });
  const turn = (id: string) =>
    JSON.stringify({ type: "user", promptId: id, message: { content: `do ${id}` }, origin: { kind: "human" } });
  const on = (...ids: readonly string[]) =>
    ids.map((id) => ({ at: "2026-01-01T00:00:00Z", prompt_id: id, by_user: true, text: `do ${id}`, mode: null }));
  const inDoubt = (...ids: readonly string[]) => on(...ids).map((prompt, index) => ({ ...prompt, doubt: `${index}` }));

  test.each<[name: string, recorded: object[], last: string[], steps: number[]]>([
    ["the end, where its line is", [...on("p1"), ...inDoubt("p2")], [turn("p2")], [1e6]],
    ["the end, where an earlier prompt is and it is not", [...on("p1"), ...inDoubt("p2")], [turn("p1")], [1e6]],
    ["the end, if two later prompts have looked for it", [...inDoubt("p1"), ...on("p2", "p3")], [turn("p3")], [1e6]],
    ["more, if only one has", [...inDoubt("p1"), ...on("p2")], [turn("p2")], [1e6, 8e6, 64e6]],
    ["more, if its own turn may be longer", inDoubt("p1", "p1"), [turn("p1")], [1e6, 8e6, 64e6]],
    ["never more than 64 MB", [...on("p1"), ...inDoubt("p2")], [], [1e6, 8e6, 64e6]],
  ])("%s", async (_name, recorded, last, steps) => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    await writeFile(transcript, [...Array.from({ length: 65 }, () => MEGABYTE), ...last, ""].join("\n"));
    const files = memoryFiles();
    files.append("/c/ccc/sessions/s/prompts.jsonl", recorded.map((line) => `${JSON.stringify(line)}\n`).join(""), 1e6);
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
    const read: number[] = [];
    const { file: open } = Bun;
    const spy = spyOn(Bun, "file").mockImplementation(((path: string) => {
      const file = open(path);
      const slice = file.slice.bind(file);
      return Object.assign(file, {
        slice: (from: number) => {
          read.push(file.size - from);
          return slice(from);
        },
      });
    }) as typeof Bun.file);
    try {
      await openSession(files, paths, "s").prompts.settle(transcript, () => {}, Date.now());
    } finally {
      spy.mockRestore();
      await rm(folder, { recursive: true });
    }
    expect(read).toEqual(steps);
  });
});
