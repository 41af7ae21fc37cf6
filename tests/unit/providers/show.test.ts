import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { shownChanges } from "../../../src/providers/show.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const provider = (name: string, more: object = {}) => ({
  env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}`, ...more },
});

async function list(config: object) {
  const content = JSON.stringify({ providers: { glm: provider("glm"), kimi: provider("kimi") }, ...config });
  const { world, said } = fakeWorld({ argv: ["provider", "list", "--json"], content: { [CONFIG]: content } });
  await run(world);
  return JSON.parse(said.stdout) as Record<string, unknown>[];
}
const marks = async (config: object) =>
  (await list(config)).map(({ name, current, pinned, reviewer }) =>
    [name, ...(current ? ["current"] : []), ...(pinned ? ["pinned"] : []), ...(reviewer ? ["reviewer"] : [])].join(" "),
  );

describe("the list of providers says", () => {
  const table: [what: string, config: object, marks: string[]][] = [
    ["which one is used", {}, ["glm current", "kimi"]],
    ["which one was used last", { current_provider: "kimi" }, ["glm", "kimi current"]],
    ["which one the folder is pinned to", { folders: { "/project": "kimi" } }, ["glm", "kimi current pinned"]],
    ["which one reviews", { supervisor: { provider: "kimi" } }, ["glm current", "kimi reviewer"]],
  ];
  test.each(table)("%s", async (_, config, expected) => expect(await marks(config)).toEqual(expected));

  test("at most the end of a key, or where it is kept", async () => {
    const providers = {
      plain: provider("glm"),
      variable: provider("x", { ANTHROPIC_AUTH_TOKEN: "${MY_KEY}" }),
      reference: provider("x", { ANTHROPIC_AUTH_TOKEN: "env:MY_KEY" }),
      helper: { env: { ANTHROPIC_BASE_URL: "https://x.test" }, apiKeyHelper: "get-key" },
      login: {},
    };
    const listed = await list({ providers });
    expect(listed.map(({ key }) => key)).toEqual([
      expect.stringMatching(/-glm$/),
      ...["${MY_KEY}", "env:MY_KEY", "from apiKeyHelper", null],
    ]);
    expect(JSON.stringify(listed)).not.toContain("secret-key-of");
  });

  test("why one cannot be launched, and then no defaults", async () => {
    const [broken, fine] = await list({
      providers: { broken: { env: { ANTHROPIC_BASE_URL: "https://x.test" } }, fine: provider("glm") },
    });
    expect(broken).toMatchObject({ problem: expect.stringContaining("login"), defaults: [] });
    expect(fine).toMatchObject({ problem: null });
    expect(fine?.defaults).not.toEqual([]);
  });

  test("servers without passwords", async () => {
    const [first] = await list({ providers: { glm: provider("u:secret@glm") } });
    expect(first?.base_url).toBe("https://***@glm.test");
  });
});

describe("a change of a provider", () => {
  test("is shown with secrets masked, and without the note about the preset", () => {
    const before = {
      env: {
        ANTHROPIC_AUTH_TOKEN: "sk-old-0123456789-abcd",
        MY_SECRET: "sk-own-0123456789-efgh",
        STAYS: "1",
        API_TIMEOUT_MS: 1,
      },
      apiKeyHelper: "echo sk-own-0123456789-efgh",
      permissions: { deny: ["Bash"] },
    };
    const after = {
      env: { ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY", STAYS: "1", API_TIMEOUT_MS: "2", NEW: "" },
      permissions: { deny: ["Bash", "Write"] },
      preset: { name: "glm", as_of: "2026-01-01", env: {} },
    };
    expect(shownChanges(before, after)).toEqual([
      ["~", "ANTHROPIC_AUTH_TOKEN", "***abcd → env:GLM_KEY"],
      ["-", "MY_SECRET", "***efgh"],
      ["~", "API_TIMEOUT_MS", "1 → 2"],
      ["+", "NEW", "(empty)"],
      ["-", "apiKeyHelper", "(a command)"],
      ["~", "permissions", '{"deny":["Bash"]} → {"deny":["Bash","Write"]}'],
    ]);
  });

  test("is shown with long settings cut", () => {
    const shown = (letters: number) => shownChanges({}, { language: "x".repeat(letters) })[0]?.[2];
    expect(shown(58)).toBe(`"${"x".repeat(58)}"`);
    expect(shown(59)).toBe(`"${"x".repeat(59)}…`);
  });
});
