import { describe, expect, test } from "bun:test";
import { planLaunch } from "../../../../src/launch/plan.ts";
import { plannedHandOver, withHandOver } from "../../../../src/supervisor/setup/planned-hand-over.ts";
import { supervisePlan } from "../../../../src/supervisor/setup/supervise-plan.ts";
import type { Supervision } from "../../../../src/supervisor/setup/supervised-settings.ts";
import type { Env } from "../../../../src/world.ts";
import { situationOf } from "../../launch/plan-case.ts";

const LAYERS = { settings: [], managed: [], usersText: "" };

interface Situation {
  readonly isWanted?: boolean;
  readonly terminals?: readonly number[];
  readonly args?: readonly string[];
  readonly env?: Env;
}

function planned({ isWanted = true, terminals = [0, 1, 2], args = [], env = {} }: Situation): string {
  const handOver = plannedHandOver(isWanted, args, { env, isTerminal: (fd) => terminals.includes(fd) }, LAYERS);
  return handOver.kind === "unsupervised" ? `${handOver.kind}: ${handOver.why}` : handOver.kind;
}

describe("a hand-over", () => {
  const cases: [name: string, situation: Situation, expected: string][] = [
    ["on a terminal", {}, "supervised"],
    ["stderr is in a file", { terminals: [0, 1] }, "supervised"],
    ["stdout is in a file", { terminals: [0, 2] }, "none"],
    ["the prompt comes from a pipe", { terminals: [1, 2] }, "none"],
    ["with --no-handover", { isWanted: false }, "none"],
    [
      "with an option that switches hooks off",
      { args: ["--bare"] },
      "unsupervised: with --bare Claude Code runs no hooks, so supervision cannot work",
    ],
    [
      "with a variable that does",
      { env: { CLAUDE_CODE_SIMPLE: "1" } },
      "unsupervised: CLAUDE_CODE_SIMPLE is set: Claude Code runs no hooks, so supervision cannot work",
    ],
  ];
  for (const [name, situation, expected] of cases) test(name, () => expect(planned(situation)).toBe(expected));
});

describe("the plan of a loop that hands its session over", () => {
  const situation = situationOf({});
  const planned = (engine: "hook" | "loop", canWake: boolean) => {
    const supervision: Supervision = {
      ...{ engine, hookForm: "exec", canWake, limitWaitSeconds: 0, self: "/bin/ccc", configDir: "/c", limit: 10 },
      ...{ timeoutSeconds: 600, checks: [], checkTimeoutSeconds: 60, fallback: [] },
      ...{ reviewerProvider: undefined, reviewerModel: undefined },
    };
    return supervisePlan(planLaunch(situation), situation, supervision);
  };
  const names = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path.replace("/c/ccc/", ""));

  test("runs the agent without hooks, and has settings with hooks for later", () => {
    const plan = withHandOver(planned("loop", true), planned("hook", true));
    expect(names(plan.files)).toEqual(["settings-glm-plain.json", "settings-glm-supervisor.json", "settings-glm.json"]);
    expect(plan.args).toEqual(planned("loop", true).args);
    expect(plan.settings.agent.content).not.toHaveProperty("hooks");
    expect(plan.settings.handOver?.content).toHaveProperty("hooks.Stop");
  });
  test("also writes the reviewer's settings that its hooks name", () => {
    const later = planned("hook", false);
    expect(names(withHandOver(planned("loop", false), later).files)).toEqual(
      expect.arrayContaining(
        names([later.settings.agent, ...(later.settings.reviewer ? [later.settings.reviewer] : [])]),
      ),
    );
  });
});
