import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import type { Check } from "../../../../src/commands/doctor/check-result.ts";
import { checkClaudeArguments } from "../../../../src/commands/doctor/claude-arguments.ts";
import { checkLaunches } from "../../../../src/commands/doctor/launches.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const POLICY = "/etc/claude-code/managed-settings.json";
const server = (key: object) => ({ env: { ANTHROPIC_BASE_URL: "https://glm.test", ...key } });
const good = server({ ANTHROPIC_AUTH_TOKEN: "k" });
const keyless = server({});
const missing = server({ ANTHROPIC_AUTH_TOKEN: "file:/no/key" });

/** A machine with the providers glm and kimi. */
interface Machine {
  readonly glm?: object;
  readonly config?: object;
  readonly content?: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly parts?: Partial<World>;
}

function machine({ glm = good, config = {}, content = {}, env = {}, parts = {} }: Machine, argv: string[] = []) {
  const text = JSON.stringify({ providers: { glm, kimi: good }, ...config });
  return fakeWorld({
    argv,
    content: { [CONFIG]: text, ...content },
    env: { HOME: "/home/u", PATH: "/bin", ...env },
    ...parts,
  });
}

/** What a command line says on stderr, if it does not start claude. */
async function failure(argv: string[], given: Machine): Promise<string | undefined> {
  const { world, said, ran } = machine(given, argv);
  await run(world);
  return ran.length > 0 ? undefined : said.stderr;
}

/** The checks of ccc doctor that fail. The live ones need a real claude. */
async function doctor(given: Machine): Promise<Check[]> {
  const { world, said, files } = machine(given, ["doctor", "--json"]);
  const before = { ...files.content };
  await run(world);
  const after = Object.entries(files.content).filter(([path]) => !path.startsWith("/scratch/"));
  expect(Object.fromEntries(after)).toEqual(before);
  const { checks } = JSON.parse(said.stdout) as { checks: Check[] };
  return checks.filter(({ name, status }) => status === "fail" && !name.startsWith("live: "));
}

/** A claude that does not load the settings. */
const dropping: World["run"] = async ({ program, onLine }) => {
  const say = (text: string) => onLine(new TextEncoder().encode(text));
  if (program.args.includes("--version")) say("2.1.325 (Claude Code)");
  else if (program.args.includes("status")) say('{"authMethod":"none"}');
  return { exitCode: 0, ending: "exited", stderr: "" };
};

type Launch = "glm" | "--supervisor glm" | "";
const BOTH: readonly Launch[] = ["glm", "--supervisor glm"];
const SUPERVISED: readonly Launch[] = ["--supervisor glm"];

