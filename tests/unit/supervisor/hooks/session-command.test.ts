import { describe, expect, test } from "bun:test";
import { EMPTY_LEDGER } from "../../../../src/supervisor/ledger.ts";
import type { Outcome } from "../../../../src/supervisor/outcome.ts";
import { launchRecords } from "../../../../src/supervisor/record/launch.ts";
import { type Given, SESSION, startSession, verdict } from "../session-in-memory.ts";

describe("ccc's command", () => {
  const OFF = "To switch it off: /ccc:supervisor off";

  /** A session in a terminal, in which the user types ccc's command. */
  async function terminal(given: Given = {}) {
    const session = await startSession({ ...given, env: { CLAUDE_PID: "7", ...given.env } });
    await session.start();
    const type = async (word: string, env: Record<string, string> = {}) => {
      const { answer } = await session.hook("UserPromptSubmit", { prompt: `/ccc:supervisor ${word}` }, env);
      return answer.decision === "block" ? String(answer.reason) : "not answered";
    };
    return { ...session, type };
  }
  const supervised = (given: Given = {}) => terminal(given);
  const plain = (given: Given = {}) => terminal({ argv: ["glm"], ...given });

  describe("in a supervised session", () => {
    test("off: no stop is reviewed any more, and the record says why", async () => {
      const { type, stop, prompt, asked, record } = await supervised();
      await prompt("do it");
      expect(await type("off")).toBe(
        "Supervision is off for the rest of this session. To switch it on again: /ccc:supervisor on",
      );
      expect((await stop(verdict(true, "fine"))).answer).toEqual({});
      expect(asked).toEqual([]);
      expect(record().stops.read()?.at(-1)).toMatchObject({ outcome: "skipped", why: "off" });
      expect(await type("off")).toBe("Supervision is already off in this session.");
      expect(await type("now")).toBe("Supervision is off in this session. To switch it on first: /ccc:supervisor on");
    });

    test("on again: stops are reviewed again", async () => {
      const { type, stop, prompt } = await supervised();
      await prompt("do it");
      await type("off");
      expect(await type("on")).toBe(`Supervision is on again, from the next stop on. ${OFF}`);
      expect((await stop(verdict(true, "fine"))).answer.systemMessage).toStartWith("Review 1 of 10: done");
      expect(await type("on")).toStartWith("Supervision is already on in this session.");
    });

    test("on again: what needs no review gets none, whatever was asked for before", async () => {
      const { type, stop, prompt, asked } = await supervised();
      await prompt("plan it", { permission_mode: "plan" });
      for (const word of ["now", "off", "on"]) await type(word);
      await stop(undefined, { permission_mode: "plan" });
      expect(asked).toEqual([]);
    });

    test("now: the next stop is reviewed even if it would be skipped, and only that", async () => {
      const { type, stop, prompt, asked } = await supervised();
      await prompt("plan it", { permission_mode: "plan" });
      expect(await type("now")).toStartWith("The next stop will be reviewed, even if it would be skipped.");
      expect(await type("status")).toContain("next stop");
      await stop(verdict(false, "no"), { permission_mode: "plan" });
      expect(asked).toHaveLength(1);
      await stop(verdict(false, "no"), { permission_mode: "plan" });
      expect(asked).toHaveLength(1);
    });

    test("status: counts, and who reviews", async () => {
      const { type, stop, prompt } = await supervised({
        config: { supervisor: { max_iterations: 3, provider: "kimi" } },
      });
      await prompt("do it");
      await stop(verdict(false, "the tests are missing"));
      const status = await type("status");
      expect(status).toContain("kimi");
      expect(status).toContain("1 of 3");
      expect(status).toContain("the tests are missing");
      expect(await type("")).toBe(status);
    });

    test("anything else shows the help, which names every word", async () => {
      const help = await (await supervised()).type("please");
      expect(help).toStartWith("/ccc:supervisor takes one of these words:");
      for (const word of ["on", "off", "status", "now"]) expect(help).toContain(`\n  ${word} `);
    });
  });

  describe("in a session that was started without supervision", () => {
    test("nothing is reviewed, until it is switched on", async () => {
      const { type, stop, prompt, asked, stderr } = await plain();
      expect(stderr).toBe("");
      await prompt("do it");
      expect((await stop()).answer).toEqual({});
      expect(asked).toEqual([]);
      expect(await type("on")).toBe(
        `Supervision is on from the next stop: reviewed by glm, at most 10 reviews per prompt. ${OFF}`,
      );
      await prompt("go on");
      expect((await stop(verdict(true, "fine"))).answer.systemMessage).toStartWith("Review 1 of 10: done");
      expect(asked).toHaveLength(1);
    });

    const pinned = (supervisor: string) => ({
      providers: { glm: key("glm"), kimi: key("kimi"), deepseek: key("deepseek") },
      folders: { "/project": { provider: "glm", only: true } },
      supervisor: { provider: supervisor },
    });
    const key = (name: string) => ({ env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: name } });

    test("on sends no code to a reviewer that the folder's pin refuses", async () => {
      const { type } = await plain({ config: pinned("kimi") });
      expect(await type("on")).toContain("reviewed by glm,");
    });

    test("on respects that the user started it despite the pin", async () => {
      const { type } = await plain({ argv: ["--anyway", "kimi"], config: pinned("deepseek") });
      expect(await type("on")).toContain("reviewed by deepseek,");
    });

    test("prompts are on record only from then on", async () => {
      const { type, prompt, record, files } = await plain();
      const launches = () => Object.keys(files.content).filter((path) => path.includes(`${SESSION}/`));
      await prompt("do it");
      expect(launches()).toEqual([]);
      await type("on");
      await prompt("go on");
      expect(
        record()
          .prompts.read()
          ?.map(({ text }) => text),
      ).toEqual(["go on"]);
    });

    test("on says what ccc.json decides: reviewer, limit and checks", async () => {
      const supervisor = { provider: "kimi", max_iterations: 1, checks: ["npm test"] };
      const { type } = await plain({ config: { supervisor } });
      expect(await type("on")).toBe(
        `Supervision is on from the next stop: reviewed by kimi, at most 1 review per prompt. ${OFF}\nBefore each review: npm test`,
      );
    });

    test("on: what needs no review gets none", async () => {
      const { type, stop, prompt, asked } = await plain();
      await type("on");
      await prompt("plan it", { permission_mode: "plan" });
      await stop(undefined, { permission_mode: "plan" });
      expect(asked).toEqual([]);
    });

    test("on: no other launch, of the folder or of the session itself, changes what it relies on, nor does /clear", async () => {
      const { type, launch, prompt, start, record, files, paths } = await plain({
        config: { supervisor: { checks: ["own"] } },
      });
      const checks = (id = SESSION) => record(id).launch.read()?.checks.commands;
      await type("on");
      await launch(["--supervisor", "--check", "other", "glm"], { supervisor: {} });
      const other = launchRecords(files, paths).last("/project");
      if (other === undefined) throw new Error("there was no other launch");
      record().launch.save(other);
      expect(checks()).toEqual(["other"]);
      await prompt("go on");
      expect(checks()).toEqual(["own"]);
      record().launch.save(other);
      await start({ source: "clear", session_id: "b" });
      await prompt("go on", { session_id: "b" });
      expect(checks("b")).toEqual(["own"]);
    });

    test("on says why it failed, and what to do", async () => {
      const { type, stop, files } = await plain();
      files.content["/home/u/.claude/ccc.json"] = "{";
      expect(await type("on")).toMatch(
        /^Supervision could not be switched on: .*ccc.json is not valid JSON.*\nCorrect the file; nothing was changed.$/,
      );
      expect((await stop()).answer).toEqual({});
    });

    test("on, off and on again", async () => {
      const { type } = await plain();
      await type("on");
      await type("off");
      expect(await type("on")).toBe(`Supervision is on again, from the next stop on. ${OFF}`);
    });

    test("a resumed session begins as its launch says", async () => {
      const { type, start } = await plain();
      await type("on");
      const { answer } = await start({ source: "resume" });
      expect(answer.systemMessage).toBe(
        "supervisor: off, because this launch is without --supervisor. To switch it on again: /ccc:supervisor on",
      );
      expect(await type("off")).toBe("Supervision is already off in this session.");
    });

    test("compaction changes nothing", async () => {
      const { type, start } = await plain();
      await type("on");
      expect((await start({ source: "compact" })).answer).toEqual({});
      expect(await type("on")).toStartWith("Supervision is already on");
    });

    test("/clear keeps the switch", async () => {
      const { type, hook } = await plain();
      await type("on");
      const session_id = SESSION.replace(/^1/, "2");
      expect((await hook("SessionStart", { source: "clear", session_id })).answer).toEqual({});
      const { answer } = await hook("UserPromptSubmit", { prompt: "/ccc:supervisor on", session_id });
      expect(answer.reason).toStartWith("Supervision is already on");
    });
  });

  describe("nothing is switched", () => {
    test("by a process that is not the session's Claude Code", async () => {
      const { type, prompt, stop, asked } = await supervised();
      expect(await type("off", { CLAUDE_PID: "8" })).toStartWith(
        "Nothing was switched: this does not come from the Claude Code that runs this session.",
      );
      await prompt("do it");
      await stop(verdict(true, "fine"));
      expect(asked).toHaveLength(1);
    });

    test("in a session within a session", async () => {
      const { type } = await supervised();
      expect(await type("off", { CCC_EXEC: "7.2" })).toStartWith(
        "Nothing was switched: this Claude Code was started from within another session.",
      );
      expect(await type("off", { CCC_EXEC: "7.1" })).toStartWith("Supervision is off");
    });

    test("if the agent has scheduled such a prompt", async () => {
      const { type, stop, prompt } = await supervised();
      await prompt("do it");
      await stop(verdict(true, "fine"), {
        session_crons: [{ id: "1", schedule: "* * * * *", prompt: "/ccc:supervisor off" }],
      });
      expect(await type("off")).toStartWith("Nothing was switched: a prompt with /ccc:supervisor was scheduled");
    });

    test("if such a prompt is scheduled for all sessions of the project", async () => {
      const content = { "/project/.claude/scheduled_tasks.json": '{"prompt":"/ccc:supervisor off"}' };
      const { type } = await supervised({ content });
      expect(await type("off")).toStartWith("Nothing was switched: a prompt with /ccc:supervisor was scheduled");
    });

    test("but other scheduled prompts do not matter", async () => {
      const { type, stop, prompt } = await supervised();
      await prompt("do it");
      await stop(verdict(true, "fine"), { session_crons: [{ id: "1", schedule: "* * * * *", prompt: "go on" }] });
      expect(await type("off")).toStartWith("Supervision is off");
    });

    test("with -p, where such a prompt is the agent's", async () => {
      const { type, stop, asked } = await supervised({ env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } });
      expect(await type("off")).toBe("not answered");
      await stop(verdict(true, "fine"));
      expect(asked).toHaveLength(1);
    });

    test("but everybody may ask for the status", async () => {
      const { type } = await supervised();
      expect(await type("status", { CLAUDE_PID: "8" })).not.toStartWith("Nothing was switched");
    });
  });
});

