import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { CccError } from "../../../../src/errors.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { RECORDED } from "../../providers/usage/recorded-answers.ts";
import { usageServer } from "./usage-server.ts";

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
      figures: [expect.objectContaining({ name: "5h", used_percent: 100 }), expect.objectContaining({ name: "week" })],
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
