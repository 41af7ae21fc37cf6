import { describe, expect, test } from "bun:test";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cccPaths } from "../../../../src/config/paths.ts";
import { type ChildResult, runChild } from "../../../../src/os/child.ts";
import type { Changes } from "../../../../src/supervisor/changes/changes.ts";
import { lastLines } from "../../../../src/supervisor/checks/result.ts";
import { checkEnvironment, checkStop, shellProgram } from "../../../../src/supervisor/checks/run.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { haveEnded } from "../../../ended.ts";
import { fakeWorld } from "../../fakes.ts";

const QUIET = { options: { check_timeout_seconds: 5 }, redactor: { known: String }, log: { say: () => {} } };

describe("check environment", () => {
  test("a check has the user's environment, but no key of a provider under any name, and no mark of ccc or the session", () => {
    const kept = { PATH: "/bin", HOME: "/h", NPM_TOKEN: "npm_secret_of_the_user", NODE_ENV: "test", EMPTY: "" };
    const env = {
      ...kept,
      ANTHROPIC_AUTH_TOKEN: "sk-a",
      ANTHROPIC_BASE_URL: "https://x",
      AWS_BEARER_TOKEN_BEDROCK: "b",
      GLM_API_KEY: "glm-secret-key",
      HEADER: "Bearer glm-secret-key",
      CCC_SUPERVISOR: "1",
      CCC_CONFIG_DIR: "/c",
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: "s",
    };
    expect(checkEnvironment(env, (value) => value.includes("glm-secret-key"))).toEqual(kept);
  });
});

