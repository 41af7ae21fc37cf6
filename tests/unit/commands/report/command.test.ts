import { describe, expect, test } from "bun:test";
import { lstat, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import { pagePath, writePage } from "../../../../src/commands/report/command.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import { diskFiles, makeScratch } from "../../../../src/os/files.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { SESSION, startSession, verdict } from "../../supervisor/session-in-memory.ts";

describe("ccc report", () => {
  const KEY = "secret-key-of-glm";

  /** The files after a supervised session whose prompt has a key in it. */
  async function reported() {
    const session = await startSession();
    await session.start();
    await session.prompt(`fix the cart with ${KEY}`);
    await session.stop(verdict(true, "All there."));
    return session.files;
  }

  /** `ccc report` after it. */
  async function report(args: readonly string[], parts: Partial<World> = {}, content: Record<string, string> = {}) {
    const files = await reported();
    Object.assign(files.content, content);
    const { world, said, ran } = fakeWorld({ argv: ["report", ...args], files, ...parts });
    return { exitCode: await run(world), ...said, ran, files: files.content };
  }

  describe("its output", () => {
    test("prints the report, with known keys masked", async () => {
      const { exitCode, stdout, stderr } = await report([]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toStartWith(`Done after 1 review\nsession ${SESSION} in /project\n`);
      expect(stdout).toContain("  fix the cart with ***\n");
      expect(stdout).toEndWith("\n");
    });

    test("on a terminal it says how to see it in the browser", async () =>
      expect((await report([], { isTerminal: () => true })).stderr).toBe(
        "ccc: to see it in the browser, add --open\n",
      ));

    test("--json prints one value, with known keys masked", async () => {
      const { exitCode, stdout, stderr } = await report(["--json", SESSION.slice(0, 4)]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({ session: SESSION, prompts: [{ text: "fix the cart with ***" }] });
      expect(stdout).not.toContain(KEY);
    });

    test("--list shows the sessions of this folder, with known keys masked", async () => {
      const { exitCode, stdout, stderr } = await report(["--list"]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout.replaceAll(/ {2,}/g, "  ")).toBe(
        "SESSION  STARTED (UTC)  OUTCOME  REVIEWS  TOKENS  PROMPT\n" +
          `${SESSION.slice(0, 8)}  2026-01-01 10:00  Done  1  fix the cart with ***\n`,
      );
      const [listed] = JSON.parse((await report(["--list", "--json"])).stdout);
      expect(listed).toMatchObject({
        session: SESSION,
        folder: "/project",
        outcome: "done",
        reviews: 1,
        prompt: "fix the cart with ***",
      });
    });

    test("--list --all shows those of all folders", async () => {
      const elsewhere = { cwd: "/elsewhere" };
      expect((await report(["--list"], elsewhere)).stderr).toStartWith(
        "ccc: no supervised session on record in /elsewhere\nThe last ones on record:\n",
      );
      expect((await report(["--list", "--json"], elsewhere)).stdout).toBe("[]\n");
      expect((await report(["--list", "--all"], elsewhere)).stdout).toMatch(/FOLDER.*\n.* \/project /);
    });

    test("of many sessions, the last ones are listed", async () => {
      const line = JSON.stringify({ at: "2026-01-01T09:00:00Z", prompt_id: "p", by_user: true, text: "t", mode: null });
      const folder = (index: number) => `/home/u/.claude/ccc/sessions/${index}`;
      const launch = JSON.stringify({
        cwd: "/project",
        claude: "c",
        environment: { salt: "", plain: {}, hashed: [] },
        instructions: { path: null, text: "" },
      });
      const others = Array.from({ length: 25 }, (_, index) => [
        [`${folder(index)}/prompts.jsonl`, `${line}\n`],
        [`${folder(index)}/launch.json`, launch],
      ]).flat();
      const { stdout, stderr } = await report(["--list"], {}, Object.fromEntries(others));
      expect(stdout.trimEnd().split("\n")).toHaveLength(21);
      expect(stderr).toBe("ccc: these are the last 20; all of them: ccc report --list --json\n");
    });

    test("completion offers them with their outcome and prompt", async () => {
      const { world, said } = fakeWorld({
        argv: ["completions", "complete", "1", "report", ""],
        files: await reported(),
      });
      expect(await run(world)).toBe(0);
      expect(said.stdout).toBe(`${SESSION}\tdone: fix the cart with ***\n`);
    });

    test("--html writes a page and opens nothing", async () => {
      const { exitCode, stdout, stderr, files, ran } = await report(["--html", "out.html"]);
      expect({ exitCode, stdout, stderr, ran }).toEqual({
        exitCode: 0,
        stdout: "",
        stderr: "ccc: wrote /project/out.html\n",
        ran: [],
      });
      expect(files["/project/out.html"]).toContain("fix the cart with ***");
      expect(files["/project/out.html"]).not.toContain(KEY);
    });

    test.each([
      [["--open"], "linux", "/bin/xdg-open", [`/scratch/report-${SESSION}.html`]],
      [["--open", "--html", "out.html"], "darwin", "/bin/open", ["/project/out.html"]],
    ] as const)("%j hands the page to the opener of %s", async (args, platform, file, opened) => {
      const { exitCode, stdout, stderr, files, ran } = await report(args, { platform }, { [file]: "" });
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "", stderr: `ccc: wrote ${opened[0]}\n` });
      expect(ran).toMatchObject([{ file, args: opened }]);
      expect(files[opened[0]]).toContain("<!doctype html>");
    });

    test.each([
      ["an opener that fails", { "/bin/xdg-open": "" }, 3, "cannot open the report: xdg-open failed (exit 3)"],
      ["an opener that fails", { "/bin/xdg-open": "" }, 1, "cannot open the report: xdg-open failed (exit 1)"],
      ["no opener", {}, 0, "cannot open the report: no xdg-open on your PATH"],
    ])("%s: the page is there, and where is said", async (_, content, code, says) => {
      const handOver = async () => ({ exitCode: code, signal: null, isInterrupted: false });
      const { exitCode, stderr, files } = await report(["--open", "--html", "out.html"], { handOver }, content);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`ccc: ${says}\n`);
      expect(stderr).toContain("Open it yourself: /project/out.html");
      expect(files).toHaveProperty(["/project/out.html"]);
    });

    test.each([
      [["--json", "--html", "out.html"], "--json cannot be combined with --html"],
      [["--list", "--open"], "--list cannot be combined with --open"],
      [["--list", SESSION], "--list cannot be combined with a session"],
      [["--all"], "--all needs --list"],
      [["--json", "--open"], "--json cannot be combined with --open"],
      [["--html", ""], "--html needs the name of a file"],
    ])("%j is refused, and nothing is written", async (args, says) => {
      const { exitCode, stdout, stderr, files } = await report(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(`ccc: ${says}\n`);
      expect(files).not.toHaveProperty(["/project/out.html"]);
    });

    test("an unknown session is an error", async () =>
      expect(await report(["ffff"])).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringContaining('no supervised session on record begins with "ffff"'),
      }));
  });
});

