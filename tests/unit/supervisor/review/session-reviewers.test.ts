import { expect, test } from "bun:test";
import type { LaunchRecord } from "../../../../src/supervisor/record/launch-record.ts";
import { sessionReviewers } from "../../../../src/supervisor/review/session-reviewers.ts";
import { fakeWorld } from "../../fakes.ts";

/** Who is asked in a session with these reviewers, each with its settings file and the retries that it has. */
function asked(...[first = "", ...others]: string[]) {
  const launch: LaunchRecord = {
    ...{ cwd: "/project", claude: "/bin/claude", version: null, same_model: false, reviewer: first },
    fallback: others.map((reviewer) => ({ reviewer, settings: `/${reviewer}.json`, same_model: false })),
    environment: { salt: "", plain: {}, hashed: [] },
    instructions: { path: null, text: "" },
    checks: { commands: [], left_out: [] },
  };
  const session = {
    ...{ launch, settings: `/${first}.json`, context: "fresh" as const, isTerminal: false },
    ...{ claude: "/bin/claude", sessionId: "s", project: "/project", transcript: undefined },
  };
  const reviewers = sessionReviewers(fakeWorld().world, session);
  return Promise.all(
    reviewers.map(async ({ name, way, program }) => {
      const { args, env } = await program(way, "/project");
      return [name, args[args.indexOf("--settings") + 1], env.CLAUDE_CODE_MAX_RETRIES];
    }),
  );
}

test("each reviewer has its own settings, and the last one tries longest: nobody comes after it", async () => {
  expect(await asked("kimi")).toEqual([["kimi", "/kimi.json", "4"]]);
  expect(await asked("kimi", "glm")).toEqual([
    ["kimi", "/kimi.json", "2"],
    ["glm", "/glm.json", "4"],
  ]);
  expect(await asked("kimi", "glm", "qwen")).toEqual([
    ["kimi", "/kimi.json", "2"],
    ["glm", "/glm.json", "2"],
    ["qwen", "/qwen.json", "4"],
  ]);
});
