import { expect, test } from "bun:test";
import type { HelpPage } from "../../../src/claude/help-page.ts";
import { cccPaths } from "../../../src/config/ccc-paths.ts";
import { CccError } from "../../../src/errors.ts";
import { claudeHelp } from "../../../src/launch/claude-help.ts";
import type { ChildRequest } from "../../../src/os/child.ts";
import { fakeWorld } from "../fakes.ts";

const CACHE = "/home/u/.claude/ccc/claude-help.json";

/** A world whose claude prints this, and what it was asked. */
function machine(content: Record<string, string>, exitCode = 0, text = "Options:\n  --help  help\n") {
  const asked: ChildRequest[] = [];
  const run = async (request: ChildRequest) => {
    asked.push(request);
    text.split("\n").some((line) => request.onLine(new TextEncoder().encode(line)));
    return { exitCode, ending: "exited" as const, stderr: "" };
  };
  const env = { HOME: "/home/u", PATH: "/bin", ANTHROPIC_API_KEY: "secret" };
  const { world, files } = fakeWorld({ content: { "/bin/claude": "claude", ...content }, run, env });
  return { asked, content: files.content, read: claudeHelp(world, "/bin/claude", cccPaths(world)) };
}

const PAGE: HelpPage = {
  options: [{ names: ["--help"], description: "help", takes: "none", choices: [] }],
  commands: [],
};

test("claude is asked once for each page, outside the folder, for a short time, and without keys", async () => {
  const { read, asked, content } = machine({});
  expect(await read([])).toEqual(PAGE);
  expect(await read(["mcp"])).toEqual(PAGE);
  expect(await read(["mcp"])).toEqual(PAGE);
  expect(asked.map(({ program }) => program.args)).toEqual([["--help"], ["mcp", "--help"]]);
  expect(asked[0]).toMatchObject({ cwd: "/home/u/.claude", timeoutMs: 4000, program: { env: { PATH: "/bin" } } });
  expect(asked[0]?.program.env.ANTHROPIC_API_KEY).toBeUndefined();

  const again = machine({ [CACHE]: content[CACHE] ?? "" });
  expect([await again.read([]), await again.read(["mcp"])]).toEqual([PAGE, PAGE]);
  expect(again.asked).toEqual([]);
});

test("another claude is asked again, and so is one whose cache cannot be read", async () => {
  const first = machine({});
  await first.read([]);
  for (const [name, content] of Object.entries({
    another: { [CACHE]: first.content[CACHE] ?? "", "/bin/claude": "a newer claude" },
    broken: { [CACHE]: "{" },
    strange: { [CACHE]: '{"of":"[\\"/bin/claude\\"]","pages":{"":{"options":"x"}}}' },
  })) {
    const { read, asked } = machine(content);
    expect([name, await read([]), asked.length]).toEqual([name, PAGE, 1]);
  }
});

test("an answer that is no help page is not kept", async () => {
  for (const failing of [machine({}, 1), machine({}, 0, "not logged in")]) {
    expect(await failing.read([])).toBeUndefined();
    expect(failing.content[CACHE]).toBeUndefined();
  }
});

test("a cache that can be neither read nor written, or a claude that does not start, is no reason to fail", async () => {
  const refuse = (): never => {
    throw new CccError("refused");
  };
  const helpIn = (parts: Parameters<typeof fakeWorld>[0]) => {
    const { world } = fakeWorld(parts);
    return claudeHelp(world, "/bin/claude", cccPaths(world))([]);
  };
  const run = async ({ onLine }: ChildRequest) => {
    for (const line of ["Options:", "  --help  help"]) onLine(new TextEncoder().encode(line));
    return { exitCode: 0, ending: "exited" as const, stderr: "" };
  };
  const { files } = fakeWorld();
  const read = (path: string) => (path === CACHE ? refuse() : files.read(path));
  expect(await helpIn({ run, files: { ...files, read, writePrivate: refuse } })).toEqual(PAGE);
  expect(await helpIn({ run: refuse })).toBeUndefined();
});

test("a bug in ccc is not hidden", () => {
  const broken = () => Promise.reject(new TypeError("bug"));
  const { world } = fakeWorld({ run: broken });
  expect(claudeHelp(world, "/bin/claude", cccPaths(world))([])).rejects.toThrow("bug");
});
