import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { askUsage, renderUsage, type UsageAnswer, type UsageCause } from "../../../src/commands/usage.ts";
import { CccError } from "../../../src/errors.ts";
import type { UsageFigure } from "../../../src/providers/quota/readers.ts";
import { USAGE_SOURCES, usageUrl } from "../../../src/providers/quota/sources.ts";
import type { Fetch, World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";
import { RECORDED, type RecordedHost } from "../providers/usage/recorded-answers.ts";
import { usageServer } from "./usage/usage-server.ts";

const FAILED: UsageAnswer = { status: "failed", cause: "refused", detail: "", advice: "", figures: [] };

describe("ask usage", () => {
  const KEY = "sk-a1b2c3d4e5f6g7h8";
  const GLM = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: KEY };
  const NOW = () => new Date("2026-08-13T12:00:00Z");

  const ask = (env: Record<string, string>, fetch: Fetch, timeoutMs = 5_000, now = NOW) =>
    askUsage("glm", { env, apiKeyHelper: "" }, { fetch, now, version: "1.2.3" }, timeoutMs);

  test("every provider is asked once, at its own host, with its key and nothing else of its environment", async () => {
    await using server = usageServer((host) => Response.json(RECORDED[host as RecordedHost].json));
    for (const source of USAGE_SOURCES) {
      const env = {
        ANTHROPIC_BASE_URL: `https://${source.host}${source.under ?? ""}/anthropic`,
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_CUSTOM_HEADERS: "x-secret: other",
      };
      const now = () => new Date(RECORDED[source.host as RecordedHost].at);
      expect(await ask(env, server.fetch, 5_000, now)).toMatchObject({ status: "answered", cause: "answered" });
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

    test("a server that does not answer in time is given up", async () => {
      await using server = usageServer(() => new Promise<Response>(() => {}));
      expect(await ask(GLM, server.fetch, 50)).toMatchObject({
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

    test("--all asks every provider that can be asked, and the others are no failure", async () => {
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

    test("each has its own error: a key that cannot be had, a server that is not understood", async () => {
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

    test("fails where nothing can be asked, and after a usage error", async () => {
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

describe("render usage", () => {
  const NOW = Date.parse("2026-11-16T12:00:00Z");
  const window = {
    kind: "window",
    name: "5h",
    label: "5-hour window",
    hours: 5,
    used_percent: 37,
    resets_at: null,
  } as const;
  const money = { kind: "balance", label: "balance", amount: -1.234, currency: "USD" } as const;

  function shown(width: number, ...figures: UsageFigure[]): string[] {
    const answer: UsageAnswer = { status: "answered", cause: "answered", detail: "", advice: "", figures };
    return renderUsage("glm", answer, { width, hasColor: false, now: NOW }).trimEnd().split("\n");
  }

  test.each([
    [80, `  5-hour window  ${"█".repeat(9)}${"░".repeat(15)}  37% used`],
    [40, `  5-hour window  ${"█".repeat(5)}${"░".repeat(8)}  37% used`],
    [33, `  5-hour window  ${"█".repeat(2)}${"░".repeat(4)}  37% used`],
    [32, "  5-hour window  37% used"],
  ])("a bar fits into %d columns", (width, line) => {
    const lines = shown(width, window);
    expect(lines).toEqual(["glm", line]);
    for (const each of lines) expect(Bun.stringWidth(each)).toBeLessThanOrEqual(width);
  });

  test.each([
    [0, "0% used"],
    [0.2, "1% used"],
    [99.7, "99% used"],
    [100, "100% used"],
  ])("%d is shown as %s", (used_percent, text) =>
    expect(shown(Number.POSITIVE_INFINITY, { ...window, used_percent })).toEqual([`glm  5-hour window: ${text}`]),
  );

  test.each([
    ["2026-11-16T14:13:00Z", "resets in 2h13m"],
    ["2026-11-16T12:00:20Z", "resets in 20 s"],
    ["2026-11-16T12:00:01Z", "resets in 1 s"],
    ["2026-11-16T12:00:00Z", "resets now"],
    ["2026-11-16T11:59:00Z", "resets now"],
  ])("a window with a reset at %s %s", (resets_at, text) =>
    expect(shown(Number.POSITIVE_INFINITY, { ...window, resets_at })).toEqual([
      `glm  5-hour window: 37% used, ${text}`,
    ]),
  );

  test("money has two decimals and no bar, alone or beside one", () => {
    expect(shown(80, money)).toEqual(["glm", "  balance  -1.23 USD"]);
    expect(shown(80, window, money)[2]).toBe(`  balance        ${" ".repeat(24)}  -1.23 USD`);
  });

  test("a failure has its advice below it", () =>
    expect(
      renderUsage(
        "glm",
        { ...FAILED, cause: "gone", detail: "it is gone", advice: "Look there." },
        { width: 80, hasColor: true, now: NOW },
      ),
    ).toBe("✗ glm  it is gone\n       Look there.\n"));

  test.each([
    ["green", 69.9, 32],
    ["yellow", 70, 33],
    ["yellow", 89.9, 33],
    ["red", 90, 31],
  ])("the bar is %s at %d percent", (_, used_percent, color) => {
    const answer = {
      ...FAILED,
      status: "answered",
      figures: [{ ...window, used_percent }],
    } as const;
    expect(renderUsage("glm", answer, { width: 80, hasColor: true, now: NOW })).toContain(`\u001b[${color}m█`);
  });
});
