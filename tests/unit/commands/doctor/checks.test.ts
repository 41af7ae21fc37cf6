import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import { attempted, doctorChecks } from "../../../../src/commands/doctor/checks.ts";
import type { Check } from "../../../../src/commands/doctor/live.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import { NO_COST } from "../../../../src/supervisor/outcome.ts";
import { launchRecords } from "../../../../src/supervisor/record/launch.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { openStop } from "../../../../src/supervisor/record/stops.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

/** The first check of this name that `ccc doctor` runs there. */
async function check(name: string, world: World, only?: string): Promise<Check> {
  for await (const each of doctorChecks(
    world,
    attempted(() => loadConfig(world)),
    only,
  ))
    if (each.name === name) return each;
  throw new Error(`no check is named ${name}`);
}

describe("launches", () => {
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
      [
        "a fallback without its key",
        reviewed({ fallback: ["other"] }, missing),
        SUPERVISED,
        "provider other",
        "/no/key",
      ],
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

  test("a config folder in which nothing can be written is no place for supervision, and enough for a plain launch", async () => {
    const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
    await mkdir(join(home, ".claude"));
    await writeFile(join(home, ".claude/ccc.json"), JSON.stringify({ providers: { glm: good } }));
    await writeFile(join(home, ".claude/ccc"), "a file in place of the folder");
    await writeFile(join(home, "claude"), "", { mode: 0o755 });
    const disk = { files: diskFiles(process.pid), env: { HOME: home, PATH: home }, cwd: home, self: "/no/ccc" };
    const { world } = fakeWorld({
      ...disk,
      scratch: () => ({ path: join(home, "scratch"), remove: () => {} }),
      exec: async () => 7,
      argv: ["glm"],
    });
    expect(await run(world)).toBe(7);
    expect((await check("provider glm", world)).status).toBe("ok");
    const { status, detail, advice } = await check("supervisor", world);
    expect([status, detail]).toEqual([
      "fail",
      expect.stringMatching(/^cannot write .*a file is where a folder should be$/),
    ]);
    expect(advice).toBe(
      "Make that path writable, or copy ccc.json to a writable folder and set CCC_CONFIG_DIR to that.",
    );
    await rm(home, { recursive: true });
  });

  describe("claude_args that claude refuses fail, and no others:", () => {
    const table: [what: string, args: string[], stderr: string, expected: Partial<Check>][] = [
      [
        "an unknown option",
        ["--nope"],
        "error: unknown option '--nope'\n",
        { status: "fail", detail: "claude refuses them: unknown option '--nope'" },
      ],
      ["good ones, without a prompt", ["--verbose"], "Error: Input must be provided\n", { status: "ok" }],
    ];
    test.each(table)("%s", async (_, args, stderr, expected) => {
      const claude: World["run"] = async ({ onLine }) => {
        // Whatever it prints, it is not ended before it has complained.
        const isEnded = onLine(new TextEncoder().encode("a warning"));
        return { exitCode: 1, ending: "exited", stderr: isEnded ? "" : stderr };
      };
      const { world } = machine({ config: { claude_args: args }, parts: { run: claude } });
      expect(await check("claude_args", world)).toMatchObject(expected);
    });
  });

  describe("the checks of launches", () => {
    const launches = async (given: Machine, only?: string) => {
      const { world } = machine(given);
      const found: [name: string, detail: string][] = [];
      for await (const { name, detail } of doctorChecks(world, loadConfig(world), only)) {
        if (name === "presets") break;
        found.push([name, detail]);
      }
      return found.filter(([name]) => /^(provider |supervisor$|current provider$|pins$)/.test(name));
    };

    test("names the servers of a provider without an address", async () => {
      const providers = { login: null, bedrock: { env: { CLAUDE_CODE_USE_BEDROCK: "1" } }, glm: good };
      expect(await launches({ config: { providers, folders: { "/a": "glm" } } })).toEqual([
        ["provider login", "Anthropic"],
        ["provider bedrock", "AWS"],
        ["provider glm", "address and key are set"],
        ["supervisor", "nothing prevents a supervised launch"],
        ["current provider", "login"],
        ["pins", "1 folder"],
      ]);
    });

    test("one provider alone, with its supervision", async () => {
      const found = await launches({ glm: keyless, config: { supervisor: { provider: "x" } } }, "kimi");
      expect(found.map(([name]) => name)).toEqual(["provider kimi", "supervisor"]);
    });

    test("the server of a provider that is named is asked, and of no other", async () => {
      const asked: string[] = [];
      const answers = [Response.redirect("https://elsewhere.example/", 307), Response.json({}, { status: 401 })];
      const parts = {
        fetch: async (url: string) => {
          asked.push(url);
          return answers.shift() ?? new Response();
        },
      };
      const { world } = machine({ parts });
      expect(await check("server kimi", world, "kimi")).toMatchObject({
        status: "fail",
        detail: expect.stringContaining("another server. ccc did not send your key there; Claude Code would"),
      });
      expect(await check("server kimi", world, "kimi")).toMatchObject({ status: "fail" });
      expect(asked).toHaveLength(2);
      await launches({ parts });
      expect(asked).toHaveLength(2);
    });

    test("a reviewer that the folder's pin leaves out is no problem", async () => {
      const config = {
        providers: { glm: good, other: keyless },
        folders: { "/project": { provider: "glm", only: true } },
        supervisor: { provider: "other" },
      };
      expect(await failure(["--supervisor", "glm"], { config })).toBeUndefined();
      expect(await launches({ config }, "glm")).toEqual([
        ["provider glm", "address and key are set"],
        ["supervisor", "nothing prevents a supervised launch"],
      ]);
    });

    test("a fault of the supervisor is reported once, however many providers there are", async () => {
      const found = await launches({ config: { supervisor: { provider: "x" } } });
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
      await launches({
        config: { providers: { glm: own, kimi: good, other: good }, supervisor: { provider: "glm" } },
        parts: { keychain },
      });
      expect(asked).toEqual(["one"]);
    });
  });
});

