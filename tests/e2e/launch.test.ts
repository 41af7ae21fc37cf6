import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { CCC, credentials, inTurn, killWhenChanged, newPlace, newSandbox, PLAIN_ENV, provider } from "../harness.ts";

/** Prints its arguments, each ended by a NUL. */
const PRINT_ARGS = `for word in "$@"; do printf '%s\\0' "$word"; done`;
const someProviders = {
  providers: {
    glm: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "glm-token-of-tests" } },
    kimi: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "kimi-token-of-tests" } },
  },
};

describe("the process", () => {
  test("HDES-08 claude runs in ccc's own process, with its exit code", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn("echo $$; exit 7");
    const result = await place.ccc(["glm"]);
    expect(result).toMatchObject({ exitCode: 7, stdout: `${result.pid}\n`, stderr: "" });
  });

  test("where ccc cannot write, a private folder serves", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn('cat "$2"');
    // Not even root can write into this.
    await place.write(place.at(".claude/ccc"), "");
    await place.write(place.at("run/own"), "");
    const result = await place.ccc(["glm", "-p", "hi"], { env: { XDG_RUNTIME_DIR: place.at("run") } });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("ANTHROPIC_BASE_URL") });
    expect((await stat(place.at("run/ccc"))).mode & 0o777).toBe(0o700);
    // Without such a folder it is a temporary one.
    const again = await place.ccc(["glm", "-p", "hi"]);
    expect(again).toMatchObject({ exitCode: 0, stdout: result.stdout });
  });

  test("HDES-08 a signal reaches claude, and ccc dies of the same signal", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn("echo ready; exec sleep 60");
    const child = place.start(["glm"]);
    await child.stdout.getReader().read();
    child.kill("SIGTERM");
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
  });

  test("CLI-03 claude gets what follows the provider byte for byte", async () => {
    await using place = await newPlace();
    await place.config({ ...someProviders, claude_args: ["--verbose"] });
    await place.standIn(PRINT_ARGS);
    const args = [
      "/path/to/project",
      "--help",
      "",
      "--",
      "--settings",
      "a b",
      "new\nline",
      "漢字",
      "'\"$`\\",
      "--supervisor",
    ];
    const result = await place.ccc(["kimi", ...args], { env: PLAIN_ENV });
    const settings = place.at(".claude/ccc/settings-kimi-plain.json");
    expect(result.stdout.split("\0")).toEqual(["--settings", settings, "--verbose", ...args, ""]);
  });

  test("LDES-02 the binary alone is enough", async () => {
    await using place = await newPlace();
    await using glm = newSandbox();
    await place.config({ providers: { glm: provider(glm, "t") } });
    const alone = place.at("elsewhere/ccc");
    await mkdir(place.at("elsewhere"));
    await copyFile(CCC, alone);
    const result = await place.ccc(["glm", "-p", "hi", "--output-format", "json"], { ccc: alone });
    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ type: "result", result: "ok" });
  });
});

test("claude inherits the shell's variables, but no provider's, not even its own provider's key", async () => {
  await using place = await newPlace();
  await place.config({
    providers: { glm: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "own" } } },
  });
  await place.standIn("env");
  const shell = {
    MY_OWN: "stays",
    AWS_PROFILE: "stays",
    ANTHROPIC_API_KEY: "foreign",
    CLAUDE_CODE_USE_BEDROCK: "1",
    ANTHROPIC_NEW: "foreign",
  };
  const seen = (await place.ccc(["glm"], { env: shell })).stdout.split("\n");
  expect(seen).toEqual(expect.arrayContaining(["MY_OWN=stays", "AWS_PROFILE=stays"]));
  expect(seen.join("\n")).not.toMatch(/foreign|USE_BEDROCK|ANTHROPIC/);
});

test("subcommands that Claude Code accepts only as its first argument come first", async () => {
  await using place = await newPlace();
  await place.config(someProviders);
  await place.standIn(PRINT_ARGS);
  expect((await place.ccc(["stop", "abc"])).stdout.split("\0")).toEqual(["stop", "abc", ""]);
  expect((await place.ccc(["mcp", "list"])).stdout.split("\0").slice(2)).toEqual(["mcp", "list", ""]);
});

