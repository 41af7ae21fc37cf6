import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABOUT, ROOT } from "../../../scripts/release/about.ts";
import { differences } from "../../../scripts/release/rehearse/build-steps.ts";
import {
  conductSteps,
  exitCodeOf,
  type Row,
  rehearsalOptions,
  rehearsalTable,
} from "../../../scripts/release/rehearse/conduct-steps.ts";
import { localFormula } from "../../../scripts/release/rehearse/formula-steps.ts";
import { previousTag, serveReleases } from "../../../scripts/release/rehearse/releases.ts";
import { notRun, type Outcome, passed, runLogged, type Step } from "../../../scripts/release/rehearse/step.ts";
import { STEPS } from "../../../scripts/release/rehearse/steps.ts";

describe("rehearsalOptions", () => {
  const steps = ["build", "verify", "brew"];
  test("a bare call runs everything", () =>
    expect(rehearsalOptions([], steps)).toEqual({ only: [], assets: undefined, strict: false }));
  test("one or several steps are chosen by name", () =>
    expect(rehearsalOptions(["--only", "brew", "--only", "verify", "--assets", "x", "--strict"], steps)).toEqual({
      only: ["brew", "verify"],
      assets: "x",
      strict: true,
    }));
  const refused: [argv: string[], says: string][] = [
    [["--only", "brwe"], 'unknown step "brwe"; there are: build, verify, brew'],
    [["--only", "build", "--assets", "x"], "--only build cannot be combined with --assets"],
    [["--fast"], "Unknown option '--fast'"],
    [["build"], "Unexpected argument 'build'"],
  ];
  for (const [argv, says] of refused)
    test(`refuses ${argv.join(" ")}`, () => expect(rehearsalOptions(argv, steps)).toStartWith(says));
});

