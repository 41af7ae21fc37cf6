import { describe, expect, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import type { Plan } from "../../../src/launch/plan.ts";
import { type PrintablePlan, showPlan } from "../../../src/launch/show.ts";
import { fakeWorld } from "../fakes.ts";

describe("a dry run, and what a launch says,", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const provider = (name: string) => ({
    env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}` },
  });

  async function ccc(argv: string[], config: object = {}, parts: Parameters<typeof fakeWorld>[0] = {}) {
    const text = JSON.stringify({ providers: { glm: provider("glm"), kimi: provider("kimi") }, ...config });
    const { world, said, ran } = fakeWorld({ ...parts, argv, content: { [CONFIG]: text } });
    return { exitCode: await run(world), ...said, ran };
  }

  describe("a dry run", () => {
    test("says what was decided, with all blanks in one line, and no key", async () => {
      const { stdout, ran } = await ccc(["--dry-run", "--supervisor", "glm", "-p", "say hi"], {
        supervisor: { provider: "kimi", fallback: ["glm:air"] },
      });
      expect(ran).toEqual([]);
      expect(stdout).toMatch(/^provider +glm \(named\)$/m);
      expect(stdout).toMatch(/^server +https:\/\/glm\.test$/m);
      expect(stdout).toMatch(/^reviewed +by kimi, else by glm:air \(hook engine\)$/m);
      expect(stdout).toMatch(/^runs +\/bin\/claude --settings \S+ -p 'say hi'$/m);
      expect(stdout.match(/ANTHROPIC_BASE_URL=/g)).toHaveLength(3);
      expect(stdout.match(/\d+ variables blank/g)).toHaveLength(3);
      expect(stdout.split("\n").length).toBeLessThan(60);
      expect(stdout).not.toContain("secret-key");
    });

    test.each<[name: string, options: string[], lines: string[]]>([
      ["names the providers that the session continues on", ["--fallback", "kimi"], ["kimi"]],
      ["has no line for them if there are none", [], []],
    ])("%s", async (_, options, lines) => {
      const { stdout } = await ccc(["--dry-run", "--engine", "loop", ...options, "glm", "x"]);
      expect([...stdout.matchAll(/^fallback\b *(.*)$/gm)].map(([, names]) => names)).toEqual(lines);
    });

    const reasons: [argv: string[], config: object, why: string][] = [
      [["glm"], {}, "named"],
      [[], {}, "first in ccc.json"],
      [[], { current_provider: "kimi" }, "last used"],
      [[], { folders: { "/project": "kimi" } }, "pinned here"],
      [["-c"], {}, "for this session"],
    ];
    for (const [argv, config, why] of reasons)
      test(`--json says why: ${why}`, async () => {
        const plan = JSON.parse((await ccc(["--dry-run", "--json", ...argv], config)).stdout);
        expect(plan).toMatchObject({ why, supervised: null });
        expect(Object.keys(plan.files[0].content.env).length).toBeGreaterThan(100);
      });
  });

  describe("plain ccc in a terminal says which provider it uses", () => {
    const terminal = { isTerminal: () => true };
    const table: [name: string, argv: string[], config: object, parts: object, said: string][] = [
      ["the first", [], {}, terminal, "ccc: using glm (first in ccc.json)\n"],
      ["the last one used", [], { current_provider: "kimi" }, terminal, "ccc: using kimi (last used)\n"],
      ["the pinned one", [], { folders: { "/": "kimi" } }, terminal, "ccc: using kimi, which / is pinned to\n"],
      ["not if it is named", ["glm"], { current_provider: "glm" }, terminal, ""],
      ["not with -p", ["-p", "hi"], {}, terminal, ""],
      ["not without a terminal", [], {}, {}, ""],
    ];
    for (const [name, argv, config, parts, said] of table)
      test(name, async () => expect((await ccc(argv, config, parts)).stderr).toBe(said));
  });

  test("without HOME ccc says so, and still shows its help", async () => {
    const parts = { env: { PATH: "/bin" } };
    const { exitCode, stderr } = await ccc(["glm"], {}, parts);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("HOME is not set, so ccc cannot find your ccc.json"),
    });
    expect(await ccc(["--help"], {}, parts)).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("a plan that is shown", () => {
  const PLAN: Plan = {
    provider: "glm",
    file: "/bin/claude",
    args: [],
    unset: [],
    set: {},
    files: [],
    settings: { agent: { path: "", content: {} }, reviewer: undefined, fallback: [] },
    isShared: false,
    remember: false,
    references: [],
    notices: [],
  };
  function printed(plan: Partial<Plan>, json: boolean): string {
    const { world, said } = fakeWorld({ columns: () => 200 });
    showPlan({ ...PLAN, ...plan }, { why: "named", supervised: null }, { json }, world);
    return said.stdout;
  }
  const shown = (plan: Partial<Plan>): PrintablePlan => JSON.parse(printed(plan, true));

  describe("a plan in words", () => {
    const rows = (plan: Partial<Plan>) =>
      printed(plan, false)
        .split("\n")
        .map((line) => line.replaceAll(/ {2,}/g, " | "));
    const file = (path: string, content: Record<string, unknown>) => ({ path, content }) as Plan["files"][number];

    test("leaves out empty parts", () =>
      expect(rows({}).map((row) => row.split(" | ")[0])).toEqual([
        "provider",
        "server",
        "reviewed",
        "runs",
        "Nothing was run. All of it, as JSON: ccc --dry-run --json …",
        "",
      ]));
    test("shows where the key comes from", () => {
      const references = [{ reference: "env:KEY" }] as unknown as Plan["references"];
      expect(rows({ references })).toContain("key | env:KEY");
    });
    test("shows what the shell has and claude does not get", () =>
      expect(rows({ unset: ["ANTHROPIC_API_KEY"] })).toContain("hides | from your shell: ANTHROPIC_API_KEY"));
    test("shows what is in the files, one beneath the other", () => {
      const first = file("/a.json", { env: { A: "1", B: "" }, hooks: { Stop: [] }, model: "m" });
      const second = file("/b.json", { env: {} });
      const shown = rows({ files: [first, second, { path: "/stamp", content: "text" }] }).slice(4, -2);
      expect(shown.map((row) => row.trim())).toEqual([
        "writes | /a.json",
        "| A=1",
        "| 1 variable blank, so that nothing else decides it",
        "| hooks: Stop",
        "| settings: model",
        "| /b.json",
      ]);
    });
  });

  describe("as JSON", () => {
    test("masks a key, also where it occurs again", () => {
      const { set, args } = shown({ set: { ANTHROPIC_AUTH_TOKEN: "key-12345678" }, args: ["say key-12345678"] });
      expect(JSON.stringify({ set, args })).not.toContain("12345678");
    });
    test("leaves an empty key empty: a blank is no secret, and is everywhere", () => {
      const { set, args } = shown({ set: { ANTHROPIC_AUTH_TOKEN: "" }, args: ["hello"] });
      expect({ set, args }).toEqual({ set: { ANTHROPIC_AUTH_TOKEN: "" }, args: ["hello"] });
    });
    test("masks a password in an address", () =>
      expect(JSON.stringify(shown({ set: { ANTHROPIC_BASE_URL: "https://u:pass-word-1@glm.test" } }))).not.toContain(
        "pass-word-1",
      ));
    test("keeps names and paths, even if a key is a word that is in them", () => {
      const { provider, file } = shown({
        provider: "ollama",
        file: "/opt/ollama/claude",
        set: { ANTHROPIC_AUTH_TOKEN: "ollama" },
      });
      expect([provider, file]).toEqual(["ollama", "/opt/ollama/claude"]);
    });
    test("masks a key of any length, and only there: a short one may be a word", () => {
      const { files } = shown({
        files: [{ path: "/s.json", content: { env: { ANTHROPIC_API_KEY: "me" }, note: "some" } }],
      });
      expect(files[0]?.content).toEqual({
        env: { ANTHROPIC_API_KEY: expect.not.stringContaining("me") },
        note: "some",
      });
    });
    test("masks what a command for the key has in it, but shows the command", () => {
      const reference = {
        variable: "ANTHROPIC_AUTH_TOKEN",
        reference: "cmd:op read --token=abcdef123456 key",
      } as const;
      const { references } = shown({ references: [reference as unknown as Plan["references"][number]] });
      expect(references[0]?.reference).toStartWith("cmd:op read");
      expect(references[0]?.reference).not.toContain("abcdef123456");
    });
    test("shows everything else as it is", () => {
      const files = [{ path: "/s.json", content: { list: ["a", { b: 1, c: null }], on: true } }];
      const args = ["cmd:echo is what to explain", "x"];
      expect(shown({ files, args })).toMatchObject({ files, args });
    });
    test("has no settings beside its files, and says what was decided", () => {
      const plan = shown({});
      expect(plan).not.toHaveProperty("settings");
      expect(plan).toMatchObject({ why: "named", supervised: null });
    });
  });
});
