import { describe, expect, test } from "bun:test";
import { posix } from "node:path";
import { run } from "../../../src/cli/run.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const provider = (name: string) => ({
  env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `key-of-${name}` },
});
const PROVIDERS = { glm: provider("glm"), kimi: provider("kimi") };
const ONLY = { "/project": { provider: "glm", only: true } };

async function ccc(argv: string[], config: object = {}, parts: Parameters<typeof fakeWorld>[0] = {}) {
  const text = JSON.stringify({ providers: PROVIDERS, current_provider: "kimi", ...config });
  const { world, said, ran, files } = fakeWorld({ ...parts, argv, content: { [CONFIG]: text, ...parts.content } });
  // Memory has no folders.
  const identify = () => ({ id: "1", isFile: false, isFolder: true, isExecutable: false, mode: 0o700, size: 0 });
  const exitCode = await run({ ...world, files: { ...files, identify, realPath: posix.resolve } });
  const saved = JSON.parse(files.content[CONFIG] ?? "{}");
  const { folders, default_provider: usual } = saved;
  return { exitCode, ...said, folders, usual, server: serverOf(ran[0]?.args ?? [], files.content) };
}

/** Where the launched claude sends its requests. */
function serverOf(args: readonly string[], content: Readonly<Record<string, string | null>>) {
  const path = args[args.indexOf("--settings") + 1] ?? "";
  return JSON.parse(content[path] ?? "{}").env?.ANTHROPIC_BASE_URL;
}

describe("ccc pin", () => {
  test("pins this folder, shows it, and removes it", async () => {
    const pinned = await ccc(["pin", "glm"]);
    expect(pinned).toMatchObject({ exitCode: 0, folders: { "/project": "glm" } });
    expect(pinned.stdout).toContain("/project is pinned to glm. Plain ccc uses it there");

    const { folders } = pinned;
    expect((await ccc(["pin"], { folders }, { cwd: "/project/src" })).stdout).toBe(
      "/project is pinned to glm: plain ccc uses it here.\n\nAll pins\n  /project  glm\n",
    );
    expect(JSON.parse((await ccc(["pin", "--json"], { folders })).stdout)).toEqual({
      folder: "/project",
      pin: { folder: "/project", provider: "glm", only: false },
      pins: [{ folder: "/project", provider: "glm", only: false }],
    });

    const removed = await ccc(["pin", "--remove"], { folders });
    expect(removed).toMatchObject({ exitCode: 0, stdout: "/project is no longer pinned to glm.\n" });
    expect(removed.folders).toBeUndefined();
  });

  test("a folder without pins has no list of them", async () =>
    expect((await ccc(["pin"])).stdout).toBe("/project is not pinned. To pin it: ccc pin NAME\n"));

  describe("what counted before is named if it was anything else:", () => {
    const table: [folders: object, before: string][] = [
      [{}, ""],
      [{ "/project": "glm" }, ""],
      [{ "/": "glm" }, "Before: glm, of /. "],
      [{ "/project": "kimi" }, "Before: kimi, of /project. "],
      [{ "/project": { provider: "glm", only: true } }, "Before: glm only, of /project. "],
    ];
    test.each(table)("%j", async (folders, before) =>
      expect((await ccc(["pin", "glm"], { folders })).stdout).toBe(
        `/project is pinned to glm. ${before}Plain ccc uses it there and in all folders below.\n`,
      ),
    );
  });

  test("--only and --folder", async () => {
    const { folders, stdout } = await ccc(["pin", "kimi", "--only", "--folder", "/a"], { folders: { "/a": "glm" } });
    expect(folders).toEqual({ "/a": { provider: "kimi", only: true } });
    expect(stdout).toContain("/a is pinned to kimi only. Before: glm, of /a. Other providers are refused there");
  });

  const mistakes: [argv: string[], exitCode: number, says: string][] = [
    [["pin", "glmm"], 2, 'unknown provider "glmm": did you mean "glm"?'],
    [["pin", "--only"], 2, "--only needs a provider"],
    [["pin", "--remove", "glm"], 2, "--remove cannot be combined with a provider"],
    [["pin", "glm", "--json"], 2, "--json cannot be combined with a provider"],
    [["pin", "--folder", ""], 2, "--folder takes a path"],
    [["pin", "--remove"], 1, "/project is not pinned"],
  ];
  for (const [argv, exitCode, says] of mistakes)
    test(argv.join(" "), async () => {
      const done = await ccc(argv);
      expect(done).toMatchObject({ exitCode, stderr: expect.stringContaining(says) });
      expect(done.folders).toBeUndefined();
    });

  test("--remove leaves other pins, and a file without a pin to remove, as they are", async () => {
    const two = { "/project": "glm", "/project/src": "kimi" };
    expect((await ccc(["pin", "--remove"], { folders: two })).folders).toEqual({ "/project/src": "kimi" });
    expect((await ccc(["pin", "--remove"], { folders: {} })).folders).toEqual({});
    const { world, files } = fakeWorld({ argv: ["pin", "--remove"] });
    expect(await run(world)).not.toBe(0);
    expect(Object.keys(files.content)).not.toContain(CONFIG);
  });

  test("--remove in a folder below names the folder that is pinned", async () => {
    const { exitCode, stderr } = await ccc(["pin", "--remove"], { folders: ONLY }, { cwd: "/project/src" });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('--remove --folder "/project"'),
    });
  });

  test("a pin that no folder can have is an error", async () => {
    const { exitCode, stderr } = await ccc([], { folders: { "src/x": "glm" } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining("must be an absolute path") });
  });
});

