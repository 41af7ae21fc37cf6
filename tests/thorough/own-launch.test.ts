import { expect, test } from "bun:test";
import { readdir, stat } from "node:fs/promises";
import { CCC, fingerprint } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const place = () =>
  supervisedPlace(({ role }) => (role === "reviewer" ? DONE : { say: "ready" }), { supervisor: { max_iterations: 1 } });

/** Starts a supervised launch in the project. `isRecorded` resolves when it has written down what its reviews rely on. */
function launch(at: SupervisedPlace, ...options: string[]) {
  const child = at.start(["--supervisor", ...options, "glm", "-p", "work"]);
  const recorded = Promise.withResolvers<void>();
  const ended = (async () => {
    let stderr = "";
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      stderr += text;
      if (stderr.includes("Supervisor mode enabled")) recorded.resolve();
    }
    return { exitCode: await child.exited, stderr };
  })();
  return { isRecorded: recorded.promise, ended };
}

const failing = (name: string) => ["--check", `echo ${name}; false`];

test("a launch keeps its checks, whatever is launched in the same folder before its session starts", async () => {
  await using at = await place();
  const strict = launch(at, ...failing("strict"));
  await strict.isRecorded;
  const without = launch(at);
  expect(await strict.ended).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining("check failed: echo strict; false (exit 1)"),
  });
  expect(await without.ended).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/Review 1 of \d+: done/) });
  // No hook of theirs can run any more.
  const own = [...(await readdir(at.at(".claude/ccc"))), ...(await readdir(at.at(".claude/ccc/launches")))];
  expect(
    own.filter((name) => /\+[0-9a-f]{32}\.json|-.{12}\.json$/.test(name) && !name.includes("-supervisor")),
  ).toEqual([]);
});

test("eight launches at once in one folder: each has its own check", async () => {
  await using at = await place();
  const names = Array.from({ length: 8 }, (_, index) => `own-${index}`);
  const ends = await Promise.all(names.map((name) => launch(at, ...failing(name)).ended));
  const failed = ends.map(({ stderr }) => [...new Set(stderr.match(/own-\d; false \(exit 1\)/g))]);
  expect(failed).toEqual(names.map((name) => [`${name}; false (exit 1)`]));
});

test("after /clear in a terminal, a session has the checks of its launch, not those of another one in the same folder", async () => {
  await using at = await place();
  await using screen = newScreen([CCC, "--supervisor", ...failing("strict"), "glm"], { cwd: at.project, env: at.env });
  await screen.shows("Every stop is reviewed by glm");
  expect((await launch(at).ended).exitCode).toBe(0);
  await screen.submit("/clear");
  await screen.submit("work");
  await screen.shows("check failed: echo strict; false (exit 1)");
  const records = (await readdir(at.at(".claude/ccc/launches"))).map((name) => at.at(".claude/ccc/launches", name));
  const modes = await Promise.all(records.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)));
  expect(modes).toEqual(["600", "600"]);
});

test("claude's version, help and subcommands write no record, change none, and prepare no review", async () => {
  await using at = await place();
  expect(await at.ccc(["--supervisor", "glm", "-p", "work"])).toMatchObject({ exitCode: 0 });
  // Plain launches have a settings file, which the first of them writes.
  await at.ccc(["glm", "--version"]);
  const own = async () => (await readdir(at.at(".claude/ccc"), { recursive: true })).sort();
  const [files, print] = [await own(), await fingerprint({ ...at, home: at.at(".claude/ccc/sessions") })];
  const inquiries = [
    ["--version"],
    ["--help"],
    ["mcp", "list"],
    ["agents", "--json"],
    ["--model", "opus", "mcp", "list"],
  ];
  for (const args of inquiries) {
    const result = await at.ccc(["--supervisor", "glm", ...args]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  }
  const isOwn = (name: string) => !name.startsWith("repeat");
  expect((await own()).filter(isOwn)).toEqual(files.filter(isOwn));
  expect(await fingerprint({ ...at, home: at.at(".claude/ccc/sessions") })).toBe(print);
});
