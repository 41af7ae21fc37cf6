import { expect, test } from "bun:test";
import { stopNotifier } from "../../../../src/supervisor/hooks/stop-notifier.ts";
import { NOT_LOOKED, type Outcome } from "../../../../src/supervisor/review/outcome.ts";
import { createRedactor } from "../../../../src/text/redactor.ts";
import { fakeWorld } from "../../fakes.ts";

const NOW = new Date("2026-11-16T12:00:00Z");
const LAUNCH = {
  ...{ cwd: "/p", claude: "/claude", version: "2.1.325", same_model: true, reviewer: "glm", fallback: [] },
  ...{ environment: { salt: "", plain: {}, hashed: [] }, instructions: { path: null, text: "" } },
  checks: { commands: [], left_out: [] },
};
const HOOK = { settings: undefined, isPersistent: false };
const prompt = (seconds: number, by_user = true) => ({
  ...{ at: new Date(NOW.getTime() - seconds * 1000).toISOString(), by_user },
  ...{ prompt_id: "p", text: "work", mode: null },
});
const DONE: Outcome = { kind: "done", rounds: 1, feedback: "", ...NOT_LOOKED, criteria: [] };
const ASKS: Outcome = { ...DONE, kind: "needs_user" };

type About = Parameters<typeof stopNotifier>[2];

async function terminalGets(outcome: Outcome, about: Partial<About>): Promise<string | undefined> {
  const { world } = fakeWorld({ now: () => NOW });
  const log = { say: () => {} };
  const base = {
    ...{ world, id: "s", project: "/p", files: undefined, outputFile: "", redactor: createRedactor([]) },
    log: log as never,
  };
  const hookEnv = { TERM: "foot", CLAUDE_CODE_ENTRYPOINT: "cli" };
  const given = { hook: HOOK, hookEnv, launch: LAUNCH, recorded: [prompt(61)], notify: true, folder: "/c", ...about };
  return stopNotifier(world, base, given)(outcome, "Done");
}

const BYTES = "\u001b]777;notify;ccc;Done\u0007";

test.each<[string, Outcome, Partial<About>, string | undefined]>([
  ["a run of more than a minute", DONE, {}, BYTES],
  ["a run of a minute", DONE, { recorded: [prompt(60)] }, undefined],
  ["a run since the user's own prompt", DONE, { recorded: [prompt(100), prompt(5, false)] }, BYTES],
  ["a run of unknown length", DONE, { recorded: undefined }, undefined],
  ["a question", ASKS, { recorded: undefined }, BYTES],
  ["a review that sends the agent back", { ...DONE, kind: "rework", round: 1 }, {}, undefined],
  ["a stop without a review", { kind: "skipped", why: "plan" }, {}, undefined],
  ["a user who switched it off", ASKS, { notify: false }, undefined],
  ["-p, which has no screen", ASKS, { hookEnv: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } }, undefined],
  ["a Claude Code that does not know them", ASKS, { launch: { ...LAUNCH, version: "2.1.140" } }, undefined],
  ["a Claude Code that ccc did not start", ASKS, { hook: { ...HOOK, isPersistent: true } }, undefined],
])("the terminal and %s", async (_, outcome, about, bytes) => expect(await terminalGets(outcome, about)).toBe(bytes));
