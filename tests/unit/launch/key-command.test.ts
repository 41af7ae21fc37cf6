import { describe, expect, test } from "bun:test";
import { isServer, keyCommandLine, readKeyCommand } from "../../../src/launch/key-command.ts";

const SERVER = "https://glm.test";

describe("the command for a provider's key", () => {
  const folders: [situation: string, self: string, folder: string][] = [
    ["a plain folder", "/bin/ccc", "/home/u/.claude"],
    ["spaces and quotes", "/bin/ccc", `/home/it's a "test"/.claude`],
    ["on Windows", "C:\\bin\\ccc.exe", "C:\\Users\\u v\\.claude"],
    ["a drive", "C:\\bin\\ccc.exe", "C:\\"],
  ];
  test.each(folders)("is read again: %s", (_, self, folder) =>
    expect(readKeyCommand(keyCommandLine(self, "glm", folder, SERVER))).toEqual({ provider: "glm", folder }),
  );

  test.each([undefined, 7, "", "op read x", "/bin/ccc key", "/bin/ccc key glm"])("is not %j", (command) =>
    expect(readKeyCommand(command)).toBeUndefined(),
  );

  test("names the server by a mark that fits no other one, and does not show it", () => {
    const line = keyCommandLine("/bin/ccc", "glm", "/home/u/.claude", SERVER);
    const mark = line.split(" ").at(-1) ?? "";
    expect(line).not.toContain("glm.test");
    expect([isServer(SERVER, mark), isServer("https://other.test", mark)]).toEqual([true, false]);
  });
});
