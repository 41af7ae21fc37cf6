import { describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkConfig } from "../../../src/config/check.ts";
import { readConfig } from "../../../src/config/load.ts";
import { cccPaths, settingsFileName } from "../../../src/config/paths.ts";
import { attempt } from "../../../src/errors.ts";
import { type LaunchRequest, PLAIN_LAUNCH } from "../../../src/launch/decide.ts";
import { launch, prepare } from "../../../src/launch/launch.ts";
import type { Plan } from "../../../src/launch/plan.ts";
import { diskFiles } from "../../../src/os/files.ts";
import { LATE_LAUNCH } from "../../../src/supervisor/launch.ts";
import type { Program } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

const provider = (name: string, env: object = {}) => ({
  env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}`, ...env },
});
const PROVIDERS = { glm: provider("glm"), kimi: provider("kimi") };

/** A launch in memory. `executed` is what ccc became, `awaited` what it started and waits for, `asked` what it ran before. */
function start(request: Partial<LaunchRequest>, config: object = {}, parts: Parameters<typeof fakeWorld>[0] = {}) {
  const executed: Program[] = [];
  const awaited: Program[] = [];
  const asked: string[] = [];
  const text = JSON.stringify({ providers: PROVIDERS, ...config });
  const { world, said, files } = fakeWorld({
    exec: async (program) => executed.push(program) - 1,
    handOver: async (program) => {
      awaited.push(program);
      return { exitCode: 0, signal: null, isInterrupted: false };
    },
    run: async ({ program }) => {
      asked.push([program.file, ...program.args].join(" "));
      return { exitCode: 0, ending: "exited", stderr: "" };
    },
    ...parts,
    content: { "/home/u/.claude/ccc.json": text, ...parts.content },
  });
  const paths = cccPaths(world);
  const loaded = readConfig(world, paths, checkConfig);
  const begin = () => launch({ ...PLAIN_LAUNCH, ...request }, loaded, paths, world, () => LATE_LAUNCH);
  /** Those that claude was started with. */
  const settings = () => {
    const { args = [] } = executed[0] ?? {};
    return JSON.parse(files.content[args[args.indexOf("--settings") + 1] ?? ""] ?? "{}");
  };
  return { begin, executed, awaited, asked, said, settings, files };
}

test("a plain launch reaches claude at once, without waiting for anything", async () => {
  const { begin, executed } = start({ provider: "glm" });
  const running = begin();
  expect(executed).toHaveLength(1);
  expect(await running).toBe(0);
});

test.each([
  ["a provider that is named becomes the current one", {}, "kimi"],
  ["a link for one provider does not make it that", { isLinked: true }, "glm"],
])("%s", async (_, request, current) => {
  const providers = { glm: provider("glm"), kimi: provider("kimi") };
  const config = { current_provider: "glm", providers };
  const { begin, files } = start({ provider: "kimi", ...request }, config, { isTerminal: () => true });
  expect(await begin()).toBe(0);
  expect(JSON.parse(files.content["/home/u/.claude/ccc.json"] ?? "{}").current_provider).toBe(current);
});

describe("a secret beside the key", () => {
  const references: [where: string, config: object][] = [
    ["of all providers", { providers: { login: {} }, settings: { env: { GITHUB_TOKEN: "env:MINE" } } }],
    ["of the provider", { providers: { login: { env: { GITHUB_TOKEN: "env:MINE" } } } }],
  ];
  test.each(references)("%s is resolved before claude starts", async (_, config) => {
    const { begin, settings } = start({}, config, { env: { HOME: "/home/u", PATH: "/bin", MINE: "hidden" } });
    expect(await begin()).toBe(0);
    expect(settings().env.GITHUB_TOKEN).toBe("hidden");
  });

  test("of a fallback reviewer is resolved too, with spaces around its name", async () => {
    const { begin, files } = start(
      { provider: "glm", supervisor: true },
      {
        providers: { glm: provider("glm"), kimi: provider("kimi", { GITHUB_TOKEN: "env:MINE" }) },
        supervisor: { fallback: [" kimi : k2"] },
      },
      { env: { HOME: "/home/u", PATH: "/bin", MINE: "hidden" } },
    );
    await begin();
    const written = Object.values(files.content).filter((text) => text?.includes("https://kimi.test"));
    expect(written.map((text) => JSON.parse(text ?? "{}").env?.GITHUB_TOKEN)).toEqual([undefined, "hidden"]);
  });

  test("of a provider that the loop may continue on is resolved too", async () => {
    const providers = { glm: provider("glm"), kimi: provider("kimi", { GITHUB_TOKEN: "env:NOT_SET" }) };
    const { begin } = start({ provider: "glm", engine: "loop", args: ["x"] }, { providers, fallback: ["kimi"] });
    await expect(Promise.try(begin)).rejects.toThrow("NOT_SET");
  });

  test("is not resolved in a dry run, which runs nothing", async () => {
    const glm = provider("glm", { GITHUB_TOKEN: "cmd:print-token" });
    const { begin, asked, executed, said } = start({ dryRun: true, json: true }, { providers: { glm } });
    expect(await begin()).toBe(0);
    expect(said.stdout).toContain("GITHUB_TOKEN");
    expect([asked, executed]).toEqual([[], []]);
  });
});

describe("before a launch", () => {
  test("a key that cannot be resolved is an error, and claude is not started", async () => {
    const glm = provider("glm", { ANTHROPIC_AUTH_TOKEN: "env:NOT_SET" });
    const { begin, executed } = start({}, { providers: { glm } });
    await expect(Promise.try(begin)).rejects.toThrow("NOT_SET");
    expect(executed).toEqual([]);
  });

  test.each(["a key", "env:KEY"])("claude is asked whether it loads settings of the user's own (%s)", async (key) => {
    const glm = { ...provider("glm", { ANTHROPIC_AUTH_TOKEN: key }), model: "opus" };
    const env = { HOME: "/home/u", PATH: "/bin", KEY: "hidden" };
    const { begin, asked, executed } = start({}, { providers: { glm } }, { env });
    expect(await begin()).toBe(0);
    expect(asked).toEqual(["/bin/claude --version"]);
    expect(executed).toHaveLength(1);
  });

  test("it is not asked where there is only what ccc writes", async () => {
    const glm = provider("glm", { ANTHROPIC_AUTH_TOKEN: "env:KEY" });
    const env = { HOME: "/home/u", PATH: "/bin", KEY: "hidden" };
    const { begin, asked, executed } = start({}, { providers: { glm } }, { env });
    expect(await begin()).toBe(0);
    expect(asked).toEqual([]);
    expect(executed).toHaveLength(1);
  });
});

describe("a supervised claude", () => {
  const onTerminal = { isTerminal: () => true };
  const table: [how: string, request: Partial<LaunchRequest>, parts: object, isAwaited: boolean][] = [
    ["on a terminal takes ccc's place", {}, onTerminal, false],
    ["with -p is waited for, to say how it ended", { args: ["-p", "hi"] }, onTerminal, true],
    ["whose output is read by a program is waited for", {}, {}, true],
    ["of an editor takes ccc's place: the editor expects it alone", { claude: ["/bin/claude"] }, {}, false],
  ];
  test.each(table)("%s", async (_, request, parts, isAwaited) => {
    const { begin, executed, awaited } = start({ supervisor: true, ...request }, {}, parts);
    await begin();
    expect([executed.length, awaited.length]).toEqual(isAwaited ? [0, 1] : [1, 0]);
  });
});

describe("a folder that is pinned to glm only", () => {
  const only = { folders: { "/project": { provider: "glm", only: true } } };
  const refusal = "/project is pinned to glm only: kimi must not see its files";

  test("refuses another provider", () => {
    const { begin, executed } = start({ provider: "kimi" }, only);
    expect(begin).toThrow(refusal);
    expect(executed).toEqual([]);
  });

  test("refuses it also if claude only gets that folder added", () => {
    const { begin } = start({ provider: "kimi", args: ["--add-dir", "/project"] }, only, { cwd: "/elsewhere" });
    expect(begin).toThrow(refusal);
  });

  test.each<[Partial<LaunchRequest>]>([[{}], [{ provider: "glm" }], [{ provider: "kimi", anyway: true }]])(
    "allows %j",
    async (request) => {
      const { begin, executed } = start(request, only);
      expect(await begin()).toBe(0);
      expect(executed).toHaveLength(1);
    },
  );
});

describe("a session that continues", () => {
  const unknown = "this session's own is unknown";
  const resumed = { args: ["--resume", "11111111-2222-4333-8444-555555555555"] };
  const table: [what: string, request: Partial<LaunchRequest>, config: object, says: string | undefined][] = [
    ["has a provider, which is looked for", resumed, {}, unknown],
    ["needs no search if there is only one provider", resumed, { providers: { glm: PROVIDERS.glm } }, undefined],
    ["runs on the provider that is named", { ...resumed, provider: "kimi" }, {}, undefined],
    ["runs on the provider of its folder", resumed, { folders: { "/project": "kimi" } }, "which /project is pinned to"],
    ["is not what a subcommand's own -c means", { args: ["mcp", "-c"] }, {}, undefined],
  ];
  test.each(table)("%s", async (_, request, config, says) => {
    const { begin, said } = start(request, config);
    await begin();
    if (says === undefined) expect(said.stderr).toBe("");
    else expect(said.stderr).toContain(says);
  });
});

describe("before claude starts", () => {
  const DAY_MS = 24 * 3600 * 1000;

  test("settings of single launches are kept for a month after their last use, those of supervised ones as long as their records", () => {
    const folder = mkdtempSync(join(tmpdir(), "ccc-launch-"));
    try {
      const { world } = fakeWorld({ files: diskFiles(process.pid), now: () => new Date() });
      const paths = cccPaths({ env: { CCC_CONFIG_DIR: folder }, platform: "linux" });
      world.files.makeFolder(paths.generated);
      const add = (name: string, days: number) => {
        const path = join(paths.generated, name);
        writeFileSync(path, "{}\n");
        utimesSync(path, new Date(Date.now() - days * DAY_MS), new Date(Date.now() - days * DAY_MS));
        return path;
      };
      const time = (path: string) => statSync(path).mtimeMs;
      const launch = (path: string) =>
        prepare({ ...PLAN, files: [{ path, content: {} }] }, world, paths, () => LATE_LAUNCH);
      const [used, young] = [add("settings-glm-plain+1.json", 40), add("settings-glm-plain+2.json", 29)];
      add("settings-glm-plain+3.json", 31);
      const supervised = add(settingsFileName("glm", "supervised", "01111111-2222-4333-8444-555555555555"), 89);
      add(settingsFileName("glm", "supervised", "02222222-2222-4333-8444-555555555555"), 91);
      const own = add("settings-glm.json", 99);

      launch(used);
      expect(readdirSync(paths.generated).sort()).toEqual(
        [supervised, used, young, own].map((path) => path.split("/").at(-1) ?? ""),
      );
      expect(Date.now() - time(used)).toBeLessThan(DAY_MS);

      const before = time(used);
      add("settings-glm-plain+4.json", 31);
      launch(used);
      // Once a day is enough, for both.
      expect([time(used), readdirSync(paths.generated).length]).toEqual([before, 5]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  describe("in a home that cannot be written", () => {
    /** A launch for which only these folders can be written. */
    function launchWith(writable: readonly string[], request: Partial<LaunchRequest> = {}) {
      const started = start(
        { provider: "glm", args: ["-p", "hi"], ...request },
        {},
        {
          env: { HOME: "/home/u", PATH: "/bin", XDG_RUNTIME_DIR: "/run/user/7" },
          scratch: () => ({ path: "/tmp/ccc-1", remove: () => {} }),
        },
      );
      const write = started.files.writePrivate;
      spyOn(started.files, "writePrivate").mockImplementation((path, text) => {
        if (writable.some((folder) => path.startsWith(folder))) return write(path, text);
        return attempt(`write ${path}`, () => {
          throw Object.assign(new Error(), { code: "EACCES" });
        });
      });
      return started;
    }
    test.each([
      ["of the system", ["/run/user/7", "/tmp"], "/run/user/7/ccc/"],
      ["of its own, if that has none", ["/tmp"], "/tmp/ccc-1/"],
    ])("the settings are in a private folder %s", async (_, writable, folder) => {
      const { begin, executed, settings } = launchWith(writable);
      expect(await begin()).toBe(0);
      expect(executed[0]?.args).toEqual([
        "--settings",
        expect.stringContaining(`${folder}settings-glm-plain`),
        "-p",
        "hi",
      ]);
      expect(settings()).toMatchObject({ env: { ANTHROPIC_BASE_URL: "https://glm.test" } });
    });
    test("a cache that cannot be written does not move the settings", async () => {
      const { begin, executed } = launchWith(["/home/u/.claude/ccc/settings"]);
      expect(await begin()).toBe(0);
      expect(executed[0]?.args[1]).toStartWith("/home/u/.claude/ccc/settings-glm-plain");
    });
    test("a bug is no such home", async () => {
      const { begin, files } = launchWith(["/tmp"]);
      spyOn(files, "writePrivate").mockImplementation((path) => {
        if (path.startsWith("/home/u/.claude/ccc/settings")) throw new TypeError("a bug");
      });
      expect(begin).toThrow("a bug");
    });
    const refused = {
      message: expect.stringMatching(/^cannot write .*: permission denied$/),
      cause: expect.objectContaining({ code: "EACCES" }),
    };
    test("without any, ccc does not start claude", () => {
      const { begin } = launchWith([]);
      expect(begin).toThrow(expect.objectContaining(refused));
    });
    test("a supervised launch, whose hooks need their record, does not start either", async () => {
      const { begin } = launchWith(["/tmp"], { supervisor: true });
      await expect(begin()).rejects.toMatchObject(refused);
    });
  });

  test("the command that resumes the session is ccc's, unless the shell names another", () => {
    const hint = "CLAUDE_CODE_RESUME_HINT_COMMAND";
    const resumedBy = (env: Record<string, string>) => {
      const { world } = fakeWorld({ env: { HOME: "/home/u", ...env } });
      return prepare(PLAN, world, cccPaths(world), () => LATE_LAUNCH).env[hint];
    };
    expect([resumedBy({}), resumedBy({ [hint]: "mine" })]).toEqual(["ccc", "mine"]);
  });

  const PLAN: Plan = {
    provider: "glm",
    file: "",
    args: [],
    unset: [],
    set: {},
    files: [],
    settings: { agent: { path: "", content: {} }, reviewer: undefined, fallback: [] },
    isShared: false,
    remember: false,
    references: [],
    notices: [],
  };
});
