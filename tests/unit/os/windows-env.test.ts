import { expect, test } from "bun:test";
import { windowsEnvironment } from "../../../src/os/windows-env.ts";

test("on Windows, variables that ccc knows have their names in capitals, and others keep theirs", () =>
  expect(
    windowsEnvironment({
      Path: "p",
      Anthropic_Api_Key: "k",
      ccc_claude: "c",
      https_proxy: "h",
      ProgramData: "d",
      My_Var: "v",
    }),
  ).toEqual({ PATH: "p", ANTHROPIC_API_KEY: "k", CCC_CLAUDE: "c", HTTPS_PROXY: "h", ProgramData: "d", My_Var: "v" }));