describe("live", () => {
  const request = (role: "agent" | "reviewer", ...content: string[]) => ({
    model: "m",
    tools: [{ name: role === "reviewer" ? "StructuredOutput" : "Bash" }],
    messages: content.map((text) => ({ role: "user", content: text })),
  });
  const TASK = "Say that you are done.";
  const FEEDBACK = "This is the feedback of ccc doctor.";
  const INSTRUCTIONS = "These are the instructions of ccc doctor.";
  const start = request("agent", TASK);
  const continued = request("agent", TASK, FEEDBACK);
  const review = request("reviewer", INSTRUCTIONS);

  /** The live checks with a ccc that sends these requests to the scripted model. */
  async function seen(requests: object[], exitCode = 0, stderr = ""): Promise<Check[]> {
    const { world } = fakeWorld();
    const supervised: World["run"] = async ({ program }) => {
      if (!program.args.includes("scripted")) return { exitCode: 0, ending: "exited", stderr: "" };
      const config = JSON.parse(world.files.read(join(program.env.HOME ?? "", ".claude/ccc.json")) ?? "");
      const url = `${config.providers.scripted.env.ANTHROPIC_BASE_URL}/v1/messages`;
      for (const body of requests) await fetch(url, { method: "POST", body: JSON.stringify(body) });
      return { exitCode, ending: "exited", stderr };
    };
    const checks = await Array.fromAsync(doctorChecks({ ...world, run: supervised }, new CccError("none"), undefined));
    return checks.filter(({ name }) => name.startsWith("live: "));
  }

  /** The hook fires, a block is obeyed, a verdict is returned, SUPERVISOR.md is seen. */
  const table: [name: string, received: object[], exitCode: number, fine: boolean[]][] = [
    ["everything works", [start, review, continued, review], 0, [true, true, true, true]],
    ["a review that is confirmed", [start, review, continued, review, review], 0, [true, true, true, true]],
    ["no hook", [start], 0, [false, false, false, false]],
    ["a single review", [start, review], 0, [true, false, false, true]],
    ["a second block", [start, review, continued, review, continued, review], 0, [true, true, false, true]],
    ["a bad end", [start, review, continued, review], 1, [true, true, false, true]],
    ["a block that is ignored", [start, review, start, review], 0, [true, false, true, true]],
    ["feedback in another conversation", [start, review, request("agent", FEEDBACK)], 0, [true, false, false, true]],
    [
      "feedback that only a reviewer sees",
      [start, review, request("reviewer", TASK, FEEDBACK, INSTRUCTIONS)],
      0,
      [true, false, true, true],
    ],
    ["a review without instructions", [start, review, continued, request("reviewer")], 0, [true, true, true, false]],
  ];
  test.each(table)("%s", async (_, requests, exitCode, fine) =>
    expect((await seen(requests, exitCode)).map(({ status }) => status === "ok")).toEqual(fine),
  );

  test("a failure says how claude ended", async () => {
    expect((await seen([], 3))[0]?.detail).toBe("not seen; claude ended with exit code 3");
    expect((await seen([], 3, "no such model"))[0]?.detail).toBe(
      "not seen; claude ended with exit code 3: no such model",
    );
  });
});

