import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolCall } from "../../../src/sandbox/sandbox.ts";
import { newPlace, type Place } from "../../harness.ts";
import { tryTools } from "./reviewer.ts";

const use = (name: string, input: Record<string, unknown>): ToolCall => ({ use: name, input });
const bash = (command: string) => use("Bash", { command, description: "try" });

/** Every way in which a model can write, delegate or continue later. */
function attempts(place: Place): ToolCall[] {
  const file = join(place.project, "code.txt");
  return [
    use("Write", { file_path: join(place.project, "written.txt"), content: "x" }),
    use("Edit", { file_path: file, old_string: "flaw", new_string: "mended" }),
    use("MultiEdit", { file_path: file, edits: [{ old_string: "flaw", new_string: "mended" }] }),
    use("NotebookEdit", {
      notebook_path: join(place.project, "n.ipynb"),
      new_source: "x",
      edit_mode: "insert",
      cell_type: "code",
    }),
    ...["echo x > made.txt", "touch made.txt", "sed -i s/flaw/mended/ code.txt", "cat code.txt > made.txt"].map(bash),
    ...["tee made.txt < code.txt", "git diff --output=made.txt", "npm run lint -- --fix", "make test deploy"].map(bash),
    bash("node --test --test-reporter=spec --test-reporter-destination=code.txt"),
    use("Bash", { command: "sleep 60; touch made.txt", description: "later", run_in_background: true }),
    ...["Agent", "Task"].map((name) =>
      use(name, { description: "d", prompt: "touch made.txt", subagent_type: "general-purpose" }),
    ),
    use("Workflow", { name: "deep-research", args: "x" }),
    use("Skill", { skill: "init" }),
    use("ScheduleWakeup", { delaySeconds: 60, prompt: "go on", reason: "r" }),
    use("CronCreate", { cron: "* * * * *", prompt: "go on" }),
    use("SendMessage", { to: "main", message: "stop" }),
    use("EnterWorktree", { name: "made" }),
    use("WebFetch", { url: "http://127.0.0.1:9/", prompt: "read" }),
    use("mcp__files__write", { path: file, content: "x" }),
    use("AToolThatNobodyKnows", {}),
  ];
}

/** What the user allows the agent. */
const ALLOWED = { permissions: { allow: ["Bash", "Write", "Edit"], defaultMode: "acceptEdits" } };

test.each(["pinned", "oldest"] as const)(
  "with the %s Claude Code a reviewer cannot write, delegate or continue later, in any context, whatever the user allows the agent",
  async (version) => {
    await using place = await newPlace();
    if (version === "oldest") await place.oldest();
    await place.write(place.at(".claude/settings.json"), ALLOWED);
    await place.write(join(place.project, "code.txt"), "flaw\n");
    await place.write(join(place.project, "n.ipynb"), { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const before = (await readdir(place.project)).concat(".claude").sort();
    const calls = attempts(place);
    const reviews = await tryTools(place, calls, ["session", "fresh"], { settings: ALLOWED });
    const refused =
      /not part of a review|No such tool|denied by your permission settings|unexpected parameter|not been read/;
    expect(reviews).toHaveLength(2);
    for (const answers of reviews) {
      expect(answers).toHaveLength(calls.length);
      for (const [index, call] of calls.entries())
        expect([call, answers[index]]).toEqual([call, expect.stringMatching(refused)]);
    }
    expect((await readdir(place.project)).sort()).toEqual(before);
    expect(await readFile(join(place.project, "code.txt"), "utf8")).toBe("flaw\n");
  },
);

test("if the guard cannot run, every tool is refused", async () => {
  await using place = await newPlace();
  await place.write(join(place.project, "code.txt"), "flaw\n");
  const breakGuard = async () => {
    const folder = place.at(".claude/ccc");
    const [name = ""] = (await readdir(folder)).filter((each) => each.startsWith("settings-glm-supervisor"));
    const settings = JSON.parse(await readFile(join(folder, name), "utf8"));
    settings.hooks.PreToolUse[0].hooks[0].command = "/nowhere/ccc";
    await place.write(join(folder, name), settings);
  };
  const calls = [bash("cat code.txt"), use("Read", { file_path: join(place.project, "code.txt") })];
  const [answers = []] = await tryTools(place, calls, ["session"], { plant: breakGuard });
  expect(answers).toHaveLength(2);
  for (const answer of answers) expect(answer).toContain("blocking because onFailure");
});
