import { beforeAll, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expectGone, newPlace, type Place } from "../../harness.ts";

const TIMEOUT_SECONDS = 1;
const CONFIG = { providers: { glm: {} }, supervisor: { timeout_seconds: TIMEOUT_SECONDS } };
const pids = `echo $$ > "$HOME/pids"; sleep 300 & echo $! >> "$HOME/pids"`;
const text = '{"type":"text","content":"and on and on"}';

/** A megabyte of each kind of line that is not a message. */
const KINDS = [
  "yes",
  `yes "$(head -c 100000 /dev/zero | tr '\\0' x)"`,
  "tr '\\0' '\\n' < /dev/zero",
  "cat /dev/urandom",
  "yes '{}'",
].map((command) => `${command} | head -c 1000000`);

/** Reviewers that print until they are killed, which must not take much longer than for a silent one. */
const ENDLESS: [name: string, script: string][] = [
  ["lines: short, long and empty ones, binary data, and JSON without meaning", `while :; do ${KINDS.join("; ")}; done`],
  ["one line", "exec tr '\\0' x < /dev/zero"],
  ["JSON lines of text", `exec yes '${text}'`],
  ["to both streams, ignoring TERM", "trap '' TERM; yes >&2 & exec yes"],
];

async function review(place: Place, script: string) {
  await place.standIn(`${pids}; ${script}`);
  const started = Bun.nanoseconds();
  const result = await place.ccc(["supervisor-hook"], { stdin: JSON.stringify({ session_id: "abc" }) });
  return { ...result, elapsed: Bun.nanoseconds() - started };
}

let silentTime = 0;

beforeAll(async () => {
  await using place = await newPlace();
  await place.config(CONFIG);
  silentTime = (await review(place, "trap '' TERM; while :; do sleep 300; done")).elapsed;
});

for (const [name, script] of ENDLESS) {
  test(`a reviewer that endlessly prints ${name} is stopped in time and does not fill the disk`, async () => {
    await using place = await newPlace();
    await place.config(CONFIG);
    const noisy = await review(place, script);
    expect(noisy).toMatchObject({ exitCode: 0, stdout: "" });
    expect(noisy.stderr).toMatch(/no verdict within (1 second|500 MB)/);
    expect(noisy.elapsed).toBeLessThan(4 * silentTime);
    expect(noisy.stderr.length).toBeLessThan(3_000_000);
    expect((await stat(join(place.project, ".claude/ccc/supervisor.log"))).size).toBeLessThan(100_000);
    await expectGone(place);
  });
}

test("a verdict after much noise still counts", async () => {
  await using place = await newPlace();
  const verdict = '{"type":"result","structured_output":{"completed":false,"feedback":"F"}}';
  const { stdout } = await review(place, `yes | head -c 3000000; echo '${verdict}'`);
  expect(stdout).toBe('{"decision":"block","reason":"F"}');
});
