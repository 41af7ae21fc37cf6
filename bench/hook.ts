import { copyFile, mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { bench } from "./measure.ts";

/**
 * The overhead of supervision, relative to an empty Bun program: idle hooks and the session start without supervision, the
 * status line during a review, the hook in the reviewer's own session (which skips), the guard before each tool call, the
 * record of a prompt outside git and in a repository with 500 files, and the whole hook with a reviewer that answers at once,
 * after a short and a long session.
 */

const event = JSON.stringify({ session_id: "bench", stop_hook_active: true, prompt_id: "p" });
const prompt = JSON.stringify({ ...JSON.parse(event), hook_event_name: "UserPromptSubmit", prompt: "hi" });
const stop = JSON.stringify({ ...JSON.parse(event), hook_event_name: "Stop", last_assistant_message: "ok" });
const start = JSON.stringify({ session_id: "bench", hook_event_name: "SessionStart", source: "startup" });
const answer = JSON.stringify({
  type: "result",
  subtype: "success",
  structured_output: { completed: true, feedback: "" },
});

/** A repository with 500 files, 20 of them changed and 20 untracked. */
async function makeRepository(folder: string): Promise<string> {
  const write = async (name: string, text: string) => {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (let index = 0; index < 480; index++) await write(`src/${index % 30}/file-${index}.ts`, `${index}\n`.repeat(100));
  await $`git init -q && git add -A && git -c user.name=n -c user.email=e commit -q -m m`.cwd(folder).quiet();
  for (let index = 0; index < 20; index++) await write(`src/${index}/file-${index}.ts`, "changed\n");
  for (let index = 0; index < 20; index++) await write(`new/file-${index}.ts`, `${index}\n`.repeat(100));
  return folder;
}

await bench(
  async (ccc, { home, project, bin }) => {
    await writeFile(join(bin, "claude"), `#!/bin/sh\nhead -n 1 >/dev/null\necho '${answer}'\n`, { mode: 0o755 });
    await writeFile(
      join(home, ".claude/ccc.json"),
      JSON.stringify({ providers: { glm: {} }, supervisor: { max_iterations: 1e9, confirm: false } }),
    );
    // Hooks run in sessions of a launch, which leaves a ccc.json that need not be checked again.
    await $`${ccc} glm -p hi < /dev/null`
      .cwd(project)
      .env({ HOME: home, PATH: `${bin}:/usr/bin:/bin` })
      .quiet();
    await mkdir(join(project, "long/.claude/ccc"), { recursive: true });
    await writeFile(
      join(project, "long/.claude/ccc/supervisor-bench-output.jsonl"),
      // Below the size at which it is rotated.
      `${"x".repeat(1_000_000)}\n`.repeat(19),
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
    await mkdir(join(project, "short"));
    await writeFile(join(project, "short/x"), "");
    const repository = await makeRepository(join(project, "repository"));
    // Without an id in the event, each prompt after a stop counts as a new one.
    const stops = join(home, ".claude/ccc/sessions/in-git/stops.jsonl");
    await mkdir(join(stops, ".."), { recursive: true });
    await writeFile(stops, "");
    await utimes(stops, 4e9, 4e9);
    const inGit = JSON.stringify({ ...JSON.parse(prompt), session_id: "in-git", prompt_id: undefined });
    const hook = { command: [ccc, "supervisor-hook"], stdin: event };
    const record = ["--config-dir", join(home, ".claude")];
    const idle = [
      ...record,
      "--idle",
      "--provider",
      "glm",
      "--agent-settings",
      join(home, ".claude/ccc/settings.json"),
    ];
    // As if the stand-in had passed the trial of Claude Code's sandbox. With a ccc.json of its own, so that the others have none.
    const inSandbox = ["--config-dir", join(home, "sandboxed")];
    const machine = (
      await Bun.file("/etc/machine-id")
        .text()
        .catch(() => "")
    ).trim();
    await mkdir(join(home, "sandboxed/ccc"), { recursive: true });
    await copyFile(join(home, ".claude/ccc.json"), join(home, "sandboxed/ccc.json"));
    await writeFile(
      join(home, "sandboxed/ccc/sandbox.json"),
      JSON.stringify({ machine, claude: join(bin, "claude"), version: "", why: null }),
    );
    const tool = (tool_name: string, tool_input: object) => ({
      command: [ccc, "supervisor-guard"],
      stdin: JSON.stringify({ tool_name, tool_input, cwd: project }),
      env: { CCC_REVIEW_FOLDERS: JSON.stringify([project]) },
    });
    const running = { pid: process.pid, round: 2, limit: 10, doing: "Bash npm test", since: 1, ends_by: 4e12 };
    await mkdir(join(home, ".claude/ccc/sessions/reviewed"), { recursive: true });
    await writeFile(join(home, ".claude/ccc/sessions/reviewed/launch.json"), JSON.stringify({ provider: "glm" }));
    await writeFile(join(home, ".claude/ccc/sessions/reviewed/now.json"), JSON.stringify(running));
    const week = { kind: "window", name: "week", hours: 168, used_percent: 37, resets_at: null };
    await mkdir(join(home, ".claude/ccc/usage"));
    await writeFile(
      join(home, ".claude/ccc/usage/glm.json"),
      JSON.stringify({ asked_at: new Date().toISOString(), figures: [week] }),
    );
    const status = { session_id: "reviewed", model: { id: "glm-5" }, context_window: { used_percentage: 42 } };
    return {
      "instant reviewer alone": { command: [join(bin, "claude")], stdin: event },
      "guard for a file": tool("Read", { file_path: join(project, "short/x") }),
      "guard for a command": tool("Bash", { command: "cat short/x | head -3" }),
      "guard for a git command": tool("Bash", { command: "git -C repository diff" }),
      "status line in a review": {
        command: [ccc, "statusline", "--provider", "glm", ...record, "--supervisor"],
        stdin: JSON.stringify(status),
      },
      "idle stop hook": { command: [ccc, "supervisor-hook", ...idle], stdin: stop },
      "idle prompt hook": { command: [ccc, "supervisor-prompt", ...idle], stdin: prompt },
      "start of an idle session": { command: [ccc, "supervisor-prompt", ...idle], stdin: start },
      "nested skip": { command: hook.command, env: { CCC_SUPERVISOR_HOOK: "1" } },
      "whole hook": hook,
      "whole hook with a record": { command: [...hook.command, ...record], stdin: event },
      "whole hook in a sandbox": { command: [...hook.command, ...inSandbox], stdin: event },
      // It runs beside a hook that has a reviewer, which does not wait for it, so its cost is not in the hook's.
      "watch beside a hook": { command: [ccc, "supervisor-watch"], stdin: "" },
      "prompt hook": { command: [ccc, "supervisor-prompt", ...record], stdin: prompt },
      "prompt hook in a repository": {
        command: [ccc, "supervisor-prompt", ...record],
        stdin: inGit,
        cwd: repository,
      },
      "whole hook after 19 MB of output and 100,000 rounds": { ...hook, cwd: join(project, "long") },
    };
  },
  [
    { name: "status line in a review", limit: 1.5 },
    { name: "idle stop hook", limit: 1.25 },
    { name: "idle prompt hook", limit: 1.25 },
    { name: "start of an idle session", limit: 3 },
    { name: "nested skip", limit: 1.4 },
    { name: "guard for a file", limit: 1.4 },
    { name: "guard for a command", limit: 1.4 },
    { name: "guard for a git command", limit: 2.5 },
    { name: "whole hook", without: "instant reviewer alone", limit: 5 },
    { name: "whole hook with a record", without: "instant reviewer alone", limit: 5 },
    { name: "prompt hook", limit: 3 },
    { name: "prompt hook in a repository", without: "prompt hook", limit: 6 },
    { name: "whole hook after 19 MB of output and 100,000 rounds", without: "instant reviewer alone", limit: 5 },
  ],
);
