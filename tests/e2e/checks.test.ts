import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import * as v from "valibot";
import { SessionReportSchema } from "../../src/commands/report/report.ts";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { CCC, inTurn, type Place } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "work" } });
const matter = (...commands: string[]) => `---\nchecks: ${JSON.stringify(commands)}\n---\nLOOK FOR YOURSELF\n`;

/** Runs a task with an engine, with options of ccc before the provider. */
function work(place: Place, engine: string, options: readonly string[] = [], env = {}) {
  const task = engine === "loop" ? ["work"] : ["-p", "work"];
  return place.ccc(["--supervisor", "--engine", engine, ...options, "glm", ...task, "--allowedTools", "Bash"], { env });
}

const roles = ({ sandbox }: SupervisedPlace) =>
  sandbox.received.map(({ role }) => role).filter((role) => role !== "helper");

describe("a failing check goes back to the agent without a reviewer; once all pass, the reviewer sees them", () => {
  for (const engine of ["hook", "loop"]) {
    test(`with the ${engine} engine on the real Claude Code`, async () => {
      // The agent also tries to add a check, which must not run.
      const fix = `touch fixed; printf '%s\\n' --- 'checks: ["touch added"]' --- > SUPERVISOR.md`;
      const agent = [{ say: "ready" }, bash(fix), { say: "ready now" }, { say: "as before" }];
      await using place = await supervisedPlace(inTurn({ agent, reviewer: [notDone("LOOK AGAIN"), DONE] }));
      await $`git init -q ${place.project}`;
      const check =
        'env > ~/environment; echo ran >> ~/runs; ls fixed || { echo "NOT FIXED $(echo glm-)token"; exit 3; }';
      const env = { KEY_OF_GLM: "glm-token", OF_THE_USER: "kept" };

      const result = await work(place, engine, ["--check", check, "--check", "echo SECOND CHECK"], env);

      expect(result.exitCode).toBe(0);
      expect(roles(place)).toEqual(["agent", "agent", "agent", "reviewer", "agent", "reviewer"]);
      const told = JSON.stringify(
        place.sandbox.received.filter(({ role }) => role === "agent")[1]?.body.messages.slice(-2),
      );
      expect(told).toMatch(/A check failed: env > ~\/environment; .* \(exit 3\)\./);
      expect(told).toContain("    NOT FIXED ");
      expect(told).not.toContain("glm-token");
      const [first, review = ""] = place.reviews();
      expect(first).toContain("checks that passed");
      expect(review).toMatch(
        /checks that passed.*exit 0, \d+ s, last lines:\\n {4}fixed\\n- echo SECOND CHECK: exit 0/,
      );
      expect(review).toMatch(/1\. A check failed: .* \(exit 3\)\./);
      expect(review).toContain("SUPERVISOR.md when the session started; now they would come from");

      expect(existsSync(join(place.project, "added"))).toBe(false);
      expect(await readFile(place.at("runs"), "utf8")).toBe("ran\nran\nran\n");
      const environment = await readFile(place.at("environment"), "utf8");
      expect(environment).toContain("OF_THE_USER=kept\n");
      expect(environment).not.toMatch(/glm-token|^(ANTHROPIC|CLAUDECODE|CCC_(?!RUN=))/m);

      const stops = (await place.record())["stops.jsonl"] ?? "";
      const lines = stops
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const masked = expect.not.stringContaining("glm-token");
      const passed = { passed: true, ending: "exit 0" };
      expect(lines.filter(({ outcome }) => outcome !== undefined)).toMatchObject([
        { outcome: "rework", limit: 10, checks: [{ command: check, passed: false, ending: "exit 3", output: masked }] },
        {
          outcome: "rework",
          feedback: "LOOK AGAIN",
          context: "shared",
          checks: [passed, { ...passed, reused: false }],
        },
        { outcome: "done", checks: [passed, { ...passed, reused: false, output: "SECOND CHECK" }] },
      ]);
      expect(lines[0].prompt_id).toEqual(engine === "hook" ? expect.any(String) : null);
      expect(stops).toMatch(/"check":"env > ~\/environment; .* \(exit 3\)"/);
      const report = await place.ccc(["report", "--json"]);
      expect(report).toMatchObject({ exitCode: 0, stderr: "" });
      const { prompts, ...whole } = v.parse(SessionReportSchema, JSON.parse(report.stdout));
      expect(whole).toMatchObject({
        engine,
        provider: "glm",
        folder: place.project,
        outcome: "done",
        totals: { reviews: 3 },
      });
      expect(prompts).toMatchObject([
        {
          text: "work",
          rounds: [{ verdict: "check failed" }, { verdict: "not done" }, { verdict: "done", number: 3 }],
        },
      ]);
      if (engine === "loop") expect(result.stderr).toContain("Review 1 of 10: check failed: env > ~/environment;");
    });
  }
});

