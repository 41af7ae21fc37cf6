import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFile, chmod, copyFile, cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABOUT, ROOT } from "../../scripts/release/about.ts";
import { ASSETS, assemble } from "../../scripts/release/package.ts";
import { renderSums, SUMS, sumsOf } from "../../scripts/release/sums.ts";
import { binaryName, TARGETS, type Target, targetName } from "../../scripts/release/targets.ts";
import { verifyRelease } from "../../scripts/release/verify.ts";
import { CCC } from "../harness.ts";
import { fakeProgram, machO } from "../programs.ts";

const VERIFY = join(ROOT, "scripts/release/verify.ts");
const contents = {
  ...ABOUT,
  source: { commit: "abc", time: 1_700_000_000 },
  bun: Bun.version,
  packages: [],
};
let scratch = "";
let here: Target;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "ccc-release-"));
  const { platform, arch, libc } = await Bun.$`${CCC} --version --json`.json();
  here = { os: platform, arch, libc };
});
afterAll(() => rm(scratch, { recursive: true }));

/** A complete release of stand-ins for programs, except for the real ones passed in. */
async function release(name: string, root = ROOT, real: ReadonlyMap<string, string> = new Map()): Promise<string> {
  const folder = join(scratch, name);
  await mkdir(folder);
  for (const target of TARGETS) {
    const file = join(folder, binaryName(target));
    const program = real.get(targetName(target));
    if (program === undefined) await Bun.write(file, fakeProgram(target));
    else await copyFile(program, file);
  }
  await assemble(folder, root, contents);
  return folder;
}

describe("a release", () => {
  test("is the same in another folder and at another time, and its program runs", async () => {
    const root = join(scratch, "another root");
    await mkdir(root);
    for (const name of ["LICENSE", "README.md", "install.sh", "install.ps1"]) {
      await cp(join(ROOT, name), join(root, name));
      await chmod(join(root, name), 0o600);
    }
    const real = new Map([[targetName(here), CCC]]);
    // The compared releases have only stand-ins, because compressing the real program takes seconds.
    const [one, two] = [await release("one"), await release("two", root)];
    const sums = await Bun.file(join(one, SUMS)).text();
    expect(await Bun.file(join(two, SUMS)).text()).toBe(sums);
    const whole = await release("whole", ROOT, real);
    expect(sums.trimEnd().split("\n")).toHaveLength(ASSETS.length);
    expect((await readdir(whole)).sort()).toEqual([SUMS, ...ASSETS]);
    expect(await verifyRelease(whole, ROOT, ABOUT)).toEqual([]);

    const unpacked = join(scratch, "unpacked");
    await mkdir(unpacked);
    await Bun.$`tar -xzf ${join(whole, `${targetName(here)}.tar.gz`)} -C ${unpacked}`;
    expect((await readdir(unpacked)).sort()).toEqual(["LICENSE", "README.md", "ccc"]);
    expect(await Bun.$`${join(unpacked, "ccc")} --version`.text()).toBe(await Bun.$`${CCC} --version`.text());
  });
});

describe("verify.ts", () => {
  const faults: [name: string, spoil: (folder: string) => Promise<unknown>, says: string][] = [
    [
      "a changed byte",
      (at) => appendFile(join(at, "ccc.cdx.json"), " "),
      "ccc.cdx.json: is not what SHA256SUMS says\n",
    ],
    ["a missing file", (at) => rm(join(at, "install.sh")), "install.sh: is missing\n"],
    ["a folder", (at) => mkdir(join(at, "more")), "more: does not belong in a release\n"],
    ["a file too many", (at) => Bun.write(join(at, "notes.txt"), ""), "notes.txt: does not belong in a release\n"],
    ["a file listed twice", (at) => double(at, "ccc.rb"), "ccc.rb: is listed 2 times in SHA256SUMS\n"],
    ["a line that is not a checksum", (at) => appendFile(join(at, SUMS), "x\n"), "SHA256SUMS: line 21 is no sum\n"],
  ];
  for (const [name, spoil, says] of faults)
    test(`finds ${name}`, async () => {
      const folder = await release(name);
      expect(await verify(folder)).toMatchObject({ exitCode: 0, stderr: "" });
      await spoil(folder);
      expect(await verify(folder)).toEqual({ exitCode: 1, stdout: "", stderr: says });
    });

  /** Faults that match SHA256SUMS: only the content of the files shows them. */
  const agreed: [name: string, spoil: (folder: string) => Promise<unknown>, says: string[]][] = [
    [
      "a program that macOS would not find whole",
      (at) => Bun.write(join(at, "ccc-darwin-x64"), machO(0x07)),
      ["ccc-darwin-x64: its signature does not fit", "ccc-darwin-x64.tar.gz: its program is not ccc-darwin-x64"],
    ],
    [
      "a program of another kind",
      (at) => copyFile(join(at, "ccc-linux-x64-musl"), join(at, "ccc-linux-x64")),
      ["ccc-linux-x64: is ELF x64 musl, not ELF x64 glibc", "ccc-linux-x64.tar.gz: its program is not ccc-linux-x64"],
    ],
    [
      "a program without its end",
      async (at) => {
        const file = join(at, "ccc-linux-arm64");
        await Bun.write(file, (await Bun.file(file).bytes()).slice(0, 100));
      },
      [
        "ccc-linux-arm64: is a program that is cut off, not ELF arm64 glibc",
        "ccc-linux-arm64.tar.gz: its program is not ccc-linux-arm64",
      ],
    ],
    [
      "a formula with another address",
      async (at) => {
        const text = await Bun.file(join(at, "ccc.rb")).text();
        await Bun.write(join(at, "ccc.rb"), text.replaceAll("/releases/", "/evil/"));
      },
      ["ccc.rb: is not the one for these archives"],
    ],
    [
      "an archive with something else in it",
      async (at) => Bun.write(join(at, "ccc-linux-x64-musl.tar.gz"), await new Bun.Archive({ ccc: "evil" }).bytes()),
      ["ccc-linux-x64-musl.tar.gz: holds ccc"],
    ],
    [
      "an invalid archive",
      (at) => Bun.write(join(at, "ccc-windows-x64.zip"), new Uint8Array(100)),
      ["ccc-windows-x64.zip: holds nothing"],
    ],
    [
      "an installer of somebody else's",
      (at) => Bun.write(join(at, "install.sh"), ""),
      ["install.sh: is not the one of the source"],
    ],
    [
      "an invalid SBOM",
      (at) => Bun.write(join(at, "ccc.cdx.json"), "{"),
      [`ccc.cdx.json: is no SBOM of version ${ABOUT.version}`],
    ],
  ];
  for (const [name, spoil, says] of agreed)
    test(`finds ${name}, although SHA256SUMS agrees`, async () => {
      const folder = await release(name);
      await spoil(folder);
      await Bun.write(join(folder, SUMS), renderSums(await sumsOf(folder)));
      const faults = await verifyRelease(folder, ROOT, ABOUT);
      // An archive with another checksum no longer matches the formula either.
      expect(faults.filter((fault) => says.includes(fault))).toEqual(says);
    });

  async function verify(folder: string) {
    const { exitCode, stdout, stderr } = await Bun.$`${process.execPath} ${VERIFY} ${folder}`.quiet().nothrow();
    return { exitCode, stdout: exitCode === 0 ? "" : stdout.toString(), stderr: stderr.toString() };
  }

  async function double(folder: string, name: string): Promise<void> {
    const lines = (await Bun.file(join(folder, SUMS)).text()).split("\n");
    await appendFile(join(folder, SUMS), `${lines.find((line) => line.endsWith(name))}\n`);
  }
});
