import { describe, expect, test } from "bun:test";
import { editorSettings } from "../../../../src/commands/provider/editor.ts";
import type { Env } from "../../../../src/world.ts";

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
