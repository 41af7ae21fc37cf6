import { describe, expect, test } from "bun:test";
import type { ChildResult } from "../../../../src/os/child.ts";
import type { Changes } from "../../../../src/supervisor/baseline/changes.ts";
import { checkSession } from "../../../../src/supervisor/checks/check-session.ts";
import { fakeWorld } from "../../fakes.ts";

const tree = (id: string): Changes => ({
  since: "",
  top: "/p",
  worktree: undefined,
  files: [],
  more: 0,
  tree: id,
  suspicious: [],
});

const [ONE, TWO] = ["1".repeat(40), "2".repeat(40)];
const COMMIT = { "/p/.git/HEAD": "ref: refs/heads/main\n", "/p/.git/refs/heads/main": `${ONE}\n` };
const MEMORY = "/record/checks.json";

/** A session whose commands exit with the number in their name. */
function session(commands: readonly string[], content: Record<string, string | null> = {}) {
  const ran: string[] = [];
  const begun: string[] = [];
  const { world, files } = fakeWorld({
    content,
    run: async ({ program, cwd, onLine }) => {
      const command = program.args.at(-1) ?? "";
      ran.push(`${cwd}: ${command}`);
      onLine(Buffer.from(`output of ${command} with KEY`));
      const ending = command.startsWith("hang") ? "timeout" : command.startsWith("end") ? "interrupted" : "exited";
      return { exitCode: Number(/\d+/.exec(command)?.[0] ?? 0), ending, stderr: "" } satisfies ChildResult;
    },
  });
  const check = (changes: Changes | (() => Promise<Changes>), wanted = commands, isKept = true) =>
    checkSession(
      {
        world,
        project: "/p",
        checks: { commands: wanted, env: {}, memory: isKept ? MEMORY : undefined },
        timeoutSeconds: 5,
        clean: (text) => text.replaceAll("KEY", "***"),
        say: () => {},
        onCheck: (command) => begun.push(command),
      },
      typeof changes === "function" ? changes : async () => changes,
    );
  return { check, ran, begun, files };
}