describe("recent reviews", () => {
  const NOW = Date.now();
  const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

  /** A home with one session, in which the agent answered a minute ago. */
  interface Planted {
    readonly answeredAt?: string;
    /** Whether ccc's hook recorded its prompt, and how long ago. */
    readonly promptAt?: string;
    readonly stopAt?: string;
    /** The supervised launch that no hook has reported. */
    readonly waitingSince?: string;
    readonly launchedIn?: string;
    /** How many such sessions there are. */
    readonly sessions?: number;
  }

  async function recent({
    answeredAt = ago(60),
    promptAt,
    stopAt,
    waitingSince,
    launchedIn = "/project",
    sessions = 1,
  }: Planted) {
    const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const files = diskFiles(process.pid);
    const { world } = fakeWorld({ files, env: { HOME: home }, now: () => new Date(NOW) });
    const paths = cccPaths(world);
    const record = openSession(files, paths, "s1");
    const entries = [
      { type: "user", promptId: "p1", message: { content: "work" } },
      {
        type: "assistant",
        timestamp: answeredAt,
        cwd: "/project/sub",
        message: { stop_reason: "end_turn", model: "glm" },
      },
    ];
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    for (let nth = 1; nth <= sessions; nth++) {
      files.writePrivate(join(home, `.claude/projects/-project/s${nth}.jsonl`), lines);
      if (promptAt !== undefined)
        openSession(files, paths, `s${nth}`).prompts.append({
          at: promptAt,
          prompt_id: "p1",
          by_user: true,
          text: "work",
          mode: null,
        });
    }
    if (stopAt !== undefined) {
      const about = { promptId: "p1", clean: <T>(value: T) => value, write: (action: () => void) => action() };
      const stop = openStop({ pid: 1, now: () => new Date(stopAt) }, record, about);
      stop.close({ kind: "limit", criteria: [], total: NO_COST });
    }
    if (waitingSince !== undefined) {
      const environment = { salt: "", plain: {}, hashed: [] };
      const rest = {
        claude: "/bin/claude",
        version: null,
        same_model: true,
        reviewer: "glm",
        fallback: [],
        instructions: { path: null, text: "" },
        checks: { commands: [], left_out: [] },
      };
      const launch = { id: crypto.randomUUID(), cwd: launchedIn, waiting_since: waitingSince, environment, ...rest };
      launchRecords(files, paths).save(launch);
    }
    const { status, detail } = await check("recent reviews", world);
    await rm(home, { recursive: true });
    return status === "ok" ? "ok" : detail;
  }

  describe("recent reviews", () => {
    const NOT_RUN = "NOT reviewed: session s1 in /project/sub (its Stop hook did not run)";
    const NO_HOOKS = "NOT reviewed: session s1 in /project (none of ccc's hooks ran)";
    const table: [name: string, planted: Planted, expected: string][] = [
      ["an answer with a stop on record", { promptAt: ago(90), stopAt: ago(59) }, "ok"],
      ["an answer without a stop on record", { promptAt: ago(90) }, NOT_RUN],
      ["an answer whose Stop hook may just be starting", { promptAt: ago(90), answeredAt: ago(1) }, "ok"],
      ["an answer whose Stop hook has had time to start", { promptAt: ago(90), answeredAt: ago(10) }, NOT_RUN],
      ["a session without supervision", {}, "ok"],
      ["a launch whose hooks never ran, in a session with an answer", { waitingSince: ago(90) }, NO_HOOKS],
      ["a launch that came after the answer", { waitingSince: ago(30) }, "ok"],
      ["a launch in the moment of the answer", { waitingSince: ago(60) }, "ok"],
      ["a launch in another folder", { waitingSince: ago(90), launchedIn: "/pro" }, "ok"],
      [
        "a launch beside a session whose hooks run",
        { waitingSince: ago(90), promptAt: ago(80), stopAt: ago(59) },
        "ok",
      ],
    ];
    for (const [name, planted, expected] of table) test(name, async () => expect(await recent(planted)).toBe(expected));

    test("at most five sessions are named, and the others counted", async () => {
      const said = async (sessions: number) => {
        const detail = await recent({ promptAt: ago(90), sessions });
        return [detail.match(/session s\d in/g)?.length, /, and \d+ more$/.exec(detail)?.[0]];
      };
      expect([await said(5), await said(7)]).toEqual([
        [5, undefined],
        [5, ", and 2 more"],
      ]);
    });
  });

  test("a record that cannot be read is a warning", async () => {
    const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const { world } = fakeWorld({ files: diskFiles(process.pid), env: { HOME: home }, now: () => new Date(NOW) });
    const prompts = join(home, ".claude/ccc/sessions/s1/prompts.jsonl");
    await mkdir(prompts, { recursive: true });
    world.files.writePrivate(join(home, ".claude/projects/-project/s1.jsonl"), "");
    const { status, detail } = await check("recent reviews", world);
    expect([status, detail]).toEqual(["warn", expect.stringContaining(prompts)]);
    await rm(home, { recursive: true });
  });
});

