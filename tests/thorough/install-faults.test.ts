import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { newInstaller, putTool, SHELLS, toolbox, tree } from "../installer.ts";
import { ARCHIVE, fakeCcc, type Releases, tamper } from "../releases.ts";

const SCRIPT = await readFile(join(import.meta.dir, "../../install.sh"), "utf8");

const deadEnd = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data: (socket) => {
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe line is dea");
    },
  },
});
afterAll(() => deadEnd.stop(true));

type Fault = [name: string, spoil: (releases: Releases) => unknown, says: string, args?: string[]];

/** What can be wrong with a release or its download. */
const FAULTS: Fault[] = [
  ["a tampered archive", ({ replace }) => replace(ARCHIVE, tamper), "has the wrong checksum"],
  ["half an archive", ({ replace }) => replace(ARCHIVE, half), "has the wrong checksum"],
  ["an empty archive", ({ replace }) => replace(ARCHIVE, () => ""), "has the wrong checksum"],
  ["a download that breaks off", ({ replace }) => replace(ARCHIVE, () => breakOff), "cannot download"],
  ["no archive for this platform", ({ replace }) => replace(ARCHIVE, undefined), "there is no http://127.0.0.1"],
  [
    "a server that fails",
    ({ replace }) => replace(ARCHIVE, () => () => new Response("", { status: 400 })),
    "cannot download",
  ],
  ["no SHA256SUMS", ({ replace }) => replace("SHA256SUMS", undefined), "/SHA256SUMS"],
  ["an archive that is not listed", unlist, `SHA256SUMS of this release does not list ${ARCHIVE.slice(0, -7)}`],
  ["a SHA256SUMS without end", ({ replace }) => replace("SHA256SUMS", () => "x".repeat(4e6)), "It is too long."],
  ["a SHA256SUMS that is a web page", ({ replace }) => replace("SHA256SUMS", () => "<html>"), "does not list"],
  ["no such release", () => {}, "there is no http://127.0.0.1", ["--version", "9.9.9"]],
  ["an archive that was made badly", madeBadly, "cannot unpack"],
  [
    "an archive of something else",
    ({ replace, sum }) => [replace(ARCHIVE, somethingElse), sum()],
    "there is no ccc in",
  ],
  ["a program that does not run", ({ publish }) => publish("1.4.0", "\x7fELF of another machine"), "does not run here"],
  [
    "a program that fails",
    ({ publish }) => publish("1.4.0", "#!/bin/sh\necho why >&2\nexit 3\n"),
    "(exit code 3)\nwhy",
  ],
  ["a program that is not ccc", ({ publish }) => publish("1.4.0", "#!/bin/sh\necho hi\n"), "should print its version"],
  [
    "another version inside",
    ({ publish }) => publish("1.4.0", fakeCcc("1.1.1")),
    "is ccc 1.1.1, not ccc 1.4.0",
    ["--version", "1.4.0"],
  ],
];

