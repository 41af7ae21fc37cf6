import { describe, expect, test } from "bun:test";
import { lstatSync, readdirSync, statSync } from "node:fs";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { inTurn } from "../harness.ts";
import { DONE, LOOK, supervisedPlace } from "../supervised.ts";

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

const RULED: Turn = {
  verdict: {
    completed: true,
    feedback: "seen",
    criteria: ["T1", "T2", "T3", "T4", "T5"].map((id) => ({
      id,
      text: "",
      status: "met",
      evidence: "the user asked for it",
    })),
  },
};

describe("the reviewer learns what changed since the user's prompt, committed or not, in a worktree too, and what is suspicious", () => {
  for (const engine of ["hook", "loop"]) {
    test(`with the ${engine} engine on the real Claude Code`, async () => {
      const tests = "git rm -q old.test.ts; sed -i.bak s/test/test.skip/ kept.test.ts; rm kept.test.ts.bak";
      // UTF-16, as some compilers read it.
      const wide = [...'\uFEFFtest.skip("b");\n'].flatMap((each) => [
        each.charCodeAt(0) & 255,
        each.charCodeAt(0) >> 8,
      ]);
      const weaker = [
        `printf '${wide.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")}' > wide.test.ts`,
        "sed -i.bak s/test_a/_test_a/ test_calc.py; sed -i.bak s/npm/true/ Makefile; rm *.bak",
      ].join("; ");
      const work = `${tests}; ${weaker}; echo 2 >> tracked.txt; git -c user.name=n -c user.email=e commit -qam work`;
      const script = inTurn({
        agent: [
          bash(`git worktree add -q wt; ${work}; echo new > new.txt; cd wt; echo w > here.txt`),
          { say: "ready" },
        ],
        reviewer: [LOOK, DONE, RULED],
      });
      await using place = await supervisedPlace(script);
      const git = (...args: string[]) => $`git -c user.name=n -c user.email=e ${args}`.cwd(place.project).quiet();
      await git("init", "-q");
      for (const name of ["tracked.txt", "old.test.ts"]) await writeFile(join(place.project, name), `${name}\n`);
      await writeFile(join(place.project, "kept.test.ts"), "test(f);\n");
      await writeFile(join(place.project, "wide.test.ts"), 'test("b");\n');
      await writeFile(join(place.project, "test_calc.py"), "def test_a():\n  assert a\n\ndef test_b():\n  assert b\n");
      await writeFile(join(place.project, "Makefile"), "test:\n\tnpm test\n");
      await git("add", "-A");
      await git("commit", "-q", "-m", "start");
      await writeFile(join(place.project, "untracked.txt"), "the user's\n");
      await writeFile(join(place.project, ".git/info/exclude"), "wt\n");

      const args = ["--supervisor", "--engine", engine, "glm", "-p", "work on it", "--allowedTools", "Bash"];
      expect(await place.ccc(engine === "loop" ? args.filter((arg) => arg !== "-p") : args)).toMatchObject({
        exitCode: 0,
      });

      const lines = ["modified: kept.test.ts (+1 -1)", "deleted: old.test.ts (+0 -1)", "modified: tracked.txt (+1 -0)"];
      for (const line of [...lines, "added: new.txt (+1 -0)"]) expect(place.reviews()[0]).toContain(`- ${line}\\n`);
      // In the worktree that the agent is in.
      expect(place.reviews()[0]).toContain("/wt/here.txt (+1 -0)\\n");
      const suspicious = [
        "old.test.ts was deleted",
        "kept.test.ts: 1 test newly skipped (line 1: test.skip(f))",
        'wide.test.ts: 1 test newly skipped (line 1: test.skip(\\"b\\"))',
        "test_calc.py has 1 test, 2 before (gone: test_a)",
        "Makefile: the section test changed",
      ];
      for (const [at, text] of suspicious.entries()) expect(place.reviews()[0]).toContain(`- T${at + 1}: ${text}\\n`);
      // A "done" without a ruling on them does not count.
      expect(place.reviews().at(-1)).toContain("it says done, but does not say that T1, T2, T3, T4 and T5 are met");
      const sessions = place.at(".claude/ccc/sessions");
      const [session = ""] = await readdir(sessions);
      expect((await stat(join(sessions, session, "baseline.json"))).mode & 0o777).toBe(0o600);
      const { "stops.jsonl": stops = "", "launch.json": launch = "" } = await place.record();
      expect(JSON.parse(launch)).toMatchObject({ engine, provider: "glm", cwd: place.project });
      expect(JSON.parse(stops.trim().split("\n").at(-1) ?? "").changes).toMatchObject({
        files: expect.arrayContaining([{ path: "old.test.ts", kind: "deleted", added: 0, deleted: 1 }]),
        more: 0,
        suspicious: [
          { id: "T1", path: "old.test.ts" },
          { id: "T2", path: "kept.test.ts" },
          { id: "T3", path: "wide.test.ts" },
          { id: "T4", path: "test_calc.py" },
          { id: "T5", path: "Makefile" },
        ],
      });
      expect((await git("log", "--format=%s")).text()).toBe("work\nstart\n");
    });
  }
});

test("with an umask that opens everything, what ccc makes is still for its owner only", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer: [DONE] }));
  await $`git init -q ${place.project}`;
  const before = process.umask(0);
  const { exitCode } = await place.ccc(["--supervisor", "glm", "-p", "x"]).finally(() => process.umask(before));
  expect(exitCode).toBe(0);
  const folders = [place.at(".claude/ccc"), join(place.project, ".claude/ccc")];
  // Below that, git makes files in folders that are closed already.
  const inside = (folder: string) => readdirSync(folder).map((name) => join(folder, name));
  const deeper = folders
    .flatMap(inside)
    .flatMap((path) => [path, ...(statSync(path).isDirectory() ? inside(path) : [])]);
  expect(deeper.map((path) => path.slice(place.home.length))).toContain("/.claude/ccc/baselines");
  const modes = [...folders, ...deeper].map((path) => [path, lstatSync(path)] as const);
  expect(modes.filter(([, stat]) => !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0).map(([path]) => path)).toEqual(
    [],
  );
});