describe("a launch in a pinned folder", () => {
  const GLM = "https://glm.test";
  const KIMI = "https://kimi.test";
  const plain = { "/project": "glm" };
  const table: [name: string, argv: string[], folders: object, server: string][] = [
    ["plain ccc", [], plain, GLM],
    ["-c", ["-c"], plain, GLM],
    ["a session of another provider", ["--resume", "0b0f8c1e-0000-4000-8000-000000000000"], plain, GLM],
    ["a named provider wins", ["kimi"], plain, KIMI],
    ["the pinned one, named", ["glm"], ONLY, GLM],
    ["plain ccc with --only", ["-p", "hi"], ONLY, GLM],
    ["--anyway", ["--anyway", "kimi"], ONLY, KIMI],
    ["another folder's pin does not count", [], { "/other": "glm" }, KIMI],
    ["a folder of --add-dir decides nothing", ["--add-dir", "/other"], { "/other": "glm" }, KIMI],
  ];
  for (const [name, argv, folders, server] of table)
    test(name, async () => expect(await ccc(argv, { folders })).toMatchObject({ exitCode: 0, server }));

  test("says that the pin decided", async () => {
    expect((await ccc(["-p", "hi"], { folders: plain })).stderr).toContain("using glm, which /project is pinned to");
  });

  const refused: [name: string, argv: string[], parts: Parameters<typeof fakeWorld>[0], config: object][] = [
    ["a named one", ["kimi"], {}, {}],
    ["with options", ["--supervisor", "kimi", "-c"], {}, {}],
    ["through a link", ["-p", "hi"], { name: "ccc-kimi" }, {}],
    ["below the folder", ["kimi"], { cwd: "/project/a/b" }, {}],
    ["a folder of --add-dir", ["kimi", "--add-dir", "../project"], { cwd: "/other" }, {}],
    ["in claude_args", ["kimi"], { cwd: "/other" }, { claude_args: ["--add-dir=/project"] }],
    ["a dry run", ["--dry-run", "kimi"], {}, {}],
  ];
  for (const [name, argv, parts, config] of refused)
    test(`refuses another provider: ${name}`, async () => {
      const { exitCode, stderr, server } = await ccc(argv, { folders: ONLY, ...config }, parts);
      expect({ exitCode, server }).toEqual({ exitCode: 2, server: undefined });
      expect(stderr).toContain("/project is pinned to glm only: kimi must not see its files");
      expect(stderr).toContain("ccc --anyway kimi");
    });

  test("an unknown provider is an error that says what to do", async () => {
    const { exitCode, stderr } = await ccc([], { folders: { "/project": "gone" } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('/project is pinned to "gone", which is not one of the providers');
  });

  test("a provider with a pin is not removed", async () => {
    const { exitCode, stderr } = await ccc(["provider", "remove", "glm", "--yes"], { folders: ONLY });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('/project is pinned to "glm"'),
    });
  });
});

