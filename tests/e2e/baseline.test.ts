import { describe, expect, test } from "bun:test";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/turns.ts";
import { inTurn } from "../harness.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

test("a git that hangs delays the prompt for two seconds, and nothing is left of it", async () => {
  await using place = await supervisedPlace();
  await $`git init -q ${place.project}`;
  const pids = place.at("git pids");
  await place.write(join(place.bin, "git"), `#!/bin/sh\necho $$ >> "$HOME/git pids"\nexec sleep 60\n`);
  await chmod(join(place.bin, "git"), 0o755);
  const event = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "hi", cwd: place.project };
  const prompt = (prompt_id: string) =>
    place.ccc(["supervisor-prompt", "--config-dir", place.at(".claude")], {
      stdin: JSON.stringify({ ...event, prompt_id }),
    });
  const said = { exitCode: 0, stdout: "", stderr: expect.stringContaining("at this prompt: too slow. Its reviews") };
  expect(await prompt("p1")).toMatchObject(said);
  expect(await prompt("p2")).toMatchObject(said);
  const [pid = "", ...others] = (await readFile(pids, "utf8")).trim().split("\n");
  expect(others).toEqual([]);
  expect(() => process.kill(Number(pid), 0)).toThrow();
  expect((await readFile(place.at(".claude/ccc/sessions/s/prompts.jsonl"), "utf8")).split("\n")).toHaveLength(3);
});

const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "work" } });

describe("the reviewer is told what changed since the user's prompt, committed or not", () => {
  for (const engine of ["hook", "loop"]) {
    test(`with the ${engine} engine on the real Claude Code`, async () => {
      const work = "git rm -q old.test.ts; echo 2 >> tracked.txt; git -c user.name=n -c user.email=e commit -qam work";
      const script = inTurn({ agent: [bash(`${work}; echo new > new.txt`), { say: "ready" }], reviewer: [DONE] });
      await using place = await supervisedPlace(script);
      const git = (...args: string[]) => $`git -c user.name=n -c user.email=e ${args}`.cwd(place.project).quiet();
      await git("init", "-q");
      for (const name of ["tracked.txt", "old.test.ts"]) await writeFile(join(place.project, name), `${name}\n`);
      await git("add", "-A");
      await git("commit", "-q", "-m", "start");
      await writeFile(join(place.project, "untracked.txt"), "the user's\n");

      const args = ["--supervisor", "--engine", engine, "glm", "-p", "work on it", "--allowedTools", "Bash"];
      expect(await place.ccc(engine === "loop" ? args.filter((arg) => arg !== "-p") : args)).toMatchObject({
        exitCode: 0,
      });

      const lines = ["- added: new.txt (+1 -0)", "- deleted: old.test.ts (+0 -1)", "- modified: tracked.txt (+1 -0)"];
      expect(place.reviews()[0]).toContain(`${lines.join("\\n")}\\n</section`);
      const sessions = place.at(".claude/ccc/sessions");
      const [session = ""] = await readdir(sessions);
      expect((await stat(join(sessions, session, "baseline.json"))).mode & 0o777).toBe(0o600);
      expect((await git("log", "--format=%s")).text()).toBe("work\nstart\n");
    });
  }
});
