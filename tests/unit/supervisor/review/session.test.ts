import { describe, expect, test } from "bun:test";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReviewWay } from "../../../../src/claude/reviewer-command.ts";
import type { ReviewContext } from "../../../../src/config/defaults.ts";
import type { LaunchRecord } from "../../../../src/supervisor/record/launch.ts";
import {
  type CacheFacts,
  chooseWay,
  nextWay,
  sessionEvidence,
  sessionReviewers,
} from "../../../../src/supervisor/review/session.ts";
import { fakeWorld } from "../../fakes.ts";

describe("review way", () => {
  const PRINT: CacheFacts = { version: "2.1.325", isTerminal: false, hasAttribution: true, hasAgentsModel: true };
  const TERMINAL = { ...PRINT, isTerminal: true, hasAttribution: false };

  describe("what the reviewer sees", () => {
    const cases: [name: string, context: ReviewContext, facts: CacheFacts, way: ReviewWay][] = [
      ["auto with -p", "auto", PRINT, "shared"],
      ["auto with -p on the first version that shares", "auto", { ...PRINT, version: "2.1.269" }, "shared"],
      ["auto with -p on the version before", "auto", { ...PRINT, version: "2.1.268" }, "fresh"],
      ["auto in a terminal without the attribution block", "auto", TERMINAL, "shared"],
      ["auto in a terminal with it", "auto", { ...TERMINAL, hasAttribution: true }, "fresh"],
      ["auto in a terminal on the first version that shares", "auto", { ...TERMINAL, version: "2.1.308" }, "shared"],
      ["auto in a terminal on the version before", "auto", { ...TERMINAL, version: "2.1.307" }, "fresh"],
      ["auto with another model", "auto", { ...PRINT, hasAgentsModel: false }, "fresh"],
      ["auto with an unknown version", "auto", { ...PRINT, version: undefined }, "fresh"],
      ["session with another model", "session", { ...PRINT, hasAgentsModel: false }, "shared"],
      ["session on an old version", "session", { ...PRINT, version: "2.0.77" }, "schema"],
      ["session with an unknown version", "session", { ...PRINT, version: undefined }, "schema"],
      ["fresh, although the cache could be shared", "fresh", PRINT, "fresh"],
    ];
    test.each(cases)("%s", (_, context, facts, way) => {
      expect(chooseWay(context, facts, true)).toBe(way);
      expect(chooseWay(context, facts, false)).toBe("schema");
    });
  });

  test.each([
    ["shared", "no verdict", true, "schema"],
    ["schema", "no verdict", true, "schema"],
    ["fresh", "no verdict", true, "fresh"],
    ["shared", "too long", true, "fresh"],
    ["schema", "too long", true, "fresh"],
    ["schema", "too long", false, undefined],
    ["fresh", "too long", true, undefined],
  ] as const)("after %s and %s (a digest is possible: %p) comes %s", (way, problem, canBeFresh, next) =>
    expect(nextWay(way, problem, canBeFresh)).toBe(next),
  );
});

describe("session evidence", () => {
  const entry = (type: string, ...content: unknown[]) => `${JSON.stringify({ type, message: { content } })}\n`;
  const CALL = entry("assistant", { type: "tool_use", id: "t1", name: "Bash", input: { command: "exit 3" } });
  const FAILURE = entry("user", { type: "tool_result", tool_use_id: "t1", is_error: true, content: "Exit code 3" });
  const ANSWER = entry("assistant", { type: "text", text: "All is done." });

  async function evidenceOf(transcript: string, lastMessage: string | undefined) {
    const { steps, lastMessage: claim } = await sessionEvidence({ project: "/project", transcript, lastMessage });
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
    });

    test("of a long session goes back to the user's last prompt, and to enough steps", async () => {
      const prompt = entry("user", { type: "text", text: "do it" });
      const before = prompt + entry("other", "x".repeat(1_000_000));
      const isPartial = async (end: string) => {
        await using transcript = await newTranscript(before + end);
        return (await sessionEvidence({ project: "/project", transcript: transcript.path, lastMessage: undefined }))
          .isPartial;
      };
      expect(await isPartial(CALL.repeat(60))).toBe(false);
      expect(await isPartial(prompt + CALL.repeat(48))).toBe(false);
      expect(await isPartial(prompt + CALL.repeat(49))).toBe(true);
    });

    test("is complete if there is no transcript: nothing was left out", async () => {
      const told = { project: "/project", transcript: undefined, lastMessage: "Done." };
      expect(await sessionEvidence(told)).toEqual({ ...told, steps: [], isPartial: false });
    });

    test("has the transcript's last message if Claude Code reported none", async () => {
      await using transcript = await newTranscript(CALL + FAILURE + ANSWER);
      expect(await evidenceOf(transcript.path, undefined)).toEqual({ claim: "All is done.", failed: [true] });
    });
  });

  async function newTranscript(lines: string) {
    const folder = await mkdtemp(join(tmpdir(), "ccc-evidence-"));
    const path = join(folder, "session.jsonl");
    await writeFile(path, lines);
    return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  }
});

describe("session reviewers", () => {
  /** Who is asked in a session with these reviewers, each with its settings file and the retries that it has. */
  function asked(...[first = "", ...others]: string[]) {
    const launch: LaunchRecord = {
      ...{ cwd: "/project", claude: "/bin/claude", version: null, same_model: false, reviewer: first },
      fallback: others.map((reviewer) => ({ reviewer, settings: `/${reviewer}.json`, same_model: false })),
      environment: { salt: "", plain: {}, hashed: [] },
      instructions: { path: null, text: "" },
      checks: { commands: [], left_out: [] },
    };
    const session = {
      ...{ launch, settings: `/${first}.json`, context: "fresh" as const, isTerminal: false },
      ...{ claude: "/bin/claude", sessionId: "s", project: "/project", transcript: undefined },
    };
    const reviewers = sessionReviewers(fakeWorld().world, session);
    return Promise.all(
      reviewers.map(async ({ name, way, program }) => {
        const { args, env } = await program(way, "/project");
        return [name, args[args.indexOf("--settings") + 1], env.CLAUDE_CODE_MAX_RETRIES];
      }),
    );
  }

  test("each reviewer has its own settings, and the last one tries longest: nobody comes after it", async () => {
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
