import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { type Objection, refusal, scriptedServer } from "./scripted-server.ts";

describe("command", () => {
  const provider = (name: string, more: object = {}) => ({
    env: {
      ANTHROPIC_BASE_URL: `https://${name}.test`,
      ANTHROPIC_AUTH_TOKEN: `key-of-${name}`,
      ANTHROPIC_MODEL: "m",
      ...more,
    },
  });
  const PROVIDERS = {
    glm: provider("glm"),
    refused: provider("refused"),
    unset: provider("unset", { ANTHROPIC_AUTH_TOKEN: "env:NO_SUCH_KEY" }),
    login: {},
  };
  const OK = "✓ glm  https://glm.test answered as m\n";
  const CHECK_KEY =
    "Check that the key is complete, not expired, and made for this address: keys are often bound to a region or plan.";

  const refusing: Objection = (_, headers) =>
    headers.get("authorization") === "Bearer key-of-refused" ? refusal("no", 401) : undefined;

  async function validate(args: string[], parts: Partial<World> = {}, config: object = { providers: PROVIDERS }) {
    const { fetch, asked } = scriptedServer(refusing);
    const content = { "/home/u/.claude/ccc.json": JSON.stringify(config) };
    const { world, said } = fakeWorld({ argv: ["validate", ...args], content, fetch, ...parts });
    return { exitCode: await run(world), ...said, asked };
  }

  describe("ccc validate", () => {
    test("sends one request, for the current provider", async () => {
      const { asked, ...said } = await validate([]);
      expect(said).toEqual({ exitCode: 0, stdout: OK, stderr: "" });
      expect(asked).toHaveLength(1);
    });

    test("says what is wrong and what helps, with exit code 1", async () => {
      expect(await validate(["refused"])).toMatchObject({
        exitCode: 1,
        stdout: `✗ refused  https://refused.test rejects the key (status 401, "no")\n           ${CHECK_KEY}\n`,
      });
    });

    test("--all goes through ccc.json in its order", async () => {
      const { exitCode, stdout } = await validate(["--all"]);
      expect(exitCode).toBe(1);
      expect(stdout.match(/^[✓✗-] \w+ +/gm)).toEqual(["✓ glm      ", "✗ refused  ", "✗ unset    ", "- login    "]);
      expect(stdout).toContain("NO_SUCH_KEY is not set");
    });

    test("--json prints nothing but JSON", async () => {
      const { exitCode, stdout } = await validate(["--all", "--json"]);
      const { ok, providers } = JSON.parse(stdout);
      expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
      expect(providers.map(({ name, status, cause }: Record<string, string>) => [name, status, cause])).toEqual([
        ["glm", "valid", "answered"],
        ["refused", "invalid", "key_refused"],
        ["unset", "invalid", "configuration"],
        ["login", "unchecked", "uses_login"],
      ]);
      expect(providers[2]).not.toHaveProperty("checks");
      const fine = await validate(["glm", "--json"]);
      expect([fine.exitCode, JSON.parse(fine.stdout).ok]).toEqual([0, true]);
    });

    test("--deep announces what it costs, and shows each check", async () => {
      const { exitCode, stdout, stderr, asked } = await validate(["--deep"]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: "ccc: asking glm: at most 16 small requests each\n",
      });
      expect(stdout).toStartWith(`${OK}  ✓ model`);
      expect(stdout).toEndWith("  5 requests, 428 tokens counted by the server\n");
      expect(asked).toHaveLength(5);
    });

    test("--deep shows the advice below each check", async () => {
      const { fetch } = scriptedServer(({ tools }) => (tools === undefined ? undefined : refusal("no tools")));
      const { exitCode, stdout } = await validate(["--deep"], { fetch });
      expect(exitCode).toBe(1);
      expect(stdout).toContain('\n  ✗ tool call       https://glm.test rejects the request (status 400, "no tools")\n');
      expect(stdout).toContain(`\n${" ".repeat(20)}Choose a model that can call tools`);
    });

    test("--deep ends where there is nothing more to ask", async () => {
      expect((await validate(["--deep", "refused"])).stdout).toEndWith(`${CHECK_KEY}\n  1 request\n`);
      expect((await validate(["--deep", "unset"])).stdout).not.toContain("request");
      const { providers } = JSON.parse((await validate(["--deep", "--json", "unset"])).stdout);
      expect(providers[0]).toMatchObject({ cause: "configuration", checks: [], requests: 0 });
    });

    test("waits longer with --deep, or as long as --timeout says", async () => {
      const fetch = () => Promise.reject(Object.assign(new Error(), { name: "TimeoutError" }));
      for (const [args, seconds] of [
        [[], 15],
        [["--deep"], 60],
        [["--timeout", "3"], 3],
      ] as const)
        expect((await validate([...args], { fetch })).stdout).toContain(`did not answer within ${seconds} seconds`);
    });
  });

  describe("the key is sent as in a launch, in both headers:", () => {
    async function headers(of: object, shared: object = {}) {
      let sent = new Headers();
      const fetch: World["fetch"] = async (_, init) => {
        sent = new Headers(init.headers as Record<string, string>);
        return Response.json({ type: "message", content: [] });
      };
      const helper: World["run"] = async ({ program: { args }, onLine }) => {
        const isWorking = args.join(" ").includes("print-key");
        if (isWorking) onLine?.(new TextEncoder().encode("key-of-the-helper"));
        return { exitCode: isWorking ? 0 : 1, ending: "exited", stderr: "" };
      };
      const said = await validate([], { fetch, run: helper }, { settings: shared, providers: { glm: of } });
      return { ...said, sent: [sent.get("authorization"), sent.get("x-api-key")] };
    }
    const url = { ANTHROPIC_BASE_URL: "https://glm.test" };

    test("a token, an API key, or one of each", async () => {
      const token = { ANTHROPIC_AUTH_TOKEN: "a-token-of-glm" };
      const key = { ANTHROPIC_API_KEY: "an-api-key-of-glm" };
      const both = ["Bearer a-token-of-glm", "an-api-key-of-glm"];
      expect((await headers({ env: { ...url, ...token } })).sent).toEqual(["Bearer a-token-of-glm", "a-token-of-glm"]);
      expect((await headers({ env: { ...url, ...key } })).sent).toEqual([
        "Bearer an-api-key-of-glm",
        "an-api-key-of-glm",
      ]);
      expect((await headers({ env: { ...url, ...token, ...key } })).sent).toEqual(both);
    });

    test("what a helper prints; one that fails is named with its place", async () => {
      const printed = ["Bearer key-of-the-helper", "key-of-the-helper"];
      expect((await headers({ env: url, apiKeyHelper: "print-key" })).sent).toEqual(printed);
      expect((await headers({ env: url }, { apiKeyHelper: "print-key" })).sent).toEqual(printed);
      const own = await headers({ env: url, apiKeyHelper: "fail" });
      expect(own).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("providers.glm.apiKeyHelper") });
      const shared = await headers({ env: url }, { apiKeyHelper: "fail" });
      expect(shared).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("settings.apiKeyHelper") });
    });
  });
});

