import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../../src/errors.ts";
import { fingerprint, killWhenChanged, newPlace, newSandbox, type Place, provider } from "../harness.ts";

const settingsOf = (place: Place) => place.at(".claude/settings.json");
const textOf = (place: Place) => readFile(settingsOf(place), "utf8");

describe("a provider in settings.json", () => {
  test("is shown, and without --yes nothing changes", async () => {
    await using place = await newPlace();
    await place.write(settingsOf(place), provider({ url: "http://127.0.0.1:1" }, "a-secret-of-some-length"));
    const before = await fingerprint(place);
    const result = await place.ccc(["migrate"]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain('Save it as "local"');
    expect(result.stdout).toContain("Nothing was changed. To apply this: ccc migrate --yes");
    expect(result.stdout).not.toContain("a-secret-of-some");
    expect(await fingerprint(place)).toBe(before);
  });

  test("becomes a provider in ccc.json that can be launched, and the rest of the file stays as it is", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    const env = `"A": "1", "ANTHROPIC_BASE_URL": "${glm.url}", "ANTHROPIC_AUTH_TOKEN": "t"`;
    await place.write(settingsOf(place), `{\n\t"theme": "dark",\n\t"env": { ${env} },\n\t"b": [1,2]\n}`);
    const old = { other: provider({ url: "http://127.0.0.1:1" }, "o") };
    await place.config({ providers: old });

    expect(await place.ccc(["migrate", "--yes", "--name", "mine"])).toMatchObject({ exitCode: 0 });

    expect(await textOf(place)).toBe('{\n\t"theme": "dark",\n\t"env": { "A": "1" },\n\t"b": [1,2]\n}');
    expect((await Bun.file(place.at(".claude/ccc.json")).json()).providers).toEqual({
      ...old,
      mine: provider(glm, "t"),
    });
    expect((await stat(place.at(".claude/ccc.json"))).mode & 0o777).toBe(0o600);
    const copies = await readdir(place.at(".claude/ccc/backups"));
    expect(copies.map((name) => name.replace(/-2.*/, "")).sort()).toEqual(["ccc", "settings"]);
    expect(await place.ccc(["mine", "-p", "hi"])).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect((await place.ccc(["migrate", "--yes"])).stdout).toBe("Nothing to migrate.\n");
  });

  test("a name that is taken or invalid is refused before anything changes", async () => {
    await using place = await newPlace();
    await place.write(settingsOf(place), provider({ url: "http://127.0.0.1:1" }, "t"));
    await place.config({ providers: { mine: provider({ url: "http://127.0.0.1:2" }, "o") } });
    const before = await textOf(place);
    expect((await place.ccc(["migrate", "--yes", "--name", "mine"])).stderr).toContain(
      'provider "mine" already exists',
    );
    expect(await place.ccc(["migrate", "--yes", "--name", "use"])).toMatchObject({ exitCode: 2 });
    expect(await textOf(place)).toBe(before);
  });

  test("one that `ccc use` wrote is ccc's own", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:1" }, "t") } });
    await place.ccc(["use", "--supervisor", "glm"]);
    expect((await place.ccc(["migrate", "--yes"])).stdout).toBe("Nothing to migrate.\n");
  });
});

