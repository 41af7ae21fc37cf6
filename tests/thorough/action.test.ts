import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Script } from "../../src/sandbox/sandbox.ts";
import { type ActionRun, readAction, runAction } from "../action-runner.ts";
import { CCC, CLAUDE, newPlace, type Place } from "../harness.ts";
import { newRegistry } from "../npm-registry.ts";
import { ARCHIVE, newReleases, tamper } from "../releases.ts";
import { DONE, supervisedPlace } from "../supervised.ts";

const KEY = "secret-%25-key-0123456789";
/** Would run, expand or control something if any step treated it as code. */
const PLANTED = `it's "quoted" $(touch planted) \`touch planted\`; touch planted\n::set-output name=outcome::done\n\${{ secrets.X }}`;
const { version } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8"));

test("the action on the real Claude Code: a review that fails is tried again in the same session, and the report is kept", async () => {
  let agentRequests = 0;
  const script: Script = ({ role }) => {
    if (role === "agent") agentRequests++;
    if (role === "reviewer") return agentRequests < 2 ? { fail: 400, message: "no reviewer today" } : DONE;
    return { say: `::set-output name=outcome::planted\nmy key is ${KEY}` };
  };
  await using place = await supervisedPlace(script);
  await using registry = newRegistry("2.1.325", CLAUDE);
  const job = await newJob(place, `exec '${CCC}' "$@"`, { npm_config_registry: registry.url });
  await using _ = job;

  const run = await job.run({
    provider: "scripted",
    "base-url": place.sandbox.url,
    model: "some-model",
    key: KEY,
    prompt: PLANTED,
    checks: "true\ntest -d .\n",
    attempts: "2",
    "retry-wait-seconds": "0",
  });

  expect(run).toMatchObject({ succeeded: true, outputs: { outcome: "done", "exit-code": "0" } });
  expect(run.steps.map(([, code]) => code)).toEqual([0, 0, 0, 0]);
  expect(run.log).toContain("Attempt 1 of 2 ended with exit code 4. The next one starts in 0 s.");
  expect(run.log).not.toContain(KEY);
  expect(run.commands.filter((line) => !line.startsWith("::add-mask::"))).toEqual([]);
  expect(existsSync(join(place.project, "planted"))).toBe(false);
  expect(place.sandbox.headers.every((each) => each.authorization === `Bearer ${KEY}`)).toBe(true);
  // The second attempt knows what was asked in the first.
  expect(place.reviews().at(-1)).toContain("touch planted");
  expect(place.reviews().at(-1)).toContain("- test -d .: exit 0");

  const { report = "", session = "" } = run.outputs;
  expect((await readdir(report)).sort()).toEqual(["outcome.json", "report.html", "report.json"]);
  const read = (name: string) => readFile(join(report, name), "utf8");
  expect(JSON.parse(await read("outcome.json"))).toEqual({ outcome: "done", exit_code: 0 });
  expect(JSON.parse(await read("report.json"))).toMatchObject({ session, outcome: "done", engine: "loop" });
  expect(await read("report.html")).not.toContain(KEY);
  expect(run.summary).toContain("## ccc: not reviewed");
  expect(run.summary).toContain("## ccc: done");
  expect(run.used["Upload the report"]).toMatchObject({ name: "ccc-report", path: report });
  const config = join(report, "../config/ccc.json");
  expect(await readFile(config, "utf8")).toContain("env:CCC_ACTION_KEY");
  expect((await stat(join(report, ".."))).mode & 0o777).toBe(0o700);
});