describe("the session of ccc report", () => {
  const PATHS = cccPaths({ env: { HOME: "/home/u" }, platform: "linux" });

  /** The session that `ccc report` shows, or its error. Sessions have a folder, and when something was last recorded. */
  async function found(sessions: Record<string, [folder: string, modified: number]>, cwd: string, wanted?: string) {
    const files = memoryFiles();
    for (const [id, [cwd]] of Object.entries(sessions)) {
      const launch = {
        cwd,
        claude: "/bin/claude",
        environment: { salt: "", plain: {}, hashed: [] },
        instructions: { path: null, text: "" },
      };
      files.writePrivate(`${PATHS.generated}/sessions/${id}/launch.json`, JSON.stringify(launch));
      files.writePrivate(`${PATHS.generated}/sessions/${id}/prompts.jsonl`, PROMPT);
    }
    const modified = (path: string) =>
      files.modified(path) === undefined ? undefined : (sessions[path.split("/").at(-2) ?? ""]?.[1] ?? 0);
    const realPath = (path: string) => {
      if (path === "/gone") throw new CccError(`cannot find ${path}: no such file or folder`);
      return path.replace("/link", "/shop");
    };
    const argv = ["report", "--json", ...(wanted === undefined ? [] : [wanted])];
    const { world, said } = fakeWorld({ argv, cwd, files: { ...files, modified, realPath } });
    return (await run(world)) === 0 ? String(JSON.parse(said.stdout).session) : said.stderr;
  }

  const PROMPT = '{"at":"2026-01-01T10:00:00Z","prompt_id":"p1","by_user":true,"text":"do it","mode":null}\n';
  const SESSIONS: Record<string, [string, number]> = {
    abc1: ["/shop", 1],
    abc2: ["/shop", 3],
    abc: ["/gone", 2],
    xyz: ["/link", 2],
  };

  describe("the session that a report is about", () => {
    const table: [name: string, cwd: string, wanted: string | undefined, expected: RegExp][] = [
      ["the last one in the folder", "/shop", undefined, /^abc2$/],
      ["also by a link to the folder", "/link", undefined, /^abc2$/],
      ["also of a folder that is gone", "/gone", undefined, /^abc$/],
      ["by the beginning of its id, from anywhere", "/else", "x", /^xyz$/],
      ["by its whole id, although it is the beginning of others", "/else", "abc", /^abc$/],
      [
        "none in the folder",
        "/else",
        undefined,
        /^ccc: no supervised session on record in \/else\nThe last ones on record:\n {2}abc2 {2}\/shop\n/,
      ],
      [
        "several with the same beginning",
        "/else",
        "ab",
        /^ccc: 3 sessions begin with "ab"\nWrite more of the id: abc2, abc, abc1\n$/,
      ],
      [
        "an unknown one",
        "/shop",
        "q",
        /^ccc: no supervised session on record begins with "q"\nThe last ones on record:/,
      ],
      ["an empty word", "/shop", "", /^ccc: no supervised session on record begins with ""/],
    ];
    for (const [name, cwd, wanted, expected] of table)
      test(name, async () => expect(await found(SESSIONS, cwd, wanted)).toMatch(expected));
    test.each([
      [2, "Write more of the id: k2, k1"],
      [5, "Write more of the id: k5, k4, k3, k2, k1"],
      [6, "Write more of the id: k6, k5, k4, k3, k2, …"],
    ])("%d with the same beginning: the last five are named", async (count, advice) => {
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const sessions = Object.fromEntries(numbers.map((n): [string, [string, number]] => [`k${n}`, ["/shop", n]]));
      expect(await found(sessions, "/shop", "k")).toBe(`ccc: ${count} sessions begin with "k"\n${advice}\n`);
    });
    test("nothing on record at all", async () =>
      expect(await found({}, "/shop")).toContain("Start one: ccc --supervisor"));
  });
});

