import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import type { UsageAnswer, UsageCause } from "../../../src/commands/usage.ts";
import { CccError } from "../../../src/errors.ts";
import { USAGE_SOURCES, usageUrl } from "../../../src/providers/quota/sources.ts";
import type { Fetch, World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";
import { RECORDED, type RecordedHost } from "../providers/quota/recorded-answers.ts";
import { startSession, verdict } from "../supervisor/session-in-memory.ts";
import { usageServer } from "./usage-server.ts";

describe("asking a provider", () => {
  const KEY = "sk-a1b2c3d4e5f6g7h8";
  const GLM = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: KEY };
  const NOW = () => new Date("2026-08-13T12:00:00Z");

  async function ask(env: Record<string, string>, fetch: Fetch, seconds = 5, now = NOW): Promise<UsageAnswer> {
    const { world, said } = fakeWorld({
      argv: ["usage", "glm", "--json", "--timeout", String(seconds)],
      content: { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: { env } } }) },
      version: "1.2.3",
      fetch,
      now,
    });
    await run(world);
    return JSON.parse(said.stdout).providers[0];
  }

  test("every provider is asked once, at its own host, with its key and nothing else of its environment", async () => {
    await using server = usageServer((host) => Response.json(RECORDED[host as RecordedHost].json));
    for (const source of USAGE_SOURCES) {
      const env = {
        ANTHROPIC_BASE_URL: `https://${source.host}${source.under ?? ""}/anthropic`,
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_CUSTOM_HEADERS: "x-secret: other",
      };
      const now = () => new Date(RECORDED[source.host as RecordedHost].at);
      expect(await ask(env, server.fetch, 5, now)).toMatchObject({ status: "answered", cause: "answered" });
      expect(server.seen.splice(0)).toEqual([
        {
          method: "GET",
          url: usageUrl(source).slice("https://".length),
          headers: { accept: "application/json", authorization: `Bearer ${KEY}`, "user-agent": "ccc/1.2.3" },
        },
      ]);
    }
  });

  describe("no request is made", () => {
    const table: [what: string, env: Record<string, string>, cause: UsageCause, says: string][] = [
      [
        "a Claude login",
        {},
        "uses_login",
        "a Claude login has no quota that ccc could ask for: see /usage in Claude Code",
      ],
      [
        "a cloud",
        { CLAUDE_CODE_USE_BEDROCK: "1" },
        "other_route",
        "with CLAUDE_CODE_USE_BEDROCK a cloud does the billing",
      ],
      [
        "a key of Anthropic",
        { ANTHROPIC_API_KEY: KEY },
        "unknown_server",
        "ccc does not know how to ask https://api.anthropic.com",
      ],
      [
        "another server",
        { ...GLM, ANTHROPIC_BASE_URL: `https://u:${KEY}@llm.test/x?key=${KEY}` },
        "unknown_server",
        "ccc does not know how to ask https://llm.test",
      ],
      [
        "plain HTTP",
        { ...GLM, ANTHROPIC_BASE_URL: "http://api.z.ai/" },
        "unknown_server",
        "how to ask http://api.z.ai",
      ],
    ];
    test.each(table)("%s", async (_, env, cause, says) => {
      const answer = await ask(env, () => Promise.reject(new Error("asked")));
      expect(answer).toMatchObject({ status: "none", cause, detail: expect.stringContaining(says), figures: [] });
      expect(JSON.stringify(answer)).not.toContain(KEY);
    });
  });

  describe("an answer without figures", () => {
    const error = (status: number, message = "nope") => Response.json({ error: { message } }, { status });
    const table: [what: string, response: () => Response, cause: UsageCause, says: string][] = [
      ["401", () => error(401, `bad key ${KEY}`), "key_refused", 'rejects the key (status 401, "bad key ***")'],
      ["403", () => error(403), "key_refused", "rejects the key"],
      [
        "200, but 401 in words",
        () => Response.json({ code: 401, msg: "token expired" }),
        "key_refused",
        '("token expired")',
      ],
      ["404", () => new Response("", { status: 404 }), "gone", "is no longer there (status 404)"],
      ["405", () => error(405), "gone", "is no longer there (status 405"],
      ["410", () => error(410), "gone", "is no longer there (status 410"],
      ["406", () => error(406), "refused", "rejects the request (status 406"],
      ["411", () => error(411), "refused", "rejects the request (status 411"],
      [
        "300",
        () => new Response("", { status: 300 }),
        "redirected",
        "redirects to another address; the key was not sent",
      ],
      ["429", () => error(429), "rate_limited", "was asked too often"],
      ["500", () => error(500), "server_error", "has an internal error"],
      ["400", () => error(400), "refused", 'rejects the request (status 400, "nope")'],
      ["no plan", () => Response.json({ code: 500, msg: "no coding plan" }), "refused", 'answers "no coding plan"'],
      ["a page", () => new Response("<html>"), "not_understood", "could not be understood"],
      ["another form", () => Response.json({ code: 200, data: {} }), "not_understood", "data.limits is missing"],
      [
        "two megabytes",
        () => new Response(" ".repeat(2e6) + JSON.stringify(RECORDED["api.z.ai"].json)),
        "not_understood",
        "it has an unknown shape",
      ],
    ];
    test.each(table)("%s", async (_, response, cause, says) => {
      await using server = usageServer(response);
      const answer = await ask(GLM, server.fetch);
      expect(answer).toMatchObject({ status: "failed", cause, detail: expect.stringContaining(says), figures: [] });
      expect(answer.advice).toMatch(/^Wait|^Try again|^Look it up at https:|: ccc validate glm$/);
      expect(JSON.stringify(answer)).not.toContain(KEY);
    });

    test("a redirect is not followed", async () => {
      await using server = usageServer(() => Response.redirect("http://127.0.0.1:1/elsewhere?token=x", 302));
      expect(await ask(GLM, server.fetch)).toMatchObject({
        cause: "redirected",
        detail: expect.stringMatching(/redirects to http:\/\/127\.0\.0\.1:1\/elsewhere; the key was not sent there$/),
      });
      expect(server.seen).toHaveLength(1);
    });

    test("a server that does not answer in time is an error", async () => {
      await using server = usageServer(() => new Promise<Response>(() => {}));
      expect(await ask(GLM, server.fetch, 0.05)).toMatchObject({
        cause: "unreachable",
        detail: "https://api.z.ai/api/monitor/usage/quota/limit did not answer within 0.05 seconds",
      });
    });

    test("no network and an invalid key are different errors", async () => {
      const refused = Object.assign(new Error("no"), { code: "ENOTFOUND" });
      expect(await ask(GLM, () => Promise.reject(refused))).toMatchObject({ cause: "unreachable" });
      await using server = usageServer(() => error(500));
      expect(await ask({ ...GLM, ANTHROPIC_AUTH_TOKEN: "sk-“typographic”" }, server.fetch)).toMatchObject({
        cause: "configuration",
      });
    });
  });
});