describe("with a program that records how it is called", () => {
  test("inputs arrive unchanged, the key and the runner's files do not", async () => {
    await using place = await newPlace();
    await using job = await newJob(place, NOTES);
    const run = await job.run({
      provider: "glm",
      key: KEY,
      prompt: PLANTED,
      "claude-version": "",
      "budget-tokens": "5000",
      checks: `npm test\n\n${PLANTED}\n`,
      "claude-args": "--allowedTools\nBash(npm test:*)\n$(touch planted)\n",
    });
    expect(run.outputs).toMatchObject({ outcome: "done", session: "" });
    expect(run.commands).toEqual([`::add-mask::${KEY.replaceAll("%", "%25")}`]);
    const [add = [], loop = []] = await calls(place);
    expect(add).toEqual(["provider", "add", "glm", "--token-ref", "env:CCC_ACTION_KEY"]);
    const checks = ["npm test", ...PLANTED.split("\n")].flatMap((line) => ["--check", line]);
    const args = ["--allowedTools", "Bash(npm test:*)", "$(touch planted)"];
    expect(loop).toEqual(["--supervisor", "--engine", "loop", "--no-handover", ...checks, "glm", ...args]);
    expect(await readFile(place.at("stdin"), "utf8")).toBe(PLANTED);
    const env = await readFile(place.at("env"), "utf8");
    expect(env).toContain("GITHUB_STEP_SUMMARY=");
    expect(env).not.toMatch(/^(GITHUB_(ENV|PATH|OUTPUT|STATE)|PROMPT|CHECKS|CLAUDE_ARGS)=/m);
    const [folder = ""] = (await readdir(job.temp)).filter((name) => name.startsWith("ccc-supervise."));
    expect(JSON.parse(await readFile(join(job.temp, folder, "config/ccc.json"), "utf8"))).toEqual({
      supervisor: {
        max_iterations: 10,
        budget_tokens: 5000,
        agent_timeout_seconds: 0,
        timeout_seconds: 600,
        check_timeout_seconds: 600,
        limit_wait_seconds: 0,
      },
    });
    expect(existsSync(join(place.project, "planted"))).toBe(false);
  });

  test("the step has ccc's exit code, and only temporary failures are retried", async () => {
    await using place = await newPlace();
    await using job = await newJob(place, NOTES);
    const ends = async (code: number, report = "") => {
      await place.write(place.at("code"), String(code));
      await place.write(place.at("report"), report);
      await place.write(place.at("calls"), "");
      const input = { prompt: "", "prompt-file": "task.md", attempts: "3", "retry-wait-seconds": "0" };
      const { outputs, steps } = await job.run({ provider: "glm", key: KEY, "claude-version": "", ...input });
      const loops = (await calls(place)).filter(([first]) => first === "--supervisor");
      return [outputs.outcome, steps.at(-2)?.[1], loops.length, loops.at(-1)?.slice(-2).join(" ")];
    };
    await place.write(join(place.project, "task.md"), "the task");
    const limited = '{\n  "session": "s-1",\n  "usage_limit": {\n    "resets_at": null\n  }\n}';
    expect(await ends(4, '{\n  "session": "s-1",\n  "usage_limit": null\n}')).toEqual([
      "not reviewed",
      4,
      3,
      "--resume s-1",
    ]);
    expect(await ends(1, limited)).toEqual(["failed", 1, 3, "--resume s-1"]);
    const once = "--permission-mode acceptEdits";
    expect(await ends(1, limited.replace(/\{\n.*\n {2}\}/, "null"))).toEqual(["failed", 1, 1, once]);
    expect(await ends(3, limited)).toEqual(["not done", 3, 1, once]);
    expect(await ends(5)).toEqual(["needs you", 5, 1, once]);
    expect(await ends(6)).toEqual(["over budget", 6, 1, once]);
  });

  test("a cancelled job ends ccc, and the report says so", async () => {
    await using place = await newPlace();
    await using job = await newJob(place, NOTES);
    await place.write(place.at("waits"), "");
    const run = await job.run({ provider: "glm", key: KEY, prompt: "x", "claude-version": "" }, async (step, child) => {
      if (step !== "Work until done") return;
      while (!existsSync(place.at("started"))) await Bun.sleep(10);
      child.kill("SIGINT");
    });
    expect(run.outputs).toMatchObject({ outcome: "interrupted", "exit-code": "143" });
  });

  test("wrong input is refused before anything runs, with a clear message", async () => {
    await using place = await newPlace();
    await using job = await newJob(place, NOTES);
    const good = { provider: "glm", key: KEY, prompt: "x", "claude-version": "" };
    const table: readonly [Readonly<Record<string, string>>, string][] = [
      [{ key: "" }, "key is empty or has spaces or line breaks: is the secret set?"],
      [{ key: "a\n::warning::b" }, "key is empty or has spaces or line breaks: is the secret set?"],
      [{ prompt: "" }, "there is no task: give prompt or prompt-file"],
      [{ "prompt-file": "a" }, "give prompt or prompt-file, not both"],
      [{ prompt: "", "prompt-file": "missing" }, "there is no file as prompt-file names it"],
      [{ "max-reviews": "0" }, "max-reviews must be a whole number, 1 or more"],
      [{ "budget-tokens": "1}, $(touch planted)" }, "budget-tokens must be a whole number, 0 or more"],
      [{ attempts: "a[$(touch planted)]" }, "attempts must be a whole number, 1 or more"],
      [
        { provider: "--help" },
        "provider must be a name of letters, digits, dots and dashes: a preset, or any name with base-url",
      ],
      [{ version: "latest" }, "version must be an exact version of ccc, such as 0.1.0"],
      [{ "claude-version": "latest" }, "claude-version must be an exact version, such as 2.1.325"],
    ];
    for (const [wrong, message] of table) {
      const run = await job.run({ ...good, ...wrong });
      expect([wrong, run.succeeded, run.outputs.outcome]).toEqual([wrong, false, "failed"]);
      expect(run.commands.filter((line) => !line.startsWith("::add-mask::"))).toEqual([
        `::error title=ccc::${message}`,
      ]);
    }
    expect(existsSync(place.at("started"))).toBe(false);
    expect(existsSync(join(place.project, "planted"))).toBe(false);
  });
});

