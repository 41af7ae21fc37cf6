import { describe, expect, test } from "bun:test";
import type * as v from "valibot";
import { cccPaths } from "../../../../src/config/paths.ts";
import type { Outcome } from "../../../../src/supervisor/outcome.ts";
import { openTerminal } from "../../../../src/supervisor/record/launch.ts";
import { readStatusRecord, type StatusRecord, wasSwitched } from "../../../../src/supervisor/record/quick.ts";
import { knownSessions, openSession, recordFile, type Switch } from "../../../../src/supervisor/record/session.ts";
import { openStop } from "../../../../src/supervisor/record/stops.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/review.ts";
import { lazySchema } from "../../../../src/text/schema.ts";
import { memoryFiles } from "../../fakes.ts";

const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });
const FOLDER = "/home/u/.claude/ccc/sessions/s";
const UNKNOWN = { provider: undefined, isSupervised: undefined, claude: undefined };
const LAUNCH = {
  cwd: "/project",
  claude: "/bin/claude",
  version: null,
  same_model: true,
  reviewer: "glm",
  fallback: [],
  environment: { salt: "", plain: {}, hashed: [] },
  instructions: { path: null, text: "" },
  checks: { commands: [], left_out: [] },
};

test("a file that does not exist is not read: its schema is not even made", () => {
  const schema = lazySchema((): v.GenericSchema => {
    throw new Error("made");
  });
  const files = memoryFiles();
  expect(recordFile(files, "/x.json", schema).read()).toBeUndefined();
  files.writePrivate("/x.json", "{}");
  expect(() => recordFile(files, "/x.json", schema).read()).toThrow("made");
});

describe("what the user has switched", () => {
  test.each<[text: string, found: Switch | undefined]>([
    ['{"is_on":true,"is_due":true,"reviewer":"/r.json"}', { is_on: true, is_due: true, reviewer: "/r.json" }],
    ['{"is_on":false}', { is_on: false, is_due: false }],
    ['{"is_on":"yes"}', undefined],
    ["", undefined],
  ])("%s", (text, found) => {
    const files = memoryFiles({ [`${FOLDER}/switch.json`]: text });
    expect(openSession(files, PATHS, "s").switch.read()).toEqual(found);
  });
});

describe("the status line reads the same as a hook", () => {
  test.each<[text: string | undefined]>([
    [undefined],
    ['{"is_on":true}'],
    ['{"is_on":false,"is_due":true}'],
    ['{"is_on":"yes"}'],
    ['{"is_on":tr'],
    ["[true]"],
    [""],
  ])("whether supervision is on: %s", (text) => {
    const files = memoryFiles(text === undefined ? {} : { [`${FOLDER}/switch.json`]: text });
    const known = openSession(files, PATHS, "s").switch;
    for (const isSupervised of [true, false])
      expect(readStatusRecord(files, PATHS, "s", { ...UNKNOWN, isSupervised }).isSupervised).toBe(
        known.read()?.is_on ?? isSupervised,
      );
    expect(wasSwitched((path) => (files.read(path) === undefined ? undefined : 1), PATHS, "s")).toBe(
      text !== undefined,
    );
  });

  test.each([[undefined], ["glm"], ["a provider"]])("the provider of a launch: %s", (provider) => {
    const files = memoryFiles();
    const record = openSession(files, PATHS, "s");
    const read = () => readStatusRecord(files, PATHS, "s", { ...UNKNOWN, claude: "7" });
    expect(read()).toMatchObject({ provider: undefined, isSupervised: false });
    const launch = { ...LAUNCH, ...(provider === undefined ? {} : { provider }) };
    const terminal = openTerminal(files, PATHS, "7");
    terminal.start("s", launch);
    expect(read()).toMatchObject({ provider: terminal.read()?.launch?.provider, isSupervised: false });
    record.launch.save({ ...launch, ...(provider === undefined ? {} : { provider: `${provider}, supervised` }) });
    expect(read()).toMatchObject({ provider: record.launch.read()?.provider, isSupervised: true });
  });

  test("whether the user has prompted the agent since the last review", () => {
    const files = memoryFiles();
    const record = openSession(files, PATHS, "s");
    const times: Record<string, number> = {};
    const modified = (path: string) => times[path];
    const isPrompted = () => readStatusRecord({ ...files, modified }, PATHS, "s", UNKNOWN).isPrompted;
    record.now.save({ outcome: "done", met: 1, of: 1 });
    times[`${FOLDER}/now.json`] = 5;
    expect(isPrompted()).toBe(false);
    record.prompts.append({ at: "12:00", prompt_id: null, by_user: true, text: "more", mode: null });
    times[`${FOLDER}/prompts.jsonl`] = 5;
    expect(isPrompted()).toBe(false);
    times[`${FOLDER}/prompts.jsonl`] = 6;
    expect(isPrompted()).toBe(true);
  });
});