describe("what makes a launch fail makes ccc doctor fail, in the same words:", () => {
  const reviewed = (supervisor: object, other: object = good) => ({
    config: { providers: { glm: good, kimi: good, other }, supervisor },
  });
  const table: [fault: string, machine: Machine, launches: readonly Launch[], check: string, says: string][] = [
    ["no key", { glm: keyless }, BOTH, "provider glm", "has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN"],
    ["a key that cannot be fetched", { glm: missing }, BOTH, "provider glm", "no such file: /no/key"],
    [
      "another secret that cannot be fetched",
      { glm: server({ ANTHROPIC_AUTH_TOKEN: "k", ANTHROPIC_CUSTOM_HEADERS: "file:/no/header" }) },
      BOTH,
      "provider glm",
      "no such file: /no/header",
    ],
    [
      "a policy with another server",
      { content: { [POLICY]: '{"env":{"ANTHROPIC_BASE_URL":"https://other.test"}}' } },
      BOTH,
      "provider glm",
      "your organization's policy sets ANTHROPIC_BASE_URL",
    ],
    ["a policy that cannot be read", { content: { [POLICY]: "{" } }, BOTH, "managed policy", "is not valid JSON"],
    [
      "settings that Claude Code drops",
      { glm: { ...good, aSettingOfTomorrow: 1 }, parts: { run: dropping } },
      BOTH,
      "provider glm",
      'Claude Code does not load the settings of provider "glm"',
    ],
    [
      "settings in claude_args that do not exist",
      { config: { claude_args: ["--settings", "/no/settings.json"] } },
      BOTH,
      "provider glm",
      "/no/settings.json",
    ],
    ["no claude", { env: { PATH: "/nowhere" } }, BOTH, "claude", "Claude Code was not found"],
    [
      "an unknown current provider",
      { config: { current_provider: "x" } },
      [""],
      "current provider",
      'is "x", which is',
    ],
    ["a pin to an unknown provider", { config: { folders: { "/project": "x" } } }, [""], "pins", 'is pinned to "x"'],
    ["an unknown reviewer", reviewed({ provider: "x" }), SUPERVISED, "supervisor", "supervisor.provider in"],
    ["an unknown fallback", reviewed({ fallback: ["x:m"] }), SUPERVISED, "supervisor", 'names "x", which is not'],
    [
      "a reviewer without a key",
      reviewed({ provider: "other" }, keyless),
      SUPERVISED,
      "provider other",
      "providers.other",
    ],
    ["a fallback without its key", reviewed({ fallback: ["other"] }, missing), SUPERVISED, "provider other", "/no/key"],
    [
      "an unknown reviewer, with a reference to resolve",
      {
        config: {
          supervisor: { provider: "x" },
          settings: { env: { MY_TOKEN: "file:/token" } },
        },
        content: { "/token": "t" },
      },
      SUPERVISED,
      "supervisor",
      "supervisor.provider in",
    ],
    [
      "a policy without hooks",
      { content: { [POLICY]: '{"disableAllHooks":true}' } },
      SUPERVISED,
      "supervisor",
      "policy does not allow your own hooks",
    ],
    [
      "a variable without hooks",
      { env: { CLAUDE_CODE_SIMPLE: "1" } },
      SUPERVISED,
      "supervisor",
      "CLAUDE_CODE_SIMPLE is set",
    ],
    [
      "too many checks",
      {
        config: { supervisor: { checks: Array.from({ length: 20 }, (_, each) => `check ${each}`) } },
        content: { "/home/u/.claude/SUPERVISOR.md": "---\nchecks:\n  - another\n---\nLook." },
      },
      SUPERVISED,
      "supervisor",
      "there are more than 20 checks",
    ],
  ];
  for (const [fault, given, launches, check, says] of table)
    test(fault, async () => {
      for (const launch of ["glm", "--supervisor glm", ""] as const) {
        const said = await failure(launch.split(" ").filter(Boolean), given);
        if (launches.includes(launch)) expect([launch, said]).toEqual([launch, expect.stringContaining(says)]);
        // Without a name it is glm, the first.
        else if (launch !== "" || !launches.includes("glm")) expect([launch, said]).toEqual([launch, undefined]);
      }
      const failed = await doctor(given);
      expect(failed.find(({ name }) => name === check)).toMatchObject({ detail: expect.stringContaining(says) });
      expect(failed.map(({ advice }) => advice)).not.toContain("");
    });
});

describe("what prevents no launch does not make ccc doctor fail:", () => {
  const table: [name: string, machine: Machine][] = [
    ["a good setup", {}],
    [
      "a policy without hooks, with the loop engine",
      {
        config: { supervisor: { engine: "loop" } },
        content: { [POLICY]: '{"disableAllHooks":true}' },
      },
    ],
    [
      "a folder that is pinned to one provider only",
      { config: { folders: { "/project": { provider: "glm", only: true } } } },
    ],
    ["a claude that drops settings, with none but ccc's own", { parts: { run: dropping } }],
    ["settings of tomorrow", { glm: { ...good, aSettingOfTomorrow: 1 } }],
    ["unknown keys in ccc.json", { config: { notes: 1 } }],
  ];
  for (const [name, given] of table)
    test(name, async () => {
      expect(await failure(["glm"], given)).toBeUndefined();
      expect(await doctor(given)).toEqual([]);
    });
});

