import { describe, expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/turns.ts";
import { inTurn } from "../harness.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

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
