import { describe, expect, test } from "bun:test";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import { CccError } from "../../../../src/errors.ts";
import type { Files } from "../../../../src/os/files.ts";
import { NO_APPROVAL } from "../../../../src/supervisor/outcome.ts";
import { openTerminal } from "../../../../src/supervisor/record/launch.ts";
import { asObject, parseJson } from "../../../../src/text/json.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { type Answer, type Given, SESSION, startSession, verdict } from "../session-in-memory.ts";

/** A session with one prompt. */
async function session(given: Given = {}) {
  const started = await startSession(given);
  await started.start();
  await started.prompt("do it");
  return started;
}

const PREFACE = `${NO_APPROVAL}\n\n`;

const messageOf = (answer: Record<string, unknown>) =>
  (answer.hookSpecificOutput as { additionalContext?: string } | undefined)?.additionalContext;

/** What the agent gets, without the sentence that comes first in all of it. */
const feedbackOf = (answer: Record<string, unknown>) => messageOf(answer)?.replace(PREFACE, "");

const DONE = verdict(true, "fine");
const ASKS = verdict(false, "Which colour?", { needs_user: true });
const WORKING = { id: "1", type: "subagent", status: "running", description: "x" };

interface Situation {
  /** How long the agent worked. */
  readonly seconds?: number;
  /** Whether a task of the agent's has ended meanwhile. */
  readonly notice?: boolean;
  /** Whether the user's prompt is on record. */
  readonly isPromptKnown?: boolean;
  readonly event?: object;
  readonly given?: Given;
}