describe("commands in a pinned folder", () => {
  test("ccc why says so, and why another provider is refused", async () => {
    const own = await ccc(["why"], { folders: ONLY });
    expect(own.stdout).toStartWith(
      "/project is pinned to glm only: other providers are refused here.\n\nccc glm: requests go",
    );
    const other = await ccc(["why", "kimi"], { folders: ONLY });
    expect(other.stdout).toContain("ccc kimi: is not launched: /project is pinned to glm only");
    expect(JSON.parse((await ccc(["why", "--json"], { folders: ONLY })).stdout)).toMatchObject({
      provider: "glm",
      pin: { folder: "/project", provider: "glm", only: true },
    });
    expect(JSON.parse((await ccc(["why", "--json"])).stdout)).toMatchObject({ provider: "kimi", pin: null });
  });

  const offered: [name: string, words: string[], folders: object, providers: string[]][] = [
    ["all of them, the pinned one marked", [], { "/project": "glm" }, ["glm\tProvider, pinned here", "kimi\tProvider"]],
    ["no other with --only", [], ONLY, ["glm\tProvider, pinned here"]],
    ["others after --anyway", ["--anyway"], ONLY, ["glm\tProvider, pinned here", "kimi\tProvider"]],
  ];
  for (const [name, words, folders, providers] of offered)
    test(`a shell completes ${name}`, async () => {
      const { stdout } = await ccc(["completions", "complete", String(words.length), ...words, ""], { folders });
      expect(stdout.split("\n").filter((line) => line.includes("Provider"))).toEqual(providers);
    });
});

describe("ccc default", () => {
  test("sets the provider of plain ccc for good, shows it, and removes it", async () => {
    const set = await ccc(["default", "glm"]);
    expect(set).toMatchObject({ exitCode: 0, usual: "glm" });
    expect(set.stdout).toBe(
      "Plain ccc uses glm from now on, except in pinned folders. To undo it: ccc default --remove\n",
    );
    const config = { default_provider: "glm" };
    expect((await ccc([], config)).server).toBe("https://glm.test");
    expect((await ccc(["default"], config)).stdout).toStartWith("glm: the default.");
    const removed = await ccc(["default", "--remove"], config);
    expect(removed).toMatchObject({
      exitCode: 0,
      stdout: "Plain ccc again uses the provider that was used last: kimi.\n",
    });
    expect(removed.usual).toBeUndefined();
  });

  test.each<[config: object, line: string]>([
    [{}, "kimi: the one that you used last. To set one for good: ccc default NAME\n"],
    [{ current_provider: "" }, "glm: the first in ccc.json, because none was used yet. To set one for good"],
    [
      { default_provider: "kimi", folders: { "/project": "glm" } },
      "/project is pinned to glm: plain ccc uses it here.\n",
    ],
  ])("with %j says why", async (config, line) => expect((await ccc(["default"], config)).stdout).toStartWith(line));

  test("--json has the same", async () => {
    const shown = { provider: "glm", why: "default", default: "glm" };
    expect(JSON.parse((await ccc(["default", "--json"], { default_provider: "glm" })).stdout)).toEqual(shown);
    expect(JSON.parse((await ccc(["default", "--json"])).stdout)).toMatchObject({ why: "last used", default: null });
  });

  test.each<[argv: string[], exitCode: number, message: string]>([
    [["default", "gml"], 2, 'did you mean "glm"?'],
    [["default", "glm", "--remove"], 2, "--remove cannot be combined with a provider"],
    [["default", "glm", "--json"], 2, "--json cannot be combined with a provider"],
    [["default", "--remove"], 1, "there is no default"],
  ])("%j is refused", async (argv, exitCode, message) =>
    expect(await ccc(argv)).toMatchObject({ exitCode, usual: undefined, stderr: expect.stringContaining(message) }),
  );

  test("one that is gone is an error with the way out", async () =>
    expect(await ccc([], { default_provider: "old" })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/default_provider in .* is "old".*\nChoose one: ccc default glm, ccc default kimi/),
    }));

  test("a provider of an older version may have that name, and is started", async () => {
    const old = { providers: { ...PROVIDERS, default: provider("old") } };
    expect((await ccc(["default", "-p", "hi"], old)).server).toBe("https://old.test");
    expect((await ccc(["default", "--help"], old)).stdout).toContain("ccc default --remove");
  });
});