describe.each(SHELLS.map((shell) => ({ name: shell.join(" "), shell })))("install.sh in $name", ({ shell }) => {
  describe.each(["nothing is left", "the older ccc stays"])("%s after", (outcome) => {
    test.each(FAULTS)("%s", async (_, spoil, says, args = []) => {
      await using it = await newInstaller(shell);
      await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
      if (outcome === "the older ccc stays") await it.run(["--prefix", it.prefix]);
      await it.releases.publish("1.3.0", fakeCcc("1.3.0"));
      await spoil(it.releases);
      const before = await tree(it.root);
      const result = await it.run(["--prefix", it.prefix, ...args]);
      expect(result.stderr).toContain(says);
      expect(result.stderr).toEndWith("Nothing was changed.\n");
      expect(result.exitCode).toBe(1);
      expect(await tree(it.root)).toEqual(before);
    });
  });

  const occupied: [name: string, occupy: (prefix: string) => Promise<unknown>, says: string][] = [
    ["bin is a file", (prefix) => Bun.write(join(prefix, "bin"), ""), "cannot write to"],
    ["share is a file", (prefix) => Bun.write(join(prefix, "share"), ""), "cannot write to"],
    ["the prefix is a file", (prefix) => Bun.write(prefix, ""), "cannot write to"],
    ["ccc is a folder", (prefix) => mkdir(join(prefix, "bin/ccc"), { recursive: true }), "bin/ccc is a folder"],
    ["ccc is a link of Homebrew's", linkOfHomebrew, "is a symbolic link, which this script did not make"],
    ["ccc is another program", (prefix) => program(prefix, "echo the C compiler compiler"), "is another program"],
    ["ccc is not a program", (prefix) => Bun.write(join(prefix, "bin/ccc"), "text"), "is another program"],
  ];
  test.each(occupied)("%s: nothing is downloaded, and everything stays", async (_, occupy, says) => {
    await using it = await newInstaller(shell);
    await occupy(it.prefix);
    const before = await tree(it.root);
    const result = await it.run(["--prefix", it.prefix]);
    expect(result.stderr).toContain(says);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(it.releases.asked).toEqual([]);
    expect(await tree(it.root)).toEqual(before);
  });

  test("a folder where not even root can write", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const before = await tree(it.root);
    const result = await it.run(["--prefix", "/proc/ccc"]);
    expect(result.stderr).toMatch(/cannot (write to|make the folder) \/proc\/ccc/);
    expect(result.exitCode).toBe(1);
    expect(await tree(it.root)).toEqual(before);
  });

  test("two installations at once that make the same folders", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const mkdir = Bun.which("mkdir");
    await putTool(it.env.PATH ?? "", "mkdir", `case $* in *pre\\ fix*) ${mkdir} "$@" ;; esac\n${mkdir} "$@"`);
    const result = await it.run(["--prefix", it.prefix]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(it.version()).toStartWith("ccc 1.2.3 ");
  });

  test("folders that another installation made stay after a failure", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", "#!/bin/sh\nexit 3\n");
    const mkdir = Bun.which("mkdir");
    await putTool(it.env.PATH ?? "", "mkdir", `case "$*" in */bin) ${mkdir} "$@" ;; esac\n${mkdir} "$@"`);
    await mkdirs(it.prefix);
    expect(await it.run(["--prefix", it.prefix])).toMatchObject({ exitCode: 1 });
    expect(await tree(it.prefix)).toEqual({ bin: "755 folder" });
  });

  test.each(["nothing is left", "the older ccc stays"])(
    "%s if the receipt cannot be put in its place",
    async (outcome) => {
      await using it = await newInstaller(shell);
      await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
      if (outcome === "the older ccc stays") await it.run(["--prefix", it.prefix]);
      await it.releases.publish("1.3.0", fakeCcc("1.3.0"));
      await putTool(it.env.PATH ?? "", "mv", `case "$*" in *receipt) exit 1 ;; esac\nexec ${Bun.which("mv")} "$@"`);
      const before = await tree(it.root);
      const result = await it.run(["--prefix", it.prefix]);
      expect(result.stderr).toEndWith("Nothing was changed.\n");
      expect(result.exitCode).toBe(1);
      expect(await tree(it.root)).toEqual(before);
    },
  );

  test.each(["bin/.ccc", "share/ccc/.receipt"])("a %s of the same name is not touched", async (name) => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    await mkdirs(join(it.prefix, "bin"), join(it.prefix, "share/ccc"));
    const script = `ln -s "$HOME/file" "$2/${name}.$$"\n${SCRIPT}`;
    await Bun.write(join(it.root, "home/file"), "of somebody else");
    const result = await it.run(["--prefix", it.prefix], { script });
    expect(result.stderr).toContain("cannot make the file");
    expect(result.exitCode).toBe(1);
    const left = Object.entries(await tree(it.prefix)).filter(([, what]) => !what.endsWith("folder"));
    expect(left).toEqual([[expect.stringContaining(name), `leads to ${it.root}/home/file`]]);
    expect(await readFile(join(it.root, "home/file"), "utf8")).toBe("of somebody else");
  });

  test("removes what a killed installation left, but not files of a running one", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const dead = Bun.spawn(["true"], { stdout: "ignore" });
    await dead.exited;
    const files = [`bin/.ccc.${dead.pid}`, `bin/.ccc.${dead.pid}-old`, `share/ccc/.receipt.${dead.pid}`];
    const kept = [`bin/.ccc.${process.pid}`, "bin/.ccc.txt"];
    for (const file of [...files, ...kept]) await Bun.write(join(it.prefix, file), "half");
    expect(await it.run(["--prefix", it.prefix])).toMatchObject({ exitCode: 0, stderr: "" });
    const names = Object.keys(await tree(it.prefix)).filter((name) => name.includes("/."));
    expect(names).toEqual(kept.sort());
  });

  test("gives up on a program that hangs", async () => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", "#!/bin/sh\ntrap '' TERM\nwhile :; do :; done\n");
    const before = await tree(it.root);
    const result = await it.run(["--prefix", it.prefix], { script: SCRIPT.replace("KILL 60", "KILL 1") });
    expect(result.stderr).toMatch(/does not run here \(exit code 1\d\d\)/);
    expect(result.exitCode).toBe(1);
    expect(await tree(it.root)).toEqual(before);
  });

  const ways: [name: string, says: string, log: string][] = [
    [
      "redirected to http",
      "redirects to an address without https://",
      "  Location: http://example.com/x\n  HTTP/1.1 200 OK",
    ],
    ["redirected to ftp", "redirects to an address without https://", "location: FTP://example.com/x"],
    [
      "that does not check certificates",
      "does not verify certificates",
      "wget: note: TLS certificate validation not implemented",
    ],
    ["redirected to https", "does not list", "  Location: https://example.com/x\nLocation: /y?u=http://z"],
  ];
  test.each(ways)("a wget %s: %s", async (_, says, log) => {
    await using it = await newInstaller(shell);
    const PATH = await toolbox(join(it.root, "few"), ["sha256sum"]);
    await putTool(PATH, "wget", `printf '${log}\n' >&2\nwhile [ "$1" != -O ]; do shift; done\n: >"$2"`);
    const env = { PATH, CCC_DOWNLOAD_BASE: "https://example.com" };
    const result = await it.run(["--prefix", it.prefix], { env });
    expect(result.stderr).toContain(says);
    expect(result.exitCode).toBe(1);
  });

  const toolboxes: [tools: string[], missing: string, says: string][] = [
    [["wget", "sha256sum"], "", ""],
    [["curl", "shasum"], "", ""],
    [["curl", "openssl"], "", ""],
    [["sha256sum"], "", "neither curl nor wget was found"],
    [["curl"], "", "no program to verify checksums was found"],
    [["curl", "sha256sum"], "tar", "tar was not found"],
  ];
  test.each(toolboxes)("with %p, without %p: %p", async (tools, missing, says) => {
    await using it = await newInstaller(shell);
    await it.releases.publish("1.2.3", fakeCcc("1.2.3"));
    const PATH = await toolbox(join(it.root, "few"), tools, missing);
    const before = await tree(it.root);
    const result = await it.run(["--prefix", it.prefix], { env: { PATH } });
    expect(result.stderr).toContain(says);
    expect(result.exitCode).toBe(says === "" ? 0 : 1);
    if (says === "") expect(it.version()).toStartWith("ccc 1.2.3 ");
    else expect(await tree(it.root)).toEqual(before);
  });

  const bases: [base: string, says: string][] = [
    ["http://example.com/releases", "must begin with https://"],
    ["http://127.0.0.1.example.com", "must begin with https://"],
    ["http://127.0.0.1@example.com/x", "must not contain a user name or password"],
    ["http://localhost:1@example.com", "must not contain a user name or password"],
    ["https://somebody:secret@example.com/", "must not contain a user name or password"],
    ["somebody:secret@example.com", "must not contain a user name or password"],
    ["http://example.com\\127.0.0.1/", "must begin with https://"],
    ["file:///etc", "is not an https:// address"],
    ["releases", "is not an https:// address"],
  ];
  test.each(bases)("%s is refused", async (CCC_DOWNLOAD_BASE, says) => {
    await using it = await newInstaller(shell);
    const result = await it.run(["--prefix", it.prefix], { env: { CCC_DOWNLOAD_BASE } });
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toContain("secret");
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  });
});