describe("supervise stop", () => {
  const STATE = `/project/.claude/ccc/supervisor-${SESSION}.json`;
  const LOG = "/project/.claude/ccc/supervisor.log";

  describe("a stop is reviewed", () => {
    test("not done: the agent continues with the feedback; done: it may stop", async () => {
      const { stop, asked, record, pass, files } = await session();
      const first = await stop(verdict(false, "not yet"));
      expect(feedbackOf(first.answer)).toBe("not yet");
      expect(first.answer.systemMessage).toBe("Review 1 of 10: not done");
      pass(5);
      const second = await stop(verdict(true, "fine"), { stop_hook_active: true });
      expect(second.answer).toEqual({ systemMessage: "Review 2 of 10: done. fine" });
      expect(asked).toHaveLength(2);
      expect(
        record()
          .stops.read()
          ?.flatMap(({ outcome }) => outcome ?? []),
      ).toEqual(["rework", "done"]);
      expect(files.read(LOG)).toContain("round 2: done");
      expect(files.read(STATE)).toBeDefined();
    });

    test("the next prompt begins with round one again", async () => {
      const { stop, prompt } = await session();
      await stop(verdict(false, "not yet"));
      await prompt("something else");
      expect((await stop(verdict(false, "no"))).answer.systemMessage).toBe("Review 1 of 10: not done");
    });

    test("the request has the prompts, the round and earlier feedback", async () => {
      const { stop, asked } = await session();
      await stop(verdict(false, "the tests are missing"));
      await stop(verdict(true, "fine"), { stop_hook_active: true });
      expect(
        asked.map(({ stdin }) => [/do it/.test(String(stdin)), /the tests are missing/.test(String(stdin))]),
      ).toEqual([
        [true, false],
        [true, true],
      ]);
    });

    test("a question about the answer has the code of the request, and no key", async () => {
      const { stop, asked, questions, record } = await session();
      const ruled = (evidence: string) => ({ criteria: [{ id: "C1", text: "it works", status: "met", evidence }] });
      const first = verdict(true, "fine", ruled("`npm test secret-key-of-glm` passes"));
      const { lines: second = [] } = verdict(true, "fine", ruled("I saw it"));
      expect((await stop({ ...first, later: [second] })).answer.systemMessage).toStartWith(
        "Review 1 of 10: done, 1 of 1 met",
      );
      const [code] = /(?<=<section-)\w{8}/.exec(String(asked[0]?.stdin)) ?? [];
      expect(asked).toHaveLength(1);
      expect(questions).toEqual([expect.stringContaining(`<section-${code} title="What it lacks">`)]);
      expect(questions[0]).toContain("- the evidence for C1 names `npm test ***`, which it neither opened nor ran.");
      expect(record().stops.read()?.at(-1)?.asked_again).toEqual([expect.stringContaining("`npm test ***`")]);
    });

    test("an older Claude Code gets a block, its only way to keep the agent going", async () => {
      const { stop } = await session({ version: "2.0.77" });
      const { answer } = await stop(verdict(false, "not yet"));
      expect(answer).toMatchObject({ decision: "block", reason: `${PREFACE}not yet` });
    });

    test("what sends the agent back says first what it may not do without asking: a review, a check, a nudge", async () => {
      const { stop } = await session({
        config: { supervisor: { checks: ["test -e ok"] } },
        program: () => ({ exitCode: 1 }),
      });
      expect(messageOf((await stop()).answer)).toStartWith(`${PREFACE}A check failed: test -e ok (exit 1).`);
      const { stop: leaked } = await session();
      expect(messageOf((await leaked(undefined, { last_assistant_message: "" })).answer)).toStartWith(
        `${PREFACE}Your last`,
      );
      const { stop: reviewed } = await session();
      const { answer } = await reviewed(verdict(false, "push it"));
      expect(messageOf(answer)).toBe(`${PREFACE}push it`);
      // The user sees the outcome only.
      expect(answer.systemMessage).not.toContain("approves nothing");
    });

    test("after the limit no reviewer runs", async () => {
      const { stop, asked } = await session({ config: { supervisor: { max_iterations: 1 } } });
      await stop(verdict(false, "not yet"));
      const { answer } = await stop(verdict(true, "fine"), { stop_hook_active: true });
      expect(answer).toEqual({
        systemMessage: "Stopped after 1 review: NOT done. The last changes were not reviewed. Last feedback: not yet",
      });
      expect(asked).toHaveLength(1);
    });

    test("a question for the user ends the run", async () => {
      const { stop, record } = await session();
      const { answer } = await stop(verdict(false, "Which colour?", { needs_user: true }));
      expect(answer.systemMessage).toStartWith("Needs you: Which colour?");
      expect(feedbackOf(answer)).toBeUndefined();
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "needs_user", feedback: "Which colour?" });
    });

    test("known keys are masked in the feedback", async () => {
      const { stop, files } = await session();
      const { answer } = await stop(verdict(false, "remove secret-key-of-glm from a.ts"));
      expect(feedbackOf(answer)).toStartWith("remove ");
      expect(JSON.stringify([answer, files.content])).toContain("from a.ts");
      for (const [path, text] of Object.entries(files.content))
        if (!path.endsWith("ccc.json") && !path.includes("/settings-"))
          expect(text ?? "").not.toContain("secret-key-of-glm");
    });

    test("also those of providers that do not review, wherever the hook's own environment points", async () => {
      const providers = { login: { env: {} }, kimi: { env: { ANTHROPIC_AUTH_TOKEN: "secret-key-of-kimi" } } };
      const { hook, reviews } = await session({ argv: ["--supervisor", "login"], config: { providers } });
      reviews.push(verdict(false, "remove secret-key-of-kimi from a.ts"));
      const { answer } = await hook("Stop", { last_assistant_message: "I am done" }, { HOME: "/elsewhere" });
      expect(feedbackOf(answer)).toMatch(/^remove (?!secret-key-of-kimi).* from a.ts$/);
    });

    test("tokens are counted, and end the run at the budget", async () => {
      const { stop, record } = await session({ config: { supervisor: { budget_tokens: 100 } } });
      const costly = verdict(false, "not yet");
      const [line = {}] = costly.lines ?? [];
      const { answer } = await stop({
        lines: [{ ...(line as object), usage: { input_tokens: 90, output_tokens: 20 } }],
      });
      expect(answer.systemMessage).toStartWith("Stopped after 110 tokens for this prompt");
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "budget", input_tokens: 90, output_tokens: 20 });
    });
  });

  const FALLBACK = "To have another provider review in such a case, name it in supervisor.fallback";

  describe("a stop is not reviewed, and the agent may stop", () => {
    const failures: [situation: string, answer: Answer, why: string][] = [
      [
        "claude crashes",
        { exitCode: 3, stderr: "boom" },
        `claude exited without a result (exit code 3): boom. ${FALLBACK}`,
      ],
      ["it takes too long", { ending: "timeout" }, `no verdict within 600 seconds. ${FALLBACK}`],
      ["Ctrl-C", { ending: "interrupted" }, "the hook was interrupted"],
    ];
    test.each(failures)("%s", async (_, answer, why) => {
      const { stop, record, files } = await session();
      const { code, answer: told } = await stop(answer);
      expect(code).toBe(0);
      expect(told.systemMessage).toBe(
        `NOT reviewed: ${why}. The agent was allowed to stop; see .claude/ccc/supervisor.log`,
      );
      expect(told).not.toHaveProperty("decision");
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "unreviewed", why });
      expect(files.read(LOG)).toContain(`could not review: ${why}`);
    });

    test("an invalid event", async () => {
      const { hook } = await session();
      const { code, answer } = await hook("Stop", { session_id: 7 });
      expect(code).toBe(0);
      expect(answer.systemMessage).toStartWith("NOT reviewed: ");
    });

    test("a delegated agent still works", async () => {
      const { stop, asked } = await session();
      const background_tasks = [{ id: "1", type: "subagent", status: "running", description: "x" }];
      const { answer } = await stop(verdict(true, "fine"), { background_tasks });
      expect(answer.systemMessage).toStartWith("No review: a delegated agent is still working");
      expect(asked).toEqual([]);
    });

    test("the agent has scheduled one wake-up; a recurring one does not count", async () => {
      const { stop, asked } = await session();
      const cron = (recurring: boolean) => ({
        session_crons: [{ id: "1", schedule: "0 9 * * *", prompt: "look", recurring }],
      });
      const { answer } = await stop(undefined, cron(false));
      expect(answer.systemMessage).toStartWith("No review: the agent has scheduled a wake-up");
      // It waits on purpose, even if it says nothing.
      const silent = await stop(undefined, { ...cron(false), last_assistant_message: "" });
      expect(silent.answer.systemMessage).toStartWith("No review: the agent has scheduled a wake-up");
      expect(asked).toEqual([]);
      expect((await stop(verdict(true, "fine"), cron(true))).answer.systemMessage).toStartWith("Review 1 of 10: done");
    });

    test("not if what was scheduled cannot be read: better one review too many", async () => {
      const { stop, files } = await session();
      Object.defineProperty(files.content, `/home/u/.claude/ccc/sessions/${SESSION}/scheduled.json`, {
        get: () => {
          throw new CccError("an error of the disk");
        },
      });
      const cron = { id: "1", schedule: "0 9 * * *", prompt: "look", recurring: false };
      const { answer, stderr } = await stop(verdict(true, "fine"), { session_crons: [cron] });
      expect(answer.systemMessage).toStartWith("Review 1 of 10: done");
      expect(stderr).toContain("could not read the session record: an error of the disk");
    });

    test("while supervision is off, even if that cannot be recorded", async () => {
      const refuse: Partial<Files> = {};
      const { stop, record } = await session({ refuse });
      record().switch.save({ is_on: false, is_due: false });
      refuse.append = () => {
        throw new CccError("the disk is full");
      };
      const line = "ccc supervisor-hook: could not record the stop: the disk is full\n";
      expect(await stop()).toEqual({ code: 0, answer: {}, stderr: line.repeat(2) });
    });

    test("plan mode, if the user chose it", async () => {
      const { stop, prompt, asked } = await session();
      await prompt("plan it", { permission_mode: "plan" });
      const { answer } = await stop(undefined, { permission_mode: "plan" });
      expect([answer.systemMessage, asked]).toEqual(["No review: the session is in plan mode", []]);
    });

    test("not plan mode, if the agent chose it after its work", async () => {
      const { stop } = await session();
      const { answer } = await stop(verdict(true, "fine"), { permission_mode: "plan" });
      expect(answer.systemMessage).toStartWith("Review 1 of 10: done");
    });
  });

  describe("checks run before a review", () => {
    const CHECK = { argv: ["--supervisor", "--check", "npm test", "glm"] };
    const isCheck = (args: readonly string[]) => args.some((word) => word.includes("npm test"));

    test("a failing check is the feedback, and no reviewer runs", async () => {
      const { stop, asked, record } = await session({
        ...CHECK,
        program: ({ program }) =>
          isCheck(program.args) ? { exitCode: 1, lines: ["1 test failed"] } : { exitCode: 128 },
      });
      const { answer } = await stop(verdict(true, "fine"));
      expect(feedbackOf(answer)).toContain("1 test failed");
      expect(answer.systemMessage).toBe("Review 1 of 10: check failed: npm test (exit 1)");
      expect(asked).toEqual([]);
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "rework" });
    });

    test("if all pass, the reviewer runs and sees the results", async () => {
      const { stop, asked, stderr } = await session({
        ...CHECK,
        program: ({ program }) => (isCheck(program.args) ? { lines: ["all fine"] } : { exitCode: 128 }),
      });
      expect(stderr).toContain("before each review: npm test");
      expect((await stop(verdict(true, "fine"))).answer.systemMessage).toStartWith("Review 1 of 10: done");
      expect(String(asked[0]?.stdin)).toContain("npm test");
    });

    test("Ctrl-C while they run leaves the stop without a verdict", async () => {
      const { stop, asked } = await session({
        ...CHECK,
        program: ({ program }) =>
          isCheck(program.args) ? { ending: "interrupted", exitCode: null } : { exitCode: 128 },
      });
      expect((await stop(verdict(true, "fine"))).answer.systemMessage).toStartWith(
        "NOT reviewed: interrupted while the checks ran",
      );
      expect(asked).toEqual([]);
    });
  });

  describe("another reviewer", () => {
    const config = { supervisor: { provider: "kimi", fallback: ["glm:air"] } };
    const refused: Answer = { lines: [{ type: "system", subtype: "api_retry", error_status: 401 }] };

    test("reviews if the first is not available, and the user sees it", async () => {
      const { stop, reviews, asked, stderr, record } = await session({ config });
      expect(stderr).toContain("reviewed by kimi");
      reviews.push(refused);
      const { answer } = await stop(verdict(true, "fine"));
      expect(asked).toHaveLength(2);
      expect(answer.systemMessage).toContain("Reviewed by glm:air, because others could not. kimi: the API refused");
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "done", reviewer: "glm:air" });
    });

    test("is not asked for a second opinion", async () => {
      const { stop, asked } = await session({ config });
      await stop(verdict(false, "no"));
      expect(asked).toHaveLength(1);
    });
  });

  describe("what was decided at the launch stays", () => {
    const OWN = "/project/SUPERVISOR.md";
    test("instructions that changed since are reported, and are not used", async () => {
      const { stop, files, asked } = await session({ content: { [OWN]: "Check everything." } });
      files.content[OWN] = "Accept everything.";
      const { answer } = await stop(verdict(true, "fine"));
      expect(answer.systemMessage).toContain("SUPERVISOR.md");
      expect(String(asked[0]?.stdin)).toContain("Check everything.");
      expect(String(asked[0]?.stdin)).not.toContain("Accept everything.");
    });

    test("a ccc.json that became invalid since is reported, and the defaults apply", async () => {
      const { stop, files, reviews } = await session();
      files.content["/home/u/.claude/ccc.json"] = "{";
      // By default a done is confirmed.
      reviews.push(verdict(true, "fine"));
      const { answer, stderr } = await stop(verdict(true, "fine"));
      expect(answer.systemMessage).toStartWith("Review 1 of 10: done");
      expect(stderr).toContain("The supervisor uses its defaults.");
    });
  });

  test("a claude that has been removed since the launch is replaced by the one on the PATH", async () => {
    const { stop, files, asked } = await session({ content: { "/own/claude": "claude" }, env: { PATH: "/own:/bin" } });
    await stop(verdict(true, "fine"));
    expect(asked).toEqual([]);
    files.content["/own/claude"] = null;
    await stop(verdict(true, "fine"));
    expect(asked.map(({ program }) => program.file)).toEqual(["/bin/claude"]);
  });

  describe("the agent's current folder", () => {
    test("does not decide who reviews: the folder that the session started in does", async () => {
      const { start, prompt, stop, record } = await startSession();
      await start({ cwd: "/elsewhere" });
      await prompt("do it", { cwd: "/elsewhere" });
      await stop(verdict(true, "fine"), { cwd: "/elsewhere" });
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "done", reviewer: "glm" });
    });

    test("is in the request, if it is not the project", async () => {
      const { stop, asked } = await session();
      await stop(verdict(false, "no"), { cwd: "/elsewhere" });
      await stop(verdict(false, "no"), { cwd: "/project" });
      expect(asked.map(({ stdin }) => String(stdin).includes("/elsewhere"))).toEqual([true, false]);
    });
  });

  describe("a reviewer in the session's own prompt cache", () => {
    const way = async (given: Given) => {
      const { stop, asked } = await session(given);
      await stop(verdict(true, "fine"));
      return String(asked[0]?.program.args.includes("--fork-session"));
    };
    test.each([
      ["the agent's provider", {}, "true"],
      ["another provider sees a digest", { config: { supervisor: { provider: "kimi" } } }, "false"],
      [
        "unless ccc.json asks for the session",
        { config: { supervisor: { provider: "kimi", context: "session" } } },
        "true",
      ],
      ["or for a fresh one", { config: { supervisor: { context: "fresh" } } }, "false"],
    ] as [string, Given, string][])("%s", async (_, given, expected) => expect(await way(given)).toBe(expected));
  });

  describe("a hook without a session record", () => {
    const hook = async (event: object, answer: Answer, disk?: Files, options: readonly string[] = ["--announce"]) => {
      const { world, said, files } = fakeWorld({
        ...(disk && { files: disk }),
        argv: ["supervisor-hook", ...options],
        stdin: () => JSON.stringify({ hook_event_name: "Stop", session_id: SESSION, cwd: "/project", ...event }),
        run: async ({ onLine }) => {
          (answer.lines ?? []).some((line) => onLine(new TextEncoder().encode(JSON.stringify(line))));
          return { exitCode: 0, ending: "exited", stderr: "" };
        },
      });
      await run(world);
      return { answer: JSON.parse(said.stdout || "{}"), files };
    };
    test("reviews what the project and the event say", async () => {
      const { answer, files } = await hook({ last_assistant_message: "x" }, verdict(false, "no"));
      expect(answer).toMatchObject({ decision: "block", reason: "no", systemMessage: "Review 1 of 10: not done" });
      expect(files.read(STATE)).toBeDefined();
    });
    test("reviews only the first stop of a prompt, where the count cannot be saved", async () => {
      const full = {
        ...memoryFiles({ "/bin/claude": "claude", "/self/ccc": "this is ccc" }),
        edit: () => {
          throw new CccError("the disk is full");
        },
      };
      const files = { ...full, guarded: (top: string) => ({ ...full.guarded(top), edit: full.edit }) };
      const said = async (stop_hook_active: boolean) =>
        (await hook({ stop_hook_active }, verdict(false, "no"), files)).answer.systemMessage;
      expect(await said(false)).toBe("Review 1 of 10: not done");
      expect(await said(true)).toStartWith("Stopped after");
    });
    test("tells the user nothing unless it is asked to", async () => {
      const { answer } = await hook({}, verdict(false, "no"), undefined, []);
      expect(answer).toEqual({ decision: "block", reason: "no" });
    });
    test("waits for a delegated agent", async () => {
      const background_tasks = [{ id: "1", type: "subagent", status: "running", description: "x" }];
      const { answer } = await hook({ background_tasks }, verdict(false, "no"));
      expect(answer.systemMessage).toStartWith("No review: a delegated agent");
    });
  });

  test("an answer that was cut off is known by the transcript, which is waited for", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript_path = join(folder, "t.jsonl");
    const text = "The refactoring has these steps:\n1. Move the types\n2. Upd";
    const lines = [
      { type: "user", promptId: "p1", message: { content: "do it" } },
      { type: "assistant", message: { content: [{ type: "text", text }], stop_reason: "max_tokens" } },
    ].map((line) => `${JSON.stringify(line)}\n`);
    await writeFile(transcript_path, lines[0] ?? "");
    const { stop } = await session();
    const stopped = stop(undefined, { last_assistant_message: text, transcript_path });
    await Promise.race([stopped, Bun.sleep(100)]);
    await appendFile(transcript_path, lines[1] ?? "");
    expect(messageOf((await stopped).answer)).toContain("cut off");
    await rm(folder, { recursive: true });
  });

  test("a prompt does not count while nothing says who sent it, and the log says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript_path = join(folder, "t.jsonl");
    const first = { type: "user", promptId: "p1", message: { content: "do it" }, origin: { kind: "human" } };
    await writeFile(transcript_path, `${JSON.stringify(first)}\n`);
    const { prompt, pass, stop, files } = await session();
    await prompt("do it", { prompt_id: "p1", transcript_path });
    await stop(verdict(true, "fine"), { prompt_id: "p1", transcript_path });
    expect(files.content[LOG]).not.toContain("not counted");
    await prompt("carry on", { prompt_id: "p2", transcript_path });
    pass(3600);
    await stop(undefined, { prompt_id: "p2", transcript_path });
    expect(files.content[LOG]).toContain("1 prompt not counted as yours: the transcript does not say who sent it");
    await rm(folder, { recursive: true });
  });

  describe("another launch in the same folder", () => {
    test("does not change who reviews a running session", async () => {
      const { stop, prompt, launch, record } = await session();
      await launch(["--supervisor", "glm"], { supervisor: { provider: "kimi" } });
      await prompt("go on");
      await stop(verdict(true, "fine"));
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "done", reviewer: "glm" });
    });
  });

  describe("a session that was not recorded from its start", () => {
    const texts = async (lines: object[]) => {
      const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
      const transcript_path = join(folder, "t.jsonl");
      await writeFile(transcript_path, lines.map((line) => `${JSON.stringify({ type: "user", ...line })}\n`).join(""));
      const { start, prompt, record } = await startSession();
      await start({ source: "resume" });
      await prompt("now", { prompt_id: "p9", transcript_path });
      await prompt("later", { prompt_id: "p10", transcript_path });
      await rm(folder, { recursive: true });
      return record()
        .prompts.read()
        ?.map(({ text }) => text);
    };
    test("has its earlier prompts from the transcript, each of them once", async () => {
      const earlier = [
        { promptId: "p1", message: { content: "first" } },
        { promptId: "p2", message: { content: "now" } },
      ];
      const current = { promptId: "p9", message: { content: "now" } };
      expect(await texts([...earlier, current])).toEqual(["first", "now", "now", "later"]);
    });
    test("also if a version gave them no ids", async () =>
      expect(await texts([{ message: { content: "first" } }, { message: { content: "now" } }])).toEqual([
        ...["first", "now", "later"],
      ]));
  });

  test("where the count cannot be saved, only the first stop of a prompt is reviewed: it could continue forever", async () => {
    const edit = () => {
      throw new CccError("the disk is full");
    };
    const { stop, asked } = await session({ refuse: { edit } });
    expect((await stop(verdict(false, "no"))).answer.systemMessage).toBe("Review 1 of 10: not done");
    const { answer } = await stop(verdict(false, "no"), { stop_hook_active: true });
    expect(answer.systemMessage).toStartWith("Stopped after");
    expect(asked).toHaveLength(1);
  });

  test("the hook of `ccc use` leaves out what needs no review, too", async () => {
    const options = ["--announce", "--persistent", "--config-dir", "/home/u/.claude"];
    const hook = async (name: string, event: object) => {
      const input = { session_id: SESSION, cwd: "/project", permission_mode: "plan", ...event };
      const { world, said } = fakeWorld({ files, argv: [name, ...options], stdin: () => JSON.stringify(input) });
      await run(world);
      return JSON.parse(said.stdout || "{}").systemMessage;
    };
    const files = memoryFiles({ "/bin/claude": "claude", "/self/ccc": "this is ccc" });
    await hook("supervisor-prompt", { hook_event_name: "UserPromptSubmit", prompt: "plan it", prompt_id: "p1" });
    expect(await hook("supervisor-hook", { hook_event_name: "Stop", prompt_id: "p1" })).toBe(
      "No review: the session is in plan mode",
    );
  });
});