describe("command", () => {
  const KEY = "sk-very-secret-key";
  const at = (url: string, key = KEY) => ({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key } });
  const PROVIDERS = {
    glm: at("https://api.z.ai/api/anthropic", "env:GLM_KEY"),
    ds: at("https://api.deepseek.com/anthropic"),
    claude: {},
  };
  const LAST = "/home/u/.claude/ccc/usage/glm.json";

  async function usage(args: readonly string[], parts: Partial<World> = {}, providers: object = PROVIDERS) {
    await using server = usageServer((host) =>
      host === "api.z.ai" ? Response.json(RECORDED["api.z.ai"].json) : Response.json(RECORDED["api.deepseek.com"].json),
    );
    const { world, said, files } = fakeWorld({
      argv: ["usage", ...args],
      env: { HOME: "/home/u", PATH: "/bin", GLM_KEY: KEY },
      now: () => new Date(RECORDED["api.z.ai"].at),
      fetch: server.fetch,
      content: { "/home/u/.claude/ccc.json": JSON.stringify({ providers }) },
      ...parts,
    });
    const exitCode = await run(world);
    return { exitCode, ...said, files: files.content, seen: server.seen };
  }

  describe("ccc usage", () => {
    test("prints a line for each figure where there is no terminal, and keeps them for the status line, without the key", async () => {
      const { exitCode, stdout, stderr, files } = await usage(["glm"]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toBe(
        "glm  5-hour window: 100% used, resets in 34m\nglm  weekly window: 20% used, resets in 6d19h\n",
      );
      expect(JSON.parse(files[LAST] ?? "")).toEqual({
        asked_at: "2026-08-13T12:00:00.000Z",
        figures: [
          expect.objectContaining({ name: "5h", used_percent: 100 }),
          expect.objectContaining({ name: "week" }),
        ],
      });
      expect(files[LAST]).not.toContain(KEY);
    });

    test("draws bars on a terminal, colored by how full they are", async () => {
      const terminal = { isTerminal: () => true, columns: () => 80 };
      const { stdout } = await usage(["glm"], terminal);
      expect(stdout).toContain(`\u001b[31m${"█".repeat(24)}\u001b[0m`);
      const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: KEY, NO_COLOR: "1" };
      const plain = await usage(["glm"], { ...terminal, env });
      expect(plain.stdout).toBe(
        [
          "glm",
          `  5-hour window  ${"█".repeat(24)}  100% used, resets in 34m`,
          `  weekly window  ${"█".repeat(5)}${"░".repeat(19)}  20% used, resets in 6d19h`,
          "",
        ].join("\n"),
      );
    });

    test("--all asks every provider that can be asked; the others are not failures", async () => {
      const { exitCode, stdout, seen } = await usage(["--all"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("ds  balance: 110.00 CNY\nds  balance: 0.50 USD\n");
      expect(stdout).toEndWith(
        "- claude  a Claude login has no quota that ccc could ask for: see /usage in Claude Code\n",
      );
      expect(seen.map(({ url }) => url).sort()).toEqual([
        "api.deepseek.com/user/balance",
        "api.z.ai/api/monitor/usage/quota/limit",
      ]);
    });

    test("each has its own error: a key that is unavailable, an answer that is not understood", async () => {
      const providers = {
        ...PROVIDERS,
        no: at("https://api.z.ai/api/anthropic", "env:NOT_SET"),
        bad: at("https://api.stepfun.com"),
      };
      const { exitCode, stdout } = await usage(["--all", "--json"], {}, providers);
      expect(exitCode).toBe(1);
      const { ok, providers: found } = JSON.parse(stdout);
      expect(ok).toBe(false);
      expect(found.map((each: Record<string, unknown>) => [each.name, each.status, each.cause])).toEqual([
        ["glm", "answered", "answered"],
        ["ds", "answered", "answered"],
        ["claude", "none", "uses_login"],
        ["no", "failed", "configuration"],
        ["bad", "failed", "not_understood"],
      ]);
      expect(stdout).not.toContain(KEY);
    });

    test("JSON has the figures unrounded", async () => {
      const { stdout } = await usage(["glm", "--json"]);
      expect(JSON.parse(stdout)).toEqual({
        ok: true,
        providers: [
          {
            name: "glm",
            status: "answered",
            cause: "answered",
            detail: "",
            advice: "",
            figures: [
              {
                kind: "window",
                name: "5h",
                label: "5-hour window",
                hours: 5,
                used_percent: 100,
                resets_at: "2026-08-13T12:33:59.633Z",
              },
              expect.objectContaining({ name: "week", hours: 168, used_percent: 20 }),
            ],
          },
        ],
      });
    });

    test("fails if no provider can be asked, and after a usage error", async () => {
      expect(await usage(["claude"])).toMatchObject({ exitCode: 1, seen: [] });
      expect(await usage(["glm", "--all"])).toMatchObject({ exitCode: 2, seen: [] });
      expect(await usage(["unknown"])).toMatchObject({ exitCode: 2, seen: [] });
      expect(await usage(["glm", "--timeout", "0"])).toMatchObject({ exitCode: 2, seen: [] });
    });

    test.each([
      [["set-key", "glm", "--token-ref", "env:OTHER"]],
      [["rename", "glm", "glm-work"]],
      [["remove", "glm", "--yes"]],
    ])("what was left is forgotten after ccc provider %p: it may be another account then", async (args) => {
      const before = await usage(["glm"]);
      expect(before.files).toHaveProperty([LAST]);
      const { world, files } = fakeWorld({
        argv: ["provider", ...args],
        content: before.files,
        env: { HOME: "/home/u", PATH: "/bin" },
      });
      expect(await run(world)).toBe(0);
      expect(files.content).not.toHaveProperty([LAST]);
    });

    test("a folder that cannot be written is a warning", async () => {
      const { world } = fakeWorld();
      const files = {
        ...world.files,
        read: (path: string) => (path.endsWith("/ccc.json") ? JSON.stringify({ providers: PROVIDERS }) : undefined),
        writePrivate: () => {
          throw new CccError("cannot write x: permission denied");
        },
      };
      const { exitCode, stdout, stderr } = await usage(["glm"], { files });
      expect(exitCode).toBe(0);
      expect(stdout).toContain("100% used");
      expect(stderr).toContain("the status line will not show this: cannot write x: permission denied");
    });
  });
});

describe("what ccc usage shows", () => {
  const NOW = "2026-11-16T12:00:00Z";
  const KIMI = "https://api.kimi.com/coding";
  const TERMINAL = { isTerminal: () => true, columns: () => 80 };
  const PLAIN = { HOME: "/home/u", PATH: "/bin", NO_COLOR: "1" };

  async function shown(json: object, parts: Partial<World> = {}, url = KIMI): Promise<string> {
    const providers = { kimi: { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: "sk-very-secret-key" } } };
    const { world, said } = fakeWorld({
      argv: ["usage"],
      content: { "/home/u/.claude/ccc.json": JSON.stringify({ providers }) },
      fetch: async () => Response.json(json),
      now: () => new Date(NOW),
      ...parts,
    });
    await run(world);
    return said.stdout;
  }
  const window = (percent: number, reset_time?: string) => ({
    usages: { limit_5h: { used_ratio: percent / 100, reset_time } },
  });

  test.each([
    [80, `  5-hour window  ${"█".repeat(9)}${"░".repeat(15)}  37% used`],
    [40, `  5-hour window  ${"█".repeat(5)}${"░".repeat(8)}  37% used`],
    [33, `  5-hour window  ${"█".repeat(2)}${"░".repeat(4)}  37% used`],
    [32, "  5-hour window  37% used"],
  ])("a bar fits into %d columns", async (width, line) => {
    const lines = await shown(window(37), { ...TERMINAL, columns: () => width, env: PLAIN });
    expect(lines).toBe(`kimi\n${line}\n`);
    for (const each of lines.split("\n")) expect(Bun.stringWidth(each)).toBeLessThanOrEqual(width);
  });

  test.each([
    [0, "0% used"],
    [0.2, "1% used"],
    [99.7, "99% used"],
    [100, "100% used"],
  ])("%d is shown as %s", async (percent, text) =>
    expect(await shown(window(percent))).toBe(`kimi  5-hour window: ${text}\n`),
  );

  test.each([
    ["2026-11-16T14:13:00Z", "resets in 2h13m"],
    ["2026-11-16T12:00:20Z", "resets in 20 s"],
    ["2026-11-16T12:00:01Z", "resets in 1 s"],
    ["2026-11-16T12:00:00Z", "resets now"],
    ["2026-11-16T11:59:00Z", "resets now"],
  ])("a window with a reset at %s %s", async (resetTime, text) =>
    expect(await shown(window(37, resetTime))).toBe(`kimi  5-hour window: 37% used, ${text}\n`),
  );

  test("money has two decimals and no bar, alone or beside one", async () => {
    const infos = [{ currency: "USD", total_balance: "-1.234" }];
    const answer = { is_available: true, balance_infos: infos };
    expect(await shown(answer, TERMINAL, "https://api.deepseek.com/anthropic")).toBe("kimi\n  balance  -1.23 USD\n");
    const key = { data: { limit: 10, limit_remaining: 6.234, usage: 3.766 } };
    expect(await shown(key, TERMINAL, "https://openrouter.ai/api")).toEndWith(
      `\n  left on this key   ${" ".repeat(24)}  6.23 USD\n`,
    );
  });

  test("a failure has its advice below it", async () => {
    const fetch = async () => new Response("", { status: 429 });
    expect(await shown({}, { fetch })).toBe(
      "✗ kimi  https://api.kimi.com/coding/v1/usages was asked too often (status 429)\n        Wait a while.\n",
    );
  });

  test.each([
    ["green", 69.9, 32],
    ["yellow", 70, 33],
    ["yellow", 89.9, 33],
    ["red", 90, 31],
  ])("the bar is %s at %d percent", async (_, percent, color) =>
    expect(await shown(window(percent), TERMINAL)).toContain(`\u001b[${color}m█`),
  );
});

