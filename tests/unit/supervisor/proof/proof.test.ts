import { describe, expect, test } from "bun:test";
import { readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { checkEnvironment } from "../../../../src/supervisor/checks/run.ts";
import { EMPTY_LEDGER, openLedger, withNoticed } from "../../../../src/supervisor/ledger.ts";
import {
  describeProof,
  obviousCheck,
  type Proof,
  proofLine,
  proveChecks,
  suggestCheck,
} from "../../../../src/supervisor/proof/proof.ts";
import type { KeptProofs } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { gitPlace, patientWorld } from "../baseline/place.ts";

type Texts = Readonly<Record<string, string | null>>;

interface Change {
  readonly before: Texts;
  /** null: the file is deleted. */
  readonly after: Texts;
  readonly checks?: readonly string[];
  readonly seconds?: number;
  readonly timeoutSeconds?: number;
  readonly isWanted?: boolean;
  readonly isParallel?: boolean;
  readonly isRecorded?: boolean;
  readonly env?: Record<string, string>;
  /** Which runs of checks take too long, from 1. */
  readonly late?: readonly number[];
}

/** A project whose files change after the prompt, and its proofs. */
async function changedProject(change: Change) {
  const place = await gitPlace();
  const write = async (texts: Texts) => {
    for (const [path, text] of Object.entries(texts))
      if (text === null) await rm(join(place.project, path));
      else await place.write(path, text);
  };
  await write(change.before);
  await place.commit();
  const baseline = await place.take();
  await write(change.after);
  const runs: ChildRequest[] = [];
  let kept: KeptProofs | undefined;
  const real = patientWorld();
  const { world } = fakeWorld({
    ...real,
    pid: process.pid,
    run: (request) => {
      if (request.program.file === "/bin/sh") runs.push(request);
      const isLate = request.program.file === "/bin/sh" && change.late?.includes(runs.length) === true;
      return isLate ? Promise.resolve({ ending: "timeout", exitCode: null, stderr: "" }) : real.run(request);
    },
  });
  const { checks = ["sh tests/slug.test.sh"], seconds = 0, timeoutSeconds = 60, isWanted = true } = change;
  const prove = (given: Partial<Parameters<typeof proveChecks>[0]> = {}) =>
    proveChecks({
      world,
      place: {
        paths: place.paths,
        project: place.project,
        cwd: place.project,
        launch: { environment: { salt: "", plain: place.env, hashed: [] } },
      },
      baseline: change.isRecorded === false ? undefined : baseline,
      isWanted,
      isParallel: change.isParallel === true,
      checks: checks.map((command) => ({ command, ending: "exit 0", isPassed: true, seconds, output: "" })),
      env: { ...place.env, ...change.env },
      timeoutSeconds,
      clean: (text) => text.replaceAll("secret", "***"),
      onRun: () => {},
      say: () => {},
      memory: {
        read: () => kept,
        save: (proof) => {
          kept = proof;
        },
        remove: () => {},
        modified: () => undefined,
      },
      ...given,
    });
  return { ...place, write, prove, runs, left: () => readdir(join(place.paths.generated, "copies")).catch(() => []) };
}

async function proofOf(change: Change): Promise<Proof> {
  await using project = await changedProject(change);
  const proof = await project.prove();
  expect(await project.left()).toEqual([]);
  if (proof === undefined) throw new Error("interrupted");
  return proof;
}

const pointsOf = async (change: Change) => (await proofOf(change)).points.map(({ text }) => text);

/** A slug in the shell, and its tests. */
const slug = (how: string) => `echo "$1" | ${how}\n`;
const LOWER = slug("tr A-Z a-z");
const DASHED = slug("tr 'A-Z ' 'a-z-'");
const assert = (given: string, wanted: string) => `[ "$(sh src/slug.sh '${given}')" = '${wanted}' ] || exit 1\n`;
const BEFORE = { "src/slug.sh": LOWER, "tests/slug.test.sh": assert("AB", "ab") };
const OLD_FAIL = '"sh tests/slug.test.sh" fails with the tests as they were at the prompt: tests/slug.test.sh';
const NEW_PASS =
  '"sh tests/slug.test.sh" passes on the code as it was at the prompt: tests/slug.test.sh does not test the change';

describe("the tests of the prompt, on the code as it is now,", () => {
  test.each<[string, string]>([
    ["whose expected value changed", assert("AB", "AB")],
    ["that return early", `exit 0\n${assert("AB", "ab")}`],
  ])("are a point if they fail: tests %s", async (_, text) => {
    const after = { "src/slug.sh": slug("cat"), "tests/slug.test.sh": text };
    expect(await pointsOf({ before: BEFORE, after })).toEqual([OLD_FAIL]);
  });

  test("are a point if they fail and were deleted or moved to where nothing runs them", async () => {
    const checks = ["for t in tests/*.test.sh; do [ ! -e $t ] || sh $t || exit 1; done"];
    const after = { "src/slug.sh": slug("cat"), "tests/slug.test.sh": null, "tests/slug.sh.off": assert("AB", "ab") };
    expect(await pointsOf({ before: BEFORE, after, checks })).toEqual([
      `"${checks[0]}" fails with the tests as they were at the prompt: tests/slug.test.sh`,
    ]);
  });

  test("are a point if only their data or the settings of their runner changed", async () => {
    const checks = ["sh tests/all.test.sh"];
    const before = {
      "src/a": "1",
      "tests/all.test.sh": "cmp src/a tests/expected.txt && . ./jest.config.sh\n",
      "tests/expected.txt": "1",
      "jest.config.sh": "true",
    };
    const [point] = await pointsOf({ before, checks, after: { "src/a": "2", "tests/expected.txt": "2" } });
    expect(point).toBe(`"${checks[0]}" fails with the tests as they were at the prompt: tests/expected.txt`);
  });

  test("are a point if a new setting of their runner leaves them out", async () => {
    const checks = ["[ -e pytest.ini ] || sh tests/slug.test.sh"];
    const after = { "src/slug.sh": slug("cat"), "pytest.ini": "[pytest]\naddopts = --deselect tests/slug.test.sh\n" };
    const [point] = await pointsOf({ before: BEFORE, after, checks });
    expect(point).toBe(`"${checks[0]}" fails with the tests as they were at the prompt: pytest.ini`);
    // Not one that leaves out nothing, nor one of a linter: these may just be needed.
    const needed = { "conftest.py": "import sys\n", "eslint.config.js": "export default [{ ignores: ['dist'] }];\n" };
    expect(await proofOf({ before: BEFORE, after: { "src/slug.sh": DASHED, ...needed } })).toMatchObject({ runs: [] });
    // Not where there were none: without tests, a runner may fail.
    const first = { "pytest.ini": "[pytest]", "tests/slug.test.sh": assert("a b", "a-b"), "src/slug.sh": DASHED };
    const { runs } = await proofOf({ before: { "src/slug.sh": LOWER }, after: first });
    expect(runs).toMatchObject([{ tests: "now", code: "before", isPassed: false }]);
  });

  test("are a point if a new mock stands in for the code", async () => {
    const checks = ["sh $(ls src/__mocks__/slug.sh src/slug.sh 2>/dev/null | head -1) AB | grep -qx ab"];
    const after = { "src/slug.sh": slug("cat"), "src/__mocks__/slug.sh": LOWER };
    expect(await pointsOf({ before: BEFORE, after, checks })).toEqual([
      `"${checks[0]}" fails with the tests as they were at the prompt: src/__mocks__/slug.sh`,
    ]);
  });

  test("are evidence if they pass", async () => {
    const after = { "src/slug.sh": DASHED, "tests/slug.test.sh": assert("AB", "ab") + assert("a b", "a-b") };
    const proof = await proofOf({ before: BEFORE, after });
    expect([proof.points, proof.why]).toEqual([[], undefined]);
    expect(proof.runs).toMatchObject([
      { tests: "before", code: "now", isPassed: true },
      { tests: "now", code: "before", isPassed: false },
    ]);
    expect(describeProof(proof)).toContain("tests as of the prompt: pass (sh tests/slug.test.sh: exit 0, 0 s)");
    expect(proofLine(proof)).toBeUndefined();
  });
});

describe("the tests as they are now, on the code of the prompt,", () => {
  const code = { "src/slug.sh": DASHED };
  test.each<[string, Texts]>([
    ["a new test that asserts nothing", { "tests/slug.test.sh": `${assert("AB", "ab")}test_dash() {\n true\n}\n` }],
    ["a new test of something else", { "tests/slug.test.sh": assert("AB", "ab") + assert("CD", "cd") }],
  ])("are a point if they pass: %s", async (_, tests) =>
    expect(await pointsOf({ before: BEFORE, after: { ...code, ...tests } })).toEqual([NEW_PASS]),
  );

  test("are no point if they fail there", async () =>
    expect(
      await pointsOf({
        before: BEFORE,
        after: { ...code, "tests/b.test.sh": assert("a b", "a-b") },
        checks: ["for t in tests/*; do sh $t || exit 1; done"],
      }),
    ).toEqual([]));

  test("do not run for tests that were only moved or laid out anew, for their data, and for documents", async () => {
    const before = { ...BEFORE, "tests/old.test.sh": assert("CD", "cd") };
    const tests = {
      "tests/slug.test.sh": `# Slugs.\n\n  ${assert("AB", "ab")}`,
      "tests/old.test.sh": null,
      "tests/new.test.sh": assert("CD", "cd"),
      "tests/words.txt": "AB",
      "README.md": "tests",
    };
    const { runs } = await proofOf({ before, after: { ...code, ...tests } });
    expect(runs).toMatchObject([{ tests: "before", code: "now", isPassed: true }]);
  });

  test("do not run for a file of tests that was divided", async () => {
    const [ab, cd] = [assert("AB", "ab"), assert("CD", "cd")];
    const before = { ...BEFORE, "tests/slug.test.sh": ab + cd };
    const after = { ...code, "tests/slug.test.sh": ab, "tests/more.test.sh": cd };
    const { runs } = await proofOf({ before, after });
    expect(runs).toMatchObject([{ tests: "before", code: "now", isPassed: true }]);
  });

  test("do not run for tests that came without code", async () => {
    const after = { "tests/b.test.sh": assert("CD", "cd") };
    expect(await proofOf({ before: BEFORE, after })).toMatchObject({ runs: [], why: "no test has changed" });
  });

  test("say nothing in checks that only look at the code", async () => {
    const lint = "npx prettier --check . || eslint || true";
    const before = { ...BEFORE, "package.json": JSON.stringify({ scripts: { lint } }) };
    const after = { ...code, "tests/b.test.sh": assert("CD", "cd") };
    const { runs } = await proofOf({ before, after, checks: ["tsc || true", "npm run lint", "CI=1 biome ci || true"] });
    expect(runs).toEqual([]);
  });

  test("are no point if one of several checks fails there", async () => {
    const after = { ...code, "tests/b.test.sh": assert("a b", "a-b") };
    const checks = ["sh tests/slug.test.sh", "for t in tests/*; do sh $t || exit 1; done"];
    expect(await pointsOf({ before: BEFORE, after, checks })).toEqual([]);
  });
});

describe("there is no proof", () => {
  const after = { "src/slug.sh": slug("cat"), "tests/slug.test.sh": "true\n" };
  const why = async (change: Partial<Change>) => {
    const { why, points, runs } = await proofOf({ before: BEFORE, after, ...change });
    return points.length + runs.length === 0 ? why : "a proof";
  };

  test("if a check does not work in a copy: the files as they are now fail there, too", async () => {
    const checks = ["git rev-parse HEAD && sh tests/slug.test.sh"];
    const proof = await proofOf({ before: BEFORE, after, checks });
    expect(proof).toMatchObject({ points: [], runs: [], why: `\`${checks[0]}\` does not work in a copy` });
    expect(proofLine(proof)).toBe(`no proof: \`${checks[0]}\` does not work in a copy`);
  });

  test.each<[string, Partial<Change>, string]>([
    ["if it is switched off", { isWanted: false }, "supervisor.proof is false"],
    ["without checks", { checks: [] }, "no checks are set"],
    ["without a baseline", { isRecorded: false }, "the files at the prompt are not known"],
    [
      "if only the tests of an installed package have changed",
      { before: { ...BEFORE, "node_modules/x/test/a.sh": "1" }, after: { "node_modules/x/test/a.sh": "2" } },
      "no test has changed",
    ],
    [
      "in a language with tests inside the source",
      { after: { ...after, "src/lib.rs": "" } },
      "its language has tests inside the source: src/lib.rs",
    ],
    [
      "there, if nothing but such a source has changed, either",
      { before: { "src/lib.rs": "1" }, after: { "src/lib.rs": "2" } },
      "its language has tests inside the source: src/lib.rs",
    ],
  ])("%s", async (_, change, expected) => expect(await why(change)).toBe(expected));

  test("if the command, or a file that it may run, names the project by its path", async () => {
    await using project = await changedProject({ before: BEFORE, after });
    await project.write({ "run.sh": `cd '${project.project}'` });
    expect((await project.prove())?.why).toBe("run.sh names the folder of the project");
  });

  test.each([
    "npm ci && sh tests/slug.test.sh",
    "poetry install -q; poetry run pytest",
    "uv sync && pytest",
    "python3 -m pip install -q -r requirements.txt && pytest",
    "npm test",
    "npm ci && npm run ci",
    "pnpm install --frozen-lockfile && sh tests/slug.test.sh",
    "bun i; sh tests/slug.test.sh",
    "(npm ci; sh tests/slug.test.sh)",
    "npm ci & wait; sh tests/slug.test.sh",
    "if ! npm ci; then exit 1; fi; sh tests/slug.test.sh",
    "npm ci>/dev/null && sh tests/slug.test.sh",
    "sh -c 'npm ci && sh tests/slug.test.sh'",
    "npm --prefix web ci; sh tests/slug.test.sh",
    "poetry -C api install && sh tests/slug.test.sh",
  ])("if the check changes installed packages, which are those of the project: %s", async (command) => {
    const tests = "sh tests/slug.test.sh";
    const scripts = { pretest: "npx prisma generate", test: tests, ci: tests, install: "node-gyp rebuild", i: tests };
    const before = { ...BEFORE, "package.json": JSON.stringify({ scripts }) };
    const proof = await proofOf({ before, after, checks: [command] });
    expect(proof).toMatchObject({ runs: [], points: [], why: `\`${command}\` installs packages` });
  });

  test.each(["sh tests/slug.test.sh 'first; npm ci'", "echo 'first; npm ci; then' && sh tests/slug.test.sh"])(
    "but not if it only names such a command: %s",
    async (command) => {
      const { why, runs } = await proofOf({ before: BEFORE, after, checks: [command] });
      expect(why).toBeUndefined();
      expect(runs).not.toBeEmpty();
    },
  );

  test("a secret in the command of a check is masked where the proof names it", async () => {
    const installs = await proofOf({ before: BEFORE, after, checks: ["npm ci secret"] });
    expect(proofLine(installs)).toBe("no proof: `npm ci ***` installs packages");
    const fails = await proofOf({ before: BEFORE, after, checks: ["sh tests/slug.test.sh secret"] });
    expect(fails.points).toHaveLength(1);
    expect(JSON.stringify(fails)).not.toContain("secret");
  });

  test("and the session says so once, until the reason is another one", async () => {
    await using project = await changedProject({
      before: BEFORE,
      after,
      checks: ["[ -e ../home ] && sh tests/slug.test.sh"],
    });
    const lines: (string | undefined)[] = [];
    const say = async () => {
      const proof = await project.prove();
      lines.push(proof && proofLine(proof));
    };
    await say();
    await say();
    await project.write({ "src/other": "" });
    await say();
    await project.write({ "run.sh": `cd '${project.project}'` });
    await say();
    await project.write({ "src/other": "1" });
    await say();
    expect(lines).toEqual([
      "no proof: `[ -e ../home ] && sh tests/slug.test.sh` does not work in a copy",
      undefined,
      undefined,
      "no proof: run.sh names the folder of the project",
      undefined,
    ]);
  });
});

describe("a proof", () => {
  const after = { "src/slug.sh": slug("cat"), "tests/slug.test.sh": "true\n" };

  test("runs once for the same files, and again when one changes", async () => {
    await using project = await changedProject({ before: BEFORE, after });
    const first = await project.prove();
    const { length } = project.runs;
    expect(await project.prove()).toEqual({ ...(first as Proof), isReused: true });
    expect(project.runs).toHaveLength(length);
    await project.write({ "src/other": "" });
    expect((await project.prove())?.isReused).toBe(false);
    await project.write({ "src/other": null });
    expect(await project.prove()).toEqual({ ...(first as Proof), isReused: true });
  });

  test("runs old and new tests at the same time if it may", async () => {
    // Each waits for the other one.
    const before = { ...BEFORE, "tests/slug.test.sh": `echo > "$HOME/pipe"\n${assert("AB", "ab")}` };
    const tests = `read _ < "$HOME/pipe"\n${assert("AB", "ab")}${assert("a b", "a-b")}`;
    await using project = await changedProject({
      before,
      after: { "src/slug.sh": DASHED, "tests/slug.test.sh": tests },
      isParallel: true,
    });
    await $`mkfifo pipe`.cwd(project.home);
    expect((await project.prove())?.runs).toMatchObject([
      { tests: "before", code: "now", isPassed: true },
      { tests: "now", code: "before", isPassed: false },
    ]);
  });

  test.each([false, true])("looks once whether a check works in a copy, in parallel: %j", async (isParallel) => {
    const tests = `true\n${assert("CD", "CD")}`;
    const before = { ...BEFORE, "src/slug.sh": slug("cat") };
    const now = { "src/slug.sh": `: new\n${slug("cat")}`, "tests/slug.test.sh": tests };
    await using project = await changedProject({ before, after: now, isParallel });
    expect((await project.prove())?.points.map(({ text }) => text)).toEqual([OLD_FAIL, NEW_PASS]);
    expect(project.runs).toHaveLength(3);
  });

  test("keeps what the tests of the prompt have said, whatever becomes of the new ones", async () => {
    const more = { ...after, "tests/slug.test.sh": `true\n${assert("CD", "CD")}` };
    const change = { before: { ...BEFORE, large: "1" }, after: more };
    const late = await proofOf({ ...change, late: [3] });
    expect(late.points.map(({ text }) => text)).toEqual([OLD_FAIL]);
    expect(late).toMatchObject({ why: "`sh tests/slug.test.sh` takes too long in a copy", isWhole: false });
    const large = { before: { ...BEFORE, large: "1".repeat(5_000_001) }, after: { ...more, large: "2" } };
    const uncopied = await proofOf(large);
    expect(uncopied.points.map(({ text }) => text)).toEqual([OLD_FAIL]);
    expect(uncopied).toMatchObject({ why: "large was too large to be kept", isWhole: false });
    // And it says nothing if the check does not work in a copy at all.
    expect(await proofOf({ ...change, late: [2] })).toMatchObject({ points: [], runs: [], isWhole: false });
  });

  test("counts even if it cannot be kept", async () => {
    const change = { before: BEFORE, after: { "src/slug.sh": slug("cat"), "tests/slug.test.sh": assert("AB", "AB") } };
    await using project = await changedProject(change);
    const full = () => {
      throw new Error("no space left");
    };
    const said: string[] = [];
    const memory = { read: () => undefined, save: full, remove: () => {}, modified: () => undefined };
    const proof = await project.prove({ memory, say: (message) => void said.push(message) });
    expect(proof?.points.map(({ text }) => text)).toEqual([OLD_FAIL]);
    expect(said).toEqual(["could not save the proof: no space left"]);
  });

  test("has as much time as the check took three times, and ten seconds, and no more than a check may take", async () => {
    await using project = await changedProject({ before: BEFORE, after, seconds: 20, timeoutSeconds: 600 });
    await project.prove();
    expect(project.runs[0]?.timeoutMs).toBe(70_000);
    await project.write({ "src/other": "" });
    await project.prove({ timeoutSeconds: 60 });
    expect(project.runs.at(-1)?.timeoutMs).toBe(60_000);
  });

  test("runs with the environment of the checks, in which code is that of the copy", async () => {
    const env = checkEnvironment({ ANTHROPIC_API_KEY: "k", OTHER: "k2", LANG: "C" }, (value) => value === "k2");
    await using project = await changedProject({ before: BEFORE, after, env: env as Record<string, string> });
    await project.prove();
    for (const { program, cwd } of project.runs) {
      expect(program.env).toMatchObject({ LANG: "C", HOME: project.home });
      expect(Object.keys(program.env ?? {}).toSorted()).toEqual([
        "GIT_CEILING_DIRECTORIES",
        "HOME",
        "LANG",
        "PATH",
        "UV_NO_SYNC",
      ]);
      expect(cwd).toStartWith(join(project.paths.generated, "copies/"));
    }
    expect(project.runs).toHaveLength(2);
  });

  test("has what was built before the prompt, and not what was built since", async () => {
    const before = {
      ...BEFORE,
      ".gitignore": "dist\n",
      "tests/slug.test.sh": `[ -e dist/other ] && ${BEFORE["tests/slug.test.sh"]}`,
    };
    await using project = await changedProject({ before, after });
    await project.write({ "dist/other": "" });
    await project.write({ "tests/slug.test.sh": "[ -e dist/other ]\n" });
    expect((await project.prove())?.why).toBe("`sh tests/slug.test.sh` does not work in a copy");
    for (const path of ["dist/other", "dist"]) await utimes(join(project.project, path), 1, 1);
    await project.write({ "src/more": "" });
    expect((await project.prove())?.points.map(({ text }) => text)).toContain(OLD_FAIL);
  });

  test("writes nothing into the project, and takes no setting that leads back to it", async () => {
    const tests = `. ./.env && [ "$WHO" = me ] && echo ran > .env && echo ran > db.json && exit 1\n`;
    await using project = await changedProject({
      before: { ".gitignore": ".env\n*.json\nROOT.env\n", "src/a": "1", "tests/slug.test.sh": tests },
      after: { "src/a": "2", "tests/slug.test.sh": "[ ! -e ROOT.env ]\n" },
    });
    await project.write({ ".env": "WHO=me\n", "db.json": "{}", "ROOT.env": `ROOT='${project.project}/src'` });
    expect((await project.prove())?.points.map(({ text }) => text)).toContain(OLD_FAIL);
    const texts = [".env", "db.json"].map((name) => Bun.file(join(project.project, name)).text());
    expect(await Promise.all(texts)).toEqual(["WHO=me\n", "{}"]);
  });

  test("masks the output, and shows no folder of a copy", async () => {
    const tests = "echo secret $PWD/src; exit 1\n";
    const { runs } = await proofOf({ before: { ...BEFORE, "tests/slug.test.sh": tests }, after });
    expect(runs[0]?.output).toBe("*** src");
  });

  test("has points that fit where criteria are shown", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `tests/a-rather-long-name-of-a-test-${at}.test.sh`);
    const before = {
      "src/a": "1",
      ...Object.fromEntries(names.map((name) => [name, "cmp src/a tests/1"])),
      "tests/1": "1",
    };
    const now = { "src/a": "2", ...Object.fromEntries(names.map((name) => [name, "true"])) };
    const [point = ""] = await pointsOf({
      before,
      after: now,
      checks: ["for t in tests/*.test.sh; do sh $t || exit 1; done"],
    });
    expect(point.length).toBeLessThanOrEqual(300);
    expect(point).toMatch(/ and \d+ more$/);
  });
});

