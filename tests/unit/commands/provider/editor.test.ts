import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Env, World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const WRAPPER = "claudeCode.claudeProcessWrapper";
const NO_LOGIN = "claudeCode.disableLoginPrompt";
const VARIABLES = "claudeCode.environmentVariables";

describe("ccc provider editor", () => {
  const LINK = "/home/u/.claude/ccc/bin/ccc-glm";

  async function editor(args: string[], token: string, env: Env = {}) {
    const glm = token === "" ? {} : { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: token } };
    const { world, said, files } = fakeWorld({
      argv: ["provider", "editor", ...args],
      content: { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm } }) },
      env: { HOME: "/home/u", PATH: "/bin", ...env },
    });
    expect(await run(world)).toBe(0);
    expect(files.content[LINK]).toBe("starts /self/ccc --as=glm");
    return said;
  }

  test("makes the link, and prints the settings for people or for programs", async () => {
    const { stdout, stderr } = await editor(["glm"], "sk-0123456789abcdef");
    expect(stderr).toBe("");
    expect(stdout).toStartWith("VS Code and editors based on it: settings.json\n{");
    expect(stdout).toEndWith(`JetBrains: Settings > Tools > Claude Code > Claude command\n${LINK}\n`);
    const json = await editor(["glm", "--json"], "sk-0123456789abcdef");
    expect(JSON.parse(json.stdout)).toEqual({
      name: "glm",
      program: LINK,
      vscode: { [WRAPPER]: LINK, [NO_LOGIN]: true },
      jetbrains: LINK,
    });
  });

  test("a Claude login as a provider keeps the extension's own login", async () => {
    const { stdout } = await editor(["--json"], "");
    expect(JSON.parse(stdout).vscode).toEqual({ [WRAPPER]: LINK });
  });

  test("VS Code sets the folders that this shell sets, and nothing else of it", async () => {
    const env = { CCC_CONFIG_DIR: "/home/u/.claude", CLAUDE_CONFIG_DIR: "", ANTHROPIC_API_KEY: "secret" };
    const { stdout } = await editor(["--json"], "sk-0123456789abcdef", env);
    expect(JSON.parse(stdout).vscode[VARIABLES]).toEqual([{ name: "CCC_CONFIG_DIR", value: "/home/u/.claude" }]);
  });

  test("says what the editor needs, and what is wrong with the provider", async () => {
    const needed = "ccc: GLM_KEY must be set in the editor too: start the editor from a shell that sets it\n";
    expect((await editor([], "env:GLM_KEY", { GLM_KEY: "k" })).stderr).toBe(needed);
    expect((await editor([], "${GLM_KEY}", { GLM_KEY: "k" })).stderr).toBe(needed);
    expect((await editor([], "${GLM_KEY}")).stderr).toMatch(/^ccc: warning: .*\$\{GLM_KEY\} is not set.*\n/);
  });

  test("the command for JetBrains is quoted for a shell where its path needs it, but not on Windows", async () => {
    const jetbrains = async (parts: Partial<World>, folder: string) => {
      const glm = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: "sk-0123456789abcdef" } };
      const content = { [`${folder}/ccc.json`]: JSON.stringify({ providers: { glm } }) };
      const { world, said } = fakeWorld({ argv: ["provider", "editor", "--json"], content, ...parts });
      expect(await run(world)).toBe(0);
      return JSON.parse(said.stdout).jetbrains;
    };
    const folder = "/home/it's me/.claude";
    const env = { HOME: "/home/u", PATH: "/bin", CCC_CONFIG_DIR: folder };
    expect(await jetbrains({ env }, folder)).toBe(`'/home/it'\\''s me/.claude/ccc/bin/ccc-glm'`);
    const windows = { ...env, USERPROFILE: "/home/u" };
    expect(await jetbrains({ env: windows, platform: "win32" }, folder)).not.toMatch(/^'/);
  });
});
