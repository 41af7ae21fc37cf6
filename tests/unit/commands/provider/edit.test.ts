import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import type { Files } from "../../../../src/os/files.ts";
import type { Program, World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles, memoryKeychain } from "../../fakes.ts";

describe("edit provider", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const FILE = "/scratch/glm.json";
  const KEY = "sk-of-the-user-0123456789";
  const GLM = {
    env: { ANTHROPIC_BASE_URL: "https://glm.test", ANTHROPIC_AUTH_TOKEN: KEY },
    preset: { name: "glm", env: {} },
  };

  type Edit = (text: string, files: Files) => string | number;

  /** Runs the command with an editor that makes these edits in turn; a number is its exit code. */
  async function edit(edits: Edit[], again?: boolean, parts: Partial<World> = {}, glm: object = GLM) {
    const files = memoryFiles({ "/bin/claude": "", [CONFIG]: JSON.stringify({ providers: { glm } }) });
    const seen: string[] = [];
    const { world, said } = fakeWorld({
      argv: ["provider", "edit", "glm"],
      files,
      isTerminal: () => true,
      columns: () => 1000,
      ask: { ...fakeWorld().world.ask, confirm: async (_, preset) => again ?? preset },
      scratch: () => ({ path: "/scratch", remove: () => files.remove(FILE) }),
      handOver: async () => {
        const text = files.read(FILE) ?? "";
        seen.push(text);
        const result = edits[seen.length - 1]?.(text, files) ?? 1;
        if (typeof result === "string") files.writePrivate(FILE, result);
        return { exitCode: typeof result === "number" ? result : 0, signal: null, isInterrupted: false };
      },
      ...parts,
    });
    const exitCode = await run(world);
    return {
      exitCode,
      ...said,
      seen,
      left: files.read(FILE),
      glm: JSON.parse(files.read(CONFIG) ?? "").providers.glm,
      files,
    };
  }

  const set =
    (name: string, value: unknown): Edit =>
    (text) => {
      const json = JSON.parse(text);
      return JSON.stringify({ ...json, env: { ...json.env, [name]: value } }, null, 2);
    };

  describe("ccc provider edit", () => {
    test("asks nothing where a key is given as a reference, on a terminal too", async () => {
      const { exitCode, glm, seen } = await edit([], undefined, {
        argv: ["provider", "edit", "glm", "--token-ref", "env:MINE"],
        env: { HOME: "/home/u", PATH: "/bin", MINE: "another-key-of-the-user" },
        ask: fakeWorld().world.ask,
      });
      expect({ exitCode, seen }).toEqual({ exitCode: 0, seen: [] });
      expect(glm.env.ANTHROPIC_AUTH_TOKEN).toBe("env:MINE");
    });

    test("saves what a launch accepts, keeps the key without showing it, and shows the change", async () => {
      const found = await edit([set("MY_OWN", "1")]);
      expect(found.seen[0]).not.toContain(KEY);
      expect(found.stderr).toMatch(/\+ +MY_OWN +1/);
      expect(found).toMatchObject({ exitCode: 0, stdout: "", left: undefined });
      expect(found.glm).toEqual({ ...GLM, env: { ...GLM.env, MY_OWN: "1" } });
      expect(found.files.list("/home/u/.claude/ccc/backups")).toHaveLength(1);
    });

    test("says what is wrong and where, and lets the user correct it", async () => {
      const found = await edit([
        () => "{",
        () => '{"env": {"ANTHROPIC_BASE_URL": 1}}',
        () => '{"env": {"LD_PRELOAD": "x"}}',
        () => '{"env": {"ANTHROPIC_BASE_URL": "https://glm.test"}}',
        () => '{"permissions": {"deny": "Bash"}}',
        () => JSON.stringify({ env: { ANTHROPIC_BASE_URL: "https://new.test", ANTHROPIC_AUTH_TOKEN: "(unchanged)" } }),
      ]);
      for (const message of [
        "this is not valid JSON",
        "not saved: your text is not valid\n",
        "providers.glm.env.ANTHROPIC_BASE_URL: must be a URL",
        "providers.glm.env.LD_PRELOAD: not allowed in ccc.json",
        "has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN",
        "providers.glm.permissions.deny: must be a list of strings",
      ])
        expect(found.stderr).toContain(message);
      expect(found.stderr).not.toContain("undefined");
      expect(found.stderr).toMatch(/but no ANTHROPIC_AUTH_TOKEN.*\nAdd /);
      // The next round begins with what the user wrote.
      expect(found.seen[1]).toBe("{");
      expect(found).toMatchObject({
        exitCode: 0,
        glm: { env: { ANTHROPIC_BASE_URL: "https://new.test", ANTHROPIC_AUTH_TOKEN: KEY } },
      });
    });

    describe("a key in the text", () => {
      const MANY = {
        env: {
          ANTHROPIC_BASE_URL: "https://x.test",
          ANTHROPIC_AUTH_TOKEN: KEY,
          MY_PASSWORD: "another-secret",
          OTHER_KEY: "env:OTHER",
          THIRD_TOKEN: `$${"{HOME}"}`,
          CLAUDE_CODE_MAX_OUTPUT_TOKENS: 8192,
        },
        permissions: { deny: ["Bash"] },
        preset: { name: "glm", env: { A: "1" } },
      };

      test("is not shown, references are; nor is ccc's note about the preset", async () => {
        const found = await edit([(text) => text], undefined, {}, MANY);
        expect(JSON.parse(found.seen[0] ?? "")).toEqual({
          env: { ...MANY.env, ANTHROPIC_AUTH_TOKEN: "(unchanged)", MY_PASSWORD: "(unchanged)" },
          permissions: { deny: ["Bash"] },
        });
        expect(found).toMatchObject({ stderr: "ccc: nothing was changed\n", glm: MANY });
      });

      const ONE = { env: { ANTHROPIC_AUTH_TOKEN: KEY } };
      test.each<[what: string, env: object, saved: object]>([
        ["can be changed", { ANTHROPIC_AUTH_TOKEN: "new" }, { ANTHROPIC_AUTH_TOKEN: "new" }],
        ["can be removed", {}, {}],
        ["can be moved to the other variable", { ANTHROPIC_API_KEY: "(unchanged)" }, { ANTHROPIC_API_KEY: KEY }],
      ])("%s", async (_, env, saved) => {
        const found = await edit([() => JSON.stringify({ env })], undefined, {}, ONE);
        expect([found.exitCode, found.glm]).toEqual([0, { env: saved }]);
      });

      test.each<[text: string, message: string]>([
        ['{\n  "env": {"A": "1",}\n}', "not valid JSON: a comma too many at line 2, column 19"],
        ["", "not valid JSON"],
        ["[]", "must be an object"],
        ['{"env":{"NEW_KEY":"(unchanged)"}}', 'env.NEW_KEY: "(unchanged)" stands for the key that was there'],
      ])("is not lost to %j", async (text, message) => {
        const found = await edit([() => text], false, {}, MANY);
        expect(found.stderr).toContain(message);
        expect(found.glm).toEqual(MANY);
      });
    });

    test("never loses the text", async () => {
      const given = await edit([() => "{"], false);
      expect(given).toMatchObject({ exitCode: 130, left: "{", glm: GLM });
      expect(given.stderr).toContain(`your text is in ${FILE}`);
    });

    test("an editor that fails saves nothing; what it wrote stays", async () => {
      const untouched = await edit([() => 3]);
      expect(untouched).toMatchObject({ exitCode: 1, glm: GLM, left: undefined });
      expect(untouched.stderr).toContain("ended with exit code 3; nothing was saved");
      const broken = await edit([() => "{", () => 3]);
      expect(broken).toMatchObject({ exitCode: 1, glm: GLM, left: "{" });
    });

    test("it says so if nothing changed, also if only the layout differs", async () => {
      for (const same of [(text: string) => text, (text: string) => JSON.stringify(JSON.parse(text))]) {
        const found = await edit([same]);
        expect(found.stderr).toBe("ccc: nothing was changed\n");
        expect(found).toMatchObject({ exitCode: 0, glm: GLM, left: undefined });
      }
    });

    test("a change by another ccc meanwhile is not overwritten, and the text stays", async () => {
      const found = await edit([
        (text, files) => {
          files.writePrivate(CONFIG, JSON.stringify({ providers: { glm: { ...GLM, model: "opus" } } }));
          return set("A", "1")(text, files);
        },
      ]);
      expect(found.stderr).toContain('another ccc has changed "glm" meanwhile');
      expect(found.stderr).toContain(`your text is in ${FILE}`);
      expect(found).toMatchObject({ exitCode: 1, glm: { ...GLM, model: "opus" } });
      expect(JSON.parse(found.left ?? "").env.A).toBe("1");
    });

    test("a key in the keychain stays there as long as it is used", async () => {
      const glm = { env: { ...GLM.env, ANTHROPIC_AUTH_TOKEN: "keychain:glm" } };
      const keychain = memoryKeychain({ glm: KEY });
      const changed = await edit([set("MY_OWN", "1")], true, { keychain }, glm);
      expect(changed.glm.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: "keychain:glm", MY_OWN: "1" });
      expect(keychain.content).toEqual({ glm: KEY });
      const moved = await edit([(text) => text.replace("AUTH_TOKEN", "API_KEY")], true, { keychain }, glm);
      expect(moved.glm.env.ANTHROPIC_API_KEY).toBe("keychain:glm");
      expect(keychain.content).toEqual({ glm: KEY });
      await edit([set("ANTHROPIC_AUTH_TOKEN", "env:K")], true, { keychain }, glm);
      expect(keychain.content).toEqual({});
    });

    test("says what changed in the width of the terminal, and where the file as it was is", async () => {
      const long = set("MY_OWN", "word ".repeat(40).trim());
      const { stderr } = await edit([long], true, { columns: () => 60 });
      expect(stderr).toContain("ccc: ccc.json as it was:\n  /home/u/.claude/ccc/backups/ccc-1970-");
      const rows = stderr.split("\n").filter((line) => line.includes("word"));
      expect(rows.length).toBeGreaterThan(1);
      expect(Math.max(...rows.map((line) => line.length))).toBeLessThanOrEqual(60);
    });

    test.each([[[]], [[0, 2]], [[1, 2]], [[0, 1]]])(
      "with terminals at %p alone it is a usage error",
      async (at: number[]) => {
        const found = await edit([], true, { isTerminal: (fd) => at.includes(fd) });
        expect(found.stderr).toContain("needs a terminal");
        expect(found).toMatchObject({ exitCode: 2, seen: [], glm: GLM });
      },
    );
  });

  test("the editor is VISUAL, else EDITOR, with its arguments", async () => {
    const started = async (env: Record<string, string>, platform: NodeJS.Platform = "linux") => {
      const programs: Program[] = [];
      const handOver: World["handOver"] = async (program) => {
        programs.push(program);
        return { exitCode: 0, signal: null, isInterrupted: false };
      };
      await edit([], undefined, { env: { HOME: "/home/u", PATH: "/bin", ...env }, platform, handOver });
      return programs[0];
    };
    expect((await started({ VISUAL: "code --wait", EDITOR: "vi" }))?.args).toEqual([
      "-c",
      'code --wait "$1"',
      "ccc",
      FILE,
    ]);
    expect((await started({ VISUAL: "", EDITOR: "nano" }))?.args[1]).toBe('nano "$1"');
    expect((await started({}))?.args[1]).toBe('vi "$1"');
    const onWindows = { EDITOR: '"C:\\My Editor\\e.exe" -w', USERPROFILE: "/home/u" };
    expect(await started(onWindows, "win32")).toMatchObject({
      file: "cmd.exe",
      args: ["/d", "/c", "C:\\My Editor\\e.exe", "-w", expect.stringMatching(/glm\.json$/)],
    });
  });
});