describe("a point of a proof", () => {
  const prompts = ["p"];
  const noticed = [OLD_FAIL, NEW_PASS].map((text) => ({ text, content: "1" }));
  const found = withNoticed(EMPTY_LEDGER, { prompts, noticed });
  const texts = (ledger: { criteria: readonly { id: string; text: string }[] }) =>
    ledger.criteria.map(({ id, text }) => `${id} ${text}`);

  test("is a criterion with an id, and stays until another proof does not find it", () => {
    expect(texts(found)).toEqual([`T1 ${OLD_FAIL}`, `T2 ${NEW_PASS}`]);
    const none = { prompts, noticed: [], instructions: "", isSettled: false };
    expect(texts(withNoticed(found, none))).toEqual(texts(found));
    expect(texts(openLedger(found, { ...none, hasProof: false }))).toEqual(texts(found));
    expect(texts(openLedger(found, { ...none, hasProof: true }))).toEqual([]);
    const other = [{ text: "a.test.ts was deleted" }];
    expect(texts(withNoticed(withNoticed(EMPTY_LEDGER, { prompts, noticed: other }), none))).toEqual([]);
  });

  test("is found again under its id", () =>
    expect(texts(withNoticed(found, { prompts, noticed: noticed.slice(1), hasProof: true }))).toEqual([
      `T2 ${NEW_PASS}`,
    ]));
});

