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
