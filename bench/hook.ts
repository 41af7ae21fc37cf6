/**
 * The overhead of supervision, relative to an empty Bun program: the hook in the reviewer's own session, which skips; the
 * guard before each tool call; the record of a prompt; and the whole hook with a reviewer that answers at once, after a
 * short and after a long session.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bench } from "./measure.ts";

const event = JSON.stringify({ session_id: "bench", stop_hook_active: true, prompt_id: "p" });
const prompt = JSON.stringify({ ...JSON.parse(event), hook_event_name: "UserPromptSubmit", prompt: "hi" });
const answer = JSON.stringify({
  type: "result",
  subtype: "success",
  structured_output: { completed: true, feedback: "" },
});

await bench(
  async ({ ccc, place, compileEmpty }) => {
    const { home, project, bin } = place;
    await writeFile(join(bin, "claude"), `#!/bin/sh\ncat >/dev/null\necho '${answer}'\n`, { mode: 0o755 });
    await writeFile(
      join(home, ".claude/ccc.json"),
      JSON.stringify({ providers: { glm: {} }, supervisor: { max_iterations: 1e9 } }),
    );
    await mkdir(join(project, "long/.claude/ccc"), { recursive: true });
    await writeFile(
      join(project, "long/.claude/ccc/supervisor-bench-output.jsonl"),
      `${"x".repeat(1_000_000)}\n`.repeat(100),
    );
    await writeFile(
      join(project, "long/.claude/ccc/supervisor-bench.json"),
      JSON.stringify({
        session_id: "bench",
        count: 100_000,
        created_at: "",
        updated_at: "",
        prompt_id: "p",
        feedback: [],
      }),
    );
    const hook = { command: [ccc, "supervisor-hook"], stdin: event };
    const record = ["--config-dir", join(home, ".claude")];
    const tool = (tool_name: string, tool_input: object) => ({
      command: [ccc, "supervisor-guard"],
      stdin: JSON.stringify({ tool_name, tool_input, cwd: project }),
      env: { CCC_REVIEW_FOLDERS: JSON.stringify([project]) },
    });
    return {
      empty: { command: [await compileEmpty()] },
      "instant reviewer alone": { command: [join(bin, "claude")], stdin: event },
      "guard for a file": tool("Read", { file_path: join(project, "long") }),
      "guard for a command": tool("Bash", { command: "cat long/x | head -3" }),
      "nested skip": { command: hook.command, env: { CCC_SUPERVISOR_HOOK: "1" } },
      "whole hook": hook,
      "whole hook with a record": { command: [...hook.command, ...record], stdin: event },
      "prompt hook": { command: [ccc, "supervisor-prompt", ...record], stdin: prompt },
      "whole hook after 100 MB of output and 100,000 rounds": { ...hook, cwd: join(project, "long") },
    };
  },
  [
    { name: "nested skip", limit: 1.4 },
    { name: "guard for a file", limit: 2.2 },
    { name: "guard for a command", limit: 2.6 },
    { name: "whole hook", without: "instant reviewer alone", limit: 6 },
    { name: "whole hook with a record", without: "instant reviewer alone", limit: 6 },
    { name: "prompt hook", limit: 4 },
    { name: "whole hook after 100 MB of output and 100,000 rounds", without: "instant reviewer alone", limit: 6 },
  ],
);
