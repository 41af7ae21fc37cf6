import { describe, expect, test } from "bun:test";
import {
  carryOut,
  findLeftovers,
  type Leftovers,
  type Migration,
  planMigration,
} from "../../../../src/commands/migrate/migration.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";

describe("find leftovers", () => {
  const SCRIPT = '#!/bin/sh\nexport CCC_CLAUDE=/usr/bin/ccc-claude\nexec ccc "$@"\n';
  const PROGRAM = "a program ".repeat(1000);
  const padded = (text: string, size: number) => text + "#".repeat(size - text.length);

  describe("a claude that the Go ccc replaced", () => {
    const found = (content: Record<string, string>, parts: Partial<World> = {}) => {
      const files = { ...memoryFiles({ "/self/ccc": "ccc", ...content }), ...parts.files };
      const env = { HOME: "/home/u", PATH: "/first:/usr/bin" };
      return findLeftovers(fakeWorld({ env, ...parts, files }).world).patch;
    };
    const patch = { claude: "/usr/bin/claude", real: "/usr/bin/ccc-claude" };
    const both = { "/usr/bin/claude": SCRIPT, "/usr/bin/ccc-claude": PROGRAM };

    test("can be restored: the first one on the PATH, where the real one is beside it", () => {
      expect(found(both)).toEqual({ ...patch, obstacle: undefined });
      expect(found({ ...both, "/first/claude": PROGRAM })).toBeUndefined();
      expect(found({ ...both, "/usr/bin/claude": SCRIPT.replace("exec ccc", "exec /opt/ccc") })).toMatchObject(patch);
      expect(found({ ...both, "/usr/bin/claude": SCRIPT.replace(patch.real, `"${patch.real}"`) })).toMatchObject(patch);
      expect(found({ ...both, "/usr/bin/ccc-claude": `${PROGRAM}CCC_CLAUDE=` })?.obstacle).toBeUndefined();
      expect(found({ ...both, "/usr/bin/ccc-claude": "small, but no script" })?.obstacle).toBeUndefined();
    });

    const obstacles: [obstacle: string, content: Record<string, string>][] = [
      [
        "it is in another folder",
        { "/usr/bin/claude": SCRIPT.replace(patch.real, "/opt/ccc-claude"), "/opt/ccc-claude": PROGRAM },
      ],
      ["it is missing or not a program", { "/usr/bin/claude": SCRIPT }],
      ["it is such a script, too", { ...both, "/usr/bin/ccc-claude": SCRIPT }],
      [
        "it was replaced by ccc itself, not by a script",
        { "/self/ccc": "same size", "/usr/bin/claude": "SAME SIZE", "/usr/bin/ccc-claude": PROGRAM },
      ],
    ];
    for (const [obstacle, content] of obstacles)
      test(`cannot be restored: ${obstacle}`, () => expect(found(content)?.obstacle).toBe(obstacle));

    test("cannot be restored: you have no write permission there", () => {
      const files = { ...memoryFiles({ ...both, "/self/ccc": "ccc" }), canWrite: () => false };
      expect(found(both, { files })?.obstacle).toBe("you have no write permission there");
    });

    const others: [name: string, content: Record<string, string>, parts?: Partial<World>][] = [
      ["no claude at all", {}],
      ["claude itself", { "/usr/bin/claude": PROGRAM }],
      ["claude beside a program of that name", { "/usr/bin/claude": PROGRAM, "/usr/bin/ccc-claude": PROGRAM }],
      ["a link to ccc of one's own", { "/self/ccc": "same", "/usr/bin/claude": "SAME" }],
      ["a script of one's own", { ...both, "/usr/bin/claude": "#!/bin/sh\nexec ccc-claude --verbose\n" }],
      ["a script that does not run ccc", { ...both, "/usr/bin/claude": SCRIPT.replace("exec ccc", "exec other") }],
      ["a text that is not a script", { ...both, "/usr/bin/claude": SCRIPT.replace("#!", "") }],
      ["a script that is too large", { ...both, "/usr/bin/claude": padded(SCRIPT, 4096) }],
      ["Windows", both, { platform: "win32", env: { USERPROFILE: "/home/u", PATH: "/usr/bin" } }],
    ];
    for (const [name, content, parts] of others)
      test(`is not: ${name}`, () => expect(found(content, parts)).toBeUndefined());

    test("is a script up to 4 KiB", () =>
      expect(found({ ...both, "/usr/bin/claude": padded(SCRIPT, 4095) })).toMatchObject(patch));
  });

  test("slash commands are the Go ccc's if they call what it had", () => {
    const folder = "/home/u/.claude/commands";
    const call = "!`ccc supervisor-mode on`";
    const { world } = fakeWorld({
      content: {
        [`${folder}/supervisor.md`]: call,
        [`${folder}/supervisoroff.md`]: '!`"/a b/ccc.exe" supervisor-mode off`',
        [`${folder}/supervisor-mine.md`]: "Ask my supervisor.",
        [`${folder}/supervisor-large.md`]: padded(call, 4096),
        [`${folder}/other.md`]: call,
      },
    });
    expect(findLeftovers(world).commands).toEqual([`${folder}/supervisor.md`, `${folder}/supervisoroff.md`]);
  });
});