describe("what a review does, for the status line:", () => {
  const reviewIn = (files: ReturnType<typeof memoryFiles>) => readStatusRecord(files, PATHS, "s", UNKNOWN).review;
  const RUNNING = { pid: 7, round: 2, limit: 10, doing: "Read a.ts", since: 4, ends_by: 5 };
  test.each<[text: string, found: StatusRecord["review"]]>([
    [JSON.stringify(RUNNING), RUNNING],
    ['{"outcome":"done","met":5,"of":5}', { outcome: "done", met: 5, of: 5 }],
    ['{"outcome":"limit"}', { outcome: "limit", met: 0, of: 0 }],
    ['{"pid":7}', { pid: 7, round: 0, limit: 0, doing: "", since: 0, ends_by: 0 }],
    // In a container, the first process may be any program.
    ['{"pid":1}', { pid: 1, round: 0, limit: 0, doing: "", since: 0, ends_by: 0 }],
    ['{"outcome":"done","met":"5","of":-1}', { outcome: "done", met: 0, of: 0 }],
    // Signals to these would go to whole groups of processes.
    ['{"pid":0}', undefined],
    ['{"pid":-1}', undefined],
    ['{"pid":1.5}', undefined],
    ["", undefined],
    ["[]", undefined],
    ['{"pid":', undefined],
  ])("%s", (text, found) => expect(reviewIn(memoryFiles({ [`${FOLDER}/now.json`]: text }))).toEqual(found));

  test("it reads what a review saves", () => {
    const files = memoryFiles();
    openSession(files, PATHS, "s").now.save(RUNNING);
    expect(reviewIn(files)).toEqual(RUNNING);
  });

  const CRITERIA = (["met", "unmet", "dropped"] as const).map((status, index) => {
    return { id: `C${index}`, text: "x", status, evidence: "", unmet_reviews: 0, unmet_files: null };
  });
  const outcomes: [Outcome, StatusRecord["review"]][] = [
    [
      { kind: "rework", round: 1, feedback: "", ...NOT_LOOKED, criteria: CRITERIA },
      { outcome: "rework", met: 1, of: 2 },
    ],
    [
      { kind: "unreviewed", why: "no server", ...NOT_LOOKED },
      { outcome: "unreviewed", met: 0, of: 0 },
    ],
    [
      { kind: "nudged", why: "empty", number: 2, feedback: "" },
      { outcome: "nudged", met: 0, of: 0, nudges: 2 },
    ],
    [{ kind: "skipped", why: "plan" }, undefined],
  ];
  test.each(outcomes)("%o is its end, and a stop without a review leaves what was before", (outcome, found) => {
    const files = memoryFiles();
    const about = { promptId: undefined, clean: <T>(value: T) => value, write: (action: () => void) => action() };
    openStop({ pid: 1, now: () => new Date(0) }, openSession(files, PATHS, "s"), about).close(outcome);
    expect(reviewIn(files)).toEqual(found);
  });
});

test("sessions with a prompt or a stop on record are known, the last one first, with their folders", () => {
  const files = memoryFiles();
  const times: Record<string, number> = {};
  const on = { ...files, modified: (path: string) => times[path] };
  const session = (id: string) => openSession(files, PATHS, id);
  const folder = FOLDER.slice(0, -2);
  for (const [id, time] of [
    ["a", 1],
    ["b", 3],
    ["c", 2],
  ] as const) {
    session(id).prompts.append({ at: "", prompt_id: null, by_user: true, text: "work", mode: null });
    times[`${folder}/${id}/prompts.jsonl`] = time;
  }
  session("a").launch.save(LAUNCH);
  session("a").stops.append({ stop: "1", at: "" });
  times[`${folder}/a/stops.jsonl`] = 4;
  session("only launched").launch.save(LAUNCH);
  expect(knownSessions(on, PATHS)).toEqual([
    { id: "a", folder: "/project", modified: 4 },
    { id: "b", folder: undefined, modified: 3 },
    { id: "c", folder: undefined, modified: 2 },
  ]);
});
