import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Explanation, Requests } from "../../src/commands/why/explain.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { maskSecret } from "../../src/text/redact.ts";
import { CCC, newPlace, newSandbox, type Place, provider, SUBSCRIPTION } from "../harness.ts";
import { newScreen } from "../screen.ts";

/** What each layer sets, in addition to the provider glm in ccc.json, which has its own key. */
interface Scene {
  readonly shell?: Record<string, string>;
  readonly user?: object;
  readonly project?: object;
  readonly local?: object;
  readonly state?: object;
  readonly login?: object;
  readonly ccc?: object;
}

const token = (of: string) => ({ ANTHROPIC_AUTH_TOKEN: `bearer-token-of-${of}` });
const key = (of: string) => ({ ANTHROPIC_API_KEY: `api-key-of-${of}` });
const HELPED = "key-that-the-helper-prints";

/** Server 0 is the provider's; the others are set elsewhere. */
const scenes: [name: string, scene: (urls: readonly string[]) => Scene][] = [
  [
    "every layer sets another key and server",
    ([, a, b]) => ({
      shell: { ...token("shell"), ...key("shell"), ANTHROPIC_BASE_URL: a ?? "" },
      user: { env: { ...token("user"), ...key("user"), ANTHROPIC_BASE_URL: a }, apiKeyHelper: `echo ${HELPED}` },
      project: { env: { ...token("project"), ANTHROPIC_BASE_URL: a } },
      local: { env: { ANTHROPIC_BASE_URL: b } },
      state: { primaryApiKey: "sk-ant-stored-by-a-login" },
    }),
  ],
  [
    "a key helper in the settings, a token in the shell, and a subscription",
    ([, a]) => ({
      shell: { ...token("shell"), ANTHROPIC_BASE_URL: a ?? "" },
      user: { apiKeyHelper: `echo ${HELPED}` },
      login: SUBSCRIPTION,
    }),
  ],
  [
    "an API key stored by a login beside a token, and a key that a layer cancels",
    ([, a]) => ({
      shell: { ...key("shell"), ANTHROPIC_BASE_URL: a ?? "" },
      user: { env: token("user") },
      local: { env: { ANTHROPIC_API_KEY: "" } },
      state: { primaryApiKey: "sk-ant-stored-by-a-login" },
    }),
  ],
  [
    "a subscription alone, and a provider that uses a shared key",
    ([own, a]) => ({
      shell: { ANTHROPIC_BASE_URL: a ?? "" },
      login: SUBSCRIPTION,
      ccc: { settings: { env: key("everyone") }, providers: { glm: { env: { ANTHROPIC_BASE_URL: own } } } },
    }),
  ],
  [
    "a provider whose key is a reference, in the shell of a host",
    ([own, a]) => ({
      shell: {
        ...token("shell"),
        ANTHROPIC_BASE_URL: a ?? "",
        CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: "1",
        MINE: HELPED,
      },
      local: { env: token("local"), apiKeyHelper: `echo ${HELPED}` },
      ccc: { providers: { glm: { env: { ANTHROPIC_BASE_URL: own, ANTHROPIC_API_KEY: "env:MINE" } } } },
    }),
  ],
];

async function furnish(place: Place, scene: Scene, own: Sandbox) {
  await place.config(scene.ccc ?? { providers: { glm: provider(own, "bearer-token-of-glm") } });
  await place.write(place.at(".claude.json"), { hasCompletedOnboarding: true, ...scene.state });
  const files = {
    [place.at(".claude/settings.json")]: scene.user,
    [join(place.project, ".claude/settings.json")]: scene.project,
    [join(place.project, ".claude/settings.local.json")]: scene.local,
    [place.at(".claude/.credentials.json")]: scene.login,
  };
  for (const [path, content] of Object.entries(files)) if (content !== undefined) await place.write(path, content);
}

/** The value of a header that `ccc why` announces, masked like the one that arrives. */
function claimed(sent: Requests["authorization"]): string {
  if (sent === null) return "";
  const isUnseen = sent.name === "apiKeyHelper" || sent.value === "env:MINE";
  if (isUnseen) return maskSecret(HELPED);
  return sent.source === "login" && sent.name === "stored login" ? maskSecret("sk-ant-oat01-stored") : sent.value;
}