describe("plan migration", () => {
  const found = (parts: Partial<Leftovers> = {}): Leftovers => ({
    settings: {},
    isInUse: false,
    providers: {},
    commands: [],
    patch: undefined,
    ...parts,
  });
  const glm = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "0123456789abcdef" };

  describe("a provider in settings.json", () => {
    const names: [name: string, env: Record<string, unknown>, taken: string[], wanted: string | undefined][] = [
      ["glm", glm, [], undefined],
      ["glm-2", glm, ["glm"], undefined],
      ["glm-3", glm, ["glm", "glm-2"], undefined],
      ["work", glm, ["glm"], "work"],
      ["example", { ANTHROPIC_BASE_URL: "https://api.example.com/v1", ANTHROPIC_AUTH_TOKEN: "k" }, [], undefined],
      ["local", { ANTHROPIC_BASE_URL: "http://127.0.0.1:9999", ANTHROPIC_AUTH_TOKEN: "k" }, [], undefined],
      ["mine", { ANTHROPIC_BASE_URL: "https://use.example", ANTHROPIC_AUTH_TOKEN: "k" }, [], undefined],
      ["anthropic-api", { ANTHROPIC_API_KEY: "k" }, [], undefined],
      ["anthropic", { CLAUDE_CODE_OAUTH_TOKEN: "k" }, [], undefined],
    ];
    test("a misspelt variable, which ccc.json refuses, stays where it is", () => {
      const { provider, remove } = planMigration(found({ settings: { env: { ...glm, ANTHROPIC_API_URL: "x" } } }));
      expect(provider?.settings).toEqual({ env: glm });
      expect(remove).not.toContainEqual(["env", "ANTHROPIC_API_URL"]);
    });
    test("is not migrated if a launch would refuse it", () => {
      const env = { ANTHROPIC_BASE_URL: "https://gateway.example", ANTHROPIC_CUSTOM_HEADERS: "x-key: k" };
      const plan = planMigration(found({ settings: { env } }), undefined);
      expect(plan).toMatchObject({ provider: undefined, keyless: "https://gateway.example", remove: [] });
      expect(plan.isEmpty).toBe(true);
    });
    for (const [name, env, taken, wanted] of names) {
      test(`is called ${name}`, () => {
        const providers = Object.fromEntries(taken.map((each) => [each, {}]));
        expect(planMigration(found({ settings: { env }, providers }), wanted).provider?.name).toBe(name);
      });
    }

    test("moves with its variables; the rest stays", () => {
      const settings = { env: { ...glm, MINE: "1", ANTHROPIC_MODEL: "", API_TIMEOUT_MS: "9" }, apiKeyHelper: "cat k" };
      const { provider, remove } = planMigration(found({ settings }));
      expect(provider?.settings).toEqual({ env: glm, apiKeyHelper: "cat k" });
      expect(remove).toEqual([["env", "ANTHROPIC_BASE_URL"], ["env", "ANTHROPIC_AUTH_TOKEN"], ["apiKeyHelper"]]);
    });

    test("numbers and booleans move as text; what is no value of a variable stays", () => {
      const odd = { ANTHROPIC_MODEL: ["m"], ANTHROPIC_SMALL_FAST_MODEL: null, ANTHROPIC_BETAS: { a: 1 } };
      const settings = { env: { ANTHROPIC_API_KEY: 1234, CLAUDE_CODE_USE_BEDROCK: true, ...odd } };
      const { provider, remove } = planMigration(found({ settings }));
      expect(provider?.settings).toEqual({ env: { ANTHROPIC_API_KEY: "1234", CLAUDE_CODE_USE_BEDROCK: "true" } });
      expect(remove).toHaveLength(2);
    });

    test("is only removed if ccc.json already has it", () => {
      const providers = { mine: { env: glm } };
      expect(planMigration(found({ settings: { env: glm }, providers })).provider).toMatchObject({
        name: "mine",
        isThere: true,
      });
    });

    const nothing: [string, Partial<Leftovers>][] = [
      ["no settings", {}],
      ["a model alone", { settings: { env: { ANTHROPIC_MODEL: "opus", MINE: "1" } } }],
      ["blanks", { settings: { env: { ANTHROPIC_API_KEY: "" } } }],
      ["what `ccc use` wrote", { settings: { env: glm }, isInUse: true }],
      ["settings that are not an object", { settings: [1] }],
      [
        "the hook of `ccc use`",
        { settings: { hooks: { Stop: [{ hooks: [{ command: "/b/ccc supervisor-hook --announce --persistent" }] }] } } },
      ],
      [
        "somebody else's hooks",
        { settings: { hooks: { Stop: [{ hooks: [{ command: "./my-ccc.sh" }] }, 5], Odd: 1 } } },
      ],
    ];
    for (const [name, parts] of nothing)
      test(`is not there: ${name}`, () => expect(planMigration(found(parts)).isEmpty).toBe(true));
  });

  describe("hooks of the Go ccc", () => {
    /** What settings.json says after the migration. */
    const settingsAfter = (text: string, plan: Migration) => {
      const path = "/home/u/.claude/settings.json";
      const { world, files } = fakeWorld({ content: { [path]: text } });
      carryOut(plan, world);
      return JSON.parse(files.content[path] ?? "");
    };

    const commands = [
      "/usr/local/bin/ccc supervisor-hook",
      "ccc supervisor-hook --state-dir .claude/ccc",
      '"/a b/ccc" supervisor-hook',
      "/x/ccc-supervisor-hook",
    ];
    for (const command of commands) {
      test(command, () => {
        const entry = { hooks: [{ type: "command", command, timeout: 600 }] };
        const text = JSON.stringify({ hooks: { Stop: [entry] }, theme: "dark" }, null, 2);
        const plan = planMigration(found({ settings: JSON.parse(text) }));
        expect(plan.hooks).toMatchObject([{ event: "Stop", command }]);
        expect(settingsAfter(text, plan)).toEqual({ theme: "dark" });
      });
    }
    test("others beside them stay", () => {
      const mine = { type: "command", command: "mine" };
      const theirs = { type: "command", command: "/b/ccc supervisor-hook" };
      const hooks = {
        Stop: [{ hooks: [mine] }, { hooks: [theirs] }],
        PreToolUse: [{ matcher: "AskUserQuestion", hooks: [mine, theirs] }],
      };
      const text = JSON.stringify({ hooks }, null, "\t");
      const plan = planMigration(found({ settings: { hooks } }));
      expect(settingsAfter(text, plan)).toEqual({
        hooks: { Stop: [{ hooks: [mine] }], PreToolUse: [{ matcher: "AskUserQuestion", hooks: [mine] }] },
      });
    });
  });
});
