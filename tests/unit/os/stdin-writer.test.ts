import { expect, test } from "bun:test";
import { join } from "node:path";
import { stdinWriter } from "../../../src/os/stdin-writer.ts";

test.each(["darwin", "win32"] as const)("%s does not tell who made a socket", (platform) =>
  expect(stdinWriter(platform, "x64")).toBeNull(),
);

if (process.platform === "linux") {
  const module = JSON.stringify(join(import.meta.dir, "../../../src/os/stdin-writer.ts"));
  const script = `const { stdinWriter } = await import(${module}); console.log(String(stdinWriter("linux", process.arch)));`;
  const seen = async (stdin: "pipe" | "ignore") => {
    const child = Bun.spawn([process.execPath, "-e", script], { stdin, stdout: "pipe" });
    return (await child.stdout.text()).trim();
  };
  test("a socket's maker is known", async () => expect(await seen("pipe")).toBe(String(process.pid)));
  test("what is no socket has none", async () => expect(await seen("ignore")).toBe("undefined"));
}
