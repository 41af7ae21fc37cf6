import { describe, expect, test } from "bun:test";
import type { ApiFailureKind } from "../../../../src/claude/failures.ts";
import {
  type CalibrationJob,
  keepRun,
  openReviews,
  type PlannedReview,
  readRuns,
  runCalibration,
} from "../../../../src/commands/calibrate/run.ts";
import type { EndSignal } from "../../../../src/world.ts";
import { CASES } from "../../../calibration/case-place.ts";
import { REVIEWERS, reviewOf, scriptedPlan } from "../../../calibration/scripted-runs.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

describe("the record of a run", () => {
  const TWO = CASES.filter(({ id }) => id.startsWith("stub/"));
  const plan = scriptedPlan({ reviewers: ["a", "b"], repeat: 2 }, TWO);
  const A1 = reviewOf("a", "stub/placeholder", 1, REVIEWERS.yes);

  test("every reviewer gets a case before the next case begins, and nothing is asked twice", () => {
    const words = (reviews: (typeof A1)[]) =>
      openReviews({ plan, reviews }).map((each) => `${each.case} ${each.time}${each.reviewer}`);
    const first = ["1a", "1b", "2a", "2b"].map((each) => `stub/placeholder ${each}`);
    const second = ["1a", "1b", "2a", "2b"].map((each) => `stub/parsed ${each}`);
    expect(words([])).toEqual([...first, ...second]);
    expect(words([A1])).toEqual([...first.slice(1), ...second]);
  });

  test("a case in which a test was weakened is reviewed without proof, and with one", () => {
    const cases = plan.cases.map((each, at) => (at === 0 ? { ...each, with_proof: true as const } : each));
    const words = (reviews: readonly PlannedReview[]) =>
      openReviews({ plan: { ...plan, cases, reviewers: ["a"], repeat: 1 }, reviews: reviews as (typeof A1)[] }).map(
        (each) => `${each.case}${each.with_proof ? " with proof" : ""}`,
      );
    const proved = "stub/placeholder with proof";
    expect(words([])).toEqual(["stub/placeholder", proved, "stub/parsed"]);
    expect(words([A1])).toEqual([proved, "stub/parsed"]);
    expect(words([A1, { ...A1, with_proof: true }])).toEqual(["stub/parsed"]);
  });

  const lines = (...entries: readonly object[]) => entries.map((each) => JSON.stringify(each)).join("\n");
  const STOPPED = { stopped: { reviewer: "b", why: "the key was refused" } };

  const FOLDER = "/c/ccc/calibration";
  const PATHS = { folder: "/c", config: "", generated: "/c/ccc", checked: "" };
  const readText = (text: string) => readRuns(memoryFiles({ [`${FOLDER}/1.jsonl`]: text }), PATHS)[0];

  test("a run is read from its lines, even if it was killed while it wrote one", () => {
    const text = `${lines({ plan }, { process: 7 }, { review: A1 }, STOPPED, { from: "a later version" })}\n{"review":{"revi`;
    const path = `${FOLDER}/1.jsonl`;
    const stopped = new Map([["b", "the key was refused"]]);
    expect(readText(text)).toEqual({ path, plan, reviews: [A1], stopped, process: 7 });
    expect(readText(`${text}\n${lines({ process: null })}`)).toMatchObject({ process: null, stopped });
  });

  test("a resumed run asks every reviewer again, even those that were stopped", () => {
    expect(readText(lines({ plan }, { process: 7 }, STOPPED, { process: 8 }))).toMatchObject({
      process: 8,
      stopped: new Map(),
    });
  });

  test("what is kept of a run can be read, resumed or not", () => {
    const files = memoryFiles({});
    keepRun(files, PATHS, { plan, path: undefined }, 7).review(A1);
    const [killed] = readRuns(files, PATHS);
    expect(killed).toMatchObject({ plan, reviews: [A1], process: 7 });
    const resumed = keepRun(files, PATHS, { plan, path: killed?.path }, 8);
    resumed.stopped("b", "no credit");
    resumed.end();
    expect(readRuns(files, PATHS)).toEqual([
      { path: killed?.path ?? "", plan, reviews: [A1], stopped: new Map([["b", "no credit"]]), process: null },
    ]);
  });

  test("runs of other versions and other files are ignored; the last run comes first", () => {
    const files = memoryFiles({
      [`${FOLDER}/2026-11-17T01.jsonl`]: lines({ plan }),
      [`${FOLDER}/2026-11-17T03.jsonl`]: lines({ plan }, { review: A1 }),
      [`${FOLDER}/2026-11-17T04.jsonl`]: lines({ plan: { ...plan, version: 2 } }),
      [`${FOLDER}/2026-11-17T05.jsonl`]: null,
      [`${FOLDER}/notes.txt`]: "mine",
    });
    expect(readRuns(files, PATHS).map(({ reviews }) => reviews.length)).toEqual([1, 0]);
  });

  test("the last hundred runs are kept", () => {
    const names = Array.from(
      { length: 103 },
      (_, index) => `${FOLDER}/2026-11-17T${String(index).padStart(3, "0")}.jsonl`,
    );
    const files = memoryFiles(Object.fromEntries([...names, `${FOLDER}/notes.txt`].map((name) => [name, ""])));
    keepRun(files, PATHS, { plan, path: names.at(-1) }, 7);
    expect(Object.keys(files.content)).toEqual([...names.slice(3), `${FOLDER}/notes.txt`]);
  });
});