describe("a model that the server does not know", () => {
  const URL = "https://api.z.ai/api/anthropic";
  const OPUS = "ANTHROPIC_DEFAULT_OPUS_MODEL";
  const preset = {
    name: "glm",
    as_of: "2026-01-01",
    env: { ANTHROPIC_BASE_URL: URL, [OPUS]: "glm-4" },
  };
  const TO_UPDATE = "Its preset now has other models: ccc provider update glm";

  async function advice(args: readonly string[], entry: object, fetch: World["fetch"]): Promise<string> {
    const env = { ANTHROPIC_BASE_URL: URL, ANTHROPIC_AUTH_TOKEN: "key-of-glm", [OPUS]: "glm-4" };
    const content = { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: { env, ...entry } } }) };
    const { world, said } = fakeWorld({ argv: ["validate", "--json", ...args], content, fetch });
    await run(world);
    return JSON.parse(said.stdout).providers[0].advice;
  }
  const unknown: World["fetch"] = async () => refusal("Unknown model glm-4");

  test("its preset is named if that has newer ones", async () => {
    expect(await advice([], { preset }, unknown)).toBe(TO_UPDATE);
    expect(await advice([], { env: {} }, unknown)).not.toBe(TO_UPDATE);
    expect(await advice([], { preset }, async () => refusal("no", 401))).not.toBe(TO_UPDATE);
  });

  test("also if it is one of several that --deep asks for", async () => {
    const env = {
      ANTHROPIC_BASE_URL: URL,
      ANTHROPIC_AUTH_TOKEN: "key-of-glm",
      [OPUS]: "glm-4",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "glm-small",
    };
    const { fetch } = scriptedServer(({ model }) =>
      model === "glm-small" ? refusal("Unknown model glm-small") : undefined,
    );
    expect(await advice(["--deep"], { env, preset }, fetch)).toBe(TO_UPDATE);
    const { fetch: without } = scriptedServer(({ stream }) => (stream ? refusal("no streams") : undefined));
    expect(await advice(["--deep"], { env, preset }, without)).not.toBe(TO_UPDATE);
  });
});