describe("the obvious check of a project", () => {
  const tests = '{"scripts":{"test":"vitest"}}';
  test.each<[string, Record<string, string>, string | undefined]>([
    ["a script of package.json", { "package.json": tests }, "npm test"],
    ["with pnpm", { "package.json": tests, "pnpm-lock.yaml": "" }, "pnpm test"],
    ["with Yarn", { "package.json": tests, "yarn.lock": "" }, "yarn test"],
    ["with Bun", { "package.json": tests, "bun.lock": "" }, "bun run test"],
    [
      "npm's stub",
      { "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      undefined,
    ],
    ["a package.json that is not JSON", { "package.json": "{" }, undefined],
    ["Rust", { "Cargo.toml": "" }, "cargo test"],
    ["Go", { "go.mod": "" }, "go test ./..."],
    ["pytest.ini", { "pytest.ini": "" }, "pytest"],
    ["pyproject.toml", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, "pytest"],
    ["tests in Python", { "tests/test_a.py": "" }, "pytest"],
    ["a Makefile", { Makefile: "all:\ntest: all\n\tsh t\n" }, "make test"],
    ["a Makefile without tests", { Makefile: "all:\n" }, undefined],
    ["nothing", {}, undefined],
  ])("%s", (_, content, expected) => {
    const files = memoryFiles(Object.fromEntries(Object.entries(content).map(([path, text]) => [`/p/${path}`, text])));
    expect(obviousCheck(files, "/p")).toBe(expected);
  });

  test("is suggested once for each folder", () => {
    const files = memoryFiles({ "/p/go.mod": "", "/q/go.mod": "" });
    const suggested = (folder: string) => suggestCheck(files, { generated: "/c" }, folder);
    expect([suggested("/p"), suggested("/p"), suggested("/q"), suggested("/r")]).toEqual([
      ...["go test ./...", undefined, "go test ./...", undefined],
    ]);
  });
});