describe("the file of a page", () => {
  test("a page that cannot be written is refused before any work", async () => {
    const { path: cwd, remove } = makeScratch();
    try {
      await writeFile(join(cwd, "notes"), "");
      const place = { cwd, files: diskFiles(process.pid) };
      expect(() => pagePath(place, "notes/page.html", "report.html")).toThrow(
        `cannot write ${join(cwd, "notes/page.html")}`,
      );
      expect(() => pagePath(place, ".", "report.html")).toThrow("is a folder");
      expect(pagePath(place, "new/page.html", "report.html")).toBe(join(cwd, "new/page.html"));
    } finally {
      remove();
    }
  });

  test("a page replaces an earlier one, even behind a link, and only its owner can read it", async () => {
    const { path: cwd, remove } = makeScratch();
    try {
      await writeFile(join(cwd, "page.html"), "old");
      await symlink("page.html", join(cwd, "link.html"));
      const place = { cwd, files: diskFiles(process.pid) };
      const path = pagePath(place, "link.html", "report.html");
      writePage(place, path, "new");
      expect((await lstat(path)).isSymbolicLink()).toBe(true);
      expect(await readFile(join(cwd, "page.html"), "utf8")).toBe("new");
      expect((await lstat(join(cwd, "page.html"))).mode & 0o777).toBe(0o600);
    } finally {
      remove();
    }
  });
});