describe("a prompt is the command", () => {
  const STATUS = "Supervision is on in this session.";
  const HELP = "/ccc:supervisor takes one of these words:";
  const ROWS: [prompt: string, answer: string | undefined][] = [
    ["/ccc:supervisor on", "Supervision is already on"],
    ["/ccc:supervisor OFF", "Supervision is off for the rest of this session."],
    [" /ccc:supervisor  now \n", "The next stop will be reviewed"],
    ["/ccc:supervisor", STATUS],
    ["/ccc:supervisor status", STATUS],
    ["/ccc:supervisor onn", HELP],
    ["/ccc:supervisor on please", HELP],
    ["/ccc:supervisor help", HELP],
    ["/ccc:supervisors on", undefined],
    ["please /ccc:supervisor on", undefined],
    ["<task-notification>/ccc:supervisor off</task-notification>", undefined],
    ["", undefined],
  ];
  for (const [text, expected] of ROWS) {
    test(JSON.stringify(text), async () => {
      const { start, prompt } = await startSession({ env: { CLAUDE_PID: "7" } });
      await start();
      const { answer } = await prompt(text);
      if (expected === undefined) expect(answer).toEqual({});
      else expect(answer).toMatchObject({ decision: "block", reason: expect.stringContaining(expected) });
    });
  }
});

