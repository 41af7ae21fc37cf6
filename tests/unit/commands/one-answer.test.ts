import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import type { Explanation } from "../../../src/commands/why/explain.ts";
import type { Plan } from "../../../src/launch/plan.ts";
import type { Summary } from "../../../src/providers/show.ts";
import { fakeWorld } from "../fakes.ts";

/** A machine: the provider glm, what ccc.json shares, an organization's policy, and Claude Code's own state. */
interface Machine {
  readonly glm: object;
  readonly shared?: object;
  readonly policy?: string;
  readonly state?: object;
  readonly platform?: NodeJS.Platform;
}

async function ccc(argv: string[], { glm, shared = {}, policy, state = {}, platform = "linux" }: Machine) {
  const folder = platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  const content = {
    "/home/u/.claude/ccc.json": JSON.stringify({ settings: shared, providers: { glm } }),
    "/home/u/.claude.json": JSON.stringify(state),
    "/key": "key-in-a-file",
    ...(policy === undefined ? {} : { [`${folder}/managed-settings.json`]: policy }),
  };
  const { world, said } = fakeWorld({ argv, platform, content });
  const exitCode = await run(world);
  return { exitCode, ...said };
}

const json = async <T>(argv: string[], machine: Machine): Promise<T> =>
  JSON.parse((await ccc(argv, machine)).stdout) as T;

const variable = (name: string) => `$\{${name}}`;
const SERVER = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic" };
const GLM = { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "token-of-glm" } };

describe("every command says the same about a provider that cannot be launched", () => {
  const table: [obstacle: string, machine: Machine, message: string][] = [
    ["no key", { glm: { env: SERVER } }, "providers.glm.env has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN"],
    [
      "a variable that is not set",
      { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: variable("NO_SUCH") } } },
      "NO_SUCH} is not set in the environment",
    ],
    [
      "two keys, one of them a reference",
      { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "file:/key", ANTHROPIC_API_KEY: "k" } } },
      "providers.glm.env.ANTHROPIC_AUTH_TOKEN is a reference, and beside it there is another key",
    ],
    [
      "a policy with another server",
      { glm: GLM, policy: JSON.stringify({ env: { ANTHROPIC_BASE_URL: "https://gateway.test" } }) },
      "your organization's policy sets ANTHROPIC_BASE_URL",
    ],
    ["a policy with a key helper", { glm: GLM, policy: '{"apiKeyHelper":"x"}' }, "policy sets apiKeyHelper"],
  ];
  for (const [obstacle, machine, message] of table)
    test(obstacle, async () => {
      const [launch, key, doctor, list] = await Promise.all(
        [["glm"], ["key", "glm"], ["doctor"], ["provider", "list"]].map((argv) => ccc(argv, machine)),
      );
      expect(launch).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
      expect(key).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(message) });
      expect(doctor?.stdout.replace(/\s+/g, " ")).toContain(`provider glm: `);
      expect(doctor?.stdout.replace(/\s+/g, " ")).toContain(message);
      expect(list?.stderr).toContain(message);
      const explained = await json<Explanation>(["why", "glm", "--json"], machine);
      expect(explained.ccc?.refused).toContain(message);
      const shown = await json<Summary>(["provider", "show", "glm", "--json"], machine);
      expect(shown.problem).toContain(message);
    });

  test("a policy that cannot be read", async () => {
    const machine = { glm: GLM, policy: "{broken" };
    for (const argv of [["glm"], ["key", "glm"], ["why", "glm"], ["provider", "list"]])
      expect((await ccc(argv, machine)).stderr).toContain("is not valid JSON, so ccc cannot tell where keys would go");
  });
});

test("ccc why still names the server of a provider whose key is not set", async () => {
  const env = { ANTHROPIC_BASE_URL: `https://glm.test${variable("HOME")}`, ANTHROPIC_AUTH_TOKEN: variable("NO_SUCH") };
  const { ccc: sent } = await json<Explanation>(["why", "glm", "--json"], { glm: { env } });
  expect(sent).toMatchObject({ to: "https://glm.test/home/u", to_from: { source: "provider" } });
});

describe("ccc why shows what a launch hands to Claude Code:", () => {
  const account = { oauthAccount: { emailAddress: "me@example.com" } };
  const token = "ANTHROPIC_AUTH_TOKEN provider";
  const table: [name: string, machine: Machine, from: string][] = [
    ["a token, in both headers", { glm: GLM }, token],
    ["a token beside a stored key", { glm: GLM, state: { primaryApiKey: "k" } }, token],
    ["a token beside an account on macOS", { glm: GLM, state: account, platform: "darwin" }, token],
    [
      "a shared key helper, if the provider's is blank",
      { glm: { env: SERVER, apiKeyHelper: "" }, shared: { apiKeyHelper: "print-key" } },
      "apiKeyHelper shared",
    ],
  ];
  for (const [name, machine, from] of table)
    test(name, async () => {
      const { ccc: sent } = await json<Explanation>(["why", "glm", "--json"], machine);
      const found = [sent?.authorization, sent?.x_api_key].map((each) => (each ? `${each.name} ${each.source}` : ""));
      expect(found).toEqual([from, from]);
      const plan = await json<Plan>(["--dry-run", "--json", "glm"], machine);
      expect(plan.files[0]?.content).toMatchObject({
        env: { ANTHROPIC_AUTH_TOKEN: "" },
        apiKeyHelper: expect.any(String),
      });
    });
});