describe("feedback that is too long for Claude Code", () => {
  const OUTPUT = `/project/.claude/ccc/supervisor-${SESSION}-output.jsonl`;
  const NOTE = `\n[cut; the complete review is in ${OUTPUT}]`;
  const MOST = 10_000 - PREFACE.length;
  const FITS = MOST - NOTE.length;
  const told = async (feedback: string) => {
    const { stop } = await session();
    return feedbackOf((await stop(verdict(false, feedback))).answer) ?? "";
  };
  test("is cut, and not before", async () => {
    expect(await told("x".repeat(MOST))).toBe("x".repeat(MOST));
    expect(await told("x".repeat(MOST + 1))).toBe("x".repeat(FITS) + NOTE);
  });
  test("ends at a sentence", async () => {
    expect(await told("Satz eins. ".repeat(1000))).toEndWith(`Satz eins.${NOTE}`);
    expect(await told("还没有完成。".repeat(2000))).toEndWith(`完成。${NOTE}`);
  });
  test("never loses half of what fits for the end of a sentence", async () => {
    const kept = async (sentence: number) =>
      (await told(`${"x".repeat(sentence - 1)}. ${"x".repeat(2 * MOST)}`)).indexOf("\n[");
    const half = Math.floor((PREFACE.length + FITS) / 2) - PREFACE.length;
    expect([await kept(half - 1), await kept(half + 2)]).toEqual([FITS, half + 2]);
  });
});

