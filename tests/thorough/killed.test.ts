import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { haveEnded } from "../ended.ts";
import { DONE, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const NEVER = new Promise<void>(() => {});

/** Writes down the ids of a shell's parents, its own and another one; then it never ends. */
const linger = (other: string) =>
  `echo "$(ps -o ppid= -p $PPID) $PPID $$ ${other}" > ids.new; mv ids.new ids; while :; do sleep 0.1; done`;
const IN_OTHER_GROUP = "perl -e 'setpgrp(0, 0); exec @ARGV' sleep 600 >/dev/null 2>&1 &";

async function lingering(place: SupervisedPlace): Promise<number[]> {
  const file = `${place.project}/ids`;
  while (!existsSync(file)) await Bun.sleep(10);
  return (await readFile(file, "utf8")).trim().split(/\s+/).map(Number);
}

const checked = () =>
  supervisedPlace(({ role }) => (role === "reviewer" ? DONE : { say: "ready" }), {
    supervisor: { checks: [`${IN_OTHER_GROUP} ${linger("$!")}`] },
  });

test("a supervised -p that is killed takes the agent and what its tools run with it, and closes its pipes at once", async () => {
  await using place = await supervisedPlace(() => ({
    use: "Bash",
    input: { command: linger(""), description: "wait" },
  }));
  const ccc = place.start(["--supervisor", "glm", "-p", "work", "--dangerously-skip-permissions"], {
    env: { IS_SANDBOX: "1" },
  });
  const [, claude = 0, shell = 0] = await lingering(place);
  ccc.kill("SIGKILL");
  const startedAt = performance.now();
  // Whoever waits for the end of the output, as Go does, waits for claude.
  await Promise.all([ccc.stdout.text(), ccc.stderr.text()]);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(await haveEnded(claude, shell)).toBe(true);
});

test("a check ends with the ccc that is killed, with everything it started, and so does the hook that runs it", async () => {
  await using place = await checked();
  const ccc = place.start(["--supervisor", "glm", "-p", "work"]);
  const ids = await lingering(place);
  ccc.kill("SIGKILL");
  await ccc.stdout.text();
  expect(await haveEnded(...ids)).toBe(true);
});

test("a check ends with the hook that is killed", async () => {
  await using place = await checked();
  const ccc = place.start(["--supervisor", "glm", "-p", "work"]);
  const [, hook = 0, ...check] = await lingering(place);
  process.kill(hook, "SIGKILL");
  expect(await haveEnded(...check)).toBe(true);
  expect(await ccc.stderr.text()).toContain("ccc's Stop hook was killed before the review finished");
  expect(await ccc.exited).toBe(4);
});

test("the agent of the loop engine ends with the ccc that is killed", async () => {
  const asked = Promise.withResolvers<void>();
  await using place = await supervisedPlace(() => {
    asked.resolve();
    return { say: "too late", after: NEVER };
  });
  const ccc = place.start(["--supervisor", "--engine", "loop", "glm", "work"]);
  await asked.promise;
  const children = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(ccc.pid)])
    .stdout.toString()
    .trim()
    .split("\n");
  // Claude Code, and what watches over it.
  expect(children).toHaveLength(2);
  ccc.kill("SIGKILL");
  expect(await haveEnded(...children.map(Number))).toBe(true);
});