describe("a check that keeps failing ends the work as NOT done, and nobody is asked", () => {
  const NO_CHANGE = "The check failed twice without a change of the files: sh fail (exit 7)";
  const SAME_LINES = "The check failed 3 times in a row with the same last lines: sh fail (exit 7)";
  const cases: [engine: string, agent: readonly Turn[], why: string, rounds: number][] = [
    ["hook", [{ say: "I see no reason for it." }], NO_CHANGE, 2],
    ["loop", ["a", "b", "c"].flatMap((name) => [bash(`echo 1 > ${name}`), { say: `${name} is there` }]), SAME_LINES, 3],
  ];
  test.each(cases)("with the %s engine", async (engine, agent, why, rounds) => {
    await using place = await supervisedPlace(inTurn({ agent, reviewer: [DONE] }));
    await $`git init -q ${place.project}`;
    await writeFile(join(place.project, "fail"), 'echo "1 failed in 0.$$ s, in $(mktemp -u)"; exit 7\n');
    const result = await work(place, engine, ["--check", "sh fail"]);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain(`Stopped after ${rounds} reviews: NOT done`);
    expect(result.stderr).toContain(why);
    expect(roles(place)).not.toContain("reviewer");
    const { stdout } = await place.ccc(["report", "--json"]);
    const report = v.parse(SessionReportSchema, JSON.parse(stdout));
    expect(report).toMatchObject({ outcome: "not done", reason: why });
    expect(report.prompts[0]?.rounds.at(-1)).toMatchObject({ verdict: "stalemate", number: rounds, why });
  });
});

test("a check that passed counts again after a mere answer, and not after a tool that changed nothing that git sees", async () => {
  const steps = inTurn({
    agent: [
      bash("touch ignored"),
      { say: "made it" },
      { say: "an answer" },
      bash("rm ignored"),
      { say: "removed it" },
      bash("touch ignored"),
      { say: "made it again" },
    ],
    reviewer: [DONE],
  });
  await using place = await supervisedPlace(steps);
  await $`git init -q ${place.project} && echo ignored > ${place.project}/.gitignore`;
  const check = "echo ran >> ~/runs; ls ignored";
  const ask = (...task: string[]) =>
    place.ccc(["--supervisor", "--check", check, "glm", ...task, "--allowedTools", "Bash"]);

  expect((await ask("-p", "make it")).exitCode).toBe(0);
  expect((await ask("--continue", "-p", "what is it?")).exitCode).toBe(0);
  expect(await readFile(place.at("runs"), "utf8")).toBe("ran\n");
  const removed = await ask("--continue", "-p", "remove it");
  expect(removed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("check failed: echo ran") });
  expect(await readFile(place.at("runs"), "utf8")).toBe("ran\n".repeat(3));
});

test("a project's checks do not run without a terminal to ask on, and ccc says what to do", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "ready" }], reviewer: [DONE] }));
  await writeFile(join(place.project, "SUPERVISOR.md"), matter("touch ran"));
  const { exitCode, stderr } = await work(place, "hook");
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /ccc: warning: not running 1 check in .*SUPERVISOR\.md: you have not agreed\. Run ccc --supervisor here in a terminal once, or pass --check 'touch ran'\n/,
  );
  expect(existsSync(join(place.project, "ran"))).toBe(false);
  expect(place.reviews()[0]).toContain(
    "1 check in SUPERVISOR.md did not run, because the user has not agreed: touch ran.",
  );
  expect(place.reviews()[0]).toContain(
    "it can ask for more than the user's request, never for less.)\\n\\nLOOK FOR YOURSELF\\n</section",
  );
});

test("on a terminal the user is asked about a project's checks, once for exactly these commands", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "ready" }], reviewer: [DONE] }));
  const file = join(place.project, "SUPERVISOR.md");
  const start = () => newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });
  await writeFile(file, matter("echo ran >> ran"));
  await using first = start();
  await first.shows("Review by these instructions of the project?");
  first.type("y");
  await first.shows("  echo ran >> ran");
  await first.shows("Run commands of this project?");
  first.type("y");
  await first.shows("before each review: echo ran >> ran");
  await first[Symbol.asyncDispose]();

  const { stderr } = await work(place, "hook");
  expect(stderr).not.toContain("not running");
  expect(await readFile(join(place.project, "ran"), "utf8")).toBe("ran\n");

  await writeFile(file, matter("echo ran twice >> ran"));
  await using second = start();
  await second.shows("Review by these instructions of the project?");
  second.type("y");
  await second.shows("  echo ran twice >> ran");
  await second.shows("Run commands of this project?");
  second.type("n");
  await second.shows("Supervisor mode enabled");
  expect(second.history()).not.toContain("before each review");
});
