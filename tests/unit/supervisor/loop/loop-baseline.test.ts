import { expect, test } from "bun:test";
import { loopBaseline } from "../../../../src/supervisor/loop/loop-baseline.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { recordOutcome } from "../../../../src/supervisor/record/stop-record.ts";
import { describeChanges } from "../../../../src/supervisor/review/changed-files.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/outcome.ts";
import { fakeWorld } from "../../fakes.ts";
import { gitPlace, patientWorld } from "../baseline/place.ts";

test("work that no review has seen is told after the next prompt, also when the loop goes on with a session", async () => {
  await using place = await gitPlace();
  const { world } = fakeWorld(patientWorld());
  const environment = { salt: "", plain: place.env, hashed: [] };
  const launch = { environment, checks: { commands: [], left_out: [] } };
  const where = { paths: place.paths, project: place.project, cwd: place.project, launch };
  const record = sessionRecord(place.paths, "s");
  const told = (loop: ReturnType<typeof loopBaseline>) => loop.changes(place.project)().then(describeChanges);

  // The agent fails.
  const first = loopBaseline(world, where, undefined);
  await first.take();
  await place.write("first", "1\n");
  first.save(record);

  const second = loopBaseline(world, where, record);
  await second.take();
  await place.write("second", "2\n");
  expect(await told(second)).toMatch(
    /second \(\+1 -0\)\n\nThe work before that prompt .*:\n- added: first \(\+1 -0\)$/s,
  );

  // A review rules on both.
  second.save(record);
  const outcome = { kind: "done", rounds: 1, feedback: "", criteria: [], ...NOT_LOOKED } as const;
  recordOutcome(
    world.files,
    record,
    { stop: "1", at: world.now().toISOString(), outcome, notes: {} },
    (value) => value,
  );
  await second.take();
  await place.write("third", "3\n");
  expect(await told(second)).toEndWith(":\n- added: third (+1 -0)");
});