describe("secrets", () => {
  test("no process has a token in its arguments while claude works", async () => {
    await using place = await newPlace();
    let commandLines = "";
    await using glm = newSandbox((received, index) => {
      commandLines += allCommandLines();
      return inTurn({})(received, index);
    });
    await place.config({ providers: { glm: provider(glm, "glm-token-of-tests") } });
    expect(await place.ccc(["glm", "-p", "hi"], { env: PLAIN_ENV })).toMatchObject({ exitCode: 0 });
    expect(commandLines).toContain("settings-glm-plain.json");
    expect(commandLines).not.toContain("glm-token-of-tests");
  });

  test("a dry run shows the plan without secrets, runs nothing and writes nothing", async () => {
    await using place = await newPlace();
    const secret = "glm-token-of-tests";
    await place.config({
      claude_args: ["--append-system-prompt", `say ${secret}`],
      providers: {
        glm: {
          apiKeyHelper: "cat /secret/helper",
          hooks: { Stop: [{ hooks: [{ type: "http", url: "http://u:pass@h/", headers: { Authorization: secret } }] }] },
          env: {
            ANTHROPIC_BASE_URL: "http://user:password@127.0.0.1:9/x",
            ANTHROPIC_AUTH_TOKEN: secret,
            MY_SECRET: "another-secret",
            GATEWAY: "https://sk-in-url@host/x?api_key=sk-in-query",
          },
        },
      },
    });
    await place.standIn("touch ran");
    const before = await readFile(place.at(".claude/ccc.json"), "utf8");
    const { stdout, exitCode, stderr } = await place.ccc(["--dry-run", "--json", "glm", "-p", "hi"], {
      env: { ...PLAIN_ENV, ANTHROPIC_API_KEY: "shell-secret", GITHUB_TOKEN: "other-secret" },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      provider: "glm",
      file: join(place.bin, "claude"),
      args: [
        "--settings",
        place.at(".claude/ccc/settings-glm-plain.json"),
        "--append-system-prompt",
        "say ***",
        "-p",
        "hi",
      ],
      unset: ["ANTHROPIC_API_KEY"],
    });
    for (const word of [
      secret,
      "another-secret",
      "shell-secret",
      "other-secret",
      "password",
      "pass@",
      "/secret/helper",
      "sk-in-url",
      "sk-in-query",
    ]) {
      expect(stdout).not.toContain(word);
    }
    expect(existsSync(join(place.project, "ran"))).toBe(false);
    expect(existsSync(place.at(".claude/ccc"))).toBe(false);
    expect(await readFile(place.at(".claude/ccc.json"), "utf8")).toBe(before);
  });

  test("files with secrets are private, and are rewritten only when they change", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn("exit 0");
    await place.ccc(["default", "glm"]);
    await place.ccc(["glm"], { env: PLAIN_ENV });
    const settings = place.at(".claude/ccc/settings-glm~terminal.json");
    const modes = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)));
    expect(await modes(place.at(".claude/ccc"), settings, place.at(".claude/ccc.json"))).toEqual(["700", "600", "600"]);
    const before = await stat(settings, { bigint: true });
    await place.ccc(["glm"], { cwd: place.home, env: { ...PLAIN_ENV, ANTHROPIC_API_KEY: "x" } });
    const after = await stat(settings, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });
});

test("nothing in the current folder has any effect", async () => {
  await using place = await newPlace();
  await using glm = newSandbox();
  await place.config({
    providers: { glm: provider(glm, "glm-token", { ANTHROPIC_CUSTOM_HEADERS: "x-env: ${EVIL-}" }) },
  });
  await place.config({ providers: { glm: provider(glm, "glm-token") } });
  const trap = `require("node:fs").writeFileSync(${JSON.stringify(join(place.home, "trapped"))}, "")`;
  const files = {
    ".env": "ANTHROPIC_API_KEY=evil\nCCC_CLAUDE=/bin/false\nCCC_CONFIG_DIR=/nowhere\nHOME=/nowhere\n",
    ".env.local": "CCC_CLAUDE=/bin/false\n",
    ".env.production": "CCC_CLAUDE=/bin/false\n",
    "bunfig.toml": 'preload = ["./trap.ts"]\n[run]\npreload = ["./trap.ts"]\n[test]\npreload = ["./trap.ts"]\n',
    "trap.ts": trap,
    "package.json": '{"type":"commonjs","imports":{"node:fs":"./trap.ts"},"main":"./trap.ts"}',
    "tsconfig.json": '{"compilerOptions":{"paths":{"*":["./trap.ts"]}}}',
    claude: "#!/bin/sh\ntouch trapped\n",
  };
  for (const [name, text] of Object.entries(files)) await place.write(join(place.project, name), text);
  await Bun.$`chmod +x ${join(place.project, "claude")}`;
  const result = await place.ccc(["glm", "-p", "hi"], { env: { PATH: `.::${place.env.PATH}` } });
  expect(result).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  expect(credentials(glm).at(0)).toEqual({ bearer: "Bearer glm-token", key: "glm-token" });
  expect(existsSync(place.at("trapped")) || existsSync(join(place.project, "trapped"))).toBe(false);
});

