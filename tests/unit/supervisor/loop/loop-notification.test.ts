import { expect, test } from "bun:test";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { notifyOfLoopEnd } from "../../../../src/supervisor/loop/loop-notification.ts";
import { fakeWorld } from "../../fakes.ts";

const TOLD = { message: "Done. 1 agent run", seconds: 61, say: () => {} };
const ENV = { HOME: "/home/u", PATH: "/bin", TERM: "foot", ANTHROPIC_API_KEY: "sk-a", OTHER: "the-fetched-key" };

async function ended(outcome: "done" | "interrupted", notify: boolean | string, env: Record<string, string> = {}) {
  const ran: ChildRequest[] = [];
  const run = async (request: ChildRequest) => {
    ran.push(request);
    return { exitCode: 0, ending: "exited" as const, stderr: "" };
  };
  const { world, said } = fakeWorld({ env: { ...ENV, ...env }, isTerminal: (fd) => fd === 2 && env.CI !== "1", run });
  const launch = {
    plan: { settings: { agent: { content: {} }, reviewer: undefined } },
    loaded: { config: { supervisor: { notify } } },
    ...{ keys: ["the-fetched-key"], paths: { folder: "/c" }, record: { cwd: "/project" } },
  };
  await notifyOfLoopEnd(world, launch as never, { outcome, session_id: "s" }, TOLD);
  return { bytes: said.stderr, ran };
}

test("a loop notifies by the terminal on stderr, also inside tmux, unless the user ended it", async () => {
  const bytes = "\u001b]777;notify;ccc;Done. 1 agent run\u0007";
  expect((await ended("done", true)).bytes).toBe(bytes);
  expect((await ended("done", true, { TMUX: "x" })).bytes).toBe(`\u001bPtmux;\u001b${bytes}\u001b\\`);
  expect((await ended("done", true, { CI: "1" })).bytes).toBe("");
  expect((await ended("interrupted", true)).bytes).toBe("");
  expect((await ended("done", false)).bytes).toBe("");
});

test("a loop's command gets no keys, and runs without a terminal too", async () => {
  const { bytes, ran } = await ended("done", "beep", { CI: "1" });
  expect(bytes).toBe("");
  expect(ran[0]?.program.env).toEqual({
    ...{ HOME: "/home/u", PATH: "/bin", TERM: "foot", CI: "1" },
    ...{ CCC_OUTCOME: "done", CCC_MESSAGE: "Done. 1 agent run", CCC_SESSION: "s", CCC_FOLDER: "/project" },
  });
});
