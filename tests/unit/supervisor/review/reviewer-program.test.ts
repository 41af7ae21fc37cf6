import { describe, expect, test } from "bun:test";
import type { ReviewWay } from "../../../../src/claude/runs.ts";
import { overriddenKeys } from "../../../../src/supervisor/guard/git.ts";
import { reviewerProgram } from "../../../../src/supervisor/review/reviewer-program.ts";
import { fakeWorld } from "../../fakes.ts";

describe("programs that git would run for a repository are overridden", () => {
  /** A reviewer that may read these folders. There are repositories at /a and /b; /a has submodules. */
  async function reviewed([project = "", cwd = "", ...added]: string[], git: (args: readonly string[]) => string[]) {
    const asked: string[] = [];
    const settings = JSON.stringify({ permissions: { additionalDirectories: added } });
    const { world } = fakeWorld({
      env: { HOME: "/home/u" },
      content: { "/r.json": settings, "/a/.git": null, "/a/.gitmodules": "", "/b/.git": null, "/b/.gitmodules": null },
      run: async ({ program, cwd, onLine }) => {
        asked.push(`${cwd}: ${program.args.at(-1)}`);
        git(program.args).some((line) => onLine(new TextEncoder().encode(line)));
        return { exitCode: 0, ending: "exited", stderr: "" };
      },
    });
    const session = {
      claude: "/bin/claude",
      sessionId: "id",
      transcript: undefined,
      gitFolders: undefined,
      systemPrompt: undefined,
    };
    const call = {
      ...session,
      way: "schema",
      schema: {},
      settings: "/r.json",
      project,
      cwd,
      retries: 4,
    } as const;
    return { asked, keys: overriddenKeys((await reviewerProgram(world, call)).env) };
  }

  test("each repository is asked once, wherever in it the folder is, and its submodules count", async () => {
    const { asked, keys } = await reviewed(["/a/src/deep", "/a", "/b/src", "/elsewhere"], (args) =>
      args.includes("--file") ? ["submodule.x.path", "submodule.x.ignore"] : ["local\tfilter.lfs.smudge"],
    );
    const each = (top: string) =>
      ["--show-scope", `${top}/.gitmodules`, ":.gitmodules", "HEAD:.gitmodules"].map((last) => `${top}: ${last}`);
    expect(asked).toEqual([...each("/a"), ...each("/b")]);
    expect([...keys]).toEqual(expect.arrayContaining(["submodule.x.ignore", "filter.lfs.smudge"]));
  });

  test("without git there are none", async () => {
    const none = await reviewed(["/elsewhere", "/elsewhere"], () => []);
    const failed = await reviewed(["/b", "/b"], () => {
      throw new Error("no git");
    });
    expect([none.asked, failed.keys]).toEqual([[], none.keys]);
  });
});