describe("the command counts as the user's", () => {
  const rows: [string, writer: number | undefined | null, pid: string | undefined, isUsers: boolean][] = [
    ["if the process that the environment names passes it to the hook", 7, "7", true],
    ["if a version names no process", 7, undefined, true],
    ["not if another program passes it", 8, "7", false],
    ["not if it comes from a file, or from an unknown process", undefined, "7", false],
    ["where the system does not say who passes it, by the environment", null, "7", true],
    ["not if nothing says who passes it", null, undefined, false],
  ];
  test.each(rows)("%s", async (_, writer, pid, isUsers) => {
    let current: typeof writer = 7;
    const { start, prompt } = await startSession({
      env: pid === undefined ? {} : { CLAUDE_PID: pid },
      parts: { stdinWriter: () => current },
    });
    await start();
    current = writer;
    const { answer } = await prompt("/ccc:supervisor off");
    expect(answer.reason).toStartWith(
      isUsers ? "Supervision is off" : "Nothing was switched: this does not come from the Claude Code that runs",
    );
  });
});

describe("the status", () => {
  const OFF = "Supervision is off in this session. To switch it on: /ccc:supervisor on";
  const ON = "Supervision is on in this session.";
  const REVIEWER = "Reviewer: glm, else kimi:k2";
  const RECORD = `/home/u/.claude/ccc/sessions/${SESSION}`;

  const criterion = (id: string, status: "met" | "unmet") => {
    return { id, text: `${id} holds`, status, evidence: "", unmet_reviews: 0, unmet_files: null };
  };
  const STATE = {
    session_id: SESSION,
    count: 2,
    created_at: "",
    updated_at: "",
    tokens: 12_345,
    ledger: { ...EMPTY_LEDGER, criteria: [criterion("C1", "met"), criterion("C2", "unmet")] },
    feedback: ["old", "No tests.\nMore."],
  };

  interface Recorded {
    readonly argv?: readonly string[];
    readonly state?: object;
    /** How the stops ended, one after the other. */
    readonly stops?: readonly { readonly outcome?: Outcome["kind"]; readonly why?: string }[];
    readonly isDue?: boolean;
  }

  /** What the user sees in a session with this record. */
  async function status({ argv = ["--supervisor", "glm"], state, stops = [], isDue = false }: Recorded) {
    const config = { supervisor: { fallback: ["kimi:k2"] } };
    const { start, hook, files } = await startSession({ argv, config, env: { CLAUDE_PID: "7" } });
    await start();
    const type = async (word: string) =>
      String((await hook("UserPromptSubmit", { prompt: `/ccc:supervisor ${word}` })).answer.reason);
    if (isDue) await type("now");
    if (state !== undefined) files.content[`${RECORD}/state.json`] = JSON.stringify(state);
    const entries = stops.map((each, at) => JSON.stringify({ stop: `${at}`, at: "2026-01-01T10:00:00Z", ...each }));
    files.content[`${RECORD}/stops.jsonl`] = entries.join("\n");
    return (await type("status")).split("\n");
  }

  const ROWS: [string, recorded: Recorded, lines: string[]][] = [
    ["off from the start", { argv: ["glm"] }, [OFF]],
    ["before the first stop", {}, [ON, REVIEWER, "No stop was reviewed yet."]],
    [
      "in the middle of the work",
      { state: STATE, stops: [{ outcome: "rework" }] },
      [
        ON,
        REVIEWER,
        "Last prompt: review 2 of 10, 1 of 2 met, 12,345 tokens",
        "  not met: C2 C2 holds",
        "Last stop: not done: No tests.",
      ],
    ],
    [
      "one token",
      { state: { ...STATE, count: 1, tokens: 1, ledger: undefined }, stops: [{ outcome: "done" }] },
      [ON, REVIEWER, "Last prompt: review 1 of 10, 1 token", "Last stop: done"],
    ],
    [
      "a review that the user asked for",
      { isDue: true, stops: [{ outcome: "done" }, {}] },
      [ON, "The next stop is reviewed, even if it would be skipped.", REVIEWER, "Last stop: done"],
    ],
    [
      "skipped",
      { stops: [{ outcome: "skipped", why: "plan" }] },
      [ON, REVIEWER, "Last stop: no review: the session is in plan mode"],
    ],
    [
      "failed",
      { stops: [{ outcome: "unreviewed", why: "no quota" }] },
      [ON, REVIEWER, "Last stop: not reviewed: no quota"],
    ],
    [
      "stuck",
      { argv: ["glm"], stops: [{ outcome: "stalemate" }] },
      [OFF, "Last stop: NOT done: the last reviews brought no progress"],
    ],
  ];
  test.each(ROWS)("%s", async (_, recorded, lines) => expect(await status(recorded)).toEqual(lines));
});