test("a config folder in which nothing can be written fails, in the words of the launch", async () => {
  const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
  await mkdir(join(home, ".claude"));
  await writeFile(join(home, ".claude/ccc.json"), JSON.stringify({ providers: { glm: good } }));
  await writeFile(join(home, ".claude/ccc"), "a file in place of the folder");
  await writeFile(join(home, "claude"), "", { mode: 0o755 });
  const disk = { files: diskFiles(process.pid), env: { HOME: home, PATH: home }, cwd: home, self: "/no/ccc" };
  const { world, said } = fakeWorld({ ...disk, argv: ["glm"] });
  expect(await run(world)).toBe(1);
  const [first] = await Array.fromAsync(checkLaunches(world, loadConfig(world), undefined));
  expect(first?.status).toBe("fail");
  expect(said.stderr).toContain(first?.detail ?? "?");
  expect(first?.advice).toBe("Make that path writable: ccc keeps its files there.");
  await rm(home, { recursive: true });
});

describe("claude_args that claude refuses fail, and no others:", () => {
  const table: [what: string, args: string[], stderr: string, failed: string[]][] = [
    [
      "an unknown option",
      ["--nope"],
      "error: unknown option '--nope'\n",
      ["claude refuses them: unknown option '--nope'"],
    ],
    ["good ones, without a prompt", ["--verbose"], "Error: Input must be provided\n", []],
    ["none", [], "error: not asked", []],
  ];
  test.each(table)("%s", async (_, args, stderr, failed) => {
    const claude: World["run"] = async ({ onLine }) => {
      // Whatever it prints, it is not ended before it has complained.
      const isEnded = onLine(new TextEncoder().encode("a warning"));
      return { exitCode: 1, ending: "exited", stderr: isEnded ? "" : stderr };
    };
    const parts = { run: claude };
    const { world } = machine({ parts });
    expect(
      (await checkClaudeArguments(world, "/bin/claude", args))
        .filter(({ status }) => status === "fail")
        .map(({ detail }) => detail),
    ).toEqual(failed);
  });
});

describe("checkLaunches", () => {
  const check = async (given: Machine, only?: string) => {
    const { world } = machine(given);
    return (await Array.fromAsync(checkLaunches(world, loadConfig(world), only))).map(({ name, detail }) => [
      name,
      detail,
    ]);
  };

  test("names the servers of a provider without an address", async () => {
    const providers = { login: null, bedrock: { env: { CLAUDE_CODE_USE_BEDROCK: "1" } }, glm: good };
    expect(await check({ config: { providers, folders: { "/a": "glm" } } })).toEqual([
      ["provider login", "Anthropic"],
      ["provider bedrock", "AWS"],
      ["provider glm", "address and key are set"],
      ["supervisor", "nothing prevents a supervised launch"],
      ["current provider", "login"],
      ["pins", "1 folder"],
    ]);
  });

  test("one provider alone, with its supervision", async () => {
    const found = await check({ glm: keyless, config: { supervisor: { provider: "x" } } }, "kimi");
    expect(found.map(([name]) => name)).toEqual(["provider kimi", "supervisor"]);
  });

  test("a reviewer that the folder's pin leaves out prevents nothing", async () => {
    const config = {
      providers: { glm: good, other: keyless },
      folders: { "/project": { provider: "glm", only: true } },
      supervisor: { provider: "other" },
    };
    expect(await failure(["--supervisor", "glm"], { config })).toBeUndefined();
    expect(await check({ config }, "glm")).toEqual([
      ["provider glm", "address and key are set"],
      ["supervisor", "nothing prevents a supervised launch"],
    ]);
  });

  test("a fault of the supervisor is reported once, however many providers there are", async () => {
    const found = await check({ config: { supervisor: { provider: "x" } } });
    expect(found.filter(([name]) => name === "supervisor")).toHaveLength(1);
    expect(found.find(([name]) => name === "supervisor")?.[1]).not.toContain(";");
  });

  test("each key is fetched once", async () => {
    const asked: string[] = [];
    const keychain = {
      get: async (name: string) => {
        asked.push(name);
        return "key";
      },
      set: async () => {},
      remove: async () => {},
    };
    const own = server({ ANTHROPIC_AUTH_TOKEN: "keychain:one" });
    await check({
      config: { providers: { glm: own, kimi: good, other: good }, supervisor: { provider: "glm" } },
      parts: { keychain },
    });
    expect(asked).toEqual(["one"]);
  });
});
