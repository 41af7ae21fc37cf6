import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { keyCommandLine } from "../../../src/providers/identity.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

const SERVER = "https://glm.test";
const provider = (token: string) => ({ env: { ANTHROPIC_BASE_URL: SERVER, ANTHROPIC_AUTH_TOKEN: token } });
const content = {
  "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: provider("env:GLM_KEY"), login: {} } }),
  "/other/ccc.json": JSON.stringify({ providers: { glm: provider("key-of-the-other-folder") } }),
};

async function key(args: string[], parts: Partial<World> = {}) {
  const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "key-of-the-shell" };
  const { world, said } = fakeWorld({ argv: ["key", ...args], content, env, ...parts });
  return { exitCode: await run(world), ...said };
}

/** The arguments of the command that a session on this server gets. */
const session = (folder: string, server: string) => keyCommandLine("ccc", "glm", folder, server).split(" ").slice(2);

describe("ccc key", () => {
  test("prints the key that a reference stands for, and nothing else", async () => {
    const found = { exitCode: 0, stdout: "key-of-the-shell\n", stderr: "" };
    expect(await key(["glm"])).toEqual(found);
    expect(await key(session("/home/u/.claude", SERVER))).toEqual(found);
  });

  test("takes the folder that the session was started with", async () =>
    expect((await key(session("/other", SERVER))).stdout).toBe("key-of-the-other-folder\n"));

  test("has no key for a session on another server", async () => {
    const { exitCode, stdout, stderr } = await key(session("/other", "https://before.test"));
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toStartWith('ccc: provider "glm" has another server than when this session started');
  });

  test("says what is wrong with a provider whose server is unknown, not that it has moved", async () => {
    const glm = { env: { ANTHROPIC_BASE_URL: "${GLM_URL}", ANTHROPIC_AUTH_TOKEN: "some-key-1234" } };
    const broken = fakeWorld({ content: { "/other/ccc.json": JSON.stringify({ providers: { glm } }) } }).world.files;
    const { exitCode, stdout, stderr } = await key(session("/other", SERVER), { files: broken });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("${GLM_URL} is not set in the environment");
  });

  test("has no key for a provider that uses a login", async () => {
    expect(await key(["login"])).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "ccc: providers.login has no key\n",
    });
  });

  describe("is for the session's own provider, if a tool of a session asks:", () => {
    const table: [what: string, env: Record<string, string>, isGiven: boolean][] = [
      ["another server", { CLAUDECODE: "1", ANTHROPIC_BASE_URL: "https://other.test" }, false],
      ["no server, so a login", { CLAUDECODE: "1", ANTHROPIC_BASE_URL: "" }, false],
      ["none known", { CLAUDECODE: "1" }, false],
      ["its own server", { CLAUDECODE: "1", ANTHROPIC_BASE_URL: SERVER }, true],
      ["no tool asks, but the key helper", { ANTHROPIC_BASE_URL: SERVER }, true],
      ["no tool asks, but the user", { ANTHROPIC_BASE_URL: "https://other.test" }, true],
    ];
    test.each(table)("%s", async (_, more, isGiven) => {
      const env = { HOME: "/home/u", PATH: "/bin", GLM_KEY: "key-of-the-shell", ...more };
      const { exitCode, stdout, stderr } = await key(["glm"], { env });
      expect({ exitCode, stdout }).toEqual(
        isGiven ? { exitCode: 0, stdout: "key-of-the-shell\n" } : { exitCode: 1, stdout: "" },
      );
      if (!isGiven) expect(stderr).toContain('To use the provider: ccc glm -p "…"');
    });
  });

  test("prints no key on a terminal", async () => {
    const { exitCode, stdout, stderr } = await key(["glm"], { isTerminal: () => true });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("To check the key: ccc validate");
  });
});
