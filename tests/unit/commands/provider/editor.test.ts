import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { editorSettings } from "../../../../src/commands/provider/editor.ts";
import type { Env } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

const WRAPPER = "claudeCode.claudeProcessWrapper";
const NO_LOGIN = "claudeCode.disableLoginPrompt";
const VARIABLES = "claudeCode.environmentVariables";

const settings = (program: string, usesLogin = false, env: Env = {}, platform: NodeJS.Platform = "linux") =>
  editorSettings(program, { usesLogin }, { env, platform });

describe("the settings of editors", () => {
  test("a provider with a key needs no login", () => {
    expect(settings("/c/bin/ccc-glm")).toEqual({
      vscode: { [WRAPPER]: "/c/bin/ccc-glm", [NO_LOGIN]: true },
      jetbrains: "/c/bin/ccc-glm",
    });
  });

  test("a Claude login as a provider keeps the extension's own login", () => {
    expect(settings("/c/bin/ccc-max", true).vscode).toEqual({ [WRAPPER]: "/c/bin/ccc-max" });
  });

  test("VS Code sets the folders that this shell sets, and nothing else of it", () => {
    const env = { CCC_CONFIG_DIR: "/c", CLAUDE_CONFIG_DIR: "", ANTHROPIC_API_KEY: "secret" };
    expect(settings("/c/bin/ccc-glm", false, env).vscode).toEqual({
      [WRAPPER]: "/c/bin/ccc-glm",
      [NO_LOGIN]: true,
      [VARIABLES]: [{ name: "CCC_CONFIG_DIR", value: "/c" }],
    });
  });

  test("the command of JetBrains is quoted for a shell where it has to be", () => {
    expect(settings("/my home/ccc-glm").jetbrains).toBe("'/my home/ccc-glm'");
    expect(settings("C:\\c\\ccc-glm.exe", false, {}, "win32").jetbrains).toBe("C:\\c\\ccc-glm.exe");
  });
});

describe("ccc provider editor", () => {
  const LINK = "/home/u/.claude/ccc/bin/ccc-glm";

  async function editor(args: string[], token: string, env: Env = {}) {
    const glm = { env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: token } };
    const { world, said, files } = fakeWorld({
      argv: ["provider", "editor", ...args],
      content: { "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm } }) },
      env: { HOME: "/home/u", PATH: "/bin", ...env },
    });
    expect(await run(world)).toBe(0);
    expect(files.content[LINK]).toBe("link to /self/ccc");
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

  test("says what the editor needs, and what is wrong with the provider", async () => {
    const needed = "ccc: GLM_KEY must be set in the editor too: start the editor from a shell that sets it\n";
    expect((await editor([], "env:GLM_KEY", { GLM_KEY: "k" })).stderr).toBe(needed);
    expect((await editor([], "${GLM_KEY}", { GLM_KEY: "k" })).stderr).toBe(needed);
    expect((await editor([], "${GLM_KEY}")).stderr).toMatch(/^ccc: warning: .*\$\{GLM_KEY\} is not set.*\n/);
  });
});
