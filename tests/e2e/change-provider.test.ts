import { describe, expect, test } from "bun:test";
import { chmod, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CCC, newPlace, newSandbox, type Place } from "../harness.ts";
import { newScreen } from "../screen.ts";

const OLD = "sk-old-key-of-a-user-0123456789";
const KEY = "sk-new-key-of-a-user-0123456789";

async function configOf(place: Place) {
  return JSON.parse(await readFile(place.at(".claude/ccc.json"), "utf8"));
}

describe("a provider is changed without losing it", () => {
  test("by add --replace, set-key and rename: the user's own settings stay, and the old key is gone everywhere", async () => {
    await using place = await newPlace();
    const add = ["provider", "add", "glm", "--store", "file", "--token-stdin"];
    expect(await place.ccc(add, { stdin: OLD })).toMatchObject({ exitCode: 0 });
    const added = await configOf(place);
    const own = { permissions: { deny: ["Bash(rm:*)"] }, env: { ...added.providers.glm.env, MY_OWN: "1" } };
    const glm = { ...added.providers.glm, ...own };
    await place.config({ current_provider: "glm", providers: { first: {}, glm, last: {} } });

    const replaced = await place.ccc([
      "provider",
      "add",
      "glm",
      "--replace",
      "--model",
      "other",
      "--token-ref",
      "env:K",
    ]);
    expect(replaced).toMatchObject({ exitCode: 0, stdout: "" });
    expect(replaced.stderr).toMatch(/~ +ANTHROPIC_AUTH_TOKEN +\*\*\*6789 → env:K/);
    expect(replaced.stderr).toMatch(/\+ +ANTHROPIC_MODEL +other/);
    expect(replaced.stderr).not.toContain("permissions");
    const backup = /as it was: (.*\.json) \(/.exec(replaced.stderr)?.[1] ?? "";
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(backup, "utf8")).providers.glm).toEqual({
      ...glm,
      env: { ...glm.env, ANTHROPIC_AUTH_TOKEN: "***" },
    });
    const after = (await configOf(place)).providers.glm;
    expect(after).toMatchObject({ permissions: own.permissions, env: { MY_OWN: "1", ANTHROPIC_MODEL: "other" } });

    const set = await place.ccc(["provider", "set-key", "glm", "--store", "file", "--token-stdin"], { stdin: KEY });
    expect(set).toMatchObject({ exitCode: 0, stdout: "" });
    expect((await configOf(place)).providers.glm).toEqual({
      ...after,
      env: { ...after.env, ANTHROPIC_AUTH_TOKEN: KEY },
    });

    expect(await place.ccc(["provider", "rename", "glm", "work"])).toMatchObject({ exitCode: 0, stdout: "" });
    const { current_provider, providers } = await configOf(place);
    expect([current_provider, ...Object.keys(providers)]).toEqual(["work", "first", "work", "last"]);
    const planned = await place.ccc(["--dry-run", "--json"]);
    expect(planned).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(planned.stdout).provider).toBe("work");
    // ccc itself records the preset.
    expect(providers.work.preset.name).toBe("glm");
    expect(planned.stdout).not.toContain('"preset"');
    expect(set.stderr + replaced.stderr + planned.stdout).not.toContain(KEY);
    for (const name of await readdir(place.at(".claude/ccc/backups")))
      expect(await readFile(place.at(".claude/ccc/backups", name), "utf8")).not.toContain(OLD);
  });

  test("on a terminal, set-key asks for the key, hidden, and tries it before it is saved", async () => {
    await using sandbox = newSandbox(({ headers }) =>
      headers.authorization === `Bearer ${KEY}` ? { say: "hi" } : { fail: 401, message: "no such key" },
    );
    await using place = await newPlace();
    const env = { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: OLD };
    await place.config({ providers: { mine: { env } } });
    const command = [CCC, "provider", "set-key", "mine", "--store", "file"];
    await using screen = newScreen(command, { cwd: place.project, env: place.env });
    await screen.shows("API key (hidden)");
    screen.type("sk-not-this-one-0123456789\r");
    await screen.shows("rejects the key");
    await screen.shows("enter the key again");
    expect((await configOf(place)).providers.mine.env).toEqual(env);
    screen.type("\r");
    await screen.shows(/API key \(hidden[\s\S]*API key \(hidden/);
    screen.type(`${KEY}\r`);
    await screen.shows("ccc validate mine");
    expect(await screen.exited).toBe(0);
    expect(screen.history()).not.toContain(KEY);
    expect((await configOf(place)).providers.mine.env).toEqual({ ...env, ANTHROPIC_AUTH_TOKEN: KEY });
  });

  test("by edit: the key is not on the screen, a mistake can be corrected, and nothing else is saved", async () => {
    await using place = await newPlace();
    const env = { ANTHROPIC_BASE_URL: "https://mine.example", ANTHROPIC_AUTH_TOKEN: KEY };
    await place.config({ providers: { mine: { env } } });
    // Shows the file, then makes the next edit.
    const editor = place.at("an editor");
    await place.write(
      editor,
      `#!/bin/sh
ls -l "$1"; cat "$1"
case "$(cat "$1")" in
  *BROKEN*) sed -i.bak 's/BROKEN/"MY_OWN": "1",/' "$1" ;;
  *) sed -i.bak 's/"env": {/"env": { BROKEN/' "$1" ;;
esac
`,
    );
    await chmod(editor, 0o755);
    const open = () =>
      newScreen([CCC, "provider", "edit", "mine"], {
        cwd: place.project,
        env: { ...place.env, VISUAL: `'${editor.replaceAll("'", "'\\''")}'`, EDITOR: "false" },
      });
    {
      await using screen = open();
      await screen.shows("not saved: this is not valid JSON");
      await screen.shows("Edit again?");
      expect(await configOf(place)).toEqual({ providers: { mine: { env } } });
      screen.type("\r");
      await screen.shows('saved "mine"');
      expect(await screen.exited).toBe(0);
      expect(screen.history()).toMatch(/^-rw------- /m);
      expect(screen.history()).toContain('"ANTHROPIC_AUTH_TOKEN": "(unchanged)"');
      expect(screen.history()).not.toContain(KEY);
      expect((await configOf(place)).providers.mine.env).toEqual({ MY_OWN: "1", ...env });
    }
    await using screen = open();
    await screen.shows("Edit again?");
    screen.type("n");
    await screen.shows(/your text is in \S+\.json[\s\S]*nothing was saved/);
    expect(await screen.exited).toBe(130);
    const left = /your text is in (\S+\.json)/.exec(screen.text())?.[1] ?? "";
    expect(await readFile(left, "utf8")).toContain("BROKEN");
    await rm(dirname(left), { recursive: true });
    expect(await place.ccc(["provider", "edit", "mine"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

test("validate suggests updating from the preset when the server has no such model; after that it answers", async () => {
  await using sandbox = newSandbox(({ body }) =>
    String(body.model).startsWith("outdated") ? { fail: 404, message: `model ${body.model} not found` } : { say: "hi" },
  );
  await using place = await newPlace();
  const models = { ANTHROPIC_DEFAULT_OPUS_MODEL: "outdated-1" };
  const preset = { name: "glm", as_of: "2026-01-01", env: models };
  const env = { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: KEY, ...models, MY_OWN: "1" };
  await place.config({ providers: { glm: { env, preset } } });
  const outdated = await place.ccc(["validate", "glm"]);
  expect(outdated).toMatchObject({ exitCode: 1 });
  expect(outdated.stdout).toContain("ccc provider update glm");
  expect(await place.ccc(["provider", "update", "--check"])).toMatchObject({ exitCode: 1 });
  expect(await configOf(place)).toEqual({ providers: { glm: { env, preset } } });
  const updated = await place.ccc(["provider", "update", "--all", "--yes"]);
  expect(updated).toMatchObject({ exitCode: 0 });
  expect(updated.stdout).toMatch(/= +ANTHROPIC_BASE_URL +http:\/\/127.0.0.1:\d+ stays, it is your own/);
  expect((await configOf(place)).providers.glm.env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: KEY, MY_OWN: "1" });
  expect(await place.ccc(["provider", "update", "--check"])).toMatchObject({ exitCode: 0 });
  expect(await place.ccc(["validate", "glm"])).toMatchObject({ exitCode: 0 });
});