function half(archive: Uint8Array<ArrayBuffer>) {
  return archive.slice(0, archive.length >> 1);
}

/** Half an archive, with the right checksum. */
function madeBadly({ replace, sum }: Releases) {
  replace(ARCHIVE, half);
  sum();
}

function somethingElse(): Uint8Array<ArrayBuffer> {
  const made = Bun.spawnSync(["tar", "-czf", "-", "-C", import.meta.dir, "install.test.ts"]);
  return new Uint8Array(made.stdout);
}

function unlist({ replace }: Releases) {
  replace("SHA256SUMS", (sums) => Buffer.from(sums).toString().replaceAll(".tar.gz", ".zip"));
}

/** Promises more than it sends. */
function breakOff(): Response {
  return Response.redirect(`http://127.0.0.1:${deadEnd.port}/`);
}

async function program(prefix: string, script: string) {
  await mkdirs(join(prefix, "bin"));
  await putTool(join(prefix, "bin"), "ccc", script);
}

async function mkdirs(...folders: string[]) {
  for (const folder of folders) await mkdir(folder, { recursive: true });
}

async function linkOfHomebrew(prefix: string) {
  await Bun.write(join(prefix, "Cellar/ccc/1.0.0/bin/ccc"), "of Homebrew");
  await mkdir(join(prefix, "bin"));
  await symlink("../Cellar/ccc/1.0.0/bin/ccc", join(prefix, "bin/ccc"));
}
