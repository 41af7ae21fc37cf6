import { describe, expect, test } from "bun:test";
import { CAMPAIGNS } from "../../attack/campaigns.ts";
import { seeded } from "../../attack/random.ts";

describe("a few tries of everything in `bun run test:attack`, the same ones each time", () => {
  for (const { name, what, quick, run } of CAMPAIGNS) {
    test(`${name}: ${what}`, async () => {
      const { failures } = await run(quick, seeded(1));
      expect(failures).toEqual([]);
    });
  }
});

test("campaigns have names of their own, and none is the beginning of another's", () => {
  const names = CAMPAIGNS.map(({ name }) => name);
  expect(names.filter((name) => names.some((other) => other !== name && other.startsWith(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
