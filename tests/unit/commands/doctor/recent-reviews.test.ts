import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkRecentReviews } from "../../../../src/commands/doctor/recent-reviews.ts";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import { type LaunchRecord, saveLaunch } from "../../../../src/supervisor/record/launch-record.ts";
import { appendPrompts } from "../../../../src/supervisor/record/prompt-record.ts";
import { NO_COST } from "../../../../src/supervisor/record/review-cost.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { recordOutcome, recordStop } from "../../../../src/supervisor/record/stop-record.ts";
import { fakeWorld } from "../../fakes.ts";

const NOW = Date.now();
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

/** A home with one session, in which the agent answered a minute ago. */
interface Planted {
  readonly answeredAt?: string;
  /** Whether ccc's hook recorded its prompt, and how long ago. */
  readonly promptAt?: string;
  readonly stopAt?: string;
  /** The supervised launch that no hook has reported. */
  readonly waitingSince?: string;
  readonly launchedIn?: string;
  /** How many such sessions there are. */
  readonly sessions?: number;
}

async function check({
  answeredAt = ago(60),
  promptAt,
  stopAt,
  waitingSince,
  launchedIn = "/project",
  sessions = 1,
}: Planted) {
  const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const files = diskFiles(process.pid);
  const { world } = fakeWorld({ files, env: { HOME: home }, now: () => new Date(NOW) });
  const paths = cccPaths(world);
  const record = sessionRecord(paths, "s1");
  const entries = [
    { type: "user", promptId: "p1", message: { content: "work" } },
    {
      type: "assistant",
      timestamp: answeredAt,
      cwd: "/project/sub",
      message: { stop_reason: "end_turn", model: "glm" },
    },
  ];
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  for (let nth = 1; nth <= sessions; nth++) {
    files.writePrivate(join(home, `.claude/projects/-project/s${nth}.jsonl`), lines);
    if (promptAt !== undefined)
      appendPrompts(files, sessionRecord(paths, `s${nth}`), [
        { at: promptAt, prompt_id: "p1", by_user: true, text: "work", mode: null },
      ]);
  }
  if (stopAt !== undefined) {
    const stop = { stop: "stop", at: stopAt };
    recordStop(files, record, { ...stop, pid: 1, prompt_id: "p1" });
    const outcome = { kind: "limit", criteria: [], total: NO_COST } as const;
    recordOutcome(files, record, { ...stop, outcome, notes: {} }, (value) => value);
  }
  if (waitingSince !== undefined) {
    const environment = { salt: "", plain: {}, hashed: [] };
    const rest = {
      claude: "/bin/claude",
      version: null,
      same_model: true,
      reviewer: "glm",
      fallback: [],
      instructions: { path: null, text: "" },
      checks: { commands: [], left_out: [] },
    };
    const launch: LaunchRecord = { cwd: launchedIn, waiting_since: waitingSince, environment, ...rest };
    saveLaunch(files, paths, launch);
  }
  const { status, detail } = await checkRecentReviews(world, paths);
  await rm(home, { recursive: true });
  return status === "ok" ? "ok" : detail;
}

describe("recent reviews", () => {
  const NOT_RUN = "NOT reviewed: session s1 in /project/sub (its Stop hook did not run)";
  const NO_HOOKS = "NOT reviewed: session s1 in /project (none of ccc's hooks ran)";
  const table: [name: string, planted: Planted, expected: string][] = [
    ["an answer with a stop on record", { promptAt: ago(90), stopAt: ago(59) }, "ok"],
    ["an answer without a stop on record", { promptAt: ago(90) }, NOT_RUN],
    ["an answer whose Stop hook may just be starting", { promptAt: ago(90), answeredAt: ago(1) }, "ok"],
    ["an answer whose Stop hook has had time to start", { promptAt: ago(90), answeredAt: ago(10) }, NOT_RUN],
    ["a session without supervision", {}, "ok"],
    ["a launch whose hooks never ran, in a session with an answer", { waitingSince: ago(90) }, NO_HOOKS],
    ["a launch that came after the answer", { waitingSince: ago(30) }, "ok"],
    ["a launch in the moment of the answer", { waitingSince: ago(60) }, "ok"],
    ["a launch in another folder", { waitingSince: ago(90), launchedIn: "/pro" }, "ok"],
    ["a launch beside a session whose hooks run", { waitingSince: ago(90), promptAt: ago(80), stopAt: ago(59) }, "ok"],
  ];
  for (const [name, planted, expected] of table) test(name, async () => expect(await check(planted)).toBe(expected));

  test("at most five sessions are named, and the others counted", async () => {
    const said = async (sessions: number) => {
      const detail = await check({ promptAt: ago(90), sessions });
      return [detail.match(/session s\d in/g)?.length, /, and \d+ more$/.exec(detail)?.[0]];
    };
    expect([await said(5), await said(7)]).toEqual([
      [5, undefined],
      [5, ", and 2 more"],
    ]);
  });
});

test("a record that cannot be read is a warning", async () => {
  const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
  const { world } = fakeWorld({ files: diskFiles(process.pid), env: { HOME: home }, now: () => new Date(NOW) });
  const { prompts } = sessionRecord(cccPaths(world), "s1");
  await mkdir(prompts, { recursive: true });
  world.files.writePrivate(join(home, ".claude/projects/-project/s1.jsonl"), "");
  const { status, detail } = await checkRecentReviews(world, cccPaths(world));
  expect([status, detail]).toEqual(["warn", expect.stringContaining(prompts)]);
  await rm(home, { recursive: true });
});