describe("reviewer program", () => {
  const guarded = {
    hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "/ccc supervisor-guard" }] }] },
    permissions: { additionalDirectories: ["/given", "../beside", "~/mine"] },
  };

  const program = (
    content: Record<string, string>,
    env: Record<string, string> = {},
    settings?: string,
    cwd = "/project",
    isInSchema = true,
  ) => {
    const { world } = fakeWorld({ content, env: { HOME: "/home/u", PATH: "/bin", ...env } });
    const session = { claude: "/bin/claude", sessionId: "id", project: "/project", cwd, transcript: undefined };
    return reviewerProgram(world, {
      ...session,
      gitFolders: undefined,
      way: "schema",
      schema: isInSchema ? { required: ["completed"] } : undefined,
      settings,
      systemPrompt: "look",
      retries: 4,
    });
  };
  const after = (args: readonly string[], flag: string) => args[args.indexOf(flag) + 1] ?? "";

  test("a project cannot switch the guard off by a variable that says that there is a sandbox", async () => {
    const { env } = await program({}, { CCC_REVIEW_SANDBOX: '["/"]' });
    expect(env.CCC_REVIEW_SANDBOX).toBe("[]");
  });

  test("is marked as a reviewer, and its guard knows git's folders as the launch saw them", async () => {
    const { world } = fakeWorld({ env: { HOME: "/home/u", PATH: "/bin", CCC_REVIEW_GIT_FOLDERS: '["/"]' } });
    const session = { claude: "/bin/claude", sessionId: "id", project: "/project", cwd: "/project", retries: 4 };
    const nothing = { transcript: undefined, schema: undefined, settings: undefined, systemPrompt: undefined };
    const gitFolders = ["/project/.git"];
    const { env } = await reviewerProgram(world, { ...session, ...nothing, way: "schema", gitFolders });
    expect(env).toMatchObject({ CCC_SUPERVISOR_HOOK: "1", CCC_REVIEW_GIT_FOLDERS: JSON.stringify(gitFolders) });
  });

  test("has the schema of a verdict only if it answers in one", async () => {
    const { args } = await program({});
    expect(JSON.parse(after(args, "--json-schema"))).toEqual({ required: ["completed"] });
    expect((await program({}, {}, undefined, "/project", false)).args).not.toContain("--json-schema");
  });

  describe("the folders that a reviewer may read", () => {
    const folders = async (...given: Parameters<typeof program>) =>
      JSON.parse((await program(...given)).env.CCC_REVIEW_FOLDERS ?? "");

    test("are only the project", async () => expect(await folders({})).toEqual(["/project"]));
    test("and those added in its settings and in the user's", async () => {
      const content = {
        "/r.json": JSON.stringify(guarded),
        "/home/u/.claude/settings.json": JSON.stringify({ permissions: { additionalDirectories: ["/users"] } }),
        "/project/.claude/settings.json": JSON.stringify({ permissions: { additionalDirectories: ["/stolen"] } }),
      };
      expect(await folders(content, {}, "/r.json")).toEqual([
        "/project",
        "/given",
        "/project/../beside",
        "/home/u/mine",
        "/users",
      ]);
    });
    test("and the agent's current folder, unless it contains the home", async () => {
      expect(await folders({}, {}, undefined, "/elsewhere")).toEqual(["/project", "/elsewhere"]);
      for (const cwd of ["/home/u", "/home", "/"]) expect(await folders({}, {}, undefined, cwd)).toEqual(["/project"]);
    });
  });

  test("only a reviewer without the conversation may read the transcript, and every one the file with the prompts", async () => {
    const readable = async (way: ReviewWay, transcript: string | undefined, prompts?: string) => {
      const { world } = fakeWorld({ env: { HOME: "/home/u" } });
      const session = {
        claude: "/bin/claude",
        sessionId: "id",
        project: "/project",
        cwd: "/project",
        transcript,
        gitFolders: undefined,
      };
      const given = {
        ...session,
        way,
        schema: {},
        settings: undefined,
        systemPrompt: "look",
        retries: 4,
        prompts,
      };
      return JSON.parse((await reviewerProgram(world, given)).env.CCC_REVIEW_FILES ?? "");
    };
    expect(await readable("fresh", "/t.jsonl", "/p.md")).toEqual(["/t.jsonl", "/p.md"]);
    expect(await readable("fresh", undefined)).toEqual([]);
    expect(await readable("shared", "/t.jsonl", "/p.md")).toEqual(["/p.md"]);
  });

  describe("the guard", () => {
    test("is in the default settings", async () => {
      const { args } = await program({});
      expect(JSON.parse(after(args, "--settings")).hooks.PreToolUse[0].hooks[0].command).toBe(
        "/self/ccc supervisor-guard",
      );
      expect(after(args, "--disallowedTools")).not.toContain("~/.ssh");
    });
    test("is helped by rules for what it does not see: the results of Grep", async () => {
      const denied = after((await program({})).args, "--disallowedTools").split(",");
      for (const pattern of ["[iI][dD]_[rR][sS][aA]", "*.[jJ][kK][sS]", ".[aA][wW][sS]/**"])
        expect(denied).toEqual(expect.arrayContaining([`Read(**/${pattern})`, `Read(//project/**/${pattern})`]));
      const odd = JSON.stringify({ ...guarded, permissions: { additionalDirectories: ["/odd (x)"] } });
      const { args } = await program({ "/r.json": odd }, {}, "/r.json");
      expect(after(args, "--disallowedTools").split(",")).toContain("Read(//**/[iI][dD]_[rR][sS][aA])");
    });
    test("is replaced by rules if custom settings lack it", async () => {
      for (const own of [{}, { ...guarded, disableAllHooks: true }, { hooks: 7 }]) {
        const { args } = await program({ "/r.json": JSON.stringify(own) }, {}, "/r.json");
        expect(after(args, "--settings")).toBe("/r.json");
        expect(after(args, "--disallowedTools")).toContain("Read(~/.ssh/**)");
      }
    });
    test("allows more than the rules, which only cover exact commands", async () => {
      const rules = after((await program({})).args, "--allowedTools").split(",");
      expect(rules).toContain("Bash(npm test)");
      expect(rules.filter((rule) => !/^Bash\([^*]+\)$/.test(rule))).toEqual([]);
    });
  });

  test("variables that choose programs are not inherited", async () => {
    const bad = {
      BASH_ENV: "x",
      ENV: "x",
      "BASH_FUNC_cat%%": "x",
      GIT_EXTERNAL_DIFF: "x",
      GIT_DIR: "x",
      GIT_CONFIG_COUNT: "9",
      BUN_OPTIONS: "x",
      BUN_BE_BUN: "1",
      LD_PRELOAD: "x",
      LD_DEBUG_OUTPUT: "x",
      CDPATH: "x",
      DYLD_INSERT_LIBRARIES: "x",
      NODE_OPTIONS: "x",
      npm_config_script_shell: "x",
      NPM_CONFIG_SCRIPT_SHELL: "x",
      CLAUDE_CODE_SHELL: "x",
      CLAUDE_CODE_SHELL_PREFIX: "x",
    };
    const good = { LANG: "C", NODE_ENV: "test", GIT_AUTHOR_NAME: "n", DATABASE_URL: "d", SHELL: "/bin/bash" };
    const { env } = await program({}, { ...bad, ...good });
    expect(env).toMatchObject(good);
    expect(Object.keys(bad).filter((name) => env[name] === "x" || env[name] === "9")).toEqual([]);
  });

  test("system programs come before those of the project", async () => {
    const { env } = await program(
      {},
      {
        PATH: "/project/bin:relative:/bin:/project/.venv/bin:/usr/bin",
        SHELL: "/project/bin/bash",
        XDG_CONFIG_HOME: "/project/config",
      },
    );
    expect(env.PATH).toBe("/bin:/usr/bin:/project/bin:/project/.venv/bin");
    expect([env.SHELL, env.XDG_CONFIG_HOME]).toEqual([undefined, undefined]);
  });

  test.each([
    [undefined, "4"],
    ["10", "4"],
    ["0", "0"],
    ["many", "4"],
  ])("a reviewer retries a few times at most, even if the shell says %p", async (wanted, retries) => {
    const { env } = await program({}, wanted === undefined ? {} : { CLAUDE_CODE_MAX_RETRIES: wanted });
    expect(env.CLAUDE_CODE_MAX_RETRIES).toBe(retries);
  });
});
