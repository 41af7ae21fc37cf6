import { describe, expect, test } from "bun:test";
import { run } from "../../../../src/cli/run.ts";
import { shellTokens, wordPieces } from "../../../../src/text/shell.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles, memoryKeychain } from "../../fakes.ts";
import { scriptedAsk } from "./scripted-ask.ts";

describe("add", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const KEY = "sk-new-key-0123456789";
  const OLD = {
    env: { ANTHROPIC_BASE_URL: "https://old.test", ANTHROPIC_AUTH_TOKEN: "sk-old-key-0123456789", MINE: "1" },
  };
  const OWN = ["own", "--base-url", "https://llm.example.com"];
  const STDIN = ["--token-stdin", "--store", "file"];

  async function add(args: readonly string[], parts: Partial<World> = {}, config?: object) {
    const keychain = memoryKeychain();
    const content = config === undefined ? {} : { [CONFIG]: JSON.stringify(config) };
    const { world, said, files } = fakeWorld({
      argv: ["provider", "add", ...args],
      content,
      keychain,
      stdin: () => `${KEY}\n`,
      ...parts,
    });
    const exitCode = await run(world);
    expect(said.stdout + said.stderr).not.toContain(KEY);
    const { providers } = JSON.parse(files.read(CONFIG) ?? "{}");
    return { exitCode, ...said, providers, keychain: keychain.content };
  }

  /** A server that accepts one header alone, and what it was sent. */
  function server(accepts: Record<string, string>) {
    const sent: string[] = [];
    const fetch: World["fetch"] = async (url, { headers }) => {
      sent.push(url);
      const got = new Headers(headers as Record<string, string>);
      return Object.entries(accepts).every(([name, value]) => got.get(name) === value)
        ? Response.json({ type: "message", content: [] })
        : Response.json({ error: { type: "authentication_error", message: "no" } }, { status: 401 });
    };
    return { fetch, sent };
  }

  const isTerminal = () => true;

  describe("ccc provider add, in a script", () => {
    test("adds what the flags say, and says where the key is and what comes next", async () => {
      const found = await add([...OWN, ...STDIN]);
      expect(found).toMatchObject({ exitCode: 0, stdout: "", keychain: {} });
      expect(found.providers).toEqual({
        own: { env: { ANTHROPIC_BASE_URL: "https://llm.example.com", ANTHROPIC_AUTH_TOKEN: KEY } },
      });
      expect(found.stderr).toBe(
        `ccc: added "own" to ${CONFIG}; its key is in ccc.json, which only you can read\n` +
          "ccc: to check it: ccc validate own; to start it: ccc own\n",
      );
    });

    test("a vendor's name that is no preset's leads to one", async () => {
      expect((await add(["zai", ...STDIN])).stderr).toContain('unknown preset "zai": did you mean "glm"?');
    });

    test("takes a name from the server, a reference, and a key as x-api-key", async () => {
      const env = { HOME: "/home/u", PATH: "/bin", SOME_KEY: KEY };
      const { providers } = await add([...OWN.slice(1), "--x-api-key", "--token-ref", "env:SOME_KEY"], { env });
      expect(providers).toEqual({
        llm: { env: { ANTHROPIC_BASE_URL: "https://llm.example.com", ANTHROPIC_API_KEY: "env:SOME_KEY" } },
      });
    });

    test("asks nothing and sends nothing, even if the server needs no key", async () => {
      const found = await add(["ollama", "--model", "qwen3"]);
      expect(found).toMatchObject({ exitCode: 0, providers: { ollama: { env: { ANTHROPIC_MODEL: "qwen3" } } } });
    });

    test("the full system prompt only if asked for", async () => {
      const prompt = "CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT";
      expect((await add(["glm", ...STDIN])).providers.glm.env).not.toHaveProperty(prompt);
      expect((await add(["glm", ...STDIN, "--full-system-prompt"])).providers.glm.env).toHaveProperty(prompt, "0");
    });

    test("warns of a model whose context window is not known", async () => {
      const warning = "Claude Code assumes a context window of 1M tokens for some-model";
      const model = [...OWN, ...STDIN, "--model", "some-model"];
      expect((await add(model)).stderr).toContain(warning);
      expect((await add([...model, "--context-window", "200000"])).stderr).not.toContain(warning);
    });

    test("the command for another context window, model or address does that and changes nothing else", async () => {
      const own = [...OWN, "--model", "some-model"];
      const reference = ["--token-ref", "cmd:pass show own"];
      const kimi = ["work", "--preset", "kimi", "--base-url", "https://llm.example.com"];
      const more = ["--model", "m", "--context-window", "100000", "--full-system-prompt"];
      for (const [args, placeholder, value, variable] of [
        [[...own, ...STDIN], "TOKENS", "200000", "CLAUDE_CODE_MAX_CONTEXT_TOKENS"],
        [
          [...own, ...reference, "--x-api-key", "--full-system-prompt"],
          "TOKENS",
          "200000",
          "CLAUDE_CODE_MAX_CONTEXT_TOKENS",
        ],
        [["kimi", ...kimi.slice(3), ...STDIN], "MODEL", "m", "ANTHROPIC_MODEL"],
        [["x", "--base-url", "https://llm.example.com/v1", ...STDIN], "URL", "https://b.test", "ANTHROPIC_BASE_URL"],
        [["x", "--base-url", "https://x.test/v1", ...more, ...STDIN], "URL", "https://b.test", "ANTHROPIC_BASE_URL"],
        [[...kimi, "--model", "some-model", ...STDIN], "TOKENS", "200000", "CLAUDE_CODE_MAX_CONTEXT_TOKENS"],
      ] as const) {
        const { stderr, providers } = await add(args);
        const [, line = ""] = /^ {2}ccc provider add (.+)$/m.exec(stderr) ?? [];
        expect(line).toEndWith(` ${placeholder}`);
        const words = shellTokens(line.replace(placeholder, value)).filter(({ kind }) => kind === "word");
        const pasted = words.map(({ raw }) =>
          wordPieces(raw)
            .map((piece) => piece.text)
            .join(""),
        );
        const again = await add(pasted, {}, { providers });
        const [[name, before]] = Object.entries(providers) as [
          [string, { env: Record<string, string>; preset?: object }],
        ];
        expect(again.exitCode).toBe(0);
        const others = (env: Record<string, string>) =>
          Object.entries(env).filter(
            ([key]) => key !== variable && (variable !== "ANTHROPIC_MODEL" || !/MODEL/.test(key)),
          );
        const { env } = again.providers[name];
        expect(env[variable]).toBe(value);
        expect(others(env)).toEqual(others(before.env));
        expect(again.providers[name].preset).toEqual(before.preset);
      }
    });

    test("that command is on one line, in a narrow terminal too: pasted in two, it would run without its end", async () => {
      const { stderr } = await add([...OWN, "--model", "some-model", ...STDIN], {
        isTerminal: (fd) => fd === 2,
        columns: () => 40,
      });
      expect(Bun.stripANSI(stderr)).toMatch(
        /^ {2}ccc provider add own .* --model some-model .* --context-window TOKENS$/m,
      );
    });

    test("that command keeps the store of the key", async () => {
      expect((await add([...OWN, "--model", "some-model", ...STDIN])).stderr).toContain(
        " --store file --context-window",
      );
      expect((await add([...OWN, "--model", "some-model", "--token-stdin"])).stderr).not.toContain("--store");
    });

    test("that command leaves out a reference that may contain a key, and does not save it masked", async () => {
      const reference = "cmd:curl -H 'Authorization: Bearer sk-12345678901234567890' https://keys.test";
      const { stderr } = await add([...OWN, "--model", "some-model", "--token-ref", reference]);
      expect(stderr).toContain(" --token-ref REF ");
      expect(stderr).not.toContain("sk-1234567890");
    });

    test("warns of an address in OpenAI's format", async () => {
      for (const path of ["/v1", "/openai/v1/chat/completions"]) {
        const { stderr } = await add(["x", "--base-url", `https://llm.example.com${path}`, ...STDIN]);
        expect(stderr).toContain(`requests will go to https://llm.example.com${path}/v1/messages`);
      }
    });

    test("warns of an address of one of the Messages API's own paths, and says of none that it was corrected", async () => {
      for (const path of ["/messages", "/v1/messages/count_tokens", "/v1//messages"]) {
        const { stderr } = await add(["x", "--base-url", `https://llm.example.com${path}`, ...STDIN]);
        expect(stderr).toContain(`requests will go to https://llm.example.com${path}/v1/messages`);
        expect(stderr).not.toContain("its address is");
      }
    });

    test("says which models a preset's name with another address has, and which address remains", async () => {
      const address = ["--base-url", "https://llm.example.com/v1/messages"];
      const { stderr, providers } = await add(["glm", ...address, ...STDIN]);
      const { ANTHROPIC_DEFAULT_OPUS_MODEL: model, ANTHROPIC_BASE_URL: base } = providers.glm.env;
      expect([typeof model, base]).toEqual(["string", "https://llm.example.com"]);
      expect(stderr).toContain(`ccc: its models are those of the preset glm: ${model}`);
      expect(stderr).toContain("its address is https://llm.example.com, because Claude Code adds /v1/messages itself");
      expect(stderr).not.toContain("requests will go to");
      for (const args of [["glm"], ["glm", ...address, "--model", "m"], ["glm", "--preset", "glm", ...address], OWN])
        expect((await add([...args, ...STDIN])).stderr).not.toContain("its models are");
    });

    test("a name that differs from another one only in case is refused before anything is asked", async () => {
      const asked = await add(["OWN"], { isTerminal: () => true }, { providers: { own: OLD } });
      expect(asked).toMatchObject({ exitCode: 1, providers: { own: OLD } });
      expect(asked.stderr).toStartWith('ccc: provider "own" already exists; nothing was changed\n');
      const replaced = await add(["OWN", "--replace"], { isTerminal: () => true }, { providers: { own: OLD } });
      expect(replaced.stderr).toContain("To replace it: ccc provider add own --replace\n");
    });

    test("keeps a provider that exists, unless --replace is passed", async () => {
      const refused = await add([...OWN, ...STDIN], {}, { providers: { own: OLD } });
      expect(refused).toMatchObject({ exitCode: 1, providers: { own: OLD } });
      expect(refused.stderr).toStartWith('ccc: provider "own" already exists; nothing was changed\n');
      const replaced = await add([...OWN, ...STDIN, "--replace"], {}, { providers: { own: OLD } });
      expect(replaced.providers.own.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: KEY, MINE: "1" });
      expect(replaced.stderr).toStartWith(`ccc: replaced "own" in ${CONFIG}; its key is `);
    });

    test("needs the key from one place", async () => {
      const both = await add([...OWN, "--token-stdin", "--token-ref", "env:K"]);
      expect(both).toMatchObject({ exitCode: 2, providers: undefined });
      expect(both.stderr).toContain("--token-stdin cannot be combined with --token-ref");
      const none = await add(OWN);
      expect(none).toMatchObject({ exitCode: 2, providers: undefined });
      expect(none.stderr).toContain("the key is missing");
    });
  });

  describe("ccc provider add, at a terminal", () => {
    const refused = "✗  https://llm.example.com rejects the key";

    test("tests what was entered before it is saved", async () => {
      const { fetch, sent } = server({ authorization: `Bearer ${KEY}` });
      const { ask } = scriptedAsk({ Model: "", "API key": KEY });
      const found = await add([...OWN, "--store", "file"], { isTerminal, ask, fetch });
      expect(found).toMatchObject({ exitCode: 0, providers: { own: { env: { ANTHROPIC_AUTH_TOKEN: KEY } } } });
      expect(sent).toHaveLength(1);
      expect(Bun.stripANSI(found.stderr)).toMatch(/^│ {2}testing it…\n✓ {2}.*\nccc: added /);
    });

    test("the result of the test begins beside its sign, in a narrow terminal too", async () => {
      const { ask } = scriptedAsk({ Model: "", "API key": KEY, "What now?": "save" });
      const parts = { isTerminal, ask, fetch: server({ authorization: "none" }).fetch, columns: () => 60 };
      const lines = Bun.stripANSI((await add([...OWN, "--store", "file"], parts)).stderr).split("\n");
      expect(lines[1]).toStartWith(refused);
      const end = lines.findIndex((line) => line.startsWith("ccc: "));
      for (const line of lines.slice(2, end)) expect(line).toMatch(/^ {3}\S.{0,56}$/);
    });

    test("a key is not taken for an address", async () => {
      const asked = { "Provider (type": "another server", "Base URL": [KEY, "https://llm.example.com"] };
      const { ask, said } = scriptedAsk({ ...asked, "Name (you": "own", Model: "", "API key": KEY });
      const { fetch } = server({});
      expect((await add(["--store", "file"], { isTerminal, ask, fetch })).exitCode).toBe(0);
      expect(said).toContain("rejected: this looks like a key: ccc asks for that later, and hides it");
    });

    test("has nothing to test if the provider uses a login", async () => {
      const { fetch, sent } = server({});
      const found = await add(["anthropic"], { isTerminal, ask: scriptedAsk({}).ask, fetch });
      expect(found).toMatchObject({ exitCode: 0, providers: { anthropic: {} } });
      expect(found.stderr).toStartWith("ccc: added ");
      expect(sent).toEqual([]);
    });

    test("does not test a reference: its command may ask for a password", async () => {
      const { fetch, sent } = server({});
      const { ask } = scriptedAsk({ Model: "" });
      const found = await add([...OWN, "--token-ref", "cmd:pass show own"], { isTerminal, ask, fetch });
      expect(found.providers.own.env.ANTHROPIC_AUTH_TOKEN).toBe("cmd:pass show own");
      expect(sent).toEqual([]);
    });

    test("a key that is refused is asked for again, not saved", async () => {
      const { fetch } = server({ authorization: `Bearer ${KEY}` });
      const { ask, said } = scriptedAsk({ Model: "", "API key": ["sk-wrong-0123456789", KEY], "What now?": "again" });
      const found = await add([...OWN, "--store", "file"], { isTerminal, ask, fetch });
      expect(Bun.stripANSI(found.stderr)).toContain(refused);
      expect(found.stderr).toContain("\n   Check that the key is complete");
      expect(found.providers.own.env.ANTHROPIC_AUTH_TOKEN).toBe(KEY);
      expect(said).toEqual([
        "Model (empty if the server accepts Claude's model names):",
        "API key (hidden):",
        "What now?",
        "again: enter the key again",
        "header: send it as x-api-key: some servers accept only that",
        "model: another model",
        "address: another address",
        "save: save it anyway",
        "stop: cancel",
        "API key (hidden):",
      ]);
    });

    test("some servers accept only the other header", async () => {
      const { fetch, sent } = server({ "x-api-key": KEY });
      const { ask } = scriptedAsk({ Model: "", "API key": KEY, "What now?": "header" });
      const found = await add([...OWN, "--store", "file"], { isTerminal, ask, fetch });
      expect(found.providers.own.env).toEqual({
        ANTHROPIC_BASE_URL: "https://llm.example.com",
        ANTHROPIC_API_KEY: KEY,
      });
      expect(sent).toHaveLength(2);
      // There is no third header.
      const neither = scriptedAsk({ Model: "", "API key": KEY, "What now?": ["header", "stop"] });
      await add(OWN, { isTerminal, ask: neither.ask, fetch: server({ "x-api-key": "another" }).fetch });
      expect(neither.said.filter((line) => line.startsWith("header:"))).toHaveLength(1);
    });

    test("saving it anyway, and cancelling", async () => {
      const { fetch } = server({ authorization: "Bearer another" });
      const answers = { Model: "", "API key": KEY };
      const { ask: save } = scriptedAsk({ ...answers, "What now?": "save" });
      const saved = await add([...OWN, "--store", "file"], { isTerminal, ask: save, fetch });
      expect(saved).toMatchObject({ exitCode: 0, providers: { own: { env: { ANTHROPIC_AUTH_TOKEN: KEY } } } });
      const { ask: stop } = scriptedAsk({ ...answers, "What now?": "stop" });
      const stopped = await add(OWN, { isTerminal, ask: stop, fetch });
      expect(stopped).toMatchObject({ exitCode: 130, providers: undefined, keychain: {} });
      expect(stopped.stderr).toContain("cancelled; nothing was changed");
    });

    test("a server that does not answer is tried again with the same key", async () => {
      const { fetch } = server({ authorization: `Bearer ${KEY}` });
      let isDown = true;
      const { ask, said } = scriptedAsk({ Model: "", "API key": KEY, "What now?": "again" });
      const found = await add([...OWN, "--store", "file"], {
        isTerminal,
        ask,
        fetch: (url, options) => {
          if (!isDown) return fetch(url, options);
          isDown = false;
          return Promise.resolve(new Response("", { status: 404 }));
        },
      });
      expect(found.providers.own.env.ANTHROPIC_AUTH_TOKEN).toBe(KEY);
      expect(said).toContain("again: try again");
      expect(said.filter((line) => line.startsWith("API key"))).toHaveLength(1);
    });
  });
});

