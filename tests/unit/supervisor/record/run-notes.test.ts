import { expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import { NOTES_MARKER } from "../../../../src/markers.ts";
import { noteRun, openRunNotes, type RunNote } from "../../../../src/supervisor/record/run-notes.ts";
import { fakeWorld } from "../../fakes.ts";

const HOOK = { configDir: "/c", isPersistent: false };
const NOTE: RunNote = { event: "prompt", session: "S" };
const OUTCOME: RunNote = { event: "outcome", code: null, lines: ["not done"] };

function scene() {
  const { world, files } = fakeWorld();
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
  const open = () => openRunNotes(files, paths);
  const note = (name: string, what: RunNote, hook = HOOK) =>
    noteRun({ ...world, env: { [NOTES_MARKER]: name } }, hook, what);
  return { world, files, open, note };
}

test("each run reads its own notes, in order", () => {
  const { open, note } = scene();
  const [one, two] = [open(), open()];
  note(one.name, NOTE);
  note(two.name, { ...NOTE, session: "T" });
  note(one.name, OUTCOME);
  expect(one.read()).toEqual([NOTE, OUTCOME]);
  expect(two.read()).toEqual([{ ...NOTE, session: "T" }]);
});

test("nothing is written for a run that is over, for another name, or by the hook of `ccc use`", () => {
  const { world, files, open, note } = scene();
  const run = open();
  note(run.name, NOTE, { ...HOOK, isPersistent: true });
  expect(run.read()).toEqual([]);
  run.remove();
  const others = ["../secret", "", "other"];
  for (const name of others) files.content[`/c/ccc/runs/${name}.jsonl`] = "";
  const before = { ...files.content };
  for (const name of [run.name, ...others, crypto.randomUUID()]) note(name, NOTE);
  noteRun(world, HOOK, NOTE);
  expect(files.content).toEqual(before);
});

test("a line that is not a note is ignored", () => {
  const { files, open, note } = scene();
  const run = open();
  files.content[`/c/ccc/runs/${run.name}.jsonl`] = '{"event":"stop"}\n{\n';
  note(run.name, NOTE);
  expect(run.read()).toEqual([NOTE]);
});
