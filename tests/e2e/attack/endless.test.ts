import { expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expectGone, newPlace, type Place } from "../../harness.ts";

const TIMEOUT_SECONDS = 1;
const pids = `echo $$ > "$HOME/pids"; sleep 300 & echo $! >> "$HOME/pids"`;
const text = '{"type":"text","content":"and on and on"}';

/** Reviewers that talk until they are ended. They must not be ended much later than one that says nothing. */
const ENDLESS: [name: string, script: string][] = [
  ["lines that are not JSON", "exec yes"],
  ["long lines that are not JSON", `exec yes "$(head -c 100000 /dev/zero | tr '\\0' x)"`],
  ["one line without an end", "exec tr '\\0' x < /dev/zero"],
  ["empty lines", "exec tr '\\0' '\\n' < /dev/zero"],
  ["bytes that are no text", "exec cat /dev/urandom"],
  ["JSON lines of text", `exec yes '${text}'`],
  ["JSON lines that mean nothing", "exec yes '{}'"],
  ["stderr", "exec yes >&2"],
  ["both, and deaf to TERM", "trap '' TERM; yes >&2 & exec yes"],
];

async function review(place: Place, script: string) {
  await place.standIn(`${pids}; ${script}`);
  const started = Bun.nanoseconds();
  const result = await place.ccc(["supervisor-hook"], { stdin: JSON.stringify({ session_id: "abc" }) });
  return { ...result, elapsed: Bun.nanoseconds() - started };
}

for (const [name, script] of ENDLESS) {
  test(`a reviewer that prints ${name} is ended in time, and its words fill no disk`, async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: {} }, supervisor: { timeout_seconds: TIMEOUT_SECONDS } });
    const silent = await review(place, "trap '' TERM; while :; do sleep 300; done");
    const noisy = await review(place, script);
    expect(noisy).toMatchObject({ exitCode: 0, stdout: "" });
    // A quick machine gets through the most that is read before the time is over.
    expect(noisy.stderr).toMatch(/no verdict within 1 (second|GB of output)/);
    expect(noisy.elapsed).toBeLessThan(4 * silent.elapsed);
    expect(noisy.stderr.length).toBeLessThan(3_000_000);
    expect((await stat(join(place.project, ".claude/ccc/supervisor.log"))).size).toBeLessThan(100_000);
    await expectGone(place);
  });
}

test("a verdict behind much noise is still heard", async () => {
  await using place = await newPlace();
  const verdict = '{"type":"result","structured_output":{"completed":false,"feedback":"F"}}';
  const { stdout } = await review(place, `yes | head -c 3000000; echo '${verdict}'`);
  expect(stdout).toBe('{"decision":"block","reason":"F"}');
});