describe("the terminal is notified of", () => {
  const BYTES = "\u001b]777;notify;ccc;";
  const cases: [what: string, answer: Answer | undefined, situation: Situation, isNotified: boolean][] = [
    ["a run of more than a minute", DONE, {}, true],
    ["no run of a minute", DONE, { seconds: 60 }, false],
    ["a run since the user's own prompt", DONE, { notice: true }, true],
    ["a question, however short the run", ASKS, { seconds: 1 }, true],
    ["no run of unknown length", DONE, { isPromptKnown: false }, false],
    ["a question after a run of unknown length", ASKS, { isPromptKnown: false }, true],
    ["no review that sends the agent back", verdict(false, "no"), {}, false],
    ["no stop without a review", undefined, { event: { background_tasks: [WORKING] } }, false],
    ["nothing, if the user switched it off", ASKS, { given: { config: { supervisor: { notify: false } } } }, false],
    ["nothing with -p, which has no screen", ASKS, { given: { env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } } }, false],
    ["nothing by a Claude Code that does not know it", ASKS, { given: { version: "2.1.140" } }, false],
  ];
  test.each(cases)("%s", async (_, answer, situation, isNotified) => {
    const { seconds = 61, notice = false, isPromptKnown = true, event = {}, given = {} } = situation;
    const { start, stop, prompt, pass } = await startSession({ ...given, env: { TERM: "foot", ...given.env } });
    await start();
    if (isPromptKnown) await prompt("do it");
    pass(seconds);
    if (notice) await prompt("<task-notification>\n<task-id>b1</task-id></task-notification>");
    const { terminalSequence } = (await stop(answer, event)).answer;
    if (isNotified) expect(terminalSequence).toStartWith(BYTES);
    else expect(terminalSequence).toBeUndefined();
  });

  test("nothing by a Claude Code that ccc did not start, which may not know it", async () => {
    const { hook, reviews } = await session({ env: { TERM: "foot" } });
    const asked = async (...options: string[]) => {
      reviews.push(ASKS);
      return (await hook("Stop", { last_assistant_message: "I am done" }, {}, options)).answer.terminalSequence;
    };
    expect([await asked(), await asked("--persistent")]).toEqual([expect.stringContaining(BYTES), undefined]);
  });
});

