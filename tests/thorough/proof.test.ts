import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { inTurn, killWhenChanged } from "../harness.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "work" } });
const POINT =
  '"for t in tests/*; do sh $t || exit 1; done" fails with the tests as they were at the prompt: tests/slug.test.sh';

describe("a test that was weakened is a point that the reviewer has to rule on", () => {
  for (const engine of ["hook", "loop"]) {
    test(`with the ${engine} engine on the real Claude Code`, async () => {
      const agent = [
        bash("echo 'echo \"$1\"' > slug.sh; sed -i 's/= ab/= AB/' tests/slug.test.sh"),
        { say: "Done." },
        bash("git checkout -q tests && echo 'echo \"$1\" | tr A-Z a-z; : new' > slug.sh"),
        { say: "The code is right now." },
      ];
      const unmet = { id: "T1", text: POINT, status: "unmet", evidence: "the test checks nothing now" };
      const refused: Turn = { verdict: { completed: false, feedback: "RESTORE THE TEST", criteria: [unmet] } };
      await using place = await supervisedPlace(inTurn({ agent, reviewer: [DONE, refused, DONE] }));
      const { project } = place;
      await Bun.write(join(project, "slug.sh"), 'echo "$1" | tr A-Z a-z\n');
      await Bun.write(
        join(project, "tests/slug.test.sh"),
        "[ $(sh slug.sh AB) = ab ] || { echo WAS $(sh slug.sh AB); exit 1; }\n",
      );
      await $`git init -q && git add -A && git -c user.name=n -c user.email=e commit -q -m m`.cwd(project);
      const task = engine === "loop" ? ["work"] : ["-p", "work"];
      const options = ["--supervisor", "--engine", engine, "--check", "for t in tests/*; do sh $t || exit 1; done"];

      const result = await place.ccc([...options, "glm", ...task, "--allowedTools", "Bash"]);

      expect([result.exitCode, result.stderr.match(/^(?:ccc: )?proof: 1 point$/gm)?.length]).toEqual([0, 1]);
      const [first = "", second = "", last = ""] = place.reviews();
      for (const review of [first, second]) {
        expect(review).toMatch(/- T1: .{1,3}for t in tests.* fails with the tests as they were at the prompt: tests/);
        expect(review).toContain("tests as of the prompt: fail");
        expect(review).toContain("    WAS AB");
      }
      expect(second).toContain("does not say that T1 is met");
      expect(last).not.toContain("- T1:");
      expect(await readdir(place.at(".claude/ccc/copies"))).toEqual([]);
      const report = await place.ccc(["report", "--json"]);
      const { rounds } = JSON.parse(report.stdout).prompts[0];
      const [proved, clean] = rounds.map(({ proof }: { proof: object }) => proof);
      expect(proved).toMatchObject({ why: null, points: [{ id: "T1", text: POINT }] });
      expect(proved.runs[0]).toMatchObject({ tests: "before", code: "now", passed: false, output: "WAS AB" });
      expect(clean).toMatchObject({ why: "no test has changed", points: [] });
    });
  }
});

test("a copy is for its owner only, and after SIGKILL the next supervised launch removes it; the repository stays as it was", async () => {
  const agent = [bash("echo true > tests/slug.test.sh; echo new > slug.sh"), { say: "Done." }];
  await using place = await supervisedPlace(inTurn({ agent, reviewer: [DONE] }));
  const { project } = place;
  const copies = place.at(".claude/ccc/copies");
  await Bun.write(join(project, "slug.sh"), "true\n");
  await Bun.write(join(project, "tests/slug.test.sh"), "sh slug.sh\n");
  await $`git init -q && git add -A && git -c user.name=n -c user.email=e commit -q -m m`.cwd(project);
  await $`echo 1 > other && git add other && git -c user.name=n -c user.email=e stash -q`.cwd(project);
  const repository = async () => await $`git stash list; sha1sum .git/index; ls -A .git`.cwd(project).text();
  const before = await repository();
  const started = place.at("started");
  const check = 'case "$PWD" in */copies/*) echo > "$HOME/started"; exec sleep 60;; esac; sh tests/slug.test.sh';
  const options = ["--supervisor", "--engine", "loop", "--check", check, "glm", "work", "--allowedTools", "Bash"];

  await killWhenChanged(
    () => place.start(options),
    () => existsSync(started),
  );

  const [left = ""] = await readdir(copies);
  expect(((await stat(join(copies, left))).mode & 0o777).toString(8)).toBe("700");
  expect(await repository()).toBe(before);
  await place.ccc(["--supervisor", "glm", "-p", "hi"]);
  expect(await readdir(copies)).toEqual([]);
});
