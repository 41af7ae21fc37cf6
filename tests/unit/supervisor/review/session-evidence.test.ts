import { describe, expect, test } from "bun:test";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionEvidence } from "../../../../src/supervisor/review/session-evidence.ts";

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
