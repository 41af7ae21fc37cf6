import { describe, expect, test } from "bun:test";
import type { HelpPage } from "../../../src/claude/asked.ts";
import { NEWEST_TESTED } from "../../../src/claude/versions.ts";
import { cccPaths } from "../../../src/config/paths.ts";
import { CccError } from "../../../src/errors.ts";
import { assumedVersion, claudeHelp, claudeVersion, proveSettings } from "../../../src/launch/ask-claude.ts";
import { planLaunch, settingsProof } from "../../../src/launch/plan.ts";
import { EXEC_MARKER } from "../../../src/markers.ts";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import { GUARD } from "../../../src/providers/isolation.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";
import { type Given, SERVER, situationOf } from "./plan-case.ts";

describe("claude help", () => {
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
    // A claude that runs ccc would ask again, endlessly.
    expect(asked[0]?.program.env[EXEC_MARKER]).toEndWith(".asked");

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
});

describe("claude version", () => {
  /** A machine whose claude answers with these lines. */
  function machine(lines: string[], result: Partial<ChildResult> | Error = {}) {
    let asked = 0;
    const { world, files } = fakeWorld({
      run: async ({ onLine }) => {
        asked++;
        if (result instanceof Error) throw result;
        lines.some((line) => onLine(new TextEncoder().encode(line)));
        return { exitCode: 0, ending: "exited", stderr: "", ...result };
      },
    });
    const paths = cccPaths(world);
    return {
      files,
      version: () => claudeVersion(world, "/bin/claude", paths),
      assumed: () => assumedVersion(world, "/bin/claude", paths),
      asked: () => asked,
    };
  }

  describe("the version of claude", () => {
    test("is asked once, and again when the program has changed", async () => {
      const { files, version, asked } = machine(["2.1.96 (Claude Code)"]);
      expect([await version(), await version(), asked()]).toEqual(["2.1.96", "2.1.96", 1]);
      files.content["/bin/claude"] = "a newer claude";
      expect([await version(), asked()]).toEqual(["2.1.96", 2]);
    });

    test("is the first in the output", async () =>
      expect(await machine(["warning", "2.1.96 (Claude Code)", "2.1.97 is out"]).version()).toBe("2.1.96"));

    test("is asked again, if claude did not print it", async () => {
      const { version, asked } = machine(["hello"]);
      expect([await version(), await version(), asked()]).toEqual([undefined, undefined, 2]);
    });

    test("is unknown, if claude cannot be run: the launch will say why", async () =>
      expect(await machine([], new Error("no such file")).version()).toBeUndefined());

    test("Ctrl-C ends the wait", () =>
      expect(machine([], { ending: "interrupted" }).version()).rejects.toThrow("interrupted"));

    test("a dry run asks nothing: what is known, else a current one", async () => {
      const { version, assumed, asked } = machine(["2.1.96 (Claude Code)"]);
      expect([assumed(), asked()]).toEqual([NEWEST_TESTED, 0]);
      await version();
      expect([assumed(), asked()]).toEqual(["2.1.96", 1]);
    });
  });
});

describe("prove settings", () => {
  const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
  const LOADED = '{ "authMethod": "api_key_helper",\n"apiKeySource": "apiKeyHelper" }';
  const DROPPED = '{ "authMethod": "claude.ai" }';

  /** Settings of the user's own beside the provider's. */
  const OWN: Given = { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t" }, model: "opus" } };

  /** A claude of this version that answers so. Lists what it was asked. */
  function machine(version: string, status: string, complaint = "") {
    const asked: string[] = [];
    const content: Record<string, string | null> = { "/bin/claude": "program" };
    const run: World["run"] = async ({ program, onLine }) => {
      const isVersion = program.args[0] === "--version";
      if (!isVersion) asked.push(program.args.slice(4).join(" "));
      const answer = isVersion ? version : program.args.includes("status") ? status : "";
      answer.split("\n").some((line) => onLine(new TextEncoder().encode(line)));
      return { exitCode: 0, ending: "exited", stderr: complaint };
    };
    return { asked, ...fakeWorld({ content, run }) };
  }

  describe("Claude Code is asked whether it loads", () => {
    const table: [what: string, given: Given, isAsked: boolean][] = [
      ["settings of the user's own", OWN, true],
      ["nothing where there is only what ccc writes", {}, false],
      ["nothing for a provider that uses the login", { glm: { model: "opus" } }, false],
      ["nothing for a command without settings", { ...OWN, args: ["attach", "7"] }, false],
      ["--settings", { args: ["--settings", '{"model":"m"}'] }, true],
    ];
    for (const [what, given, isAsked] of table)
      test(what, () => {
        const plan = planLaunch(situationOf(given));
        expect(settingsProof(plan, machine("", "").world, PATHS).isNeeded(plan)).toBe(isAsked);
      });
  });

  test("settings that it loads are launched as planned, and it is not asked about them again", async () => {
    const { world, asked, files } = machine("2.1.325", LOADED);
    const plan = planLaunch(situationOf(OWN));
    expect(await proveSettings(plan, world, PATHS)).toEqual(plan);
    expect(asked).toEqual(["auth status --json"]);
    expect(settingsProof(plan, world, PATHS).isNeeded(plan)).toBe(false);
    const other = planLaunch(situationOf({ glm: { ...OWN.glm, model: "sonnet" } }));
    expect(settingsProof(other, world, PATHS).isNeeded(other)).toBe(true);
    files.content["/bin/claude"] = "another program";
    expect(settingsProof(plan, world, PATHS).isNeeded(plan)).toBe(true);
  });

  test("settings that it drops are refused, in its own words", async () => {
    const plan = planLaunch(situationOf(OWN));
    const complaint = `These settings files did not load:\n  ${plan.settings.agent.path} (model): Expected string\n`;
    const { world, asked } = machine("2.1.325", DROPPED, complaint);
    await expect(proveSettings(plan, world, PATHS)).rejects.toThrow(
      'Claude Code does not load the settings of provider "glm": (model): Expected string',
    );

    expect(settingsProof(plan, world, PATHS).isNeeded(plan)).toBe(true);
    expect(asked).toEqual(["auth status --json", "-p hi"]);
  });

  describe("a claude that cannot tell gets an environment in which it goes nowhere without its settings", () => {
    for (const [name, version, status] of [
      ["an old one", "2.0.77", LOADED],
      ["one without a version", "?", LOADED],
      ["one that says something else", "2.1.325", "Welcome!"],
    ] as const)
      test(name, async () => {
        const { world } = machine(version, status);
        const plan = planLaunch(situationOf(OWN));
        expect(await proveSettings(plan, world, PATHS)).toEqual({ ...plan, set: GUARD });
      });
  });
});
