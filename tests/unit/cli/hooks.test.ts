import { describe, expect, test } from "bun:test";
import { runHook } from "../../../src/cli/hooks.ts";
import { recordPrompt } from "../../../src/supervisor/hooks/prompt.ts";
import { waitAfterFailure } from "../../../src/supervisor/hooks/stop.ts";
import { fakeWorld } from "../fakes.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const PROMPTS = `/c/ccc/sessions/${SESSION}/prompts.jsonl`;

/** Claude Code calls the hook for a prompt. */
async function submit(prompt: string, args: string[]) {
  const event = { hook_event_name: "UserPromptSubmit", session_id: SESSION, prompt };
  const { world, said, files } = fakeWorld({ stdin: () => JSON.stringify(event) });
  expect(await runHook("supervisor-prompt", args, world, recordPrompt)).toBe(0);
  return { ...said, recorded: files.read(PROMPTS) };
}

describe("a hook understands", () => {
  test.each([[["--config-dir", "/c"]], [["--config-dir=/c"]]])("%j: the prompt is recorded there", async (args) => {
    const { recorded, stdout, stderr } = await submit("do it", args);
    expect(recorded).toContain('"text":"do it"');
    expect([stdout, stderr]).toEqual(["", ""]);
  });

  test("--idle: nothing is recorded of a session that is not supervised", async () => {
    const { recorded, stderr } = await submit("do it", ["--config-dir", "/c", "--idle"]);
    expect([recorded, stderr]).toEqual([undefined, ""]);
  });

  test("--persistent, with its secret: it leaves ccc's command to the hook of the launch", async () => {
    const answered = await submit("/ccc:supervisor status", ["--config-dir", "/c"]);
    expect(JSON.parse(answered.stdout)).toMatchObject({ decision: "block" });
    const { stdout, stderr } = await submit("/ccc:supervisor status", ["--config-dir", "/c", "--persistent=abc"]);
    expect([stdout, stderr]).toEqual(["", ""]);
  });
});

test("an unknown option is reported without its value, and the others still apply", async () => {
  const { recorded, stderr } = await submit("do it", ["--new=secret", "--config-dir", "/c"]);
  expect(recorded).toContain('"text":"do it"');
  expect(stderr).toBe('ccc supervisor-prompt: unknown argument "--new"\n');
});

test("a hook that fails says why, and does not break the session", async () => {
  const { stderr } = await submit("do it", []);
  expect(stderr).toBe("ccc supervisor-prompt: --config-dir is missing, so there is nowhere to record the prompt\n");
});

test.each(["--help", "-h"])("%s prints the help and reads no event", async (word) => {
  const stdin = () => {
    throw new Error("stdin was read");
  };
  const { world, said } = fakeWorld({ stdin });
  expect(await runHook("supervisor-failure", ["--config-dir", "/c", word], world, waitAfterFailure)).toBe(0);
  expect(said.stdout).toContain("\nUsage\n  ccc supervisor-failure --config-dir FOLDER [--launch=ID]\n");
});

test("output that nobody reads does not break the session", async () => {
  const closed = () => {
    throw new Error("EPIPE");
  };
  const { world } = fakeWorld({ stdin: () => "{}", stdout: closed, stderr: closed });
  expect(await runHook("supervisor-prompt", ["--config-dir", "/c", "--new"], world, recordPrompt)).toBe(0);
});