describe("which claude", () => {
  test("ccc never takes itself for claude, neither by a link nor by that name", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn("echo the real one");
    for (const name of ["links", "copies"]) await mkdir(place.at(name));
    await symlink(CCC, place.at("links/claude"));
    await copyFile(CCC, place.at("copies/claude"));
    const env = { PATH: `${place.at("links")}:${place.at("copies")}:${place.bin}:/usr/bin:/bin` };
    for (const ccc of [CCC, place.at("links/claude"), place.at("copies/claude")]) {
      expect((await place.ccc(["glm"], { env, ccc })).stdout).toBe("the real one\n");
    }
  });

  test("a claude that runs ccc again does not loop forever", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn(`exec "${CCC}" "$@"`);
    const result = await place.ccc(["glm"]);
    expect(result).toMatchObject({ exitCode: 127, stdout: "" });
    expect(result.stderr).toContain("runs ccc again");
  });

  test("nor does a claude that runs ccc as a child", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn(`echo x >> "$HOME/runs"; "${CCC}" "$@"`);
    expect((await place.ccc(["glm"])).stderr).toContain("runs ccc again");
    expect((await readFile(place.at("runs"), "utf8")).length).toBeLessThan(40);
  });

  test.each(["exec ", ""])("nor does one that runs a supervised ccc: %p", async (exec) => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn(`echo x >> "$HOME/runs"; ${exec}"${CCC}" --supervisor glm "$@"`);
    for (const args of [["-p", "hi"], ["--version"], ["--engine", "loop", "-p", "hi"]]) {
      await rm(place.at("runs"), { force: true });
      const before = args[0] === "--engine" ? args.splice(0, 2) : [];
      const result = await place.ccc(["--supervisor", ...before, "glm", ...args], { stdin: "" });
      expect(result).toMatchObject({ exitCode: 127, stdout: "" });
      expect(result.stderr).toContain("runs ccc again");
      // Asked for its version once; or started once, which that ccc refuses.
      expect((await readFile(place.at("runs"), "utf8")).length).toBeLessThanOrEqual(16);
    }
  });

  test("unusual PATH entries do no harm, and the current folder is not searched", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.standIn("echo the real one");
    await place.write(join(place.project, "other-claude"), "#!/bin/sh\necho trapped\n");
    await Bun.$`chmod +x ${join(place.project, "other-claude")}`;
    await symlink("claude", place.at("claude"));
    const PATH = `/etc/passwd:${place.home}:/${"x".repeat(5000)}:.::${place.bin}:/usr/bin:/bin`;
    expect((await place.ccc(["glm"], { env: { PATH } })).stdout).toBe("the real one\n");
    expect(await place.ccc(["glm"], { env: { PATH, CCC_CLAUDE: "other-claude" } })).toMatchObject({
      exitCode: 127,
      stdout: "",
    });
  });

  test("CCC_CLAUDE chooses claude", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.write(place.at("other"), "#!/bin/sh\necho another\n");
    await Bun.$`chmod +x ${place.at("other")}`;
    expect((await place.ccc(["glm"], { env: { CCC_CLAUDE: place.at("other") } })).stdout).toBe("another\n");
    const missing = await place.ccc(["glm"], { env: { CCC_CLAUDE: place.at("none") } });
    expect(missing).toMatchObject({ exitCode: 127, stdout: "" });
    expect(missing.stderr).toContain("CCC_CLAUDE");
    const itself = await place.ccc(["glm"], { env: { CCC_CLAUDE: CCC } });
    expect(itself.exitCode).toBe(127);
    expect(itself.stderr).toContain("ccc itself");
  });

  test("without a claude the exit code is 127, with how to install it", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await rm(join(place.bin, "claude"));
    const result = await place.ccc(["glm"]);
    expect(result).toMatchObject({ exitCode: 127, stdout: "" });
    expect(result.stderr).toContain("npm install -g @anthropic-ai/claude-code");
  });

  test("a claude that cannot be run gives exit code 126", async () => {
    await using place = await newPlace();
    await place.config(someProviders);
    await place.write(join(place.bin, "broken"), "#!/no/such/interpreter\n");
    await Bun.$`chmod +x ${join(place.bin, "broken")}`;
    const result = await place.ccc(["glm"], { env: { CCC_CLAUDE: join(place.bin, "broken") } });
    expect(result.exitCode).toBe(126);
    expect(result.stderr).toContain("cannot run");
  });
});

