import { expect, test } from "bun:test";
import { homedir, programFolders, windowsEnvironment } from "../../src/world.ts";

test("programs are looked for in absolute folders only", () => {
  expect(programFolders({ PATH: "/bin:.:bin::/usr/bin" }, "linux")).toEqual(["/bin", "/usr/bin"]);
  expect(programFolders({ PATH: "C:\\bin;bin;;D:/x" }, "win32")).toEqual(["C:\\bin", "D:/x"]);
  expect(programFolders({}, "linux")).toEqual([]);
});

test("the home folder has a variable of its own on Windows", () => {
  const env = { HOME: "/home/u", USERPROFILE: "C:\\Users\\u" };
  expect(homedir(env, "linux")).toBe("/home/u");
  expect(homedir(env, "win32")).toBe("C:\\Users\\u");
  expect(homedir({ HOME: "" }, "linux")).toBe("/");
});

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
