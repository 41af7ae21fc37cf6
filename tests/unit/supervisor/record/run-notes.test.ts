import { expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import { noteRun, openRunNotes, type RunNote } from "../../../../src/supervisor/record/run-notes.ts";
import { fakeWorld } from "../../fakes.ts";

const NOTE: RunNote = { event: "prompt", session: "S" };
const OUTCOME: RunNote = { event: "outcome", code: null, lines: ["not done"] };

function scene() {
  const { world, files } = fakeWorld();
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
  const open = () => {
    const launch = crypto.randomUUID();
    return { launch, ...openRunNotes(files, paths, launch) };
  };
  const note = (launch: string | undefined, what: RunNote) => noteRun(world, { configDir: "/c", launch }, what);
  return { files, open, note };
}

test("each run reads its own notes, in order", () => {
  const { open, note } = scene();
  const [one, two] = [open(), open()];
  note(one.launch, NOTE);
  note(two.launch, { ...NOTE, session: "T" });
  note(one.launch, OUTCOME);
  expect(one.read()).toEqual([NOTE, OUTCOME]);
  expect(two.read()).toEqual([{ ...NOTE, session: "T" }]);
});

test("nothing is written for a run that is over, for another launch, or by a hook of no launch", () => {
  const { files, open, note } = scene();
  const run = open();
  note(undefined, NOTE);
  expect(run.read()).toEqual([]);
  run.remove();
  const others = ["../secret", "", "other"];
  for (const name of others) files.content[`/c/ccc/runs/${name}.jsonl`] = "";
  const before = { ...files.content };
  for (const name of [run.launch, ...others, crypto.randomUUID()]) note(name, NOTE);
  expect(files.content).toEqual(before);
});

test("a line that is not a note is ignored", () => {
  const { files, open, note } = scene();
  const run = open();
  files.content[`/c/ccc/runs/${run.launch}.jsonl`] = '{"event":"stop"}\n{\n';
  note(run.launch, NOTE);
  expect(run.read()).toEqual([NOTE]);
});