test("a launch killed at any moment leaves every file old or new", async () => {
  await using place = await newPlace();
  await place.config(someProviders);
  await place.standIn("exit 0");
  const configs = (current: string) => JSON.stringify({ current_provider: current, ...someProviders }, null, 2);
  await place.config(configs("kimi"));
  const settings: Record<string, string> = {};
  for (const name of ["glm", "kimi"]) {
    await place.ccc([name], { env: PLAIN_ENV });
    settings[name] = await readFile(place.at(`.claude/ccc/settings-${name}~terminal.json`), "utf8");
  }
  // Only a session in a terminal changes ccc.json.
  const start = (name: string) =>
    Bun.spawn([CCC, name], {
      cwd: place.project,
      env: { ...place.env, ...PLAIN_ENV, TERM: "dumb" },
      terminal: { cols: 80, rows: 24, data: () => {} },
    });
  const folder = place.at(".claude/ccc");
  const config = () => readFileSync(place.at(".claude/ccc.json"), "utf8");
  const names = (path: string) => (existsSync(path) ? readdirSync(path).join() : "");
  let looks = 0;
  // Each of these changes at some point of a launch, the first one at once.
  const moments = [() => looks++, () => names(folder), () => names(place.at(".claude")), config];
  const seen = new Set<string>();
  for (let round = 0; round < 80; round++) {
    // Missing files are written again, so that there is something to interrupt in every launch.
    if (round % 3 === 0) await rm(folder, { recursive: true, force: true });
    await killWhenChanged(
      () => start(round % 2 === 0 ? "glm" : "kimi"),
      moments[(round >> 1) % moments.length] ?? config,
    );
    expect([configs("glm"), configs("kimi")]).toContain(config());
    seen.add(config());
    for (const file of existsSync(folder) ? await readdir(folder) : []) {
      seen.add(file);
      if (file.endsWith("~terminal.json")) {
        const owner = file.slice("settings-".length, -"~terminal.json".length);
        expect(await readFile(join(folder, file), "utf8")).toBe(settings[owner] ?? "");
      }
    }
  }
  // Some were killed before, some after a write.
  expect([...seen]).toEqual(expect.arrayContaining([configs("glm"), configs("kimi"), "settings-glm~terminal.json"]));
  expect(await place.ccc(["glm"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await start("glm").exited).toBe(0);
  expect(await start("kimi").exited).toBe(0);
  expect(await readFile(place.at(".claude/ccc.json"), "utf8")).toBe(configs("kimi"));
});

test("a repeated launch starts claude as the first did, until something changes", async () => {
  await using place = await newPlace();
  await place.config(someProviders);
  await place.standIn(`${PRINT_ARGS}; env | grep -v "^CCC_EXEC=" | sort; echo "$CCC_EXEC" | grep -c "^$$\\.1$"`);
  const launch = async (prompt: string) => {
    const { stdout, stderr, exitCode } = await place.ccc(["glm", "-p", prompt], { env: PLAIN_ENV });
    expect([stderr, exitCode]).toEqual(["", 0]);
    return stdout.replace(prompt, "PROMPT");
  };
  const first = await launch("one");
  expect(first).toContain("PROMPT");
  for (const prompt of ["two", "three words now", "four"]) expect(await launch(prompt)).toBe(first);
  expect(await readdir(place.at(".claude/ccc/repeat"))).toHaveLength(1);
  const [glm, kimi] = [someProviders.providers.glm, someProviders.providers.kimi];
  const moved = { env: { ...glm.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:10" } };
  await place.config({ current_provider: "glm", providers: { glm: moved, kimi } });
  expect(await launch("five")).toBe(first);
  const settings = JSON.parse(await readFile(place.at(".claude/ccc/settings-glm-plain.json"), "utf8"));
  expect(settings.env.ANTHROPIC_BASE_URL).toBe("http://127.0.0.1:10");
});

/** What any user of the machine can see of all processes. */
function allCommandLines(): string {
  return Bun.spawnSync(["ps", "-eww", "-o", "args"]).stdout.toString();
}
