import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionReport } from "../../src/commands/report/report.ts";
import { runTaskStep } from "../documented-workflows.ts";
import { newPlace, type Place } from "../harness.ts";

const TASKS = `Fix the "login" | page; $(touch planted)\n\n  \n\`touch planted\` <b>\nthird\n`;
const TOTALS = { reviews: 2, agent_seconds: 100, review_seconds: 21, input_tokens: 1, cache_read_tokens: 20 };

test("the documented workflow turns lines into tasks, changes into branches, and reports into one table", async () => {
  await using place = await newPlace();
  const { project } = place;
  await place.write(join(project, ".github/tasks.txt"), TASKS);
  expect(runTaskStep("list", project, { GITHUB_OUTPUT: place.at("output") })).toBe(0);
  const tasks = (await readFile(place.at("output"), "utf8")).trim().replace(/^tasks=/, "");
  const prompts = [`Fix the "login" | page; $(touch planted)`, "`touch planted` <b>", "third"];
  expect(JSON.parse(tasks)).toEqual(prompts.map((prompt, index) => ({ id: `task-${index + 1}`, prompt })));

  const results = place.at("results");
  const env = { RESULTS: results, TASKS: tasks, GITHUB_STEP_SUMMARY: place.at("summary.md") };
  const report = async (id: string, outcome: SessionReport["outcome"], reason: string) => {
    await place.write(join(results, `report-${id}/outcome.json`), { outcome, exit_code: 0 });
    const totals = { ...TOTALS, cache_write_tokens: 300, output_tokens: 4000 };
    const whole: Partial<Omit<SessionReport, "totals">> = { version: 1, session: "s", outcome, reason };
    await place.write(join(results, `report-${id}/report.json`), { ...whole, totals });
  };
  await report("task-1", "done", "");
  await report("task-2", "not done", "no | end\n| done | <img> `x`");
  expect(runTaskStep("One table", project, env)).toBe(1);
  expect(await readFile(place.at("summary.md"), "utf8")).toBe(`\
| task | | outcome | reviews | time | tokens of reviews | why |
| --- | --- | --- | ---: | ---: | ---: | --- |
| task-1 | Fix the "login" \\| page; $(touch planted) | done | 2 | 3 min | 4321 |  |
| task-2 | \\\`touch planted\\\` \\<b> | not done | 2 | 3 min | 4321 | no \\| end \\| done \\| \\<img> \\\`x\\\` |
| task-3 | third | no report | 0 | 0 min | 0 |  |
`);
  await report("task-2", "done", "");
  await report("task-3", "done", "");
  expect(runTaskStep("One table", project, env)).toBe(0);
  expect(existsSync(join(project, "planted"))).toBe(false);

  expect(await branches(place, results, tasks)).toEqual({ branches: ["ccc/task-2", "main"], file: "new\n" });
});

/** Saves the change of task-2 in one clone, and publishes it from another. */
async function branches(place: Place, results: string, tasks: string) {
  const git = (cwd: string, ...args: string[]) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd,
      env: { PATH: place.env.PATH ?? "", HOME: place.home },
    });
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  };
  const [origin, worker, publisher] = [place.at("origin"), place.at("worker"), place.at("publisher")];
  await place.write(join(origin, "file"), "old\n");
  git(origin, "init", "--quiet", "--initial-branch=main");
  git(origin, "add", "--all");
  git(origin, "commit", "--quiet", "--message=first");
  for (const clone of [worker, publisher]) git(place.home, "clone", "--quiet", origin, clone);
  const GITHUB_SHA = git(origin, "rev-parse", "HEAD").trim();
  await place.write(join(worker, "file"), "new\n");
  const common = { GITHUB_SHA, HOME: place.home, GITHUB_OUTPUT: place.at("output") };
  await mkdir(join(results, "change-task-2"));
  expect(runTaskStep("change", worker, { ...common, CHANGE: join(results, "change-task-2/change.patch") })).toBe(0);
  await place.write(join(results, "change-task-1/change.patch"), "");

  await place.write(join(place.bin, "gh"), "#!/bin/sh\n");
  Bun.spawnSync(["chmod", "755", join(place.bin, "gh")]);
  const env = { ...common, PATH: place.env.PATH ?? "", RESULTS: results, TASKS: tasks };
  expect(runTaskStep("One branch for each change", publisher, env)).toBe(0);
  const names = git(origin, "branch", "--format=%(refname:short)").trim().split("\n");
  return { branches: names.sort(), file: git(origin, "show", "ccc/task-2:file") };
}
