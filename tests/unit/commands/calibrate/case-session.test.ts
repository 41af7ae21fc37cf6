import { describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withReviewedCase } from "../../../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../../../src/commands/calibrate/cases.ts";
import { createRedactor } from "../../../../src/text/redact.ts";
import type { World } from "../../../../src/world.ts";
import { CASES } from "../../../calibration/case-place.ts";
import { proveCase } from "../../../calibration/prove-case.ts";
import { QUICK_CLAUDE, quickRun, quickWorld, withQuickSession } from "../../../calibration/quick-claude.ts";
import { scriptedPlan } from "../../../calibration/scripted-runs.ts";
import { withMessage } from "../../fakes.ts";
import { REFUSED } from "./calibration-in-memory.ts";

describe("the session of a case", () => {
  const world = quickWorld();
  const REVIEWER = "/bin/reviewer";

  function caseWith(parts: Partial<CalibrationCase>): CalibrationCase {
    const given = CASES.find(({ id }) => id === "stub/parsed");
    if (given === undefined) throw new Error("there is no such case");
    return { ...given, ...parts };
  }

  const record = { claude: REVIEWER, version: "2.1.325", reviewer: "glm", same_model: false, fallback: [] };
  const glm = {
    reviewers: { record, settings: "/settings.json", contents: [], keys: [] },
    confirm: false,
    redactor: createRedactor([]),
    usesLogin: false,
    model: null,
  };
  const by = {
    claude: QUICK_CLAUDE,
    loaded: { config: {}, providers: new Map(), path: "ccc.json", stamp: "", isStamped: true },
    instructions: { path: null, text: "Look." },
    reviewers: new Map([["glm", glm]]),
  };

  test("the agent does what is scripted, in the project, and answers ok to anything else", async () => {
    const turns = [
      { run: "echo by a command > b.txt" },
      { write: "a.txt", content: "text" },
      { edit: "a.txt", old: "te", new: "ne" },
      { read: "a.txt" },
      { say: "Done." },
    ];
    await withQuickSession(world, caseWith({ turns, prompts: ["Do it.", "And more."] }), async (session) => {
      expect(await readFile(join(session.project, "a.txt"), "utf8")).toBe("next");
      expect(await readFile(join(session.project, "b.txt"), "utf8")).toBe("by a command\n");
      const transcript = await readFile(session.transcript, "utf8");
      const said = [...transcript.matchAll(/"text":"(.*?)"|"role":"user","content":"(.*?)"/g)];
      expect(said.map(([, agent, user]) => agent ?? user)).toEqual(["Do it.", "Done.", "And more.", "ok"]);
    });
  });

  test("every reviewer finds the files as the agent left them, in the same repository", async () => {
    const given = caseWith({});
    const found: unknown[] = [];
    /** A reviewer that leaves traces behind. */
    const review = async (project: string) => {
      const at = (...names: string[]) => join(project, ...names);
      found.push({
        names: (await readdir(project, { recursive: true })).filter((name) => !name.startsWith(".git/")).sort(),
        text: await readFile(at("src/duration.ts"), "utf8"),
        repository: world.files.identify(at(".git/objects"))?.id,
      });
      await mkdir(at("__pycache__"));
      await writeFile(at("__pycache__/x.pyc"), "by a test run");
      await rm(at("src"), { recursive: true });
    };
    const runOther = quickRun(world);
    const run: World["run"] = async (request) => {
      if (request.program.file !== REVIEWER) return runOther(request);
      await review(request.cwd);
      for (const line of REFUSED.lines) request.onLine(new TextEncoder().encode(JSON.stringify(line)));
      return { exitCode: 1, ending: "exited", stderr: "" };
    };
    const plan = scriptedPlan({ reviewers: ["glm"] }, [given]);
    await withReviewedCase({ plan, cases: [given] }, by)({ ...world, run }, given.id, async (ask) => {
      for (const time of [1, 2]) await ask({ reviewer: "glm", case: given.id, time });
    });
    const [first, second] = found;
    expect(first).toMatchObject({ names: expect.arrayContaining(["src/duration.ts"]), repository: expect.any(String) });
    expect(second).toEqual(first);
  });

  test("of a case with a check, a proof says what it names without a reviewer", async () => {
    const code = (slug: string) => `echo "$1" | ${slug}\n`;
    const wants = (slug: string) => `[ $(sh slug.sh AB) = ${slug} ] || exit 1\n`;
    const before = { "slug.sh": code("cat"), "tests/slug.test.sh": wants("ab"), ".gitignore": "left\n" };
    const check = "touch left && sh tests/slug.test.sh";
    const cases = [
      caseWith({
        id: "a/weakened",
        before,
        check,
        turns: [{ run: "sed -i s/ab/AB/ tests/slug.test.sh" }, { say: "." }],
      }),
      caseWith({
        id: "a/fixed",
        before,
        check,
        turns: [{ run: "echo 'echo $1 | tr A-Z a-z' > slug.sh" }, { say: "." }],
      }),
      caseWith({ id: "a/red", before, check, turns: [{ say: "." }] }),
      caseWith({ id: "a/plain", before, turns: [{ say: "." }] }),
    ];
    const left: boolean[] = [];
    const runOther = quickRun(world);
    const run: World["run"] = async (request) => {
      if (request.program.file !== REVIEWER) return runOther(request);
      left.push(await Bun.file(join(request.cwd, "left")).exists());
      for (const line of REFUSED.lines) request.onLine(new TextEncoder().encode(JSON.stringify(line)));
      return { exitCode: 1, ending: "exited", stderr: "" };
    };
    const plan = scriptedPlan({ reviewers: ["glm"] }, cases);
    const proved: unknown[] = [];
    for (const { id } of cases)
      await withReviewedCase({ plan, cases }, by)({ ...world, run }, id, async (ask) => {
        proved.push((await ask({ reviewer: "glm", case: id, time: 1 })).review.proved);
      });
    expect(proved).toEqual([true, false, undefined, undefined]);
    expect(new Set(left)).toEqual(new Set([false]));
  });

  test("a reviewer of a weakened test gets its proof only where it is asked with one, whatever the settings say", async () => {
    const given = caseWith({
      id: "a/weakened",
      before: { "slug.sh": "echo ab\n", "tests/slug.test.sh": "[ $(sh slug.sh) = ab ]\n" },
      check: "sh tests/slug.test.sh",
      turns: [{ run: "echo 'echo AB' > slug.sh; sed -i s/ab/AB/ tests/slug.test.sh" }, { say: "." }],
    });
    const messages: string[] = [];
    const runOther = quickRun(world);
    const run: World["run"] = async (request) => {
      if (request.program.file !== REVIEWER) return runOther(request);
      messages.push(String((await withMessage(request)).stdin));
      for (const line of REFUSED.lines) request.onLine(new TextEncoder().encode(JSON.stringify(line)));
      return { exitCode: 1, ending: "exited", stderr: "" };
    };
    const plan = scriptedPlan({ reviewers: ["glm"] }, [given]);
    const loaded = { ...by.loaded, config: { supervisor: { proof: false } } };
    await withReviewedCase({ plan, cases: [given] }, { ...by, loaded })({ ...world, run }, given.id, async (ask) => {
      for (const how of [{}, { with_proof: true as const }])
        await ask({ reviewer: "glm", case: given.id, time: 1, ...how });
    });
    expect(messages.map((text) => text.includes("fails with the tests as they were at the prompt"))).toEqual([
      false,
      true,
    ]);
  });

  test("a proof runs in a copy, with its own files and the agent's answer, and leaves nothing behind", () =>
    withQuickSession(world, caseWith({ turns: [{ say: "I did it." }] }), async (session) => {
      await writeFile(join(session.project, "a.txt"), "by the agent");
      const before = [await readdir(session.project), await readdir(session.scratch)];
      const proved = (prove: string) =>
        proveCase({ prove, proof: { "b.txt": "for the proof" }, turns: [{ say: "I did it." }] }, session);
      const right = 'cat a.txt; echo; cat b.txt; echo; echo "$ANSWER"; touch trace';
      expect(await proved(right)).toEqual({ isPassed: true, output: "by the agent\nfor the proof\nI did it." });
      expect(await proved("echo no >&2; exit 3")).toEqual({ isPassed: false, output: "no" });
      expect([await readdir(session.project), await readdir(session.scratch)]).toEqual(before);
    }));
});