test("a release whose checksum is wrong is not installed, and nothing else runs", async () => {
  await using place = await newPlace();
  await using job = await newJob(place, NOTES);
  job.spoil();
  const run = await job.run({ provider: "glm", key: KEY, prompt: "x", "claude-version": "" });
  expect(run.log).toContain("has the wrong checksum");
  expect(run.steps).toEqual([
    ["Get ccc", 1],
    ["Report", 0],
  ]);
  expect(run.outputs).toMatchObject({ outcome: "failed", session: "" });
});

test("the action installs this version of ccc and the tested Claude Code", () => {
  const { inputs } = readAction();
  expect(inputs.version?.default).toBe(version);
  const { devDependencies } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8"));
  expect(inputs["claude-version"]?.default).toBe(devDependencies["@anthropic-ai/claude-code"]);
});

/** Records arguments, environment and stdin of each call, and ends as the files say. */
const NOTES = `
[ "$1" = --version ] && echo "ccc ${version}" && exit
if [ "$1" = report ]; then [ -s "$HOME/report" ] && cat "$HOME/report"; exit; fi
printf '%s\\0' "$@" >> "$HOME/calls"; printf '\\1' >> "$HOME/calls"
[ "$1" = --supervisor ] || exit 0
env > "$HOME/env"; cat > "$HOME/stdin"
if [ -e "$HOME/waits" ]; then trap 'exit 143' TERM; : > "$HOME/started"; while :; do sleep 0.05; done; fi
exit "$(cat "$HOME/code" 2>/dev/null || echo 0)"`;

async function calls(place: Place): Promise<string[][]> {
  const text = await readFile(place.at("calls"), "utf8");
  return text
    .split("\u0001")
    .slice(0, -1)
    .map((call) => call.split("\0").slice(0, -1));
}

/** A job on a runner, with a local release of ccc. */
async function newJob(place: Place, program: string, env: Readonly<Record<string, string>> = {}) {
  const releases = newReleases();
  await releases.publish(version, `#!/bin/sh\n${program}\n`);
  const temp = place.at("runner temp");
  await mkdir(temp);
  return {
    temp,
    spoil: () => releases.replace(ARCHIVE, tamper),
    run: (
      inputs: Readonly<Record<string, string>>,
      onStart?: (step: string, child: Bun.Subprocess) => void,
    ): Promise<ActionRun> =>
      runAction(inputs, {
        workspace: place.project,
        temp,
        env: { ...place.env, CCC_DOWNLOAD_BASE: releases.base, ...env },
        ...(onStart === undefined ? {} : { onStart }),
      }),
    [Symbol.asyncDispose]: () => releases[Symbol.asyncDispose](),
  };
}
