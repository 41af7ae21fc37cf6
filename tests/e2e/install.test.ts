import { describe, expect, test } from "bun:test";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { newInstaller, putTool, SHELLS, toolbox, tree } from "../installer.ts";
import { ARCHIVE, fakeCcc } from "../releases.ts";

const VERSIONS = [
  ..."0.9.9 0.10.0 0.10.0+build.7 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2".split(" "),
  ..."1.0.0-beta.11 1.0.0-rc.1 1.0.0-rc-2 1.0.0-1 1.0.0 1.0.1-0 2.0.0".split(" "),
];

const SCRIPT = await readFile(join(import.meta.dir, "../../install.sh"), "utf8");

describe.each(SHELLS.map((shell) => ({ name: shell.join(" "), shell })))("install.sh in $name", ({ shell }) => {
  test("installs and says where, and changes nothing else", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const before = await tree(it.root);
    const result = await it.run(["--prefix", it.prefix]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain(`Installed ccc 1.2.3: ${it.prefix}/bin/ccc\n`);
    expect(result.stdout).toContain(`${it.prefix}/bin is not on your PATH.`);
    expect(await tree(it.prefix)).toEqual({
      bin: "755 folder",
      "bin/ccc": `755 ${fakeCcc("1.2.3")}`,
      share: "755 folder",
      "share/ccc": "755 folder",
      "share/ccc/receipt": "644 channel script\nversion 1.2.3\n",
    });
    const others = Object.entries(await tree(it.root)).filter(([path]) => !join(it.root, path).startsWith(it.prefix));
    expect(Object.fromEntries(others)).toEqual(before);
  });

  test("upgrades, and downgrades if asked to", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    await it.run(["--prefix", it.prefix]);
    await it.releases.publish("1.3.0", fakeCcc("1.3.0"));
    expect(await it.run([`--prefix=${it.prefix}/`])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(it.version()).toStartWith("ccc 1.3.0 ");
    expect(await it.run(["--prefix", it.prefix, "--version", "v1.2.3"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(it.version()).toStartWith("ccc 1.2.3 ");
    expect(await tree(it.prefix)).toMatchObject({ "share/ccc/receipt": "644 channel script\nversion 1.2.3\n" });
  });

  test("does not download a program that is already installed", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    await it.run(["--prefix", it.prefix]);
    it.releases.asked.length = 0;
    const result = await it.run(["--prefix", it.prefix]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain(`${it.prefix}/bin/ccc is already this version.`);
    expect(it.releases.asked).toEqual(["latest/download/SHA256SUMS", "download/v1.2.3/SHA256SUMS"]);
  });

  test("an upgrade never downgrades unless asked for a version", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.3.0-rc.2", fakeCcc("1.3.0-rc.2"));
    await it.run(["--prefix", it.prefix]);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const before = await tree(it.root);
    const upgrade = ["--upgrade-from", "1.3.0-rc.2", "--prefix", it.prefix];
    const result = await it.run(upgrade);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain("This ccc (1.3.0-rc.2) is newer than the newest release (1.2.3).");
    expect(result.stdout).toContain("To downgrade: ccc upgrade --version 1.2.3\n");
    expect(await tree(it.root)).toEqual(before);
    expect(await it.run([...upgrade, "--version", "1.2.3"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(it.version()).toStartWith("ccc 1.2.3 ");
  });

  test("orders versions as Bun does", async () => {
    await using it = await newInstaller(shell);
    const pairs = VERSIONS.flatMap((left) => VERSIONS.map((right) => [left, right] as const));
    const questions = pairs.map(([left, right]) => `if is_before ${left} ${right}; then echo -1; else echo no; fi`);
    const { stdout, stderr } = await it.run([], { script: call(questions.join("\n")) });
    const answers = pairs.map(([left, right]) => (Bun.semver.order(left, right) === -1 ? "-1" : "no"));
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual(answers);
  });

  test("warns of another ccc that comes first on PATH", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const PATH = `${it.env.PATH}:${it.prefix}/bin`;
    const args = ["--prefix", it.prefix];
    expect((await it.run(args, { env: { PATH } })).stdout).not.toContain("PATH");
    await putTool(it.env.PATH ?? "", "ccc", "exit 0");
    await it.releases.publish("1.3.0", fakeCcc("1.3.0"));
    const says = `another ccc comes first on your PATH: ${it.env.PATH}/ccc`;
    expect((await it.run(args, { env: { PATH } })).stdout).toContain(says);
  });

  test("removes what it installed, and nothing else", async () => {
    await using it = await newInstaller(shell);
    await Bun.write(join(it.prefix, "bin/other"), "of somebody else");
    await Bun.write(join(it.root, "home/.claude/ccc.json"), "{}");
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    await it.run(["--prefix", it.prefix]);
    const result = await it.run(["--uninstall", "--prefix", it.prefix]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain("Your settings are kept");
    expect(Object.keys(await tree(it.prefix))).toEqual(["bin", "bin/other", "share"]);
    expect(await tree(it.root)).toHaveProperty(["home/.claude/ccc.json"]);
  });

  test("finds and removes what it installed in the home", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    expect(await it.run(["--prefix=~/.local"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await it.run(["--uninstall"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(Object.keys(await tree(join(it.root, "home/.local")))).toEqual(["bin", "share"]);
  });

  test("does not remove what it did not install", async () => {
    await using it = await newInstaller(shell);
    await Bun.write(join(it.prefix, "bin/ccc"), "of somebody else");
    const before = await tree(it.root);
    const result = await it.run(["--uninstall", "--prefix", it.prefix]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("this script did not install ccc there");
    expect(await tree(it.root)).toEqual(before);
  });

  const mistakes = [
    ["--nonsense"],
    ["x"],
    ["--prefix"],
    ["--prefix="],
    ["--version"],
    ["--version", "../1"],
    ["--version", "v"],
    ["--version="],
    ["--prefix", "--uninstall"],
    ["--prefix", "~nobody/x"],
    ["--prefix", "a\nb"],
  ];
  test.each(mistakes.map((args) => ({ args, name: args.join(" ") })))("$name is a mistake", async ({ args }) => {
    await using it = await newInstaller(shell);
    const result = await it.run(args);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(it.releases.asked).toEqual([]);
  });

  test("a folder with a line break in its name is refused", async () => {
    await using it = await newInstaller(shell);
    const script = `mkdir 'two\nlines'; cd 'two\nlines'\n${SCRIPT}`;
    expect(await it.run(["--prefix", "x"], { script })).toMatchObject({ exitCode: 2, stdout: "" });
    expect(it.releases.asked).toEqual([]);
  });

  test("without HOME it stops, or finds what is in /usr/local", async () => {
    await using it = await newInstaller(shell);
    const run = (name: string) => it.run([], { env: { HOME: "" }, script: call(name) });
    const installs = await run("may_write() { false; }; prefix=$(default_prefix); echo went on");
    expect(installs).toMatchObject({ exitCode: 1, stdout: "" });
    expect(installs.stderr).toContain("HOME is not set");
    expect(await it.run(["--prefix", "~/x"], { env: { HOME: "" } })).toMatchObject({ exitCode: 1, stdout: "" });
    expect(await run("installed_prefix")).toEqual({ exitCode: 0, stdout: "/usr/local\n", stderr: "" });
  });

  test("replaces a ccc that was installed by hand, and another program only by force", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const bin = join(it.prefix, "bin");
    await mkdir(bin, { recursive: true });
    await putTool(bin, "ccc", 'echo "ccc 1.0.0 (by hand)"');
    expect(await it.run(["--prefix", it.prefix])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(it.version()).toStartWith("ccc 1.2.3 ");

    // The receipt shows that the broken program was ccc.
    await putTool(bin, "ccc", "exit 1");
    expect(await it.run(["--prefix", it.prefix])).toMatchObject({ exitCode: 0, stderr: "" });

    await rm(join(it.prefix, "share/ccc/receipt"));
    await putTool(bin, "ccc", "echo another");
    expect(await it.run(["--prefix", it.prefix])).toMatchObject({ exitCode: 1, stdout: "" });
    expect(it.version()).toBe("another\n");
    expect(await it.run(["--prefix", it.prefix, "--force"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(it.version()).toStartWith("ccc 1.2.3 ");
  });

  test("removes neither what has another receipt nor another program, unless forced", async () => {
    await using it = await newInstaller(shell);
    await mkdir(join(it.prefix, "bin"), { recursive: true });
    await putTool(join(it.prefix, "bin"), "ccc", "echo another");
    const receipt = join(it.prefix, "share/ccc/receipt");
    const remove = ["--uninstall", "--prefix", it.prefix];
    for (const [channel, says] of [
      ["channel deb\n", "was not written by this script"],
      ["channel script\n", "does not say that it is ccc"],
    ] as const) {
      await Bun.write(receipt, channel);
      const before = await tree(it.root);
      const result = await it.run(remove);
      expect(result.stderr).toContain(says);
      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(await tree(it.root)).toEqual(before);
    }
    expect(await it.run([...remove, "--force"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(Object.keys(await tree(it.prefix))).toEqual(["bin", "share"]);
  });

  test("an upgrade without write permission says what to do", async () => {
    await using it = await newInstaller(shell);
    const script = SCRIPT.replace('{ main "$@"; }', 'may_write() { false; }\nmain "$@"');
    const { stderr } = await it.run(["--upgrade-from", "1.0.0", "--prefix", it.prefix], { script });
    expect(stderr).toContain("sudo ccc upgrade");
  });

  test("--help documents everything and does nothing", async () => {
    await using it = await newInstaller(shell);
    const before = await tree(it.root);
    const result = await it.run(["--help"]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    for (const word of ["--version", "--prefix", "--uninstall", "--force", "CCC_DOWNLOAD_BASE"])
      expect(result.stdout).toContain(word);
    expect(await tree(it.root)).toEqual(before);
  });

  test("a truncated script does nothing", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const before = await tree(it.root);
    const end = SCRIPT.trimEnd().length;
    const lengths = [...Array(20).keys()].flatMap((index) => [end - 1 - index, Math.floor((end * index) / 20)]);
    const run = (length: number) => it.run(["--prefix", it.prefix], { script: SCRIPT.slice(0, length) });
    for (const length of lengths) expect(await run(length)).toMatchObject({ stdout: "" });
    expect(it.releases.asked).toEqual([]);
    expect(await tree(it.root)).toEqual(before);
  });

  const platforms: [system: string, machine: string, asset: string, tools: Record<string, string>][] = [
    ["Linux", "x86_64", "ccc-linux-x64", { getconf: "echo glibc 2.36" }],
    ["Linux", "aarch64", "ccc-linux-arm64", { getconf: "echo glibc 2.36", ldd: "echo musl" }],
    ["Linux", "x86_64", "ccc-linux-x64-musl", { getconf: "exit 1", ldd: "echo 'musl libc (x86_64)' >&2; exit 1" }],
    ["Linux", "arm64", "ccc-linux-arm64-musl", { getconf: "exit 1", ldd: "echo 'musl libc (aarch64)' >&2; exit 1" }],
    ["Linux", "amd64", "ccc-linux-x64", { getconf: "exit 1", ldd: "echo 'ldd (GNU libc) 2.36'" }],
    ["Darwin", "arm64", "ccc-darwin-arm64", {}],
    ["Darwin", "x86_64", "ccc-darwin-x64", { sysctl: "echo 0" }],
    ["Darwin", "x86_64", "ccc-darwin-arm64", { sysctl: '[ "$*" = "-n sysctl.proc_translated" ] && echo 1' }],
    ["Darwin", "x86_64", "ccc-darwin-x64", { sysctl: "exit 1" }],
    ["FreeBSD", "amd64", "there is no ccc for FreeBSD", {}],
    ["MINGW64_NT-10.0", "x86_64", "Run install.ps1 in PowerShell instead.", {}],
    ["Linux", "riscv64", "there is no ccc for the processor riscv64", {}],
  ];
  test.each(platforms)("%s %s: %s", async (system, machine, asset, tools) => {
    await using it = await newInstaller(shell);
    const PATH = await toolbox(join(it.root, "fake"), []);
    const all = { uname: `case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac`, ...tools };
    for (const [name, script] of Object.entries(all)) await putTool(PATH, name, script);
    const result = await it.run([], { env: { PATH }, script: call("platform_asset") });
    expect(result.stdout + result.stderr).toContain(asset);
    if (asset.startsWith("ccc-")) expect(result).toEqual({ exitCode: 0, stdout: `${asset}\n`, stderr: "" });
    else expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  });

  test("/usr/local if it may write there, else ~/.local", async () => {
    await using it = await newInstaller(shell);
    const choose = async (may: string) =>
      (await it.run([], { script: call(`may_write() { ${may}; }; default_prefix`) })).stdout;
    expect(await choose("true")).toBe("/usr/local\n");
    expect(await choose("false")).toBe(`${it.env.HOME}/.local\n`);
    expect(await choose('[ "$1" = /usr/local/bin ]')).toBe(`${it.env.HOME}/.local\n`);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGPIPE"] as const)(
    "ended by %s during the download it leaves nothing",
    async (signal) => {
      await using it = await newInstaller(shell);
      await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
      const { begun, gone } = it.releases.stall(ARCHIVE);
      await mkdir(it.prefix);
      const before = await tree(it.root);
      const child = it.start(["--prefix", it.prefix]);
      await begun;
      // Twice, like an impatient user.
      child.kill(signal);
      child.kill(signal);
      await child.exited;
      expect(child.exitCode).toBe({ SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGPIPE: 141, SIGTERM: 143 }[signal]);
      await gone;
      expect(await tree(it.root)).toEqual(before);
    },
  );
});

/** The script with one function called instead of main. */
function call(name: string): string {
  return SCRIPT.replace('{ main "$@"; }', `set -eu; ${name}`);
}
