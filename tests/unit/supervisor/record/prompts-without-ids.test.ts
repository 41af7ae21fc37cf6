import { describe, expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFiles } from "../../../../src/os/disk.ts";
import { promptsWithoutIds } from "../../../../src/supervisor/record/prompts-without-ids.ts";
import { claimRound } from "../../../../src/supervisor/record/state.ts";
import { memoryFiles } from "../../fakes.ts";

const files = diskFiles(process.pid);
const STATE = "/state.json";

const entry = (uuid: string, content = `say ${uuid}`, more: object = {}) => ({
  ...{ type: "user", uuid, message: { content }, ...more },
});
const NOTICE = (uuid: string) => entry(uuid, "<task-notification>x</task-notification>");
const U1 = entry("u1");
const U2 = entry("u2");

interface SeenStop {
  readonly transcript: readonly object[];
  readonly isRepeated?: boolean;
  /** Ends without a review. */
  readonly isSkipped?: boolean;
}

/** The rounds of a session's stops with a limit of one review per prompt; undefined: not reviewed. */
async function rounds(stops: readonly SeenStop[]): Promise<(number | undefined)[]> {
  const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const transcript = join(folder, "t.jsonl");
  const memory = memoryFiles();
  const place = { path: STATE, edit: memory.edit.bind(undefined, STATE) };
  const found: (number | undefined)[] = [];
  for (const { transcript: lines, isRepeated = false, isSkipped = false } of stops) {
    await writeFile(transcript, lines.map((line) => JSON.stringify(line)).join("\n"));
    const asked = await promptsWithoutIds(files, { transcript, isRepeated, states: [place] });
    if (isSkipped) continue;
    const claim = { sessionId: "s", ...asked, limit: 1, now: "now", agentTokens: 0 };
    found.push(claimRound(place, claim, () => {}).number);
  }
  await rm(folder, { recursive: true });
  return found;
}

const REVIEWED = 1;
const LIMIT = undefined;

describe("with versions that give prompts no ids, and one review for each prompt", () => {
  const first: SeenStop = { transcript: [U1] };
  const again: SeenStop = { transcript: [U1], isRepeated: true };
  const table: [name: string, stops: SeenStop[], expected: (number | undefined)[]][] = [
    ["two prompts, both reviewed", [first, again, { transcript: [U1, U2] }], [REVIEWED, LIMIT, REVIEWED]],
    ["the second is not in the transcript yet", [first, again, { transcript: [U1] }], [REVIEWED, LIMIT, REVIEWED]],
    [
      "one that is not there yet counts once more when it is",
      [
        first,
        again,
        { transcript: [U1] },
        { transcript: [U1, U2], isRepeated: true },
        { transcript: [U1, U2], isRepeated: true },
      ],
      [REVIEWED, LIMIT, REVIEWED, REVIEWED, LIMIT],
    ],
    ["the same text twice", [first, again, { transcript: [U1, { ...U1, uuid: "u3" }] }], [REVIEWED, LIMIT, REVIEWED]],
    ["a notification is not the user's", [first, again, { transcript: [U1, NOTICE("n1")] }], [REVIEWED, LIMIT, LIMIT]],
    [
      "a prompt after a notification, not in the transcript yet",
      [first, { transcript: [U1, NOTICE("n1")] }, { transcript: [U1, NOTICE("n1")] }],
      [REVIEWED, LIMIT, REVIEWED],
    ],
    [
      "a prompt after a stop that was skipped, not in the transcript yet",
      [first, { transcript: [U1, NOTICE("n1")], isSkipped: true }, { transcript: [U1, NOTICE("n1")] }],
      [REVIEWED, REVIEWED],
    ],
    [
      "a prompt after a command of Claude Code's own, not in the transcript yet",
      [first, again, { transcript: [U1, entry("c1", "<local-command-stdout>x</local-command-stdout>")] }],
      [REVIEWED, LIMIT, REVIEWED],
    ],
    [
      "feedback is not a prompt",
      [first, { transcript: [U1, entry("f1", "Stop hook feedback", { isMeta: true })], isRepeated: true }],
      [REVIEWED, LIMIT],
    ],
    [
      "lines without ids",
      [{ transcript: [{ ...U1, uuid: null }] }, { transcript: [U1, { ...U2, uuid: null }] }],
      [1, 1],
    ],
  ];
  // Each waits a second for what is missing.
  for (const [name, stops, expected] of table)
    test.concurrent(name, async () => expect(await rounds(stops)).toEqual(expected));
});

describe("a transcript without ids is read", () => {
  /** How often, if it has the prompt u1, and u2 is added before the second look. The stop before has seen `seen`. */
  async function looks(seen: string, isRepeated: boolean) {
    const folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const transcript = join(folder, "t.jsonl");
    await writeFile(transcript, `${JSON.stringify(U1)}\n`);
    const memory = memoryFiles();
    const place = { path: STATE, edit: memory.edit.bind(undefined, STATE) };
    const claim = { sessionId: "s", userPromptId: seen, seen, limit: 1, now: "now", agentTokens: 0 };
    claimRound(place, claim, () => {});
    let looked = 0;
    const identify: typeof files.identify = (path) => {
      if (++looked === 2) appendFileSync(transcript, JSON.stringify(U2));
      return files.identify(path);
    };
    const found = await promptsWithoutIds({ ...files, identify }, { transcript, isRepeated, states: [place] });
    await rm(folder, { recursive: true });
    return [looked, found.userPromptId];
  }
  test("once, if it has a new prompt", async () => expect(await looks("u0", false)).toEqual([1, "u1"]));
  test("once, if the agent goes on with the last one", async () =>
    expect(await looks("u1", true)).toEqual([1, undefined]));
  test("until it has a new prompt, if the agent cannot have worked on the last one", async () =>
    expect(await looks("u1", false)).toEqual([2, "u2"]));
});
