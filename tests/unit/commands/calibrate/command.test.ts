import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import { chooseCases } from "../../../../src/commands/calibrate/cases.ts";
import { CccError } from "../../../../src/errors.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import { REVIEWERS, scriptedPlan, scriptedRun } from "../../../calibration/scripted-runs.ts";
import { fakeWorld } from "../../fakes.ts";
import { verdict } from "../../supervisor/session-in-memory.ts";
import { calibrationMachine, REFUSED } from "./calibration-in-memory.ts";

describe("calibrate", () => {
  const server = (key: string) => ({ env: { ANTHROPIC_BASE_URL: "https://example.com", ANTHROPIC_AUTH_TOKEN: key } });
  const CONFIG = { providers: { glm: server("key-of-glm"), kimi: server("key-of-kimi"), login: {} } };
  const FOLDER = "/home/u/.claude/ccc/calibration";

  async function ccc(args: readonly string[], parts: { config?: object; content?: Record<string, string> } = {}) {
    const content = {
      "/home/u/.claude/ccc.json": JSON.stringify({ ...CONFIG, supervisor: { confirm: false }, ...parts.config }),
      "/bin/claude": "program",
      "/bin/bun": "program",
      ...parts.content,
    };
    const { world, said, files } = fakeWorld({
      argv: ["calibrate", ...args],
      content,
      run: async (request) => {
        expect(request.program.args).toEqual(["--version"]);
        return { exitCode: 0, ending: "exited", stderr: "" };
      },
    });
    return { exitCode: await run(world), ...said, runs: files.list(FOLDER) };
  }

  const kept = (run = scriptedRun(scriptedPlan({ reviewers: ["glm"] }), { glm: REVIEWERS.yes })) =>
    [{ plan: run.plan }, ...run.reviews.map((review) => ({ review }))].map((each) => JSON.stringify(each)).join("\n");

  describe("a command line that is refused before any request", () => {
    const SUPERVISOR = { "/project/SUPERVISOR.md": "Be strict." };
    const pinned = { folders: { "/project": { provider: "glm", only: true } } };
    const faults: [args: string[], says: string, parts?: Parameters<typeof ccc>[1]][] = [
      [["--cases", "stub"], "not a terminal: pass --yes to start without a question"],
      [["--provider", "kimmi"], 'unknown provider "kimmi": did you mean "kimi"?'],
      [["--cases", "stubb"], 'no case and no folder is named "stubb": did you mean "stub"?'],
      [["--jobs", "16"], "not a terminal: pass --yes to start without a question"],
      ...["0", "17", "1.5", "two", "", " "].map((value): [string[], string] => [
        ["--jobs", value],
        "--jobs takes a whole number from 1 to 16",
      ]),
      [["--repeat", "x"], "--repeat takes a whole number from 1 to 20"],
      [
        ["--provider", "login", "--context", "session"],
        "login uses your Claude login, which works only with --context fresh",
      ],
      [["--last", "--resume"], "--last cannot be combined with --resume"],
      [["--last", "--yes"], "--yes cannot be combined with --last, which makes no requests"],
      [["--resume", "--repeat", "2"], "--repeat cannot be combined with --resume, which has its own"],
      [["--resume", "--yes"], "there is no unfinished run to resume"],
      [["--html", ""], "--html needs the name of a file"],
      [
        ["--provider", "kimi", "--yes"],
        "/project is pinned to glm only: kimi must not see its files",
        { config: pinned, content: SUPERVISOR },
      ],
      [["--provider", "kimi"], "not a terminal", { config: pinned }],
      [["--provider", "kimi", "--anyway"], "not a terminal", { config: pinned, content: SUPERVISOR }],
    ];
    test.each(faults)("%j: %s", async (args, says, parts) => {
      const { exitCode, stdout, stderr, runs } = await ccc(args, parts);
      expect({ exitCode, stdout, runs }).toEqual({ exitCode: 2, stdout: "", runs: [] });
      expect(stderr).toContain(`ccc: ${says}`);
    });
  });

  test("before it starts it says how many reviews, by whom, and what is left out", async () => {
    const { stderr } = await ccc([
      "--provider",
      "glm",
      "--provider",
      "kimi:k2",
      "--cases",
      "stub,red-tests",
      "--repeat",
      "3",
    ]);
    expect(stderr).toStartWith(`ccc: 2 cases, each 3 times, reviewed by glm, kimi:k2
ccc: left out: 2 cases, because there is no python3 here
ccc: 12 reviews, about 72 requests: roughly 1M tokens, most of them input. The agents of the cases are scripted and cost nothing
`);
  });

  describe("who is calibrated", () => {
    const MODEL = { supervisor: { provider: "glm", model: "small" } };
    const table: [args: string[], config: object, reviewers: string][] = [
      [[], {}, "glm"],
      [[], MODEL, "glm:small"],
      [["--model", "big"], MODEL, "glm:big"],
      [["--provider", "kimi"], MODEL, "kimi"],
      [["--provider", "glm"], MODEL, "glm:small"],
      [["--provider", "kimi", "--model", "k2"], MODEL, "kimi:k2"],
      [["--provider", "glm", "--provider", "kimi:k2", "--provider", "glm:big"], {}, "glm, kimi:k2, glm:big"],
      [["--provider", "kimi", "--provider", "kimi"], {}, "kimi"],
    ];
    test.each(table)("%j, with %j: %s", async (args, config, reviewers) => {
      const { stderr } = await ccc(["--cases", "stub", ...args], { config });
      expect(stderr).toStartWith(`ccc: 2 cases, reviewed by ${reviewers}\n`);
    });
    test.each([
      [["--provider", "glm", "--provider", "kimi", "--model", "m"], "--model is the model of one provider"],
      [["--provider", "glm:x", "--model", "m"], "--model is the model of one provider"],
      [["--model", " "], "--model takes the name of a model"],
    ])("%j is a usage error", async (args, says) => {
      expect(await ccc(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) });
    });
  });

  test("a run cannot be resumed after a case or the instructions changed", async () => {
    const plan = scriptedPlan({ reviewers: ["glm"] });
    const changed = { ...plan, cases: plan.cases.map((each) => ({ ...each, hash: "another" })) };
    const content = {
      [`${FOLDER}/1.jsonl`]: kept({ ...scriptedRun(changed, {}) }),
      "/project/SUPERVISOR.md": "Be strict.",
    };
    const result = await ccc(["--resume", "--yes"], { content });
    expect(result).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("has changed since that run was started"),
    });
    const other = await ccc(["--resume", "--yes"], { content: { ...content, "/project/SUPERVISOR.md": "Be kind." } });
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("instructions are not those of") });
    // A reviewer does not read the checks.
    const checks = { "/project/SUPERVISOR.md": "---\nchecks:\n  - npm test\n---\nBe strict." };
    expect(await ccc(["--resume", "--yes"], { content: { ...content, ...checks } })).toEqual(result);
  });

  test("results are shown even if their page cannot be written", async () => {
    const content = {
      "/home/u/.claude/ccc.json": JSON.stringify(CONFIG),
      [`${FOLDER}/1.jsonl`]: kept(),
    };
    const { world, said } = fakeWorld({ argv: ["calibrate", "--last", "--html", "page.html"], content });
    const guarded = () => {
      throw new CccError("the disk is full");
    };
    expect(await run({ ...world, files: { ...world.files, guarded } })).toBe(1);
    expect(said.stdout).toMatch(/^Right verdicts +24 of 48$/m);
    expect(said.stderr).toContain("the disk is full");
  });

  test("--last shows the last run that has a review, beside the one before", async () => {
    const later = scriptedRun(scriptedPlan({ reviewers: ["glm"], started_at: "2026-11-18T02:00:00Z" }), {
      glm: REVIEWERS.perfect,
    });
    const empty = { ...later, reviews: [] };
    const content = {
      [`${FOLDER}/1.jsonl`]: kept(),
      [`${FOLDER}/2.jsonl`]: kept(later),
      [`${FOLDER}/3.jsonl`]: kept(empty),
    };
    const { exitCode, stdout, stderr } = await ccc(["--last"], { content });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toStartWith("Calibration of 2026-11-18 02:00 UTC: 48 cases.");
    expect(stdout).toMatch(/^Right verdicts +24 of 48 +48 of 48$/m);
    const none = await ccc(["--last"]);
    expect(none).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "ccc: no run is on record\nStart one: ccc calibrate\n",
    });
  });

  const PAIR = ["--cases", "overridden", "--provider", "glm", "--jobs", "1", "--yes"];
  const ONE = ["--cases", "overridden/both", "--provider", "glm", "--yes"];

  describe("a run", () => {
    test("asks the reviewer about the session of each case, shows the figures, and keeps each review at once", async () => {
      const machine = calibrationMachine();
      const { exitCode, stdout, stderr, agents, reviewers } = await machine.calibrate(PAIR);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Right verdicts +1 of 2$/m);
      expect(stderr).toEndWith(
        '✗ 1/2 overridden/both, glm: said "done", but the work is not done (1 s)\n✓ 2/2 overridden/latest, glm: done (1 s)\n',
      );
      expect(machine.record().entries).toMatchObject([
        { plan: { reviewers: ["glm"], repeat: 1 } },
        { process: 42 },
        { review: { case: "overridden/both", verdict: "done", mark: "missed", said: "All there." } },
        { review: { case: "overridden/latest", verdict: "done", mark: "right" } },
        { process: null },
      ]);
      // One session for each case, in which the user prompts twice.
      const [first, second, third] = agents.map(({ program }) => program.args.slice(1, 3));
      expect(agents).toHaveLength(4);
      expect([first?.[0], second?.[0], third?.[0]]).toEqual(["--session-id", "--resume", "--session-id"]);
      expect(second?.[1]).toBe(first?.[1] ?? "");
      expect(third?.[1]).not.toBe(first?.[1] ?? "");
      const [review] = reviewers;
      for (const { stdin } of agents.slice(0, 2)) expect(review?.stdin).toContain(String(stdin));
      expect(review?.program.env.CLAUDE_CONFIG_DIR).toBe("/scratch/home/.claude");
    });

    test("with a login it stays in the user's own configuration folder", async () => {
      const args = ["--cases", "overridden/both", "--provider", "login", "--context", "fresh", "--yes"];
      const { exitCode, reviewers } = await calibrationMachine().calibrate(args);
      expect(exitCode).toBe(0);
      expect(reviewers.map(({ program }) => program.env.CLAUDE_CONFIG_DIR)).toEqual([undefined]);
    });

    test.each([
      ["the provider of this folder gets the conversation", "glm", "glm", "session"],
      ["another one does not", "glm", "kimi", "fresh"],
      ["a login never does", "login", "login", "fresh"],
    ])("%s", async (_, current_provider, provider, context) => {
      const machine = calibrationMachine({ current_provider });
      await machine.calibrate(["--cases", "overridden/both", "--provider", provider, "--yes"]);
      expect(machine.record().entries).toContainEqual({ review: expect.objectContaining({ context }) });
    });

    test("known keys are masked in what is shown and kept", async () => {
      const machine = calibrationMachine();
      const answers = [verdict(true, "The key is secret-key-of-glm.")];
      const { stdout, stderr } = await machine.calibrate(ONE, { answers });
      expect(machine.record().entries).toContainEqual({
        review: expect.objectContaining({ said: "The key is ***." }),
      });
      const generated = Object.entries(machine.files.content).filter(([path]) =>
        path.startsWith("/home/u/.claude/ccc/"),
      );
      expect(`${stdout}${stderr}${JSON.stringify(generated)}`).not.toContain("secret-key-of-glm");
    });

    test("JSON has all of it", async () => {
      const { stdout } = await calibrationMachine().calibrate([...ONE, "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ finished: true, reviews: [{ case: "overridden/both" }] });
    });

    test("in the context auto a done is confirmed, as in a session; in others a reviewer is measured alone", async () => {
      const answers = [verdict(true, "All there."), verdict(false, "One is missing.")];
      const run = async (context: string, confirm: unknown) => {
        const machine = calibrationMachine({ supervisor: { confirm } });
        const { stdout, reviewers } = await machine.calibrate([...ONE, "--context", context, "--json"], { answers });
        const {
          confirm: planned,
          reviews,
          reviewers: [{ figures }],
        } = JSON.parse(stdout);
        return {
          planned,
          asked: reviewers.length,
          verdict: reviews[0].verdict,
          second: reviews[0].confirmation,
          not: figures.not_confirmed,
        };
      };
      expect(await run("auto", "kimi")).toEqual({
        planned: "kimi",
        asked: 2,
        verdict: "not done",
        not: { count: 1, of: 1 },
        second: { reviewer: "kimi", verdict: "not done" },
      });
      expect(await run("auto", true)).toMatchObject({ planned: true, second: { reviewer: "glm" } });
      expect(await run("auto", false)).toMatchObject({ planned: false, asked: 1, verdict: "done", not: { of: 0 } });
      for (const context of ["session", "fresh"])
        expect(await run(context, true)).toMatchObject({ planned: false, asked: 1, verdict: "done" });
    });

    test("without any verdict it exits as not reviewed, and says why", async () => {
      const machine = calibrationMachine();
      const { exitCode, stdout, stderr } = await machine.calibrate(PAIR, { answers: [{ exitCode: 3, stderr: "odd" }] });
      expect(exitCode).toBe(4);
      expect(stdout).toMatch(/^No verdict +2 of 2$/m);
      expect(stderr).toMatch(/^– 2\/2 overridden\/latest, glm: no verdict: .*exit code 3.* \(1 s\)$/m);
      const [, , { review } = {}] = machine.record().entries;
      expect(review).toMatchObject({ verdict: null, mark: "no verdict", said: expect.stringContaining("exit code 3") });
    });

    test.each([
      ["from the beginning", [REFUSED], 4, "2 reviews to go."],
      ["after a verdict", [verdict(true, "x"), REFUSED], 1, "1 review to go."],
    ])(
      "a reviewer that refuses %s is asked no more, and the rest can be made later",
      async (_, answers, code, says) => {
        const machine = calibrationMachine();
        const { exitCode, stderr, stdout } = await machine.calibrate(PAIR, { answers });
        expect(exitCode).toBe(code);
        expect(stderr).toContain("– glm gets no more requests: ");
        expect(stderr).toEndWith(`ccc: ${says} When the provider works again: ccc calibrate --resume\n`);
        // Without a review there is nothing to show, unless a program reads it.
        expect(stdout === "").toBe(code === 4);
        const json = await calibrationMachine().calibrate([...PAIR, "--json"], { answers });
        expect(JSON.parse(json.stdout)).toMatchObject({
          finished: false,
          reviewers: [{ stopped: expect.any(String) }],
        });
      },
    );

    test.each([
      [{ exitCode: 1, stderr: "broken" }, "(exit code 1): broken"],
      [{ exitCode: 3, stderr: "broken" }, "(exit code 3): broken"],
      [{ exitCode: null, ending: "timeout" }, "(timeout): "],
    ] as const)("a session that claude cannot run ends it: %j", async (agent, says) => {
      const { exitCode, stderr, reviewers } = await calibrationMachine().calibrate(ONE, { agent });
      expect({ exitCode, reviewers }).toEqual({ exitCode: 1, reviewers: [] });
      expect(stderr).toContain(`Claude Code could not run the session of the case overridden/both ${says}`);
      expect(stderr).toEndWith("What was reviewed is kept. To continue: ccc calibrate --resume\n");
    });

    test("cases that cannot run here are an error that says why", async () => {
      const { exitCode, stderr } = await calibrationMachine().calibrate(["--cases", "stub", "--yes"]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: "ccc: no case can run here: there is no bun\nInstall it, or name other cases.\n",
      });
    });
  });

  describe("on a terminal", () => {
    const terminal = (answer: boolean) => ({
      isTerminal: () => true,
      env: { HOME: "/home/u", PATH: "/bin", NO_COLOR: "1" },
      ask: { ...fakeWorld().world.ask, confirm: async (question: string) => question === "Start?" && answer },
    });
    const asked = ONE.filter((word) => word !== "--yes");

    test("the user is asked first, and a no costs nothing", async () => {
      const machine = calibrationMachine();
      const { exitCode, stdout, stderr, agents } = await machine.calibrate(asked, { parts: terminal(false) });
      expect({ exitCode, stdout, agents }).toEqual({ exitCode: 130, stdout: "", agents: [] });
      expect(stderr).toEndWith("ccc: not started: no provider was asked\n");
      expect(machine.record().count).toBe(0);
    });

    test("after a yes it starts; if there is an earlier run, it says how to compare", async () => {
      const machine = calibrationMachine();
      const compare = "ccc: to compare it with the run before: ccc calibrate --last\n";
      const first = await machine.calibrate(asked, { parts: terminal(true) });
      expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Right verdicts") });
      expect(first.stderr).not.toContain(compare);
      expect((await machine.calibrate(asked, { parts: terminal(true) })).stderr).toEndWith(compare);
      expect((await machine.calibrate(ONE)).stderr).not.toContain(compare);
    });
  });

  describe("a run that was interrupted", () => {
    const resume = ["--resume", "--yes", "--json"];
    const interrupted = async (name: "SIGINT" | "SIGTERM" = "SIGINT") => {
      const machine = calibrationMachine();
      const ended = await machine.calibrate([...ONE, "--repeat", "2"], { signal: { name, at: 2 } });
      return { machine, ended };
    };

    test.each([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)("by %s: exit %d, and what was reviewed is kept", async (name, code) => {
      const { machine, ended } = await interrupted(name);
      expect(ended).toMatchObject({ exitCode: code, listeners: 0 });
      expect(ended.stderr).toStartWith("ccc: 1 case, each 2 times, reviewed by glm\n");
      expect(ended.stderr).toEndWith(
        "ccc: interrupted after 1 review, with 1 to go. To continue: ccc calibrate --resume\n",
      );
      const { entries } = machine.record();
      expect(entries.map((entry) => Object.keys(entry)[0])).toEqual(["plan", "process", "review", "process"]);
      const last = await machine.calibrate(["--last"]);
      expect(last.stdout).toMatch(/^Reviews +1 of 2$/m);
      expect(last.stderr).toBe("ccc: this run is not finished. To continue: ccc calibrate --resume\n");
    });

    test("continues where it stopped, with the same plan, and is not compared with itself", async () => {
      const { machine } = await interrupted();
      const { exitCode, stdout, stderr, reviewers } = await machine.calibrate(resume);
      expect(exitCode).toBe(0);
      expect(stderr).toContain("ccc: continuing the run of 2026-11-18 02:01 UTC: 1 review made\n");
      expect(stderr).not.toContain("was started with Claude Code");
      expect(reviewers).toHaveLength(1);
      expect(JSON.parse(stdout)).toMatchObject({ finished: true, reviews: [{ time: 1 }, { time: 2 }] });
      expect(JSON.parse(stdout).reviewers[0].compared).toBeNull();
      const { count, entries } = machine.record();
      expect(count).toBe(1);
      expect(entries.filter((entry) => "plan" in entry)).toHaveLength(1);
      expect((await machine.calibrate(resume)).stderr).toContain("there is no unfinished run to resume");
    });

    test("is found even if a later one has finished", async () => {
      const { machine } = await interrupted();
      await machine.calibrate(ONE);
      const { stdout } = await machine.calibrate(resume);
      expect(JSON.parse(stdout)).toMatchObject({ repeat: 2, finished: true });
    });

    test("continues with another version of Claude Code, and says so", async () => {
      const { machine } = await interrupted();
      machine.files.content["/bin/claude"] = "another claude";
      const { exitCode, stderr } = await machine.calibrate(resume, { version: "2.1.400" });
      expect(exitCode).toBe(0);
      expect(stderr).toContain("the run was started with Claude Code 2.1.325, and continues with 2.1.400");
    });

    test.each([
      ["while its process runs", 99, true, 2],
      ["after its process is gone", 99, false, 0],
      ["if the process has the id that this one has now", 42, true, 0],
    ])("and not ended, %s", async (_, process, isAlive, code) => {
      const { machine } = await interrupted();
      for (const [path, text] of Object.entries(machine.files.content))
        if (path.includes("/calibration/"))
          machine.files.content[path] = (text ?? "").replace('{"process":null}', `{"process":${process}}`);
      const { exitCode, stderr, agents } = await machine.calibrate(resume, { parts: { isAlive: () => isAlive } });
      expect(exitCode).toBe(code);
      expect(stderr.includes("that run is still in progress (process 99)")).toBe(code === 2);
      expect(agents.length > 0).toBe(code === 0);
    });
  });
});

test("--cases takes a folder of cases, alone", () => {
  const folder = join(import.meta.dir, "../../../../calibration/cases");
  const place = { files: diskFiles(process.pid), cwd: "/" };
  expect(chooseCases([folder], {}, place)).toMatchObject({ folder });
  expect(() => chooseCases([folder, "stub"], {}, place)).toThrow("no case and no folder is named");
});