describe("after a usage limit that ended a turn", () => {
  const STARTED = Date.parse("2026-01-01T10:00:00Z") / 1000;
  const LIMIT = "API Error: Request rejected (429) · Usage limit reached. It resets at 2026-01-01T11:00:00Z";

  interface Failure {
    readonly says?: string;
    readonly error?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** In ccc.json, by the time the limit is reached. */
    readonly limit_wait_seconds?: number;
    /** How often and how long was waited before, and how many seconds ago that ended. */
    readonly before?: { readonly waits: number; readonly seconds: number; readonly ago: number };
    /** What happens in the first pause. */
    readonly happens?: "prompt" | "clear" | "claude ends" | "signal";
    /** The rest of ccc.json. */
    readonly config?: object;
  }

  /** How the hook ended, and after how many seconds. */
  async function failure({
    says = LIMIT,
    error = "rate_limit",
    env,
    limit_wait_seconds,
    before,
    happens,
    config,
  }: Failure) {
    let waited = 0;
    let isAlive = true;
    let signal = () => {};
    const { hook, prompt, files, paths, record } = await startSession({
      env: { CLAUDE_PID: "77", CLAUDE_CODE_ENTRYPOINT: "cli", ...env },
      parts: {
        isTerminal: () => true,
        isAlive: () => isAlive,
        onSignal: (handler) => {
          signal = () => handler("SIGTERM");
          return () => {};
        },
      },
      paused: async ({ prompt, start }, seconds) => {
        const isFirst = waited === 0;
        waited += seconds;
        if (!isFirst) return;
        if (happens === "prompt") await prompt("go on");
        if (happens === "clear") await start({ source: "clear", session_id: "other" });
        if (happens === "claude ends") isAlive = false;
        if (happens === "signal") signal();
      },
    });
    if (limit_wait_seconds !== undefined || config !== undefined)
      files.content[paths.config] = JSON.stringify({
        providers: { glm: {}, kimi: {} },
        supervisor: limit_wait_seconds === undefined ? {} : { limit_wait_seconds },
        ...config,
      });
    if (before !== undefined) {
      const { ago, ...so } = before;
      record().limit.save({ ...so, ended: STARTED - ago });
    }
    await prompt("do it");
    const { code, stderr } = await hook("StopFailure", { error, last_assistant_message: says });
    expect(openTerminal(files, paths, "77").wait.read()).toBeUndefined();
    const now = asObject(parseJson(files.content[`${paths.generated}/sessions/${SESSION}/now.json`] ?? ""));
    return { code, waited, stderr, record: record().limit.read(), now };
  }

  test("the session is woken when the limit has reset, and the wait is on record", async () =>
    expect(await failure({})).toMatchObject({
      code: 2,
      waited: 3601,
      stderr: `${PREFACE}The usage limit has reset. Continue where you left off.\n`,
      record: { waits: 1, seconds: 3601, ended: STARTED + 3601 },
    }));

  const woken: [name: string, failure: Failure, after: number][] = [
    ["after a minute if the reset is not known", { says: "API Error: Request rejected (429) · Slow down" }, 60],
    ["after a minute if only the kind of the error says that it is a limit", { says: "Something in the way" }, 60],
    ["later if it was woken too early just before", { says: "429", before: { waits: 1, seconds: 60, ago: 5 } }, 120],
    ["later if that was less than ten minutes ago", { says: "429", before: { waits: 1, seconds: 60, ago: 599 } }, 120],
    [
      "only if Claude Code itself has not, after a limit of its own login",
      { says: "You've hit your limit · resets 11am (UTC)" },
      3600 + 1 + 180,
    ],
    ["as at first if it was longer ago", { says: "429", before: { waits: 1, seconds: 60, ago: 600 } }, 60],
  ];
  test.each(woken)("the session is woken %s", async (_, given, waited) =>
    expect(await failure(given)).toMatchObject({ code: 2, waited }),
  );

  const alone: [name: string, failure: Failure, after: number][] = [
    ["if the user continues before", { happens: "prompt" }, 5],
    ["if the user starts another one before", { happens: "clear" }, 5],
    ["if claude is gone", { happens: "claude ends" }, 5],
    ["if claude exits", { happens: "signal" }, 5],
    ["with -p, where nobody could continue meanwhile", { env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } }, 0],
    ["if its process is not known", { env: { CLAUDE_PID: "" } }, 0],
    ["after another error", { says: "API Error: 500 Internal server error", error: "server_error" }, 0],
    ["after a refused key", { says: "Invalid API key", error: "authentication_failed" }, 0],
    ["if the account is empty", { says: "API Error: Request rejected (429) · Insufficient balance" }, 0],
    ["if that would take too long", { limit_wait_seconds: 3599 }, 0],
    ["if waiting is off", { says: "429", limit_wait_seconds: 0 }, 0],
  ];
  test.each(alone)("the session is left alone %s", async (_, given, waited) =>
    expect(await failure(given)).toMatchObject({ code: 0, waited, record: undefined }),
  );

  const UNTIL = Date.parse("2026-01-01T11:00:00Z");
  const OTHER = `ccc kimi --resume ${SESSION}`;
  const fallback = { fallback: ["nobody", "glm", "kimi"] };
  const pinned = { ...fallback, folders: { "/project": { provider: "glm", only: true } } };
  const THINKING = "API Error: 400 The `content[].thinking` in the thinking mode must be passed back to the API.";
  const shown: [name: string, failure: Failure, now: object][] = [
    ["the wait", {}, { stalled: "limit", until: UNTIL + 1000, is_waiting: true, command: "" }],
    ["the command that continues elsewhere", { config: fallback }, { is_waiting: true, command: OTHER }],
    [
      "that it does not wait",
      { config: fallback, limit_wait_seconds: 0 },
      { stalled: "limit", until: UNTIL, is_waiting: false, command: OTHER },
    ],
    ["no command that the folder's pin refuses", { config: pinned }, { stalled: "limit", command: "" }],
    [
      "an empty account",
      { config: fallback, says: "API Error: Request rejected (429) · Insufficient balance" },
      { stalled: "no credit", until: 0, is_waiting: false, command: OTHER },
    ],
    [
      "what helps if the server wants thinking",
      { says: THINKING, error: "invalid_request" },
      {
        stalled: "the server wants its own model's thinking",
        command: `MAX_THINKING_TOKENS=0 ccc glm --resume ${SESSION}`,
      },
    ],
    [
      "what helps if the model is blind",
      { config: fallback, says: "API Error: 400 this model does not support image input", error: "invalid_request" },
      { stalled: "the model cannot see the session's images", command: OTHER },
    ],
  ];
  test.each(shown)("the status line shows %s", async (_, given, now) =>
    expect((await failure(given)).now).toMatchObject(now),
  );

  const silent: [name: string, failure: Failure][] = [
    ["without another provider", { says: "API Error: 500 Internal server error", error: "server_error" }],
    ["if another one would not help", { config: fallback, says: "API Error: 400 bad", error: "invalid_request" }],
    ["with -p", { config: fallback, env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } }],
  ];
  test.each(silent)("it shows nothing %s", async (_, given) => expect((await failure(given)).now).toEqual({}));
});
