import { describe, expect, test } from "bun:test";
import { chooseReviewer, type ReviewerWish } from "../../../../src/commands/review/choose-reviewer.ts";
import { planSupervision } from "../../../../src/supervisor/setup/plan-supervision.ts";
import { plannedReviewers } from "../../../../src/supervisor/setup/planned-reviewers.ts";

const PROVIDERS = { glm: {}, kimi: {}, qwen: {} };

/** Who is asked, in order. A star marks the agent's own provider and model. */
function chosen(wish: Partial<ReviewerWish>, supervisor: object = {}) {
  const loaded = {
    ...{ path: "/c/ccc.json", isStamped: true, stamp: "" },
    config: { providers: PROVIDERS, supervisor },
    providers: new Map(Object.entries(PROVIDERS)),
  };
  const { agent, supervision } = chooseReviewer(
    { provider: undefined, model: undefined, ranOn: ["glm"], agentsModel: "m", current: "qwen", ...wish },
    planSupervision(loaded, { self: "/bin/ccc", platform: "linux" }),
    loaded,
  );
  return plannedReviewers(agent, supervision).map(({ label, isAgents }) => `${label}${isAgents ? "*" : ""}`);
}

describe("who reviews", () => {
  const USUAL = { provider: "kimi", model: "k3", fallback: ["qwen"] };
  test.each([
    ["the provider that the session ran on", {}, {}, ["glm*"]],
    ["the current one if that is not known", { ranOn: [] }, {}, ["qwen"]],
    ["the current one among several that have the model", { ranOn: ["kimi", "qwen"] }, {}, ["qwen*"]],
    ["the one in ccc.json, and its fallback", {}, USUAL, ["kimi:k3", "qwen"]],
    ["the agent's provider with the model in ccc.json", {}, { model: "x" }, ["glm:x"]],
    ["the named provider alone, with its own model", { provider: "glm" }, USUAL, ["glm*"]],
    ["the usual one by name keeps its model", { provider: "kimi" }, USUAL, ["kimi:k3"]],
    ["the named model of the usual provider", { model: "k2" }, USUAL, ["kimi:k2"]],
    ["the named provider and model", { provider: "qwen", model: "q" }, USUAL, ["qwen:q"]],
    [
      "the named one, whatever the session ran on",
      { provider: "kimi", ranOn: ["glm", "qwen"], current: "kimi" },
      {},
      ["kimi"],
    ],
  ])("%s", (_, wish, supervisor, wanted) => expect(chosen(wish, supervisor)).toEqual(wanted));

  test("several providers with the model are an error that asks which one", () =>
    expect(() => chosen({ ranOn: ["glm", "kimi"] })).toThrow(
      "this session ran on glm or kimi: they have the same model, m",
    ));
  test("an unknown provider is refused", () =>
    expect(() => chosen({ provider: "kimmi" })).toThrow('unknown provider "kimmi": did you mean "kimi"?'));
});