describe("checks at a stop", () => {
  test("run in order in the project's folder, until one fails", async () => {
    const { check, ran, begun } = session(["a", "fail 2", "never"]);
    expect(await check(tree("t"))).toEqual([
      { command: "a", ending: "exit 0", isPassed: true, seconds: 0, output: "output of a with ***" },
      { command: "fail 2", ending: "exit 2", isPassed: false, seconds: 0, output: "output of fail 2 with ***" },
    ]);
    expect(ran).toEqual(["/p: a", "/p: fail 2"]);
    expect(begun).toEqual(["a", "fail 2"]);
  });
  test("one that hangs has failed", async () =>
    expect(await session(["hang"]).check(tree("t"))).toMatchObject([
      { ending: "timed out after 5 seconds", isPassed: false },
    ]));
  test("there is no result when ccc is asked to end", async () =>
    expect(await session(["a", "end"]).check(tree("t"))).toBeUndefined());
  test("without checks nobody looks for changes, and nothing is saved", async () => {
    const { check, ran, files } = session([], COMMIT);
    expect(await check(() => Promise.reject(new Error("asked")))).toEqual([]);
    expect(ran).toEqual([]);
    expect(files.read(MEMORY)).toBeUndefined();
  });

  test("that passed count again with the same files, and only for the same commands", async () => {
    const { check, ran } = session(["a", "b"], COMMIT);
    const first = await check(tree("t"));
    expect(await check(tree("t"))).toEqual(first?.map((result) => ({ ...result, isReused: true })));
    expect(ran).toHaveLength(2);
    await check(tree("t"), ["b", "a"]);
    expect(ran).toHaveLength(4);
    await check(tree("other"));
    expect(ran).toHaveLength(6);
    await check(tree("t"));
    expect(ran).toHaveLength(8);
  });
  test("neither save nor reuse results in a review that keeps nothing", async () => {
    const { check, ran, files } = session(["a"], COMMIT);
    await check(tree("t"));
    const before = { ...files.content };
    expect(await check(tree("t"), ["a"], false)).toMatchObject([{ isPassed: true }]);
    expect(ran).toHaveLength(2);
    await check(tree("other"), ["a"], false);
    expect(files.content).toEqual(before);
  });
  const HEAD = "/p/.git/HEAD";
  const commits: [what: string, before: Record<string, string>, after: Record<string, string>][] = [
    ["a commit", COMMIT, { "/p/.git/refs/heads/main": `${TWO}\n` }],
    [
      "a commit on a branch with an unusual name",
      { [HEAD]: "ref: refs/heads/fix/#1@ä\n", "/p/.git/refs/heads/fix/#1@ä": ONE },
      { "/p/.git/refs/heads/fix/#1@ä": TWO },
    ],
    ["a commit without a branch", { [HEAD]: `${ONE}\n` }, { [HEAD]: `${TWO}\n` }],
    ["the first commit", { [HEAD]: COMMIT[HEAD] }, COMMIT],
    [
      "a commit after which git packed its branches",
      { [HEAD]: COMMIT[HEAD] },
      { "/p/.git/packed-refs": `${TWO} refs/heads/main` },
    ],
  ];
  test.each(commits)("run again, whatever the files, after %s", async (_, before, after) => {
    const { check, ran, files } = session(["a"], before);
    await check(tree("t"));
    await check(tree("t"));
    expect(ran).toHaveLength(1);
    Object.assign(files.content, after);
    await check(tree("t"));
    expect(ran).toHaveLength(2);
  });
  const unknown: [where: string, content: Record<string, string>][] = [
    ["in a worktree", { "/p/.git": "gitdir: /r/.git/worktrees/p" }],
    ["with reftables", { [HEAD]: "ref: refs/heads/.invalid\n" }],
    ["behind a name that leads elsewhere", { [HEAD]: "ref: refs/../../other\n", "/p/other": ONE }],
    ["on a branch that is a link to another", { ...COMMIT, "/p/.git/refs/heads/main": "ref: refs/heads/other\n" }],
    ["on a branch whose name is not UTF-8", { [HEAD]: "ref: refs/heads/caf\uFFFD\n" }],
  ];
  test.each(unknown)("run again where the last commit is not known: %s", async (_, content) => {
    const { check, ran } = session(["a"], content);
    await check(tree("t"));
    await check(tree("t"));
    expect(ran).toHaveLength(2);
  });
  test("that failed run again: what git ignores may have been the cause", async () => {
    const { check, ran, files } = session(["fail 1"], COMMIT);
    await check(tree("t"));
    expect(files.read(MEMORY)).toBeUndefined();
    await check(tree("t"));
    expect(ran).toHaveLength(2);
  });
  test("run again where the files are not known", async () => {
    const { check, ran } = session(["a"]);
    await check({ why: "too slow" });
    await check({ why: "too slow" });
    expect(ran).toHaveLength(2);
  });
  test("outside git go by sizes and times, without ccc's own files", async () => {
    const { check, ran, files } = session(["a"], { "/p/src": "1", "/p/.claude": null });
    await check({ why: "not a git repository" });
    files.content["/p/.claude/ccc/supervisor.log"] = "x";
    await check({ why: "not a git repository" });
    expect(ran).toHaveLength(1);
    files.content["/p/src"] = "22";
    await check({ why: "not a git repository" });
    expect(ran).toHaveLength(2);
  });
  test("a record that is unreadable, or not of checks that passed, is ignored", async () => {
    const { check, ran, files } = session(["a"], COMMIT);
    await check(tree("t"));
    const text = files.read(MEMORY) ?? "";
    const { results, ...rest } = JSON.parse(text);
    const others = [[], [{ command: "a" }], [{ ...results[0], isPassed: false }], [...results, ...results]];
    for (const record of ["", text.slice(0, -3), ...others.map((each) => JSON.stringify({ ...rest, results: each }))]) {
      ran.length = 0;
      files.content[MEMORY] = record;
      await check(tree("t"));
      expect(ran).toHaveLength(1);
    }
    ran.length = 0;
    files.content[MEMORY] = text;
    await check(tree("t"));
    expect(ran).toEqual([]);
  });
});