describe("what the Go ccc left", () => {
  test("its hook, slash commands and claude script are removed; the user's stay", async () => {
    await using place = await newPlace();
    const mine = { hooks: [{ type: "command", command: "true" }] };
    const theirs = { hooks: [{ type: "command", command: "/usr/local/bin/ccc supervisor-hook", timeout: 600 }] };
    await place.write(settingsOf(place), { hooks: { Stop: [theirs, mine] }, disableAllHooks: false });
    const slash = (name: string, text: string) => place.write(place.at(".claude/commands", name), text);
    await slash("supervisor.md", "---\ndescription: Enable\n---\n$ARGUMENTS!`/usr/local/bin/ccc supervisor-mode on`\n");
    await slash("supervisoroff.md", "$ARGUMENTS!`/usr/local/bin/ccc supervisor-mode off`\n");
    await slash("supervisor-mine.md", "Look at what the supervisor of ccc said.\n");
    const [claude, real] = [join(place.bin, "claude"), join(place.bin, "ccc-claude")];
    await rename(claude, real);
    await place.standIn(`export CCC_CLAUDE=${real}\nexec ccc "$@"`);

    const result = await place.ccc(["migrate", "--yes"]);

    expect(result).toMatchObject({ exitCode: 0 });
    expect(await Bun.file(settingsOf(place)).json()).toEqual({ hooks: { Stop: [mine] }, disableAllHooks: false });
    expect(await readdir(place.at(".claude/commands"))).toEqual(["supervisor-mine.md"]);
    expect(existsSync(real)).toBe(false);
    expect((await place.ccc(["--version"], { ccc: claude })).stdout).toContain("(Claude Code)");
    expect((await place.ccc(["migrate", "--yes"])).stdout).toBe("Nothing to migrate.\n");
  });

  const unsafe: [name: string, real: (place: Place) => string, why: string][] = [
    ["is elsewhere", (place) => place.at("ccc-claude"), "it is in another folder"],
    ["is not there", (place) => join(place.bin, "ccc-claude"), "it is missing or not a program"],
  ];
  for (const [name, real, why] of unsafe) {
    test(`a real claude that ${name} is left to the user`, async () => {
      await using place = await newPlace();
      await place.standIn(`export CCC_CLAUDE="${real(place)}"\nexec ccc "$@"`);
      const { exitCode, stdout } = await place.ccc(["migrate", "--yes"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(why);
      expect(await readFile(join(place.bin, "claude"), "utf8")).toContain("exec ccc");
    });
  }
});

test("the providers of CC Switch's database are imported, can be launched, and are imported once", async () => {
  await using place = await newPlace();
  await using glm = newSandbox();
  const path = place.at(".cc-switch/cc-switch.db");
  await place.write(place.at(".cc-switch/settings.json"), {});
  fillCcSwitch(path, glm.url);
  const theirs = () => [readdirSync(place.at(".cc-switch")), Bun.hash(readFileSync(path)).toString()];
  const before = theirs();
  const key = "sk-of-cc-switch-6789";

  const shown = await place.ccc(["migrate", "--from", "cc-switch"]);
  expect(shown).toMatchObject({ exitCode: 0, stderr: "" });
  expect(shown.stdout).toContain("CC Switch has 3 providers for Claude Code");
  expect(shown.stdout).toMatch(/ zhipu-glm \(智谱 Zhipu GLM\) +http.* \*\*\*6789 → ccc\.json\n/);
  expect(shown.stdout).toMatch(/ Claude Official +it is Claude Code's own login: ccc provider add anthropic\n/);
  expect(shown.stdout).toMatch(/ Nvidia +it speaks OpenAI's format/);
  expect(shown.stdout).not.toContain(key);
  expect(existsSync(place.at(".claude/ccc.json"))).toBe(false);

  expect(await place.ccc(["migrate", "--from", "cc-switch", "--yes"])).toMatchObject({ exitCode: 0 });
  expect((await stat(place.at(".claude/ccc.json"))).mode & 0o777).toBe(0o600);
  expect(await place.ccc(["zhipu-glm", "-p", "hi"])).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(glm.received.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
  const again = await place.ccc(["migrate", "--from", "cc-switch", "--yes"]);
  expect(again.stdout).toEndWith("Nothing to import.\n");
  expect(theirs()).toEqual(before);
});

/** As CC Switch 3.20.0 (schema 17) makes it. */
function fillCcSwitch(path: string, url: string): void {
  using database = new Database(path);
  database.run(`CREATE TABLE providers (id TEXT NOT NULL, app_type TEXT NOT NULL, name TEXT NOT NULL,
    settings_config TEXT NOT NULL, website_url TEXT, category TEXT, created_at INTEGER, sort_index INTEGER, notes TEXT,
    icon TEXT, icon_color TEXT, meta TEXT NOT NULL DEFAULT '{}', is_current BOOLEAN NOT NULL DEFAULT 0,
    in_failover_queue BOOLEAN NOT NULL DEFAULT 0, PRIMARY KEY (id, app_type))`);
  const add = database.prepare(
    "INSERT INTO providers (id, app_type, name, settings_config, category, meta) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const settings = JSON.stringify({ env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: "sk-of-cc-switch-6789" } });
  add.run("a", "claude", "智谱 Zhipu GLM", settings, "cn_official", '{"apiFormat":"anthropic"}');
  add.run("b", "claude", "Nvidia", settings, "aggregator", '{"apiFormat":"openai_chat"}');
  add.run("claude-official", "claude", "Claude Official", '{"env":{}}', "official", "{}");
  add.run("c", "codex", "OpenAI", '{"auth":{},"config":""}', "official", "{}");
}

test("a settings.json with a duplicate key is left alone, and so is ccc.json", async () => {
  await using place = await newPlace();
  const twice =
    '{"env":{"ANTHROPIC_AUTH_TOKEN":"sk-1","ANTHROPIC_AUTH_TOKEN":"sk-2","ANTHROPIC_BASE_URL":"https://x.example"}}';
  await place.write(place.at(".claude/settings.json"), twice);
  const before = await fingerprint(place);
  const result = await place.ccc(["migrate", "--yes"]);
  expect(result).toMatchObject({ exitCode: 1 });
  expect(result.stderr).toContain("duplicate key");
  expect(await fingerprint(place)).toBe(before);
});

test("killed at any moment, it loses nothing of the provider, and the next run completes it", async () => {
  await using place = await newPlace();
  const env = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "sk-of-old-0123456789" };
  const config = place.at(".claude/ccc.json");
  const watched = [settingsOf(place), config, `${settingsOf(place)}.lock`, place.at(".claude/ccc/backups")];
  const seen = new Set<string>();
  for (let round = 0; round < 12; round++) {
    await rm(place.at(".claude"), { recursive: true });
    await place.write(settingsOf(place), { theme: "dark", env });
    const path = watched[round % watched.length] ?? "";
    await killWhenChanged(
      () => place.start(["migrate", "--yes"]),
      () => contentOf(path),
    );
    const [settings, saved] = [await textOf(place), contentOf(config)];
    expect(settings + saved).toContain(env.ANTHROPIC_AUTH_TOKEN);
    seen.add(`${settings.includes(env.ANTHROPIC_AUTH_TOKEN)} ${saved.includes(env.ANTHROPIC_AUTH_TOKEN)}`);
    expect(await place.ccc(["migrate", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(await textOf(place))).toEqual({ theme: "dark" });
    expect(JSON.parse(contentOf(config))).toEqual({ providers: { glm: { env } } });
  }
  // Some were killed half-way, with the provider in both files.
  expect([...seen]).toContain("true true");
});

/** The text of a file or the names in a folder; "" if there is neither. One call each: a lock file may vanish at any moment. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errno(error) === "EISDIR") return readdirSync(path).join();
    if (errno(error) === "ENOENT") return "";
    throw error;
  }
}
