import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { chmod, lstat, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { shellWord } from "../../src/text/shell.ts";
import {
  CCC,
  CLAUDE,
  credentials,
  inTurn,
  newPlace,
  newSandbox,
  type Place,
  provider,
  SUBSCRIPTION,
} from "../harness.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

const SHELL = { ANTHROPIC_API_KEY: "sk-ant-the-users-own", ANTHROPIC_MODEL: "the-shells-model" };
const settingsOf = (place: Place) => place.at(".claude/settings.json");
const textOf = (place: Place) => readFile(settingsOf(place), "utf8");

/** Plain claude, as an editor would start it. */
const claude = (place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  place.ccc(args, { ccc: CLAUDE, env });

async function withProviders(place: Place) {
  const glm = provider({ url: "http://127.0.0.1:1" }, "glm-token");
  await place.config({ providers: { glm, kimi: provider({ url: "http://127.0.0.1:2" }, "kimi-token") } });
}

describe("plain claude on a provider", () => {
  test("HDES-02 sends only its credentials to its server, and nothing after a reset", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await using elsewhere = newSandbox();
    const before = { env: { ANTHROPIC_BASE_URL: elsewhere.url, ANTHROPIC_AUTH_TOKEN: "mine" }, apiKeyHelper: "echo x" };
    await place.write(settingsOf(place), before);
    await place.write(place.at(".claude.json"), { primaryApiKey: "sk-ant-stored", hasCompletedOnboarding: true });
    await place.write(place.at(".claude/.credentials.json"), SUBSCRIPTION);
    const model = { ANTHROPIC_MODEL: "glm-4.7" };
    await place.config({ providers: { glm: provider(glm, "${GLM_KEY}", model) } });

    const used = await place.ccc(["use", "glm"], { env: { ...SHELL, GLM_KEY: "glm-token" } });

    expect(used).toMatchObject({ exitCode: 0 });
    expect(used.stdout).toContain("plain claude and your editors use glm");
    expect(used.stderr).toContain("the current value of GLM_KEY is written");
    expect(await claude(place, ["-p", "hi"], SHELL)).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(elsewhere.headers).toBeEmpty();
    expect(glm.headers).not.toBeEmpty();
    for (const seen of credentials(glm)) expect(seen).toEqual({ bearer: "Bearer glm-token", key: "glm-token" });
    expect(new Set(glm.received.map(({ body }) => body.model))).toEqual(new Set(["glm-4.7"]));

    expect(await place.ccc(["use", "--reset"])).toMatchObject({ exitCode: 0 });
    expect(await Bun.file(settingsOf(place)).json()).toEqual(before);
  });

  test("HDES-02 supervised: the hook fires, its block is obeyed, and disabled hooks are enabled", async () => {
    await using place = await supervisedPlace(
      inTurn({ agent: [{ say: "first" }, { say: "second" }], reviewer: [notDone("FEEDBACK-ONE"), DONE] }),
    );
    const hook = { hooks: [{ type: "command", command: `echo ran >> ${shellWord(place.at("hooks.txt"))}` }] };
    const permissions = { deny: ["WebFetch"] };
    await place.write(settingsOf(place), { permissions, disableAllHooks: true, hooks: { Stop: [hook] } });

    await symlink(CCC, join(place.bin, "ccc"));

    const used = await place.ccc(["use", "--supervisor", "glm"]);

    expect(used).toMatchObject({ exitCode: 0 });
    expect(used.stderr).toContain("SUPERVISOR.md with the reviewer's instructions");
    expect(used.stderr).toContain(`replaced in ${settingsOf(place)} until \`ccc use --reset\`: disableAllHooks`);
    const settings = await Bun.file(settingsOf(place)).json();
    expect(settings).toMatchObject({ permissions, disableAllHooks: false });
    expect(settings.hooks.Stop).toHaveLength(2);
    expect(settings.hooks.Stop[0]).toEqual(hook);
    // The link on PATH survives upgrades; its target may not.
    expect(settings.hooks.Stop[1].hooks[0].command).toStartWith(
      `${join(place.bin, "ccc")} supervisor-hook --settings `,
    );
    expect(await claude(place, ["-p", "work"])).toMatchObject({ exitCode: 0, stdout: "second\n" });
    expect(place.sandbox.received.map(({ role }) => role)).toEqual(["agent", "reviewer", "agent", "reviewer"]);
    expect(place.turns()[1]).toContain("FEEDBACK-ONE");
    expect((await readFile(place.at("hooks.txt"), "utf8")).trim().split("\n")).toHaveLength(2);

    const ofReviewers = async () => (await readdir(place.at(".claude/ccc"))).filter((name) => name.includes("~use"));
    expect(await ofReviewers()).toEqual(["settings-glm~use.json"]);
    expect(await place.ccc(["use", "--reset"])).toMatchObject({ exitCode: 0 });
    expect(await ofReviewers()).toEqual([]);
  });
});

describe("a reset restores settings.json byte for byte", () => {
  const table: [name: string, text: string | undefined][] = [
    ["no file", undefined],
    ["an empty file", ""],
    ["one line", '{"theme":"dark","env":{"A":"1"}}'],
    ["tabs, no final newline", '{\n\t"env": { "ANTHROPIC_API_KEY": "mine" },\n\t"hooks": {"Stop": []}\n}'],
    ["four spaces and comments", '{\n    // mine\n    "theme": "dark", /* too */\n    "env": {\n    }\n}\n\n'],
    ["Windows line ends", '{\r\n  "theme": "dark",\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}\r\n'],
    ["a byte order mark", '\uFEFF{\n  "theme": "größe"\n}\n'],
  ];
  for (const [name, text] of table) {
    test(name, async () => {
      await using place = await newPlace();
      await withProviders(place);
      if (text !== undefined) await place.write(settingsOf(place), text);
      const steps = [
        ["use", "glm"],
        ["use", "glm"],
        ["use", "--supervisor", "kimi"],
        ["use", "glm"],
      ];
      const texts: string[] = [];
      for (const step of steps) {
        expect(await place.ccc(step)).toMatchObject({ exitCode: 0 });
        texts.push(await textOf(place));
      }
      expect(texts[1]).toBe(texts[0] ?? "");
      expect(texts[3]).toBe(texts[0] ?? "");
      expect(texts[2]).toContain("kimi-token");
      if (text?.includes("\r\n")) expect(texts[0]?.replaceAll("\r\n", "")).not.toContain("\n");
      for (const line of text?.split(/\r?\n/) ?? []) if (line.includes("//")) expect(texts[0]).toContain(line);
      expect((await stat(settingsOf(place))).mode & 0o777).toBe(0o600);

      expect(await place.ccc(["use", "--reset"])).toMatchObject({ exitCode: 0 });
      if (text === undefined) expect(existsSync(settingsOf(place))).toBe(false);
      else expect(await textOf(place)).toBe(text);
      expect((await place.ccc(["use", "--reset"])).stdout).toContain("Nothing to undo");
    });
  }

  test("a link stays a link, and the mode is restored", async () => {
    await using place = await newPlace();
    await withProviders(place);
    await place.write(place.at("dotfiles/claude.json"), '{ "theme": "dark" }\n');
    await chmod(place.at("dotfiles/claude.json"), 0o640);
    await symlink("../dotfiles/claude.json", settingsOf(place));
    await place.ccc(["use", "glm"]);
    expect(await textOf(place)).toContain("glm-token");
    expect((await stat(settingsOf(place))).mode & 0o777).toBe(0o600);
    await place.ccc(["use", "--reset"]);
    expect((await lstat(settingsOf(place))).isSymbolicLink()).toBe(true);
    expect(await textOf(place)).toBe('{ "theme": "dark" }\n');
    expect((await stat(settingsOf(place))).mode & 0o777).toBe(0o640);
  });

  test("later edits stay, and a changed value of ccc's is reported", async () => {
    await using place = await newPlace();
    await withProviders(place);
    await place.write(settingsOf(place), '{\n  "theme": "dark"\n}\n');
    await place.ccc(["use", "--supervisor", "glm"]);
    const edited = (await textOf(place))
      .replace('"theme": "dark"', '"theme": "light",\n  "mine": true')
      .replace('"ANTHROPIC_MODEL": ""', '"ANTHROPIC_MODEL": "my-choice"');
    await place.write(settingsOf(place), edited);
    const status = await place.ccc(["use"]);
    expect(status.stdout).toMatch(
      /^Plain claude uses glm, supervised, since \d{4}-\d\d-\d\d \d\d:\d\d \(.*settings\.json\)$/m,
    );
    expect(status.stderr).toContain("that file was changed since: env.ANTHROPIC_MODEL");

    const { stdout, stderr } = await place.ccc(["use", "--reset"]);
    expect(stdout).toContain("later edits stay");
    expect(stderr).toContain("env.ANTHROPIC_MODEL was changed since");
    expect(await textOf(place)).toBe(
      '{\n  "theme": "light",\n  "mine": true,\n  "env": {\n    "ANTHROPIC_MODEL": "my-choice"\n  }\n}\n',
    );
    expect((await place.ccc(["use"])).stdout).toStartWith("Plain claude uses its own settings.");
  });

  test("killed by SIGKILL at any moment, it can be undone", async () => {
    await using place = await newPlace();
    await withProviders(place);
    const text = '{\n  "theme": "dark",\n  "env": { "ANTHROPIC_MODEL": "mine" }\n}\n';
    await place.write(settingsOf(place), text);
    const folder = place.at(".claude/ccc");
    const settings = () => readFileSync(settingsOf(place), "utf8");
    const record = () => (existsSync(join(folder, "use.json")) ? statSync(join(folder, "use.json")).ino : 0);
    // Each of these changes at some point of the run.
    const moments = [
      () => "",
      () => existsSync(`${settingsOf(place)}.lock`),
      () => existsSync(join(folder, "backups")),
      record,
      settings,
      () => `${settings()}${record()}`,
    ];
    const seen = new Set<string>();
    for (const [index, moment] of [...moments, ...moments, ...moments].entries()) {
      const atFirst = moment();
      const child = place.start(["use", index % 2 === 0 ? "glm" : "kimi"]);
      while (index % moments.length > 0 && child.exitCode === null && moment() === atFirst) await Bun.sleep(0);
      child.kill("SIGKILL");
      await child.exited;
      seen.add(settings() === text ? "before" : settings().includes("glm-token") ? "glm" : "kimi");
      if (index % 3 > 0) continue;
      expect(await place.ccc(["use", "--reset"])).toMatchObject({ exitCode: 0 });
      expect(settings()).toBe(text);
      const left = (await readdir(place.at(".claude"))).filter((name) => name.startsWith("settings.json"));
      expect(left).toEqual(["settings.json"]);
    }
    expect([...seen]).toContain("glm");
  });
});

describe("what is refused, and what is reported", () => {
  const table: [name: string, args: string[], exitCode: number, says: string][] = [
    ["a typo in a provider's name", ["use", "gml"], 2, 'did you mean "glm"?'],
    ["an unknown provider", ["use", "somebody"], 2, "Your providers: glm, kimi, open"],
    ["a server without a key", ["use", "open"], 1, "no ANTHROPIC_AUTH_TOKEN"],
    ["--reset with a provider", ["use", "--reset", "glm"], 2, "--reset cannot be combined with a provider"],
    ["--supervisor alone", ["use", "--supervisor"], 2, "--supervisor needs a provider"],
  ];
  for (const [name, args, exitCode, says] of table) {
    test(name, async () => {
      await using place = await newPlace();
      const glm = provider({ url: "http://127.0.0.1:1" }, "glm-token");
      const open = { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:3" } };
      await place.config({ providers: { glm, kimi: glm, open } });
      const result = await place.ccc(args);
      expect(result).toMatchObject({ exitCode, stdout: "" });
      expect(result.stderr).toContain(says);
      expect(existsSync(settingsOf(place))).toBe(false);
    });
  }

  test("an invalid settings.json is not changed", async () => {
    await using place = await newPlace();
    await withProviders(place);
    await place.write(settingsOf(place), '{ "theme": ');
    const result = await place.ccc(["use", "glm"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("settings.json is not valid JSON");
    expect(await textOf(place)).toBe('{ "theme": ');
  });

  test("a key that is a reference is in no file: claude asks ccc for it when it needs it", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await place.write(place.at("key.txt"), "the-key-itself\n");
    await place.write(place.at(".claude/.credentials.json"), SUBSCRIPTION);
    await place.write(place.at(".claude.json"), { primaryApiKey: "sk-ant-stored", hasCompletedOnboarding: true });
    await place.config({ providers: { glm: provider(glm, `file:${place.at("key.txt")}`) } });
    expect(await place.ccc(["use", "glm"])).toMatchObject({ exitCode: 0 });
    expect(await Bun.file(settingsOf(place)).json()).toMatchObject({
      apiKeyHelper: expect.stringContaining(`${CCC} key glm --config-dir `),
      env: { ANTHROPIC_AUTH_TOKEN: "", ANTHROPIC_API_KEY: "" },
    });
    expect(await claude(place, ["-p", "hi"], SHELL)).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    const own = { bearer: "Bearer the-key-itself", key: "the-key-itself" };
    expect(glm.headers).not.toBeEmpty();
    for (const seen of credentials(glm)) expect(seen).toEqual(own);
    const files = await readdir(place.at(".claude"), { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain("the-key-itself");
    }
  });

  test("a second secret that is a reference is refused: it would have to be written to the file", async () => {
    await using place = await newPlace();
    const env = { ANTHROPIC_CUSTOM_HEADERS: "cmd:echo x-gateway: secret" };
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:1" }, "t", env) } });
    const result = await place.ccc(["use", "glm"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("providers.glm.env.ANTHROPIC_CUSTOM_HEADERS is a reference");
    expect(existsSync(settingsOf(place))).toBe(false);
  });

  test("a file with comments is kept, with a warning that Claude Code does not read it", async () => {
    await using place = await newPlace();
    await withProviders(place);
    await place.write(settingsOf(place), '{\n  // mine\n  "theme": "dark"\n}');
    expect((await place.ccc(["use", "glm"])).stderr).toContain("settings.json has comments: Claude Code considers it");
    expect((await claude(place, ["-p", "hi"])).stderr).toContain("Invalid or malformed JSON");
  });

  test("one settings.json has one record, whichever ccc.json the provider comes from", async () => {
    await using place = await newPlace();
    const original = '{"a": 1}';
    await place.write(settingsOf(place), original);
    const folders = ["x", "y"].map((name) => place.at(name));
    for (const folder of folders) {
      await place.write(join(folder, "ccc.json"), {
        providers: { glm: provider({ url: "http://127.0.0.1:9" }, folder) },
      });
      await place.ccc(["use", "glm"], { env: { CCC_CONFIG_DIR: folder } });
    }
    expect((await place.ccc(["use", "--reset"], { env: { CCC_CONFIG_DIR: folders[0] ?? "" } })).exitCode).toBe(0);
    expect(await textOf(place)).toBe(original);
  });

  test("settings of this folder that win are reported; at most ten copies of the file are kept", async () => {
    await using place = await newPlace();
    await withProviders(place);
    await place.write(settingsOf(place), "{}");
    const local = join(place.project, ".claude/settings.local.json");
    await place.write(local, { env: { ANTHROPIC_MODEL: "m", OTHER: "x" } });
    for (let count = 0; count < 12; count++) {
      await place.ccc(["use", count % 2 === 0 ? "glm" : "kimi"]);
      // A file that ccc wrote itself is not copied.
      const text = JSON.parse(await textOf(place));
      await place.write(settingsOf(place), { ...text, edited: count });
    }
    const { stderr } = await place.ccc(["use", "glm"]);
    expect(stderr).toContain(`${local} sets ANTHROPIC_MODEL, which wins for plain claude in this folder`);
    const copies = await readdir(place.at(".claude/ccc/backups"));
    expect(copies).toHaveLength(10);
    expect((await stat(place.at(".claude/ccc/backups", copies[0] ?? ""))).mode & 0o777).toBe(0o600);
  });
});