describe("setup", () => {
  describe("hooks call ccc by its path, so it must not be in a temporary folder:", () => {
    const table: [self: string, env: Record<string, string>, status: Check["status"]][] = [
      ["/usr/local/bin/ccc", {}, "ok"],
      ["/tmp/x/ccc", {}, "warn"],
      ["/scratch/ccc", { TMPDIR: "/scratch" }, "warn"],
      ["/opt/ccc", { TMPDIR: "" }, "ok"],
    ];
    test.each(table)("%s", async (self, env, status) =>
      expect(await check("ccc path", fakeWorld({ self, env: { HOME: "/home/u", ...env } }).world)).toMatchObject({
        status,
      }),
    );
  });

  describe("a claude older than the tested versions fails, a newer one is a warning:", () => {
    const table: [version: string | undefined, status: Check["status"]][] = [
      ["2.0.77", "ok"],
      ["2.1.325", "ok"],
      ["2.0.76", "fail"],
      ["1.0.128", "fail"],
      ["2.1.400", "warn"],
      [undefined, "warn"],
    ];
    test.each(table)("%s", async (version, status) => {
      const claude: World["run"] = async ({ onLine }) => {
        if (version !== undefined) onLine(new TextEncoder().encode(`${version} (Claude Code)`));
        return { exitCode: 0, ending: "exited", stderr: "" };
      };
      const { world } = fakeWorld({ run: claude });
      expect(await check("claude version", world)).toMatchObject({ status });
    });
  });

  describe("unknown keys in ccc.json are a warning that names them:", () => {
    const table: [keys: object, status: Check["status"], detail: string][] = [
      [{}, "ok", "1 provider"],
      [{ notes: 1 }, "warn", "1 provider; 1 unknown key: notes"],
      [{ notes: 1, team: 2 }, "warn", "1 provider; 2 unknown keys: notes, team"],
    ];
    test.each(table)("%j", async (keys, status, detail) => {
      const content = { "/home/u/.claude/ccc.json": JSON.stringify({ ...keys, providers: { glm: {} } }) };
      expect(await check("ccc.json", fakeWorld({ content }).world)).toMatchObject({ status, detail });
    });
  });

  const CONFIG = "/home/u/.claude/ccc.json";
  const SETTINGS = "/home/u/.claude/settings.json";

  describe("the check of presets", () => {
    const url = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "k" };
    const behind = {
      env: { ...url, ANTHROPIC_DEFAULT_OPUS_MODEL: "glm-4" },
      preset: { name: "glm", as_of: "2026-01-01", env: { ANTHROPIC_DEFAULT_OPUS_MODEL: "glm-4" } },
    };
    const guessed = { env: behind.env };
    const other = { env: { ...url, ANTHROPIC_BASE_URL: "https://x.test" } };
    const presets = (providers: object, only?: string) =>
      check("presets", fakeWorld({ content: { [CONFIG]: JSON.stringify({ providers }) } }).world, only);
    const FINE = { status: "ok" as const, detail: "no provider is behind its preset" };

    test("is fine without presets, and leaves guesses alone", async () =>
      expect(await presets({ other, guessed })).toMatchObject(FINE));

    test("names what is behind, and how to update it", async () => {
      expect(await presets({ other, behind })).toMatchObject({
        status: "warn",
        detail: expect.stringMatching(/^behind: the preset has changed/),
        advice: expect.stringMatching(/ccc provider update behind$/),
      });
      expect(await presets({ behind, more: behind })).toMatchObject({
        detail: expect.stringMatching(/^behind, more: /),
        advice: expect.stringMatching(/ccc provider update --all$/),
      });
    });

    test("looks at one provider only, if asked to", async () => {
      expect(await presets({ behind, other }, "other")).toMatchObject(FINE);
      expect((await presets({ behind, more: behind }, "more")).detail).toMatch(/^more: /);
    });
  });

  describe("the check of conflicting variables", () => {
    const conflicts = (env: Record<string, string>, content: Record<string, string> = {}) =>
      check("conflicting variables", fakeWorld({ env: { HOME: "/home/u", PATH: "/bin", ...env }, content }).world);

    test("is fine if nothing else names a provider", async () =>
      expect(await conflicts({ ANTHROPIC_API_KEY: "" }, { [SETTINGS]: '{"env":{"MINE":"1"}}' })).toMatchObject({
        status: "ok",
        detail: "none",
      }));

    const table: [name: string, env: Record<string, string>, content: Record<string, string>, detail: string][] = [
      ["a shell", { ANTHROPIC_API_KEY: "k" }, {}, "ANTHROPIC_API_KEY in the shell"],
      ["settings", {}, { [SETTINGS]: '{"env":{"ANTHROPIC_MODEL":"m"}}' }, `ANTHROPIC_MODEL in ${SETTINGS}`],
      ["a helper", {}, { [SETTINGS]: '{"apiKeyHelper":"x"}' }, `apiKeyHelper in ${SETTINGS}`],
      ["a login", {}, { "/home/u/.claude.json": '{"primaryApiKey":"k"}' }, "an API key stored by a login"],
    ];
    for (const [name, env, content, detail] of table)
      test(`names what ${name} has`, async () =>
        expect(await conflicts(env, content)).toMatchObject({ status: "warn", detail }));
  });

  describe("the check of ccc use", () => {
    const glm = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "k" } };
    const config = (providers: object) => ({ [CONFIG]: JSON.stringify({ providers }) });

    /** Checks after `ccc use` with these arguments, and after changes to the files. */
    async function used(args: string[], changes: Record<string, string> = {}) {
      const { world, files } = fakeWorld({ argv: ["use", ...args], content: config({ glm }) });
      expect(await run(world)).toBe(0);
      const later = fakeWorld({ content: { ...files.content, ...changes } }).world;
      return check("ccc use", later);
    }

    test("says what plain claude uses", async () => {
      expect(await used([])).toMatchObject({ status: "ok", detail: "not in use" });
      expect(await used(["glm"])).toMatchObject({ status: "ok", detail: "plain claude uses glm" });
      expect(await used(["--supervisor", "glm"])).toMatchObject({ detail: "plain claude uses glm, supervised" });
    });

    test("fails for a provider that is gone", async () =>
      expect(await used(["glm"], config({ other: glm }))).toMatchObject({
        status: "fail",
        detail: "plain claude uses glm, which is no longer in ccc.json",
        advice: "ccc use --reset",
      }));

    test("warns of a settings.json that says something else now", async () => {
      const changes = { [SETTINGS]: "{}" };
      expect(await used(["glm"], changes)).toMatchObject({
        status: "warn",
        detail: expect.stringMatching(/^settings\.json no longer says what ccc put there for glm: env\./),
        advice: "ccc use glm, or ccc use --reset",
      });
      expect((await used(["--supervisor", "glm"], changes)).advice).toBe(
        "ccc use --supervisor glm, or ccc use --reset",
      );
    });

    test("fails if its record cannot be read, and the other checks run", async () => {
      const { world, files } = fakeWorld({ content: config({ glm }) });
      const read = (path: string) => {
        if (path.endsWith("/use.json")) throw new CccError(`cannot read ${path}: permission denied`);
        return files.read(path);
      };
      expect(await check("ccc use", { ...world, files: { ...files, read } })).toEqual({
        name: "ccc use",
        status: "fail",
        detail: "cannot read /home/u/.claude/ccc/use.json: permission denied",
        advice: "Make that file readable for you.",
      });
    });

    test("a ccc.json that cannot be read fails with advice", async () => {
      const { world, files } = fakeWorld({ content: config({ glm }) });
      const read = (path: string) => {
        if (path.endsWith("/ccc.json")) throw new CccError(`cannot read ${path}: permission denied`);
        return files.read(path);
      };
      expect(await check("ccc.json", { ...world, files: { ...files, read } })).toMatchObject({
        status: "fail",
        advice: "Make /home/u/.claude/ccc.json a file that you can read.",
      });
    });

    test("settings of Claude Code that cannot be read fail with advice about them, not about ccc.json", async () => {
      const { world, files } = fakeWorld({ content: config({ glm }) });
      const read = (path: string) => {
        if (path.endsWith("/settings.json")) throw new CccError(`cannot read ${path}: permission denied`);
        return files.read(path);
      };
      const advice = "Make that path a file that you can read.";
      for (const name of ["managed policy", "provider glm"])
        expect(await check(name, { ...world, files: { ...files, read } })).toMatchObject({ status: "fail", advice });
    });

    test("a folder of ccc that cannot be read fails, too", async () => {
      const { world, files } = fakeWorld({ content: { ...config({ glm }), "/home/u/.claude/ccc/x": "" } });
      const list = (path: string) => {
        if (path.endsWith("/ccc/bin")) throw new CccError(`cannot read ${path}: permission denied`);
        return files.list(path);
      };
      expect(await check("files", { ...world, files: { ...files, list } })).toEqual({
        name: "files",
        status: "fail",
        detail: "cannot read /home/u/.claude/ccc/bin: permission denied",
        advice: "Make yourself the owner of /home/u/.claude/ccc and everything in it.",
      });
    });

    test("warns of a single value as well", async () => {
      const { world, files } = fakeWorld({ argv: ["use", "glm"], content: config({ glm }) });
      await run(world);
      const text = (files.content[SETTINGS] ?? "").replace("https://glm.test", "https://other.test");
      expect((await used(["glm"], { [SETTINGS]: text })).detail).toEndWith(" glm: env.ANTHROPIC_BASE_URL");
    });
  });
});

