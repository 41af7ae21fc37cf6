import { describe, expect, test } from "bun:test";
import { planSupervision } from "../../../../src/supervisor/setup/plan-supervision.ts";
import { persistentSupervision } from "../../../../src/supervisor/setup/supervised-settings.ts";

function planned(supervisor: object) {
  const providers = { glm: {}, kimi: {} };
  const loaded = {
    config: { providers, supervisor },
    providers: new Map(Object.entries(providers)),
    path: "/c/ccc.json",
    isStamped: true,
    stamp: "",
  };
  return planSupervision(loaded, { self: "/bin/ccc", platform: "linux" });
}

describe("who reviews", () => {
  test("the reviewers of supervisor.fallback, in order", () =>
    expect(planned({ fallback: ["kimi:k2", "glm"] }).fallback).toEqual([
      { provider: "kimi", model: "k2" },
      { provider: "glm", model: undefined },
    ]));
  test("nobody else by default", () => expect(planned({}).fallback).toEqual([]));
  test.each([
    [{ provider: "kimmi" }, 'supervisor.provider in /c/ccc.json is "kimmi", which is not a provider there'],
    [
      { fallback: ["glm", "kimmi:k2"] },
      'supervisor.fallback in /c/ccc.json names "kimmi", which is not a provider there',
    ],
  ])("%p is refused", (supervisor, message) => expect(() => planned(supervisor)).toThrow(message));
});

test("sessions that ccc does not start are not woken: their Claude Code may be too old for such a hook", () =>
  expect(persistentSupervision(planned({}), "/c/reviewer.json", "word").hooks).not.toHaveProperty("StopFailure"));
