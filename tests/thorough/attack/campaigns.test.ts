import { describe, expect, test } from "bun:test";
import { CAMPAIGNS } from "../../attack/campaigns.ts";
import { seeded } from "../../attack/random.ts";

/** Campaigns that take seconds. Those on the real Claude Code have regression tests in this folder. */
const QUICK = CAMPAIGNS.filter(({ name }) =>
  /^(fuzz|binary|parallel\/hooks|kill\/hook|special-files\/project)/.test(name),
);

describe("a few tries of the quick campaigns of `bun run test:attack`, the same ones each time", () => {
  for (const { name, what, quick, run } of QUICK) {
    test(`${name}: ${what}`, async () => {
      const { failures } = await run(quick, seeded(1));
      expect(failures).toEqual([]);
    });
  }
});

test("no campaign's name is the beginning of another's", () => {
  const names = CAMPAIGNS.map(({ name }) => name);
  expect(names.filter((name) => names.some((other) => other !== name && other.startsWith(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
