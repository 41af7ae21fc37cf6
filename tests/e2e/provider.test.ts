import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import {
  CCC,
  credentials,
  killWhenChanged,
  newPlace,
  newSandbox,
  PLAIN_ENV,
  type Place,
  provider,
  settledIn,
} from "../harness.ts";
import { newScreen } from "../screen.ts";

const KEY = "sk-of-a-new-user-0123456789";

async function configOf(place: Place) {
  return JSON.parse(await readFile(place.at(".claude/ccc.json"), "utf8"));
}

describe("a first provider", () => {
  test("is added and used in two commands, and only the owner can read its key", async () => {
    await using sandbox = newSandbox();
    await using place = await newPlace();
    const flags = [
      "--base-url",
      sandbox.url,
      "--model",
      "some-model",
      "--context-window",
      "200000",
      "--token-stdin",
      "--store",
      "file",
    ];
    const added = await place.ccc(["provider", "add", "mine", ...flags], { stdin: `${KEY}\n` });
    expect(added).toMatchObject({ exitCode: 0, stdout: "" });
    expect(added.stderr).toContain("to start it: ccc mine");
    expect(added.stderr).not.toContain(KEY);
    expect((await stat(place.at(".claude/ccc.json"))).mode & 0o777).toBe(0o600);
    expect(await place.ccc(["mine", "-p", "hi"])).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    for (const sent of credentials(sandbox)) expect(sent.bearer).toBe(`Bearer ${KEY}`);
    expect(sandbox.received[0]?.body.tools?.map(({ name }) => name)).not.toContain("ToolSearch");
    expect(new Set(sandbox.received.map(({ body }) => body.model))).toEqual(new Set(["some-model"]));
  });

  test("is added by answering questions on a terminal; a refused key is asked for again", async () => {
    await using sandbox = newSandbox(({ headers }) =>
      headers.authorization === `Bearer ${KEY}` ? { say: "hello new user" } : { fail: 401, message: "no such key" },
    );
    await using place = await newPlace();
    await settledIn(place);
    await using screen = newScreen([CCC, "-p", "hi"], { cwd: place.project, env: place.env });
    await screen.shows("Add one now?");
    screen.type("\r");
    await screen.shows("Provider (type to search)");
    screen.type("another server");
    await screen.shows("(1 match)");
    screen.type("\r");
    await screen.shows("Base URL of its Anthropic API");
    screen.type("nonsense\r");
    await screen.shows("must begin with https://");
    screen.type(`\x15${sandbox.url}\r`);
    await screen.shows("Name (you will type: ccc NAME)");
    screen.type("mine\r");
    await screen.shows("Model (empty if");
    screen.type("\r");
    await screen.shows("API key (hidden");
    screen.type("sk-not-this-one-0123456789\r");
    await screen.shows("rejects the key");
    // Input before the question appears is lost.
    await screen.shows("enter the key again");
    screen.type("\r");
    await screen.shows(/API key \(hidden[\s\S]*API key \(hidden/);
    screen.type(`${KEY}\r`);
    await screen.shows("hello new user");
    expect(await screen.exited).toBe(0);
    expect(screen.history()).not.toContain(KEY);
    expect(screen.history()).not.toContain("sk-not-this-one");
    expect((await configOf(place)).providers.mine.env.ANTHROPIC_AUTH_TOKEN).toBe(KEY);
  });

  test("a provider is found by its Chinese name", async () => {
    await using place = await newPlace();
    await using screen = newScreen([CCC, "provider", "add"], { cwd: place.project, env: place.env });
    await screen.shows("Provider (type to search)");
    screen.type("智谱");
    await screen.shows("(2 matches)");
    await screen.shows("glm-cn · GLM");
    screen.type("\x03");
    expect(await screen.exited).toBe(130);
  });

  test("Ctrl-C at any question leaves nothing behind", async () => {
    await using place = await newPlace();
    await using screen = newScreen([CCC, "provider", "add", "glm"], { cwd: place.project, env: place.env });
    await screen.shows("API key (hidden");
    screen.type("sk-half\x03");
    await screen.shows("nothing was changed");
    expect(await screen.exited).toBe(130);
    expect(await readdir(place.at(".claude"))).toEqual([]);
  });
});

describe("provider add", () => {
  test("--x-api-key and --full-system-prompt reach the server", async () => {
    await using sandbox = newSandbox();
    await using place = await newPlace();
    const add = (name: string, flags: string[]) =>
      place.ccc(["provider", "add", name, "--base-url", sandbox.url, "--model", "m", ...flags, "--token-stdin"], {
        stdin: KEY,
      });
    const plain = await add("plain", []);
    expect(plain.stderr).toContain("Claude Code assumes a context window of 1M tokens for m");
    const full = await add("full", ["--x-api-key", "--full-system-prompt", "--context-window", "200000"]);
    expect(full.stderr).not.toContain("context window");
    for (const name of ["plain", "full"]) expect(await place.ccc([name, "-p", "hi"])).toMatchObject({ exitCode: 0 });
    const [short, long] = sandbox.received.map(({ body }) => JSON.stringify(body.system).length);
    // As docs/providers.md says: about 21 kB, or 5,000 tokens.
    expect((long ?? 0) - (short ?? 0)).toBeWithin(15_000, 30_000);
    expect(sandbox.received.at(-1)?.headers["x-api-key"]).toBe(KEY);
  });

  test("a key as an argument is refused and not repeated", async () => {
    await using place = await newPlace();
    for (const args of [["--token", KEY], [`--api-key=${KEY}`], [KEY]]) {
      const result = await place.ccc(["provider", "add", "glm", ...args]);
      expect(result).toMatchObject({ exitCode: 2, stdout: "" });
      expect(result.stderr).not.toContain(KEY);
    }
    expect(await readdir(place.at(".claude"))).toEqual([]);
  });

  test("without a terminal it says what is missing", async () => {
    await using place = await newPlace();
    const result = await place.ccc(["provider", "add", "glm"]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("the key is missing");
    expect(result.stderr).toContain("--token-stdin");
  });

  test("many at once are all saved", async () => {
    await using place = await newPlace();
    await place.config({ mine: [1], providers: { first: {} } });
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const add = (name: string) => place.ccc(["provider", "add", name, "--preset", "glm", "--token-ref", `env:${name}`]);
    const results = await Promise.all(names.map(add));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const config = await configOf(place);
    expect(Object.keys(config.providers).sort()).toEqual(["first", ...names]);
    expect(config.mine).toEqual([1]);
  });

  test("of two with the same name, one wins and the other fails", async () => {
    await using place = await newPlace();
    const add = (name: string) => place.ccc(["provider", "add", "glm", "--token-ref", `env:${name}`]);
    const results = await Promise.all([add("A"), add("B")]);
    expect(results.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    expect(results.map(({ stderr }) => stderr).join("")).toContain('provider "glm" already exists');
  });

  test("killed at any moment, it leaves the old file or the new one", async () => {
    await using place = await newPlace();
    const before = { providers: { first: provider({ url: "http://127.0.0.1:9" }, "x".repeat(2000)) } };
    await place.config(before);
    const path = place.at(".claude/ccc.json");
    let looks = 0;
    const moments = [
      () => looks++,
      () => existsSync(`${path}.lock`),
      () => readdirSync(place.at(".claude")).join(),
      () => readFileSync(path, "utf8"),
    ];
    const keys = new Set<string>();
    for (let round = 0; round < 24; round++) {
      const args = ["provider", "add", "glm", "--replace", "--token-ref", `env:KEY_${round}`];
      await killWhenChanged(() => place.start(args), moments[round % moments.length] ?? (() => looks++));
      const { providers } = await configOf(place);
      expect(providers.first).toEqual(before.providers.first);
      keys.add(providers.glm?.env.ANTHROPIC_AUTH_TOKEN ?? "none");
    }
    // Some were killed before the write, some after it, and none in between.
    expect(keys).toContain("none");
    expect(keys.size).toBeGreaterThan(2);
    for (const key of keys) expect(key).toMatch(/^(none|env:KEY_\d+)$/);
    expect(await place.ccc(["provider", "add", "glm", "--replace", "--token-ref", "env:LAST"])).toMatchObject({
      exitCode: 0,
    });
    expect((await configOf(place)).providers.glm.env.ANTHROPIC_AUTH_TOKEN).toBe("env:LAST");
    expect((await readdir(place.at(".claude"))).filter((name) => name !== "ccc")).toEqual(["ccc.json"]);
  });
});

describe("provider show, list and remove", () => {
  const config = {
    current_provider: "glm",
    providers: {
      glm: provider({ url: "https://glm.example" }, KEY),
      kimi: provider({ url: "https://k.example" }, "env:K"),
    },
    supervisor: { provider: "kimi" },
  };

  test("list marks current and reviewer, and shows no more than the end of a key", async () => {
    await using place = await newPlace();
    await place.config(config);
    const { stdout } = await place.ccc(["provider", "list"]);
    expect(stdout).toMatch(/^\* glm \(current\) +https:\/\/glm\.example .* \*\*\*6789$/m);
    expect(stdout).toMatch(/^ {2}kimi \(reviewer\) +https:\/\/k\.example .* env:K$/m);
    const shown = await place.ccc(["provider", "show", "glm"]);
    expect(shown.stdout).toContain("***6789");
    expect(stdout + shown.stdout).not.toContain(KEY);
    expect(await place.ccc(["provider", "show", "gml"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("remove asks, and deletes the generated files", async () => {
    await using place = await newPlace();
    await place.standIn("true");
    await place.config(config);
    await place.ccc(["use", "glm"]);
    const used = await place.ccc(["provider", "remove", "glm", "--yes"]);
    expect(used).toMatchObject({ exitCode: 1, stdout: "" });
    expect(used.stderr).toContain("ccc use --reset");
    await place.ccc(["use", "--reset"]);
    const generated = async () =>
      (await readdir(place.at(".claude/ccc"))).filter((name) => name.startsWith("settings-")).sort();
    await place.ccc(["glm"]);
    await place.ccc(["glm"], { env: PLAIN_ENV });
    expect(await generated()).toEqual([
      expect.stringMatching(/^settings-glm~terminal\+\w+\.json$/),
      "settings-glm~terminal.json",
    ]);
    expect(await place.ccc(["provider", "remove", "glm"])).toMatchObject({ exitCode: 2 });
    await using screen = newScreen([CCC, "provider", "remove", "glm"], { cwd: place.project, env: place.env });
    await screen.shows('Remove "glm"');
    screen.type("y");
    expect(await screen.exited).toBe(0);
    expect(await generated()).toEqual([]);
    expect(await configOf(place)).toEqual({
      providers: { kimi: config.providers.kimi },
      supervisor: config.supervisor,
    });
    const reviewer = await place.ccc(["provider", "remove", "kimi", "--yes"]);
    expect(reviewer).toMatchObject({ exitCode: 1 });
    expect(reviewer.stderr).toContain("supervisor.provider");
  });

  test("presets are listed as text and as JSON", async () => {
    await using place = await newPlace();
    expect((await place.ccc(["provider", "presets"])).stdout).toMatch(/^glm +GLM.*https:\/\/api\.z\.ai/m);
    const presets = JSON.parse((await place.ccc(["provider", "presets", "--json"])).stdout);
    expect(presets.find(({ name }: { name: string }) => name === "kimi")).toMatchObject({
      base_url: expect.stringMatching(/^https:/),
      source: expect.stringMatching(/^https:/),
      token_default: null,
    });
  });
});