function expectSent(claim: Requests | null, servers: readonly Sandbox[], seen: readonly number[]) {
  if (claim === null) throw new Error("ccc why announces nothing");
  const came = servers.map(({ received }, at) => received.slice(seen[at]));
  for (const [at, { url }] of servers.entries())
    expect([url, (came[at]?.length ?? 0) > 0]).toEqual([url, url === claim.to]);
  for (const { headers } of came.flat()) {
    const bearer = maskSecret((headers.authorization ?? "").replace("Bearer ", ""));
    expect([bearer, maskSecret(headers["x-api-key"] ?? "")]).toEqual([
      claimed(claim.authorization),
      claimed(claim.x_api_key),
    ]);
  }
}

describe("what ccc why claims is what the real Claude Code does", () => {
  for (const [name, sceneOf] of scenes) {
    test(name, async () => {
      await using place = await newPlace();
      await using own = newSandbox();
      await using a = newSandbox();
      await using b = newSandbox();
      const servers = [own, a, b];
      const scene = sceneOf(servers.map(({ url }) => url));
      await furnish(place, scene, own);
      const env = scene.shell ?? {};
      const seen = () => servers.map(({ received }) => received.length);

      const result = await place.ccc(["why", "glm", "--json"], { env });
      expect(result).toMatchObject({ exitCode: 0, stderr: "" });
      expect(result.stdout).not.toMatch(/-of-(shell|user|project|local|glm|everyone)|by-a-login|01-stored|the-helper/);
      expect(seen()).toEqual([0, 0, 0]);
      const found: Explanation = JSON.parse(result.stdout);

      expect(await place.ccc(["glm", "-p", "hi"], { env })).toMatchObject({ exitCode: 0, stdout: "ok\n" });
      expectSent(found.ccc, servers, [0, 0, 0]);
      const before = seen();
      const plain = await place.ccc(["-p", "hi"], { env, ccc: join(place.bin, "claude") });
      expect(plain).toMatchObject({ exitCode: 0, stdout: "ok\n" });
      expectSent(found.claude, servers, before);
    });
  }
});

describe("ccc why", () => {
  test("explains the current provider as text, even one that cannot be launched", async () => {
    await using place = await newPlace();
    await place.config({
      current_provider: "kimi",
      providers: { glm: {}, kimi: { env: { ANTHROPIC_BASE_URL: "https://k.test" } } },
    });
    const { stdout, exitCode } = await place.ccc(["why"], { env: key("shell") });
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith("ccc kimi: is not launched: providers.kimi.env has an ANTHROPIC_BASE_URL but no");
    expect(stdout).toContain("claude: requests go to https://api.anthropic.com with the key ***hell from your shell");
  });
  test("fits into a terminal, and is not cut in a pipe", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: {} } });
    const url = `https://long.test/${"a-part-of-a-path/".repeat(10)}`;
    const env = { ...place.env, ANTHROPIC_BASE_URL: url };
    await using screen = newScreen([CCC, "why"], { cwd: place.project, env });
    expect(await screen.exited).toBe(0);
    await screen.shows("blanked by ccc  used");
    const rows = screen.history().split("\r\n");
    expect(rows.find((row) => row.startsWith("  your shell"))).toMatch(/^.{80,97}… {2}blanked by ccc {2}used$/);
    const { stdout } = await place.ccc(["why"], { env });
    expect(stdout).toContain(`  your shell  ${url}  blanked by ccc  used\n`);
  });
  test("marks what ccc use wrote, and explains plain claude without a provider", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await place.config({ providers: { glm: provider(glm, "bearer-token-of-glm") } });
    expect(await place.ccc(["use", "glm"])).toMatchObject({ exitCode: 0 });
    const used = await place.ccc(["why"]);
    expect(used.stdout).toContain(
      `claude: requests go to ${glm.url} with the key ***-glm from user settings (by ccc use glm), in both headers\n`,
    );
    expect(used.stdout).toMatch(/^Blanked by ccc use glm: ANTHROPIC_API_KEY, /m);
    expect(used.stdout).not.toContain("(empty)");
    await rm(place.at(".claude/ccc.json"));
    const { stdout, exitCode } = await place.ccc(["why"]);
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith(
      `ccc: no provider yet. To add one: ccc provider add\n\nclaude: requests go to ${glm.url} with`,
    );
    expect(JSON.parse((await place.ccc(["why", "--json"])).stdout)).toMatchObject({ provider: null, ccc: null });
    expect(await place.ccc(["why", "glm"])).toMatchObject({ exitCode: 1, stdout: "" });
  });
  test("refuses a provider that is not in ccc.json", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: {} } });
    expect(await place.ccc(["why", "nobody"])).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining('unknown provider "nobody"'),
    });
  });
});
