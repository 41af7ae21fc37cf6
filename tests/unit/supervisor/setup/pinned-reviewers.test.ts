import { describe, expect, test } from "bun:test";
import { readReviewerName, reviewerLabel } from "../../../../src/config/reviewer-name.ts";
import { pinnedReviewers } from "../../../../src/supervisor/setup/pinned-reviewers.ts";

const PIN = { folder: "/client", provider: "glm", only: true };

function reviewers(first: string | undefined, fallback: string[], isPinned = true) {
  const given = {
    reviewerProvider: first,
    reviewerModel: first && `${first}-model`,
    fallback: fallback.map(readReviewerName),
  };
  const pins = { here: PIN, strict: isPinned ? [PIN] : [] };
  const { supervision, notices } = pinnedReviewers(given, "glm", pins);
  const { reviewerProvider = "(the agent's)", reviewerModel } = supervision;
  return { all: [reviewerProvider, reviewerModel, ...supervision.fallback.map(reviewerLabel)], notices };
}

describe("reviewers in a folder with one provider only", () => {
  const why = "because /client is pinned to glm only";
  const table: [name: string, given: ReturnType<typeof reviewers>, all: (string | undefined)[], notices: string[]][] = [
    ["the agent's own", reviewers(undefined, []), ["(the agent's)", undefined], []],
    ["the pinned one with its model", reviewers("glm", ["glm:air"]), ["glm", "glm-model", "glm:air"], []],
    [
      "another one is replaced, without its model",
      reviewers("kimi", []),
      ["glm", undefined],
      [`kimi does not review here, ${why}: glm reviews instead`],
    ],
    [
      "others are left out",
      reviewers(undefined, ["kimi:k3", "glm:air", "kimi"]),
      ["(the agent's)", undefined, "glm:air"],
      [`kimi does not review here, ${why}`],
    ],
    ["all stay without a strict pin", reviewers("kimi", ["qwen"], false), ["kimi", "kimi-model", "qwen"], []],
  ];
  for (const [name, given, all, notices] of table) test(name, () => expect(given).toEqual({ all, notices }));
});
