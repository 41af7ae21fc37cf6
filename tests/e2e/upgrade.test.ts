import { expect, test } from "bun:test";
import { copyFile, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { CCC } from "../harness.ts";
import { type Installer, newInstaller, tree } from "../installer.ts";
import { ARCHIVE, fakeCcc, tamper } from "../releases.ts";

function start(it: Installer, args: readonly string[], file = join(it.prefix, "bin/ccc")) {
  const options = { cwd: it.root, env: it.env, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
  return Bun.spawn([file, ...args], options);
}

async function ccc(it: Installer, args: readonly string[], file?: string) {
  const child = start(it, args, file);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode: child.exitCode, stdout, stderr };
}

test("a ccc from install.sh replaces itself, but only with an intact download", async () => {
  // For a hundred megabytes, openssl takes an eighth of the time of sha256sum.
  await using it = await newInstaller(["/bin/sh"], ["curl", "openssl"]);
  await it.releases.publish("0.0.1", await readFile(CCC));
  expect(await it.run(["--prefix", it.prefix])).toMatchObject({ exitCode: 0, stderr: "" });
  await symlink(join(it.prefix, "bin/ccc"), join(it.root, "link"));
  const before = await tree(it.root);

  await it.releases.publish("0.0.1-rc.1", fakeCcc("0.0.1-rc.1"));
  const older = await ccc(it, ["upgrade"]);
  expect(older).toMatchObject({ exitCode: 0, stderr: "" });
  expect(older.stdout).toContain("is newer than the newest release (0.0.1-rc.1)");
  expect(await tree(it.root)).toEqual(before);

  await it.releases.publish("9.9.9", fakeCcc("9.9.9"));
  it.releases.replace(ARCHIVE, tamper);
  const tampered = await ccc(it, ["upgrade"]);
  expect(tampered.stderr).toContain("has the wrong checksum");
  expect(tampered.exitCode).toBe(1);

  await it.releases.publish("9.9.9", fakeCcc("9.9.9"));
  const { begun, gone } = it.releases.stall(ARCHIVE);
  const ended = start(it, ["upgrade"]);
  await begun;
  ended.kill("SIGINT");
  await Promise.all([ended.exited, gone]);
  expect(ended.exitCode).toBe(130);
  expect(await tree(it.root)).toEqual(before);

  await it.releases.publish("9.9.9", fakeCcc("9.9.9"));
  const upgraded = await ccc(it, ["upgrade"], join(it.root, "link"));
  expect(upgraded).toMatchObject({ exitCode: 0, stderr: "" });
  expect(upgraded.stdout).toContain(`Installed ccc 9.9.9: ${it.prefix}/bin/ccc\n`);
  expect(await tree(it.prefix)).toEqual({
    bin: "755 folder",
    "bin/ccc": `755 ${fakeCcc("9.9.9")}`,
    share: "755 folder",
    "share/ccc": "755 folder",
    "share/ccc/receipt": "644 channel script\nversion 9.9.9\n",
  });
});

test("one installed by hand or by Homebrew only says how to upgrade", async () => {
  await using it = await newInstaller();
  const cellar = join(it.prefix, "Cellar/ccc/0.1.0/bin");
  await mkdir(cellar, { recursive: true });
  await mkdir(join(it.prefix, "bin"));
  await copyFile(CCC, join(cellar, "ccc"));
  await symlink("../Cellar/ccc/0.1.0/bin/ccc", join(it.prefix, "bin/ccc"));
  const brewed = await ccc(it, ["upgrade"]);
  expect(brewed).toMatchObject({ exitCode: 1, stdout: "" });
  expect(brewed.stderr).toContain("brew upgrade ccc-cli/tap/ccc");
  const byHand = await ccc(it, ["upgrade"], CCC);
  expect(byHand).toMatchObject({ exitCode: 1, stdout: "" });
  expect(byHand.stderr).toContain("was installed by hand");
  expect(it.releases.asked).toEqual([]);
});