describe("a run makes its reviews:", () => {
  const IDS = ["stub/placeholder", "stub/parsed", "region/asks", "region/told"];
  const open = (...reviewers: string[]) =>
    IDS.flatMap((id) => reviewers.map((reviewer) => ({ reviewer, case: id, time: 1 })));

  /** Runs it with sessions that are only names. `fails` says what a reviewer's API answers. */
  async function calibrated(
    planned: readonly PlannedReview[],
    {
      jobs = 1,
      fails = () => undefined,
      onAsk = async () => {},
    }: {
      readonly jobs?: number;
      readonly fails?: (planned: PlannedReview) => ApiFailureKind | undefined;
      readonly onAsk?: (planned: PlannedReview, signal: (name: EndSignal) => void) => Promise<void>;
    },
  ) {
    const [asked, kept, stopped]: [string[], string[], string[]] = [[], [], []];
    const listeners = new Set<(signal: EndSignal) => void>();
    const signal = (name: EndSignal) => {
      for (const each of listeners) each(name);
    };
    let [sessions, most, made] = [0, 0, 0];
    const { world } = fakeWorld({
      onSignal: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    const job: CalibrationJob = {
      open: planned,
      jobs,
      onStart: () => {},
      withCase: async (_, id, use) => {
        made++;
        most = Math.max(most, ++sessions);
        await use(async (each) => {
          expect(each.case).toBe(id);
          asked.push(`${each.case} ${each.reviewer}`);
          await onAsk(each, signal);
          const cause = fails(each);
          const review = reviewOf(each.reviewer, each.case, each.time, REVIEWERS.yes);
          return { review, failed: cause && { cause, why: `its API said ${cause}` } };
        });
        sessions--;
      },
      onReview: ({ case: id, reviewer }) => kept.push(`${id} ${reviewer}`),
      onStopped: (reviewer, why) => stopped.push(`${reviewer}: ${why}`),
    };
    const ended = runCalibration(world, job);
    return { signal: await ended, asked, kept, stopped, most, made, left: listeners.size };
  }

  test("several cases at a time, each reviewer in the session of its case", async () => {
    const { kept, most, left, stopped } = await calibrated(open("a", "b"), { jobs: 3 });
    expect(kept.toSorted()).toEqual(
      open("a", "b")
        .map((each) => `${each.case} ${each.reviewer}`)
        .toSorted(),
    );
    expect({ most, left, stopped }).toEqual({ most: 3, left: 0, stopped: [] });
  });

  test("a reviewer that refuses is asked once, and nothing of it is kept; the others continue", async () => {
    const fails = ({ reviewer }: PlannedReview) => (reviewer === "a" ? "refused" : undefined);
    const { asked, kept, stopped } = await calibrated(open("a", "b"), { jobs: 4, fails });
    expect(asked.filter((each) => each.endsWith(" a"))).toHaveLength(1);
    expect(kept.toSorted()).toEqual(IDS.map((id) => `${id} b`).toSorted());
    expect(stopped).toEqual(["a: its API said refused"]);
  });

  test.each(["refused", "usage limit", "no credit", "unreachable"] as const)(
    "a reviewer is not asked again after: %s",
    async (cause) => {
      const { asked, kept } = await calibrated(open("a"), { fails: () => cause });
      expect({ asked, kept }).toEqual({ asked: ["stub/placeholder a"], kept: [] });
    },
  );

  test("other failures of its API stop a reviewer only if there are three in a row", async () => {
    const causes = ["server error", "rate limit", undefined, "other", "server error", "rate limit", "other"] as const;
    const planned = causes.map((_, index) => ({ reviewer: "a", case: "stub/parsed", time: index + 1 }));
    const { kept } = await calibrated(planned, { fails: ({ time }) => causes[time - 1] });
    expect(kept).toHaveLength(6);
  });

  test("requests to a reviewer wait until its first one is answered", async () => {
    const order: string[] = [];
    const answer = Promise.withResolvers<void>();
    const onAsk = async ({ reviewer, case: id }: PlannedReview) => {
      order.push(`${reviewer} ${id}`);
      if (reviewer === "b") answer.resolve();
      if (order.length === 1) await answer.promise;
    };
    const planned = [
      { reviewer: "a", case: "stub/placeholder", time: 1 },
      { reviewer: "a", case: "stub/parsed", time: 1 },
      { reviewer: "b", case: "region/asks", time: 1 },
    ];
    await calibrated(planned, { jobs: 3, onAsk });
    expect(order).toEqual(["a stub/placeholder", "b region/asks", "a stub/parsed"]);
  });

  test("once every reviewer is stopped, no further session is made", async () => {
    const { asked, kept, made } = await calibrated(open("a"), { fails: () => "no credit" });
    expect({ asked, kept, made }).toEqual({ asked: ["stub/placeholder a"], kept: [], made: 1 });
  });

  test("three server errors in a row stop a reviewer, and count as reviews without a verdict", async () => {
    const { kept, stopped } = await calibrated(open("a"), { fails: () => "server error" });
    expect(kept).toHaveLength(3);
    expect(stopped).toEqual(["a: its API said server error"]);
  });

  test("a stopped reviewer is reported once, however many reviews were in progress", async () => {
    const { kept, stopped } = await calibrated(open("a"), { jobs: 4, fails: () => "server error" });
    expect(kept).toHaveLength(4);
    expect(stopped).toEqual(["a: its API said server error"]);
  });

  test("a review that Ctrl-C interrupts is not kept, and no other one begins", async () => {
    const onAsk = async ({ case: id }: PlannedReview, signal: (name: EndSignal) => void) => {
      if (id === "stub/parsed") signal("SIGINT");
    };
    const ended = await calibrated(open("a", "b"), { onAsk });
    expect(ended).toMatchObject({ signal: "SIGINT", kept: ["stub/placeholder a", "stub/placeholder b"], left: 0 });
    expect(ended.asked).toHaveLength(3);
  });

  test("an error in a case ends the run, after the reviews in progress", async () => {
    const asked: string[] = [];
    const onAsk = async ({ case: id }: PlannedReview) => {
      asked.push(id);
      if (id === "stub/parsed") throw new Error("the disk is full");
    };
    await expect(calibrated(open("a"), { onAsk })).rejects.toThrow("the disk is full");
    expect(asked).toEqual(["stub/placeholder", "stub/parsed"]);
  });
});
