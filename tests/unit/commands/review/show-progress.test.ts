import { expect, test } from "bun:test";
import { showProgress } from "../../../../src/commands/review/show-progress.ts";
import { fakeWorld } from "../../fakes.ts";

function shown(isTerminal: boolean, columns = 60) {
  const { world, said } = fakeWorld({ isTerminal: () => isTerminal, columns: () => columns });
  const progress = showProgress(world);
  progress.start("s1", "glm", 2);
  progress.step("check npm test");
  progress.step("");
  progress.step(`Read ${"very/long/".repeat(20)}`);
  progress.trouble("glm: HTTP 429");
  progress.stop();
  return said;
}

test("a script gets a line, and one for each trouble", () =>
  expect(shown(false)).toEqual({
    stdout: "",
    stderr: "… reviewing session s1: 2 checks first, then glm\n… glm: HTTP 429\n",
  }));

test("a terminal also shows what the review does, in lines that fit", () => {
  const { stderr, stdout } = shown(true);
  expect(stdout).toBe("");
  const lines = stderr.split(/[\r\n]+/).map((line) => Bun.stripANSI(line));
  const LONG = expect.stringMatching(/^glm is reviewing: Read very\/long\/.* 0 s$/);
  expect(lines.map((line) => line.replace(/^\p{So} /u, ""))).toEqual([
    "… reviewing session s1: 2 checks first, then glm",
    "preparing the review 0 s",
    "check npm test 0 s",
    "glm is reviewing 0 s",
    LONG,
    "… glm: HTTP 429",
    LONG,
    "",
  ]);
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
});

test.each([
  [0, "… reviewing session s1: glm\n"],
  [1, "… reviewing session s1: a check first, then glm\n"],
])("%d checks", (checks, line) => {
  const { world, said } = fakeWorld();
  showProgress(world).start("s1", "glm", checks);
  expect(said.stderr).toBe(line);
});
