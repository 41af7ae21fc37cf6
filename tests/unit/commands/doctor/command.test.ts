import { expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Files } from "../../../../src/os/files.ts";
import { fakeWorld } from "../../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const content = { [CONFIG]: JSON.stringify({ providers: { glm: {} } }), "/bin/claude": null };

const NONE = { isFile: false, isFolder: false, isExecutable: false, mode: 0, size: 0 };

test("an unknown provider is reported before any check runs", async () => {
  const { world, said } = fakeWorld({ argv: ["doctor", "nope"], content });
  expect(await run(world)).toBe(2);
  expect(said).toEqual({ stdout: "", stderr: 'ccc: unknown provider "nope"\nYour providers: glm\n' });
});

test("the text output ends with the command that tests providers; JSON does not", async () => {
  const last = async (...argv: string[]) => {
    const { world, said } = fakeWorld({ argv: ["doctor", ...argv], content });
    await run(world);
    return said.stdout.trimEnd().split("\n").at(-1);
  };
  expect(await last()).toBe("To test the providers: ccc validate --all");
  expect(await last("glm")).toBe("To test the provider: ccc validate glm");
  expect(await last("--json")).toBe("}");
});

test("advice of several lines is indented and wrapped to the terminal", async () => {
  const parts = { isTerminal: () => true, columns: () => 60 };
  const { world, said } = fakeWorld({ argv: ["doctor"], content: { "/bin/claude": null }, ...parts });
  expect(await run(world)).toBe(1);
  expect(said.stdout).toContain(`✗ ccc.json: there is no ${CONFIG} yet\n    Add a provider:\n      ccc provider add\n`);
  for (const line of said.stdout.split("\n")) {
    expect(line).toMatch(/^([✓!✗] | {2}|$)/);
    expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
  }
  expect(said.stdout).not.toContain("ccc validate");
});

test("only --fix fixes, and says so first", async () => {
  const doctor = async (...args: string[]) => {
    const { world, said } = fakeWorld({ argv: ["doctor", ...args], content });
    const made: string[] = [];
    const identify: Files["identify"] = (path) => ({ ...identity(path), mode: 0o644 });
    const identity = (path: string) => world.files.identify(path) ?? { ...NONE, id: path };
    const makePrivate = (path: string) => void made.push(path);
    await run({ ...world, files: { ...world.files, identify, makePrivate } });
    return { first: said.stdout.split("\n")[0], made };
  };
  expect(await doctor()).toMatchObject({ made: [] });
  expect(await doctor("--fix")).toMatchObject({
    first: `✓ fixed: ${CONFIG} is now readable by you only`,
    made: [CONFIG, "/home/u/.claude/ccc"],
  });
});
