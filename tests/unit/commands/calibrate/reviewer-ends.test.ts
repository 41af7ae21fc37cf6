import { expect, test } from "bun:test";
import { reviewerEnds } from "../../../../src/commands/calibrate/reviewer-ends.ts";

const failed = (
  cause: "refused" | "server error" | "rate limit" | "usage limit" | "no credit" | "unreachable" | "other",
) => ({
  cause,
  why: "",
});

test("a reviewer that refuses, or is out of quota, is not asked again; others are", () => {
  for (const cause of ["refused", "usage limit", "no credit", "unreachable"] as const) {
    const ends = reviewerEnds();
    expect(ends.add("a", failed(cause))).toBe("at once");
    expect([ends.has("a"), ends.has("b")]).toEqual([true, false]);
  }
});

test("other failures of an API end it only if there are three in a row", () => {
  const ends = reviewerEnds();
  const causes = ["server error", "rate limit", undefined, "other", "server error", "rate limit"] as const;
  const found = causes.map((cause) => ends.add("a", cause && failed(cause)));
  expect(found).toEqual([undefined, undefined, undefined, undefined, undefined, "after several"]);
  expect(ends.has("a")).toBe(true);
});

test("requests to a reviewer wait until its first one is answered", async () => {
  const ends = reviewerEnds();
  const order: string[] = [];
  const answer = Promise.withResolvers<void>();
  const first = ends.firstAnswer("a", () => answer.promise.then(() => void order.push("first")));
  const second = ends.firstAnswer("a", async () => void order.push("second"));
  await ends.firstAnswer("b", async () => void order.push("other"));
  expect(order).toEqual(["other"]);
  answer.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(["other", "first", "second"]);
});