describe("update", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const OPUS = "ANTHROPIC_DEFAULT_OPUS_MODEL";
  const KEY = "sk-of-the-user-0123456789";
  const env = {
    ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic",
    ANTHROPIC_AUTH_TOKEN: KEY,
    [OPUS]: "glm-4",
    API_TIMEOUT_MS: "9",
  };
  const noted = { env, preset: { name: "glm", as_of: "2026-01-01", env: { [OPUS]: "glm-4", API_TIMEOUT_MS: "1" } } };
  const PROVIDERS = {
    noted,
    guessed: { env },
    other: { env: { ANTHROPIC_BASE_URL: "https://x.test", ANTHROPIC_AUTH_TOKEN: KEY } },
  };

  async function update(args: string[], parts: Partial<World> = {}, before: object = PROVIDERS) {
    const content = { [CONFIG]: JSON.stringify({ providers: before }) };
    const { world, said, files } = fakeWorld({ argv: ["provider", "update", ...args], content, ...parts });
    const exitCode = await run(world);
    const { providers } = JSON.parse(files.read(CONFIG) ?? "");
    return { exitCode, ...said, providers, copies: files.list("/home/u/.claude/ccc/backups") };
  }

  const answering = (yes: boolean | undefined): Partial<World> => ({
    isTerminal: () => true,
    ask: { ...fakeWorld().world.ask, confirm: async (_, preset) => yes ?? preset },
  });

  describe("ccc provider update", () => {
    test("--check shows what differs, masks the key, changes nothing, and sets the exit code", async () => {
      const found = await update(["noted", "--check"]);
      expect(found).toMatchObject({ exitCode: 1, stderr: "", providers: PROVIDERS });
      expect(found.stdout).toMatch(/^noted: the preset glm has changed \(2026-01-01 → \d{4}-\d\d-\d\d\)$/m);
      expect(found.stdout).toMatch(/^ {2}~ +ANTHROPIC_DEFAULT_OPUS_MODEL +glm-4 → glm-\S+$/m);
      expect(found.stdout).toMatch(/^ {2}= +API_TIMEOUT_MS +9 stays, it is your own \(the preset has 3000000\)$/m);
      expect(found.stdout).not.toContain(KEY);
      const none = await update(["other", "--check"]);
      expect(none).toMatchObject({
        exitCode: 0,
        stdout: "other: not made from a preset, so there is nothing to update\n",
      });
    });

    test("--yes updates, keeps the key, the user's values and a copy of the file; then there is nothing left to do", async () => {
      const { exitCode, providers, stderr, copies } = await update(["noted", "--yes"]);
      expect({ exitCode, copies: copies.length }).toEqual({ exitCode: 0, copies: 1 });
      expect(stderr).toMatch(/^ccc: updated "noted" in \S+ccc\.json; the file as it was: \S+\/backups\/ccc-\S+\n/);
      expect(providers.noted.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: KEY, API_TIMEOUT_MS: "9" });
      expect(providers.noted.env[OPUS]).not.toBe("glm-4");
      const content = { [CONFIG]: JSON.stringify({ providers }) };
      const again = fakeWorld({ argv: ["provider", "update", "noted", "--check"], content });
      expect(await run(again.world)).toBe(0);
      expect(again.said.stdout).toContain("noted: up to date with the preset glm");
    });

    test("says from which preset and day, as far as that is known", async () => {
      const heading = async (provider: object) => {
        const { stdout } = await update(["glm", "--check"], {}, { glm: provider });
        return stdout.split("\n")[0];
      };
      const today = /\d{4}-\d\d-\d\d/.exec((await heading({ ...noted, preset: { name: "glm", env: {} } })) ?? "")?.[0];
      const of = (as_of?: string) => heading({ env, preset: { ...noted.preset, as_of } });
      expect(await of(today)).toBe(`glm: the preset glm has changed (${today})`);
      expect(await of()).toBe(`glm: the preset glm has changed (${today})`);
      expect(await heading({ env, preset: { ...noted.preset, name: "gone" } })).toBe(
        "glm: made from the preset gone, which this version of ccc does not have",
      );
      expect(await heading({ env })).toContain(
        "ccc cannot tell which values are your own: all that differ would change.",
      );
      const { providers } = await update(["guessed", "--yes"]);
      expect(await heading({ env: providers.guessed.env })).toBe(
        `glm: perhaps from the preset glm, which has the same server, and the same values (${today})`,
      );
    });

    test("--all --yes leaves guesses alone; by its name one is updated", async () => {
      const all = await update(["--all", "--yes"]);
      expect(all).toMatchObject({ exitCode: 0, providers: { guessed: PROVIDERS.guessed, other: PROVIDERS.other } });
      expect(all.stdout).toContain("guessed: perhaps from the preset glm");
      expect(all.stderr).toContain("ccc provider update guessed");
      const named = await update(["guessed", "--yes"]);
      expect(named.providers.guessed).toMatchObject({ env: { API_TIMEOUT_MS: "3000000" }, preset: { name: "glm" } });
    });

    test("on a terminal it asks", async () => {
      const declined = await update(["noted"], answering(false));
      expect(declined).toMatchObject({ exitCode: 130, providers: PROVIDERS });
      expect(declined.stderr).toContain("nothing was changed");
      expect((await update(["noted"], answering(undefined))).providers).not.toEqual(PROVIDERS);
      const agreed = await update(["--all"], answering(true));
      expect(agreed.exitCode).toBe(0);
      for (const name of ["noted", "guessed"]) expect(agreed.providers[name].preset.name).toBe("glm");
    });

    test("declining some of them is not an error, nor is having nothing to do", async () => {
      const answers = [true, false];
      const some = await update(["--all"], {
        isTerminal: () => true,
        ask: { ...fakeWorld().world.ask, confirm: async () => answers.shift() ?? false },
      });
      expect(some).toMatchObject({ exitCode: 0, providers: { guessed: PROVIDERS.guessed } });
      expect(some.providers.noted).not.toEqual(PROVIDERS.noted);
      expect(await update(["other"])).toMatchObject({ exitCode: 0, stderr: "", providers: PROVIDERS });
    });

    test.each([
      [["noted"], "pass --yes"],
      [["--all", "noted"], "--all cannot be combined with a provider"],
      [["noted", "--check", "--yes"], "--check cannot be combined with --yes"],
      [["gml"], "unknown provider"],
    ])("%j is a usage error", async (args, message) => {
      const found = await update(args);
      expect(found.stderr).toContain(message);
      expect(found).toMatchObject({ exitCode: 2, providers: PROVIDERS });
    });

    test("doctor warns of a provider that is behind its preset, and not of guesses", async () => {
      const { world, said } = fakeWorld({
        argv: ["doctor"],
        content: { [CONFIG]: JSON.stringify({ providers: PROVIDERS }) },
      });
      await run(world);
      const line = said.stdout.split("\n").findIndex((each) => each.includes("presets: noted: the preset has changed"));
      expect(
        said.stdout
          .split("\n")
          .slice(line, line + 2)
          .join(" "),
      ).toMatch(/^! presets: .*ccc provider update noted$/);
    });
  });
});