describe("what reviews took", () => {
  /** Two prompts of a session: the first stop of one was done, that of the other was not. */
  async function reviewed() {
    const { files, start, prompt, stop, pass } = await startSession();
    await start();
    await prompt("one");
    const usage = { input_tokens: 100, cache_read_input_tokens: 290, output_tokens: 10 };
    const [line] = verdict(true, "fine").lines ?? [];
    await stop({ lines: [{ ...(line as object), usage }] });
    pass(60);
    await prompt("two");
    await stop(verdict(false, "no"));
    await stop(verdict(true, "fine"), { stop_hook_active: true });
    return async (now: string, ...argv: string[]) => {
      const { world, said } = fakeWorld({ argv: ["usage", "--reviews", ...argv], files, now: () => new Date(now) });
      return { exitCode: await run(world), ...said };
    };
  }

  test("is counted for 30 days, with how often the first stop of a prompt was not done", async () => {
    const usage = await reviewed();
    const soon = "2026-01-02T00:00:00Z";
    const totals = JSON.parse((await usage(soon, "--json")).stdout);
    expect(totals).toMatchObject({ sessions: 1, prompts: 2, reviews: 3, tokens: 400, cached_tokens: 290 });
    expect(totals.first_done).toEqual({ false: 1, of: 2 });
    const { stdout } = await usage(soon);
    expect(stdout).toContain("Reviews of the last 30 days, in all folders\n");
    expect(stdout).toMatch(/^ {2}sessions +1, with 2 prompts$/m);
    expect(stdout).toMatch(/^ {2}tokens +400, 290 from the cache \(73%\)$/m);
    expect(stdout).toMatch(/^ {2}first "done" +false for 1 of 2 prompts \(50%\)$/m);
    const late = "2026-02-10T00:00:00Z";
    expect(JSON.parse((await usage(late, "--json")).stdout)).toMatchObject({ sessions: 0, reviews: 0, tokens: 0 });
    expect((await usage(late)).stdout).toMatch(/^ {2}reviews +0$/m);
  });

  test.each(["--all", "glm", "--timeout=3"])("asks nobody, so not with %s", async (word) => {
    const usage = await reviewed();
    expect(await usage("2026-11-18T00:00:00Z", word)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--reviews cannot be combined with"),
    });
  });
});
