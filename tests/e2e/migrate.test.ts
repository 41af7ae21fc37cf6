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

  test("becomes one of ccc.json that can be launched, and the rest of the file stays as it is", async () => {
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
  test("its hook, slash commands and claude script are removed; what is the user's stays", async () => {
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

test("killed at any moment, nothing of the provider is lost, and the next run completes it", async () => {
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
  // Some were killed half-way: in both files at once.
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