describe("first run", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const SETTINGS = "/home/u/.claude/settings.json";
  const NONE = `ccc: ${CONFIG} has no provider yet\n`;
  const MIGRATE = "ccc: your settings.json already has a provider; to use it with ccc: ccc migrate\n";
  const ADDED = { "API key": "sk-0123456789abcdef" };

  async function first(
    argv: string[],
    answers: Parameters<typeof scriptedAsk>[0] = {},
    parts: Partial<World> = {},
    content: Record<string, string> = {},
  ) {
    const { ask, said: asked } = scriptedAsk(answers);
    const { world, said, ran, files } = fakeWorld({
      argv,
      content,
      isTerminal: () => true,
      ask,
      fetch: async () => Response.json({ type: "message", content: [] }),
      ...parts,
    });
    const exitCode = await run(world);
    const { providers } = JSON.parse(files.read(CONFIG) ?? "{}");
    return { exitCode, ...said, asked, providers, ran: ran.map(({ file }) => file) };
  }

  describe("on a new machine, at a terminal,", () => {
    test("ccc offers to add a provider, and starts it", async () => {
      const found = await first([], { "Add one now?": "", "Provider (": "glm", Name: "", ...ADDED });
      expect(found).toMatchObject({ exitCode: 0, ran: ["/bin/claude"] });
      expect(Object.keys(found.providers)).toEqual(["glm"]);
      expect(found.stderr).toStartWith(NONE);
      expect(found.stderr).toContain("ccc: starting glm; next time: ccc glm\n");
      expect(found.stderr).not.toContain(MIGRATE);
    });

    test("the name of a preset says which one, also after options", async () => {
      for (const argv of [["kimi"], ["--supervisor", "kimi"]]) {
        const { asked } = await first(argv, { "Set up kimi (": "yes", ...ADDED });
        expect(asked[0]).toStartWith("Set up kimi (");
        expect(asked[1]).toBe("API key (hidden):");
      }
    });

    test("a name of the user's own is that of the provider, so that what was typed starts it", async () => {
      const answers = { 'Add one named "work" now?': "", "Provider (": "kimi", ...ADDED };
      const found = await first(["work", "-p", "hi"], answers);
      expect(found).toMatchObject({ exitCode: 0, ran: ["/bin/claude"] });
      expect(Object.keys(found.providers)).toEqual(["work"]);
    });

    test("a link to ccc says which one, and what follows is a prompt", async () => {
      const found = await first(
        ["fix"],
        { 'Add one named "work" now?': "", "Provider (": "kimi", ...ADDED },
        { name: "ccc-work" },
      );
      expect(found).toMatchObject({ exitCode: 0, ran: ["/bin/claude"] });
      expect(Object.keys(found.providers)).toEqual(["work"]);
      const preset = await first(["fix"], { "Set up kimi (": "no" }, { name: "ccc-kimi" });
      expect(preset.asked).toEqual([expect.stringMatching(/^Set up kimi \(/)]);
    });

    test("neither a prompt nor a command of claude is a name", async () => {
      for (const argv of [["fix it"], ["-p", "hi"], ["mcp", "list"]])
        expect((await first(argv, { "Add one now?": "no" })).asked).toEqual(["Add one now?"]);
    });

    test("what another ccc has added meanwhile is not replaced", async () => {
      const theirs = JSON.stringify({ providers: { glm: { env: { ANTHROPIC_MODEL: "theirs" } } } });
      const files = memoryFiles({ "/bin/claude": "claude", "/self/ccc": "ccc" });
      const fetch = async () => {
        files.writePrivate(CONFIG, theirs);
        return Response.json({ type: "message", content: [] });
      };
      const found = await first(["glm"], { "Set up glm (": "yes", ...ADDED }, { files, fetch });
      expect(found).toMatchObject({ exitCode: 1, ran: [] });
      expect(found.stderr).toContain('provider "glm" already exists; nothing was changed');
      expect(files.read(CONFIG)).toBe(theirs);
    });

    test("nothing happens to a user who declines", async () => {
      const found = await first([], { "Add one now?": "no" });
      expect(found).toMatchObject({ exitCode: 1, ran: [], providers: undefined });
      expect(found.stderr).toEndWith("ccc: nothing was changed\nTo add a provider later: ccc provider add\n");
    });

    test("nothing is asked if there is no claude to start", async () => {
      const found = await first([], {}, { env: { HOME: "/home/u", PATH: "/nowhere" } });
      expect(found).toMatchObject({ asked: [], ran: [], providers: undefined });
      expect(found.exitCode).not.toBe(0);
    });

    describe("a provider in settings.json is pointed out:", () => {
      const table: [name: string, env: object, isOne: boolean][] = [
        ["a server", { ANTHROPIC_BASE_URL: "https://glm.test" }, true],
        ["a key", { MINE: "1", ANTHROPIC_API_KEY: "k" }, true],
        ["not a model", { ANTHROPIC_MODEL: "opus" }, false],
        ["not a blank", { ANTHROPIC_API_KEY: "" }, false],
        ["not a variable of the user's own", { MINE: "1" }, false],
      ];
      for (const [name, env, isOne] of table)
        test(name, async () => {
          const content = { [SETTINGS]: JSON.stringify({ env }) };
          const { stderr } = await first([], { "Add one now?": "no" }, {}, content);
          expect(stderr.startsWith(NONE + MIGRATE)).toBe(isOne);
        });
    });
  });

  describe("nothing is offered", () => {
    const table: [name: string, argv: string[], parts: Partial<World>][] = [
      ["without a terminal", [], { isTerminal: () => false }],
      ["to a command that does not start claude", ["validate"], {}],
    ];
    for (const [name, argv, parts] of table)
      test(name, async () => {
        const found = await first(argv, {}, parts);
        expect(found).toMatchObject({ asked: [], ran: [], providers: undefined });
        expect(found.exitCode).not.toBe(0);
        expect(found.stderr).toContain("ccc provider add");
      });
  });
});

describe("a change of the provider that plain claude uses says how to pass it on:", () => {
  const GLM = {
    env: { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "old", OLD: "1" },
    preset: { name: "glm", as_of: "2025-01-01", env: { OLD: "1" } },
  };
  const RECORD = { version: 1, supervised: false, since: "", settings: "", original: null, states: [] };

  async function changed(argv: readonly string[], used: string): Promise<string> {
    const content = {
      "/home/u/.claude/ccc.json": JSON.stringify({ providers: { glm: GLM } }),
      "/home/u/.claude/ccc/use.json": JSON.stringify({ ...RECORD, provider: used }),
    };
    const { world, said } = fakeWorld({ argv: ["provider", ...argv], content, stdin: () => "new-key\n" });
    expect(await run(world)).toBe(0);
    return said.stderr;
  }

  test.each([
    "set-key glm --token-stdin --store file",
    "add glm --token-stdin --store file --replace",
    "update glm --yes",
  ])("%s", async (line) => {
    const argv = line.split(" ");
    expect(await changed(argv, "glm")).toContain('plain claude uses "glm", too; to update it: ccc use glm\n');
    expect(await changed(argv, "other")).not.toContain("plain claude");
  });
});
