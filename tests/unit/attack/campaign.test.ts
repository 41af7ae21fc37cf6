import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Campaign, choose, tryEach } from "../../attack/campaign.ts";
import { fuzzing } from "../../attack/fuzz.ts";
import { seeded } from "../../attack/random.ts";
import { table, withTable } from "../../attack/table.ts";

test("a seed decides every choice", () => {
  const choices = () => {
    const random = seeded(7);
    return [random.below(100), random.pick(["a", "b", "c"]), choose([1, 2, 3, 4, 5], 3, random)];
  };
  expect(choices()).toEqual(choices());
});

test("a try that finds a problem or throws did not hold, and says which it was", async () => {
  const outcome = await tryEach(["good", "bad", "broken"], 2, String, async (each) => {
    if (each === "broken") throw new Error("out of order");
    return each === "bad" ? ["seen", "seen"] : [];
  });
  expect(outcome).toMatchObject({ tried: 3, failures: [{ where: "bad", problem: "seen" }, { where: "broken" }] });
  expect(outcome.failures[1]?.problem).toContain("out of order");
});

test("fuzzing counts what did not hold, and shows the smallest of it first", async () => {
  const campaign = fuzzing({
    name: "numbers",
    what: "",
    how: "",
    input: fc.nat(1_000),
    check: (each) => {
      if (each >= 900) throw new TypeError("too large");
      return [];
    },
  });
  const { tried, failures } = await campaign.run(500, seeded(1));
  expect(tried).toBe(500);
  expect(failures.length).toBeGreaterThan(5);
  expect(failures[0]).toEqual({ where: "900", problem: "it threw TypeError: too large" });
});

describe("the table", () => {
  const campaign: Campaign = { name: "n", what: "What", how: "how", tries: 1, quick: 1, run: async () => outcome };
  const outcome = { tried: 1_000, failures: [{ where: "", problem: "" }] };
  const text = table([{ campaign, outcome }]);

  test("says what was tried and what held", () =>
    expect(text).toBe("| attack | tried | held | how |\n| --- | ---: | ---: | --- |\n| What | 1,000 | 999 | how |"));

  test("takes the place of the one before, and leaves the rest of the page alone", () => {
    const page = "before\n<!-- attack: by a script -->\nold\n<!-- end of attack -->\nafter $& \n";
    const once = withTable(page, "today:", text);
    expect(once).toBe(`before\n<!-- attack: by a script -->\ntoday:\n\n${text}\n<!-- end of attack -->\nafter $& \n`);
    expect(withTable(once, "today:", text)).toBe(once);
    expect(() => withTable("a page without", "today:", text)).toThrow("no place");
  });
});
