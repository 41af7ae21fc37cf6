import { describe, expect, test } from "bun:test";
import {
  type CalibrationJob,
  calibrationProgress,
  type FailedAsk,
  runCalibration,
} from "../../../../src/commands/calibrate/run.ts";
import type { PlannedReview } from "../../../../src/commands/calibrate/runs.ts";
import type { EndSignal } from "../../../../src/world.ts";
import { REVIEWERS, reviewOf, scriptedPlan } from "../../../calibration/scripted-runs.ts";
import { fakeWorld } from "../../fakes.ts";

describe("calibration progress", () => {
  function shown(isTerminal: boolean): string {
    const { world, said } = fakeWorld({ isTerminal: () => isTerminal });
    const progress = calibrationProgress(world, scriptedPlan({ reviewers: ["glm"] }), 1);
    progress.start({ reviewer: "glm", case: "stub/parsed", time: 1 });
    progress.review(reviewOf("glm", "stub/parsed", 1, REVIEWERS.yes));
    progress.review(reviewOf("glm", "stub/placeholder", 1, REVIEWERS.yes));
    progress.review(reviewOf("glm", "region/told", 1, REVIEWERS.failing));
    progress.stopped("glm", "no credit");
    progress.stop();
    return said.stderr;
  }

  const LINES = `✓ 2/48 stub/parsed, glm: done (4 s)
✗ 3/48 stub/placeholder, glm: said "done", but the work is not done (4 s)
– 4/48 region/told, glm: no verdict: the reviewer gave no verdict, twice (4 s)
– glm is not asked any more: no credit
`;

  test("a script gets a line for each review, right, wrong or without a verdict", () =>
    expect(shown(false)).toBe(LINES));

  test("a terminal also shows what is going on, and a blank line before the results", () => {
    const text = Bun.stripANSI(shown(true));
    expect(text).toContain("1 of 48 reviews made; glm is reviewing stub/parsed");
    for (const line of LINES.trimEnd().split("\n")) expect(text).toContain(line);
    expect(text).toEndWith("\n");
  });
});

describe("run calibration", () => {
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
      readonly fails?: (planned: PlannedReview) => FailedAsk["cause"] | undefined;
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
      ...{ open: planned, jobs, onStart: () => {} },
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

  test("whoever refuses is asked once, and nothing of it is kept; the others go on", async () => {
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

  test("other failures of an API end it only if there are three in a row", async () => {
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

  test("without a reviewer that can be asked, no further session is made", async () => {
    const { asked, kept, made } = await calibrated(open("a"), { fails: () => "no credit" });
    expect({ asked, kept, made }).toEqual({ asked: ["stub/placeholder a"], kept: [], made: 1 });
  });

  test("after three server errors in a row it is over, and they count as no verdict", async () => {
    const { kept, stopped } = await calibrated(open("a"), { fails: () => "server error" });
    expect(kept).toHaveLength(3);
    expect(stopped).toEqual(["a: its API said server error"]);
  });

  test("an end is reported once, however many reviews were going on", async () => {
    const { kept, stopped } = await calibrated(open("a"), { jobs: 4, fails: () => "server error" });
    expect(kept).toHaveLength(4);
    expect(stopped).toEqual(["a: its API said server error"]);
  });

  test("a review that Ctrl-C ends is not kept, and no other one begins", async () => {
    const onAsk = async ({ case: id }: PlannedReview, signal: (name: EndSignal) => void) => {
      if (id === "stub/parsed") signal("SIGINT");
    };
    const ended = await calibrated(open("a", "b"), { onAsk });
    expect(ended).toMatchObject({ signal: "SIGINT", kept: ["stub/placeholder a", "stub/placeholder b"], left: 0 });
    expect(ended.asked).toHaveLength(3);
  });

  test("an error of a case ends the run, after what is going on", async () => {
    const asked: string[] = [];
    const onAsk = async ({ case: id }: PlannedReview) => {
      asked.push(id);
      if (id === "stub/parsed") throw new Error("the disk is full");
    };
    await expect(calibrated(open("a"), { onAsk })).rejects.toThrow("the disk is full");
    expect(asked).toEqual(["stub/placeholder", "stub/parsed"]);
  });
});