describe("conductSteps", () => {
  const steps: readonly Step[] = ["tag", "build", "verify"].map((name) => ({
    name,
    needsRelease: name === "verify",
    run: async () => passed(""),
  }));
  /** Each step takes two seconds and a bit. */
  async function conduct(outcomes: Record<string, Outcome | Error>, only: string[] = [], assets?: string) {
    let clock = 0;
    const perform = async ({ name }: Step) => {
      clock += 2_100;
      const outcome = outcomes[name] ?? passed("fine");
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
    const seen: string[] = [];
    const rows = await conductSteps(
      steps,
      { only, assets },
      perform,
      () => clock,
      ({ step }) => seen.push(step),
    );
    expect(seen).toEqual(rows.map(({ step }) => step));
    return rows.map(({ step, outcome, seconds }) => [step, outcome.result, outcome.note, seconds]);
  }

  test("runs all in order, and measures each", async () =>
    expect(await conduct({})).toEqual([
      ["tag", "passed", "fine", 2],
      ["build", "passed", "fine", 2],
      ["verify", "passed", "fine", 2],
    ]));
  test("continues after a failure", async () =>
    expect(await conduct({ tag: new Error("no section") })).toEqual([
      ["tag", "failed", "no section", 2],
      ["build", "passed", "fine", 2],
      ["verify", "passed", "fine", 2],
    ]));
  test("says what a failed build left undone", async () =>
    expect(await conduct({ build: new Error("differs") })).toEqual([
      ["tag", "passed", "fine", 2],
      ["build", "failed", "differs", 2],
      ["verify", "not run", "the build failed", 0],
    ]));
  test("runs the chosen step alone", async () =>
    expect(await conduct({}, ["verify"])).toEqual([["verify", "passed", "fine", 2]]));
  test("does not build where a release is given", async () =>
    expect((await conduct({}, [], "folder"))[1]).toEqual(["build", "not run", "--assets names a finished release", 0]));
});

const rows: readonly Row[] = [
  { step: "build", outcome: passed("20 files"), seconds: 120 },
  { step: "brew", outcome: notRun("Homebrew is not installed"), seconds: 0 },
];
const failed: Row = { step: "verify", outcome: { result: "failed", note: "a | b\n  c\n" }, seconds: 3 };

test("the table lines up, and a note is one cell", () =>
  expect(rehearsalTable([...rows, failed])).toBe(
    `| step   | result  | seconds | note |
| ------ | ------- | ------: | --- |
| build  | passed  |     120 | 20 files |
| brew   | not run |       0 | Homebrew is not installed |
| verify | failed  |       3 | a \\| b; c |`,
  ));

test("a long note is cut", () =>
  expect(rehearsalTable([{ ...failed, outcome: passed("x".repeat(300)) }])).toEndWith(` | ${"x".repeat(240)}… |`));

test("the exit code reports failures, and steps that did not run only on request", () => {
  expect(exitCodeOf(rows, false)).toBe(0);
  expect(exitCodeOf(rows, true)).toBe(1);
  expect(exitCodeOf(rows.slice(0, 1), true)).toBe(0);
  expect(exitCodeOf([...rows, failed], false)).toBe(1);
});

test("builds differ in files that changed, and in files that only one has", () => {
  const one = new Map([
    ["same", "1"],
    ["changed", "2"],
    ["gone", "3"],
  ]);
  const two = new Map([
    ["new", "4"],
    ["changed", "5"],
    ["same", "1"],
  ]);
  expect(differences(one, two)).toEqual(["changed", "gone", "new"]);
  expect(differences(one, new Map(one))).toEqual([]);
});

test("the previous release is the newest tag of a version that is not this one", () => {
  expect(previousTag(["v1.2.0", "v1.2.0-rc.1", "v1.1.0", "v1.0.0", ""], "1.2.0")).toBe("v1.1.0");
  expect(previousTag(["v1.1.0"], "1.2.0")).toBe("v1.1.0");
  expect(previousTag(["v0.1.0", "v0.1.0-rc.1", "vendor", ""], "0.1.0")).toBeUndefined();
});

test("the formula downloads from this machine, and keeps its sums", () => {
  const line = `url "https://github.com/${ABOUT.repository}/releases/download/v1.0.0/ccc.tar.gz"\nsha256 "abc"`;
  expect(localFormula(line, "http://127.0.0.1:1")).toBe(
    'url "http://127.0.0.1:1/download/v1.0.0/ccc.tar.gz"\nsha256 "abc"',
  );
});

test("releases are served as GitHub does, and nothing else is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-served-"));
  await Bun.write(join(folder, "1.0.0/SHA256SUMS"), "sums");
  await Bun.write(join(folder, "secret"), "secret");
  await using server = serveReleases(new Map([["1.0.0", join(folder, "1.0.0")]]), "1.0.0");
  const get = async (path: string) => {
    const answer = await fetch(`${server.base}/${path}`);
    return [answer.status, await answer.text()];
  };
  expect(await get("latest/download/SHA256SUMS")).toEqual([200, "sums"]);
  expect(await get("download/v1.0.0/SHA256SUMS")).toEqual([200, "sums"]);
  for (const path of ["download/v2.0.0/SHA256SUMS", "download/v1.0.0/other", "download/v1.0.0/..%2Fsecret", ""])
    expect(await get(path)).toEqual([404, "not found"]);
  await rm(folder, { recursive: true });
});

test("a command that fails or hangs is an error that says how, and its output is in the log", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccc-logged-"));
  const log = join(folder, "step.log");
  const run = runLogged(log, folder);
  expect(await run(["sh", "-c", "pwd; echo noise >&2"])).toBe(`${folder}\n`);
  await expect(run(["sh", "-c", "echo first >&2; echo last >&2; exit 3"])).rejects.toThrow(
    `exit code 3: last (log: ${log})`,
  );
  await expect(run(["sleep", "60"], { timeoutMs: 50 })).rejects.toThrow("killed after 0.05 s");
  expect(await Bun.file(log).text()).toStartWith(`$ sh -c pwd; echo noise >&2\n${folder}\nnoise\n`);
  await rm(folder, { recursive: true });
});

describe("the steps", () => {
  const names = STEPS.map(({ name }) => name);
  test("that workflows choose exist, and none may be left out there", async () => {
    const texts = ["release.yml", "ci.yml"].map((name) => Bun.file(join(ROOT, ".github/workflows", name)).text());
    const calls = (await Promise.all(texts)).join("").match(/bun@1\.4\.4 run release:rehearse(?:\\\n|[^|\n])*/g) ?? [];
    const chosen = calls.flatMap((call) => [...call.matchAll(/--only (\S+)/g)].map(([, name = ""]) => name));
    expect(calls.filter((call) => !call.includes("--strict"))).toEqual([]);
    const elsewhere = ["tag", "arm64-musl", "macos", "windows-arm64"];
    expect([...new Set(chosen)].sort()).toEqual(names.filter((name) => !elsewhere.includes(name)).sort());
  });
  test("are all in docs/development/release.md", async () => {
    const page = await Bun.file(join(ROOT, "docs/development/release.md")).text();
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
