import { describe, expect, test } from "bun:test";
import { disputesIn } from "../../../../src/supervisor/ledger/disputes.ts";

const CRITERIA = [
  { id: "C1", status: "unmet" },
  { id: "C2", status: "unmet" },
  { id: "C3", status: "met" },
] as const;

describe("the agent disputes a criterion", () => {
  const table: [name: string, message: string, disputes: string[]][] = [
    ["on a line of its own", "I fixed C1.\nC2 disputed: the user wants JSON", ["C2 the user wants JSON"]],
    ["as a list item, in bold", "- **C2 disputed**: see a.ts\n- C1 disputed: no", ["C1 no", "C2 see a.ts"]],
    ["in small letters", "c1 disputed: because", ["C1 because"]],
    ["a met one is not in dispute", "C3 disputed: x", []],
    ["an unknown one neither", "C9 disputed: x", []],
    ["a mention within a line does not count", "I would have C2 disputed: x", []],
    ["nothing", "All done.", []],
  ];
  for (const [name, message, disputes] of table) {
    test(name, () =>
      expect(disputesIn(message, CRITERIA).map(({ id, reason }) => `${id} ${reason}`)).toEqual(disputes),
    );
  }
});
