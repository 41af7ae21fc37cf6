import { describe, expect, test } from "bun:test";
import { limitSuspicions } from "../../../../src/supervisor/tampering/limit-suspicions.ts";
import type { Suspicion, SuspicionKind } from "../../../../src/supervisor/tampering/suspicion.ts";

const some = (count: number, kind: SuspicionKind): Suspicion[] =>
  Array.from({ length: count }, (_, index) => ({ kind, path: `${index}`, text: `${kind} ${index}` }));
const note: Suspicion = { kind: "not compared", path: "", text: "3 more files were not compared" };
const texts = (all: readonly Suspicion[]) => limitSuspicions(all).map(({ text }) => text);

describe("of many suspicions", () => {
  test("20 are all listed, the worst first", () => {
    const configuration = some(18, "configuration");
    const deleted = some(2, "deleted test");
    expect(limitSuspicions([...configuration, ...deleted])).toEqual([...deleted, ...configuration]);
  });
  test("20 are all listed, of which one says what was not looked at", () => {
    const configuration = some(19, "configuration");
    expect(limitSuspicions([note, ...configuration])).toEqual([...configuration, note]);
  });
  test("19 are listed if there are more, and the others counted by kind", () => {
    const all = [...some(18, "deleted test"), ...some(2, "check"), ...some(1, "configuration")];
    expect(texts(all).slice(17)).toEqual([
      "deleted test 17",
      "check 0",
      "2 more changes of this kind: check (1), configuration (1)",
    ]);
  });
  test("what says that something was left out is never left out", () =>
    expect(texts([note, ...some(30, "skipped tests")]).slice(17)).toEqual([
      "skipped tests 17",
      "12 more changes of this kind: skipped tests (12)",
      note.text,
    ]));
});
