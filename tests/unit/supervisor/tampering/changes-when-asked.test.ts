import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import type { Baseline } from "../../../../src/supervisor/baseline/baseline.ts";
import { changesWhenAsked } from "../../../../src/supervisor/tampering/changes-when-asked.ts";
import { fakeWorld } from "../../fakes.ts";

const TREE = { top: "/p", tree: "1".repeat(40), index: "index-1" };
const baseline = (trees: Baseline["trees"]): Baseline => ({
  ...{ at: "", prompt_id: null, repository: "/p", store: crypto.randomUUID(), bytes: 0, trees },
});

/** The changes in a folder where the repository is gone by now, if there was one. */
function changes(known: Baseline | undefined) {
  const { world } = fakeWorld();
  const launch = { environment: { salt: "", plain: {}, hashed: [] }, checks: { commands: [], left_out: [] } };
  return changesWhenAsked(world, { paths: cccPaths(world), project: "/p", cwd: "/p", launch }, known);
}

describe("files that cannot be compared", () => {
  test("are suspicious if they could be compared at the prompt", async () =>
    expect(await changes(baseline([TREE]))()).toEqual({
      why: "not a git repository",
      suspicious: [
        {
          kind: "not compared",
          path: "",
          content: "1970-01-01T00:00:00.000Z",
          text: "ccc could not compare the files with those at the user's prompt (not a git repository), so look for this yourself: deleted, skipped and weakened tests, and changed settings of tests and CI",
        },
      ],
    }));
  test("are not, if they never could", async () => {
    for (const known of [undefined, baseline([])])
      expect(await changes(known)()).toEqual({ why: "not a git repository" });
  });
});

test("changes are looked for once", () => {
  const ask = changes(undefined);
  expect(ask()).toBe(ask());
});