describe("checks of a stop", () => {
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
  const MEMORY = "/c/ccc/sessions/s/checks.json";

  /** A session whose commands exit with the number in their name. */
  function session(commands: readonly string[], content: Record<string, string | null> = {}) {
    const ran: string[] = [];
    const begun: string[] = [];
    const agent: { calls: number | undefined } = { calls: 0 };
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
    const memory = openSession(files, cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" }), "s").checks;
    const toolCalls = async (since = "p1") => (agent.calls === undefined ? undefined : { since, calls: agent.calls });
    const check = (changes: Changes, wanted = commands, isKept = true) =>
      checkStop(
        {
          ...QUIET,
          world,
          project: "/p",
          checks: { commands: wanted, env: {}, memory: isKept ? memory : undefined, toolCalls },
          redactor: { known: (text) => text.replaceAll("KEY", "***") },
        },
        changes,
        (command) => begun.push(command),
      );
    return { check, ran, begun, files, agent };
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
    test("without checks nothing runs, and nothing is saved", async () => {
      const { check, ran, files } = session([], COMMIT);
      expect(await check(tree("t"))).toEqual([]);
      expect(ran).toEqual([]);
      expect(files.read(MEMORY)).toBeUndefined();
    });

    const uses: [what: string, first: number | undefined, then: number | undefined][] = [
      ["the agent has used a tool", 1, 2],
      ["it is not certain which tools were used before", undefined, 1],
      ["it is not certain which tools were used since", 1, undefined],
    ];
    test.each(uses)("run again, whatever the files, if %s", async (_, first, then) => {
      const { check, ran, agent } = session(["a"], COMMIT);
      agent.calls = first;
      await check(tree("t"));
      agent.calls = then;
      await check(tree("t"));
      expect(ran).toHaveLength(2);
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
      for (const record of [
        "",
        text.slice(0, -3),
        ...others.map((each) => JSON.stringify({ ...rest, results: each })),
      ]) {
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
});

describe("files of a folder without git", () => {
  interface Entry {
    readonly kind?: "file" | "folder" | "link";
    readonly size?: number;
    readonly modified?: number;
    readonly leadsToFolder?: boolean;
  }

  /** What identifies the files of a folder without git, as it is saved with its checks. */
  async function mark(entries: Record<string, Entry | undefined>, now: () => number = () => 0) {
    const at = (path: string) => entries[path];
    const files = {
      list: (folder: string) =>
        Object.keys(entries).flatMap((path) =>
          path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/")
            ? [path.slice(folder.length + 1)]
            : [],
        ),
      entry: (path: string) => {
        const found = at(path);
        return found && { kind: "file" as const, size: 1, modified: 1, changed: 1, isReadable: true, ...found };
      },
      identify: (path: string) => ({
        id: path,
        isFile: true,
        isExecutable: false,
        mode: 0o600,
        size: 1,
        isFolder: at(path)?.leadsToFolder === true,
      }),
    };
    const { world } = fakeWorld({ run: async () => ({ exitCode: 0, ending: "exited", stderr: "" }) });
    const saved: string[] = [];
    const memory = { read: () => undefined, remove: () => {}, modified: () => undefined };
    await checkStop(
      {
        ...QUIET,
        world: { ...world, files: { ...world.files, ...files }, now: () => new Date(now()) },
        project: "/p",
        checks: {
          commands: ["a"],
          env: {},
          memory: { ...memory, save: (value) => saved.push(value.files) },
          toolCalls: async () => ({ since: "p1", calls: 0 }),
        },
      },
      { why: "not a git repository" },
      () => {},
    );
    return saved[0];
  }

  const FOLDER = { kind: "folder" } as const;
  const BASE = { "/p/a": {}, "/p/.claude": FOLDER, "/p/d": FOLDER, "/p/d/b": {} };

  describe("files without git are the same", () => {
    const same: [what: string, entries: Record<string, Entry>][] = [
      ["if nothing changed", { ...BASE }],
      ["if only ccc's own folder changed", { ...BASE, "/p/.claude/ccc": FOLDER, "/p/.claude/ccc/x": {} }],
      ["if only the time of a folder changed", { ...BASE, "/p/d": { ...FOLDER, modified: 9 } }],
    ];
    test.each(same)("%s", async (_, entries) => expect(await mark(entries)).toBe(await mark(BASE)));

    const other: [what: string, entries: Record<string, Entry>][] = [
      ["with another size", { ...BASE, "/p/a": { size: 2 } }],
      ["with another time, below a folder", { ...BASE, "/p/d/b": { modified: 2 } }],
      ["with another file", { ...BASE, "/p/c": {} }],
      ["with a link instead of a file", { ...BASE, "/p/a": { kind: "link" } }],
    ];
    test.each(other)("not %s", async (_, entries) => {
      expect(await mark(entries)).toStartWith("times ");
      expect(await mark(entries)).not.toBe(await mark(BASE));
    });
  });

  describe("nothing is known", () => {
    test("if a link leads to another folder", async () =>
      expect(await mark({ ...BASE, "/p/l": { kind: "link", leadsToFolder: true } })).toBeUndefined());
    test("if a file went away meanwhile", async () =>
      expect(await mark({ ...BASE, "/p/gone": undefined })).toBeUndefined());
    test("if it takes longer than two seconds", async () => {
      const after = (ms: number) => {
        const start = [500];
        return () => start.shift() ?? 500 + ms;
      };
      expect(await mark(BASE, after(2_000))).toBeDefined();
      expect(await mark(BASE, after(2_001))).toBeUndefined();
    });
    test("if there are more than 20,000 files", async () => {
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`/p/${index}`, {}]));
      expect(await mark(many(20_000))).toBeDefined();
      expect(await mark(many(20_001))).toBeUndefined();
    });
  });
});

describe("last lines", () => {
  function kept(lines: readonly (string | undefined)[], clean = (text: string) => text): string {
    const output = lastLines();
    for (const line of lines) output.add(line === undefined ? undefined : Buffer.from(line));
    return output.text(clean);
  }

  describe("the last lines of an output", () => {
    const many = Array.from({ length: 100 }, (_, index) => `${index}`);
    const table: [name: string, lines: (string | undefined)[], expected: string][] = [
      ["all of a short one", ["a", "b"], "a\nb"],
      ["the last 60", many, many.slice(40).join("\n")],
      ["none", [], ""],
      ["a line that was too long to read", ["a", undefined], "a\n[a very long line]"],
      ["a long line is cut", ["x".repeat(501)], `${"x".repeat(500)}…`],
      ["a line of 500 characters is not", ["x".repeat(500)], "x".repeat(500)],
      ["without colors and control characters", ["\u001b[31mred\u001b[0m\u0007\tok"], "red\tok"],
      ["a progress line as it last was", ["10%\r50%\r100%\r"], "100%"],
      ["bytes that are not text", ["\u0000\u0001a"], "a"],
    ];
    test.each(table)("%s", (_, lines, expected) => expect(kept(lines)).toBe(expected));

    test("are bounded in total", () => {
      const text = kept(Array.from({ length: 60 }, (_, index) => `${index} ${"y".repeat(490)}`));
      expect(text.length).toBeLessThan(7_001);
      expect(text).toEndWith(`59 ${"y".repeat(490)}`);
      expect(text).toStartWith("46 ");
    });
    test("are as many as fit into 7,000 characters, each with its line end", () => {
      const count = (lines: number, length: number) => kept(Array(lines).fill("y".repeat(length))).split("\n").length;
      expect(count(14, 499)).toBe(14);
      expect(count(14, 500)).toBe(13);
      expect(count(60, 116)).toBe(59);
    });
    test("secrets are masked before lines are cut, also one over several lines", () => {
      const clean = (text: string) => text.replaceAll("KEY\nEND", "***").replaceAll("z".repeat(40), "***");
      expect(kept([`${"x".repeat(480)}${"z".repeat(40)}`, "KEY", "END"], clean)).toBe(`${"x".repeat(480)}***\n***`);
    });
  });
});

describe("run checks", () => {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", WORD: "a  word" };

  async function run(command: string, { cwd = "/", timeoutSeconds = 60, run = runChild } = {}) {
    const results = await checkStop(
      {
        ...QUIET,
        world: { ...fakeWorld().world, run, now: () => new Date(), platform: process.platform },
        project: cwd,
        checks: { commands: [command], env, memory: undefined, toolCalls: async () => undefined },
        options: { check_timeout_seconds: timeoutSeconds },
      },
      { why: "no baseline" },
      () => {},
    );
    return results?.[0];
  }

  test("a check that took longer than one second says so", async () => {
    const timeout: typeof runChild = async () => ({ exitCode: null, ending: "timeout", stderr: "" });
    expect(await run("a", { timeoutSeconds: 1, run: timeout })).toMatchObject({
      ending: "timed out after 1 second",
      isPassed: false,
    });
  });

  test("a check on Windows runs in the user's cmd.exe, with its errors in the output", () => {
    const args = ["/d", "/s", "/c", "(npm test) 2>&1"];
    const withPath = { COMSPEC: "C:\\Windows\\cmd.exe" };
    expect(shellProgram("npm test", withPath, "win32")).toEqual({ file: withPath.COMSPEC, args, env: withPath });
    expect(shellProgram("npm test", {}, "win32")).toEqual({ file: "cmd.exe", args, env: {} });
  });

  describe("a check in a real shell", () => {
    const table: [command: string, ending: string, output: string][] = [
      ["echo out; echo err >&2; echo out again", "exit 0", "out\nerr\nout again"],
      ['printf %s "$WORD" && false', "exit 1", "a  word"],
      ["exit 3", "exit 3", ""],
      ["kill -9 $$", "killed by a signal", ""],
      ["cat", "exit 0", ""],
    ];
    test.each(table)("%s", async (command, ending, output) =>
      expect(await run(command)).toMatchObject({ ending, output }),
    );

    test("a mistake in the command is a failure that says so", async () => {
      expect(await run("if")).toMatchObject({ isPassed: false, output: expect.stringMatching(/syntax error/i) });
      expect(await run("no-such-program")).toMatchObject({
        ending: "exit 127",
        output: expect.stringContaining("not found"),
      });
    });

    test("one that hangs is killed with its children, also those in groups of their own", async () => {
      const cwd = await realpath(await mkdtemp(join(tmpdir(), "ccc-check-")));
      try {
        const other = "bash -c 'set -m; sleep 600 & echo $! >> pids; wait'";
        const hang = `echo $$ >> pids; ${other} & until [ "$(wc -l < pids)" = 2 ]; do sleep 0.01; done; echo started; sleep 600`;
        expect(await run(hang, { cwd, timeoutSeconds: 3 })).toMatchObject({
          ending: "timed out after 3 seconds",
          isPassed: false,
          output: "started",
        });
        const pids = (await readFile(join(cwd, "pids"), "utf8")).trim().split("\n");
        expect(pids).toHaveLength(2);
        expect(await haveEnded(...pids)).toBe(true);
      } finally {
        await rm(cwd, { recursive: true });
      }
    });
  });
});
