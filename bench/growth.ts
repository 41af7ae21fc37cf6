import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bench, type Program } from "./measure.ts";

/**
 * What hooks, status line and report cost as a session grows: the same calls on transcripts of 1, 10, 100 and 500 MB, and
 * on the record of a session with 1,000 prompts and stops. They run in turn, and each is compared with the same call on the
 * shortest session, in processor time: reading a file that was pushed out of memory does not count.
 */

const SIZES_MB = [1, 10, 100, 500];
const MOST = 1.3;

const answer = { type: "result", subtype: "success", structured_output: { completed: true, feedback: "" } };
const at = (index: number) => new Date(1.7e12 + index * 1000).toISOString();

/** One turn of a transcript: a prompt, ten tool calls with long results, and the answer. About 100 kB. */
function turn(id: string): string {
  const common = { isSidechain: false, cwd: "/p", sessionId: "s", timestamp: at(0) };
  const user = (content: unknown) => ({ ...common, type: "user", promptId: id, uuid: id, message: { content } });
  const asked = { ...user(`do ${id}`), origin: { kind: "human" }, promptSource: "sdk" };
  const agent = (content: unknown, stop_reason: string) => ({
    ...common,
    type: "assistant",
    message: { model: "m", role: "assistant", content, stop_reason },
  });
  const calls = Array.from({ length: 10 }, (_, index) => [
    agent([{ type: "tool_use", id: `${id}-${index}`, name: "Bash", input: { command: "npm test" } }], "tool_use"),
    user([{ type: "tool_result", tool_use_id: `${id}-${index}`, content: "output of a test\n".repeat(600) }]),
  ]);
  const lines = [asked, ...calls.flat(), agent([{ type: "text", text: "finished" }], "end_turn")];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The last turn used no tool. */
function writeTranscript(path: string, megabytes: number): void {
  const file = openSync(path, "w");
  for (let written = 0; written < megabytes * 1e6; ) written += writeSync(file, turn(`p${written}`));
  const [first = "", ...others] = turn("last").split("\n").slice(0, -1);
  writeSync(file, `${first}\n${others.at(-1)}\n`);
  closeSync(file);
}

const programs = async (ccc: string, home: string, project: string) => {
  const claude = join(home, ".claude");
  const record = ["--config-dir", claude];
  const made: Record<string, Program> = {};
  /** Writes the record of a session, in which the transcript's last prompt is the last one, and not settled yet. */
  const writeRecord = async (id: string, prompts: number) => {
    const folder = join(claude, "ccc/sessions", id);
    await mkdir(folder, { recursive: true });
    const lines = (one: (index: number) => readonly object[]) =>
      Array.from({ length: prompts }, (_, index) => one(index).map((each) => `${JSON.stringify(each)}\n`)).flat();
    const asked = (index: number, prompt_id: string) => ({
      at: at(index),
      prompt_id,
      by_user: true,
      text: `do ${prompt_id}`,
      mode: "default",
      doubt: `d${index}`,
    });
    const recorded = lines((index) =>
      index === prompts - 1
        ? [asked(index, "last")]
        : [asked(index, `p${index}`), { settles: `d${index}`, by_user: true }],
    );
    await writeFile(join(folder, "prompts.jsonl"), recorded.join(""));
    await writeFile(join(folder, "saved"), recorded.join(""));
    const seen = {
      reviewer: "glm",
      round: 1,
      feedback: "",
      input_tokens: 1,
      output_tokens: 1,
      criteria: [],
      looked: [],
    };
    await writeFile(
      join(folder, "stops.jsonl"),
      lines((index) => [{ stop: `s${index}`, at: at(index), outcome: "done", ...seen }]).join(""),
    );
    return { before: ["cp", join(folder, "saved"), join(folder, "prompts.jsonl")] };
  };
  const add = async (name: string, id: string, transcript: string, prompts: number) => {
    await writeRecord(id, prompts);
    const own = await writeRecord(`${id}-prompt`, prompts);
    const event = { session_id: id, transcript_path: transcript, cwd: project, prompt_id: "last" };
    const stop = { ...event, hook_event_name: "Stop", last_assistant_message: "finished" };
    const stdin = (fields: object) => JSON.stringify({ ...stop, ...fields });
    const hook = [ccc, "supervisor-hook", ...record];
    made[`stop hook, ${name}`] = { command: hook, stdin: stdin({ stop_hook_active: true }) };
    made[`stop hook that skips, ${name}`] = { command: hook, stdin: stdin({ stop_hook_active: false }) };
    const next = { ...event, session_id: `${id}-prompt`, prompt_id: "next", prompt: "do next" };
    made[`prompt hook, ${name}`] = {
      ...own,
      command: [ccc, "supervisor-prompt", ...record],
      stdin: JSON.stringify({ ...next, hook_event_name: "UserPromptSubmit" }),
    };
    made[`start of a resumed session, ${name}`] = {
      command: [ccc, "supervisor-prompt", ...record],
      stdin: JSON.stringify({ ...event, hook_event_name: "SessionStart", source: "resume" }),
    };
    made[`status line, ${name}`] = {
      command: [ccc, "statusline", "--provider", "glm", ...record, "--supervisor"],
      stdin: JSON.stringify({ ...event, model: { id: "glm-5" }, context_window: { used_percentage: 42 } }),
    };
    made[`report, ${name}`] = { command: [ccc, "report", "--json", id], env: { CCC_CONFIG_DIR: claude } };
  };
  for (const size of SIZES_MB) {
    const transcript = join(home, `${size}.jsonl`);
    writeTranscript(transcript, size);
    await add(`${size} MB`, `size-${size}`, transcript, 1);
  }
  await add("1,000 prompts", "many", join(home, "1.jsonl"), 1000);
  return made;
};

const NAMES = [
  "stop hook",
  "stop hook that skips",
  "prompt hook",
  "start of a resumed session",
  "status line",
  "report",
];

await bench(
  async (ccc, { home, project, bin }) => {
    await writeFile(join(bin, "claude"), `#!/bin/sh\nhead -n 1 >/dev/null\necho '${JSON.stringify(answer)}'\n`, {
      mode: 0o755,
    });
    // Every kind of stop that reads the transcript: "changes" asks for the tools of the last turn, "fresh" for what was done.
    const supervisor = { max_iterations: 1e9, when: "changes", context: "fresh" };
    await writeFile(join(home, ".claude/ccc.json"), JSON.stringify({ providers: { glm: {} }, supervisor }));
    return await programs(ccc, home, project);
  },
  NAMES.map((name) => ({ name: `${name}, 500 MB`, base: `${name}, 1 MB`, limit: MOST })),
);