describe("supervision", () => {
  describe("the check of SUPERVISOR.md", () => {
    const OWN = "/home/u/.claude/SUPERVISOR.md";
    const table: [what: string, content: Record<string, string>, status: Check["status"], detail: string][] = [
      ["none", {}, "ok", "none yet"],
      ["the user's", { [OWN]: "look" }, "ok", OWN],
      ["the project's wins", { [OWN]: "look", "/project/SUPERVISOR.md": "look" }, "ok", "/project/SUPERVISOR.md"],
      ["an empty one", { [OWN]: " \n" }, "warn", `${OWN} is empty`],
      ["with checks", { [OWN]: "---\nchecks:\n  - npm test\n---\nlook" }, "ok", OWN],
      [
        "with checks that do not run",
        { [OWN]: "---\nchecks: npm test\n---\nlook" },
        "warn",
        `the checks in ${OWN} do not run`,
      ],
    ];
    test.each(table)("%s", async (_, content, status, detail) => {
      const found = await check("SUPERVISOR.md", fakeWorld({ content }).world);
      expect(found).toMatchObject({ status, detail: expect.stringContaining(detail) });
      expect(found.advice === "").toBe(status === "ok");
    });
  });

  describe("the check of hooks", () => {
    const hooks = (content: Record<string, string>) => check("hooks allowed", fakeWorld({ content }).world);
    const [user, local] = ["/home/u/.claude/settings.json", "/project/.claude/settings.local.json"];

    test("is fine if nothing forbids them", async () =>
      expect(await hooks({ [user]: "{}" })).toMatchObject({ status: "ok", detail: "nothing forbids them" }));

    test("names every file that does", async () => {
      const off = '{"disableAllHooks":true}';
      expect(await hooks({ [local]: off })).toMatchObject({ status: "warn", detail: `disableAllHooks in ${local}` });
      expect((await hooks({ [user]: off, [local]: off })).detail).toBe(`disableAllHooks in ${user}, ${local}`);
    });
  });

  test("a folder is trusted if the user has said so", async () => {
    const trust = (projects: object) =>
      check("folder trusted", fakeWorld({ content: { "/home/u/.claude.json": JSON.stringify({ projects }) } }).world);
    expect(await trust({ "/project": { hasTrustDialogAccepted: true } })).toMatchObject({
      status: "ok",
      detail: "/project",
    });
    expect(await trust({ "/other": { hasTrustDialogAccepted: true } })).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("does not trust /project yet"),
    });
  });

  test("the check of proofs says whether there are any, and if not, why", async () => {
    const proof = async (supervisor: object, content: Record<string, string | null> = {}) => {
      const config = { providers: { glm: { env: {} } }, supervisor };
      const files = { "/home/u/.claude/ccc.json": JSON.stringify(config), ...content };
      const { status, detail } = await check("proof", fakeWorld({ content: files }).world);
      return `${status}: ${detail}`;
    };
    const GIT = { "/project/.git": null, "/project/.git/objects": null, "/project/.git/HEAD": "" };
    const CHECKS = { checks: ["npm test"] };
    expect(await proof(CHECKS, GIT)).toBe("ok: on, with 1 check");
    expect(await proof(CHECKS, {})).toBe("ok: none here: not a git repository");
    expect(await proof({ ...CHECKS, proof: false }, GIT)).toBe("ok: off: supervisor.proof is false");
    expect(await proof({}, GIT)).toBe("ok: none here: no checks are set");
    expect(await proof({}, { ...GIT, "/project/go.mod": "" })).toBe(
      'ok: none here: no checks are set; to set one: "checks": ["go test ./..."] under "supervisor"',
    );
    const front = "---\nchecks:\n  - make\n---\n";
    expect(await proof({}, { ...GIT, "/project/SUPERVISOR.md": front })).toBe("ok: on, with 1 check");
  });

  describe("the check of the state folder", () => {
    const folder = (content: Record<string, string | null>, canWrite = (_: string) => true) =>
      check("state folder", fakeWorld({ files: { ...memoryFiles(content), canWrite } }).world);
    const not = (path: string) => ({
      status: "warn" as const,
      detail: `/project/.claude/ccc is not writable because of ${path}`,
    });

    test("is fine where the folder exists or can be created", async () => {
      const fine = { status: "ok" as const, detail: "/project/.claude/ccc" };
      expect(await folder({ "/project/.claude/ccc": null }, (path) => path === "/project/.claude/ccc")).toMatchObject(
        fine,
      );
      expect(await folder({ "/project": null }, (path) => path === "/project")).toMatchObject(fine);
    });

    test("names what is in the way", async () => {
      expect(await folder({ "/project": null }, () => false)).toMatchObject(not("/project"));
      expect(await folder({ "/project": null, "/project/.claude": "a file" })).toMatchObject(not("/project/.claude"));
      expect(await folder({})).toMatchObject(not("/"));
    });
  });
});
