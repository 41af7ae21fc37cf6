import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "../../../package.json" with { type: "json" };
import { run } from "../../../src/cli/run.ts";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

const RELEASES = `https://github.com/${repository.replace("github:", "")}/releases`;

describe("ccc upgrade does what suits how ccc was installed:", () => {
  const RECEIPT = "channel script\nversion 0.1.0\n";
  const [brew, byHand] = ["with Homebrew", "by hand"];
  const script = (prefix: string) => `by the script, in ${prefix}`;

  async function installed(self: string, content: Record<string, string>, platform: NodeJS.Platform = "linux") {
    let prefix = "";
    const { world, said } = fakeWorld({
      argv: ["upgrade"],
      self,
      content,
      platform,
      run: async ({ program: { args } }) => {
        prefix = args[args.findIndex((each) => /^--?prefix$/i.test(each)) + 1] ?? "";
        return { exitCode: 0, ending: "exited", stderr: "" };
      },
    });
    if ((await run(world)) === 0) return script(prefix);
    return said.stderr.includes("was installed by hand") ? byHand : said.stderr.includes("brew upgrade") ? brew : "";
  }

  const TABLE: [self: string, receipts: Record<string, string>, expected: string][] = [
    ["/opt/homebrew/Cellar/ccc/0.1.0/bin/ccc", {}, brew],
    ["/home/linuxbrew/.linuxbrew/Cellar/ccc/0.1.0/bin/ccc", {}, brew],
    ["/usr/local/Cellar/ccc/0.1.0/bin/ccc", { "/usr/local/share/ccc/receipt": RECEIPT }, brew],
    ["/opt/homebrew/Caskroom/ccc/0.1.0/ccc", {}, brew],
    ["/opt/homebrew/Cellar/other/0.1.0/bin/ccc", {}, byHand],
    ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": RECEIPT }, script("/usr/local")],
    ["/home/u/my tools/bin/ccc", { "/home/u/my tools/share/ccc/receipt": RECEIPT }, script("/home/u/my tools")],
    ["/bin/ccc", { "/share/ccc/receipt": RECEIPT }, script("/")],
    ["/usr/local/bin/ccc", {}, byHand],
    ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": "" }, byHand],
    ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": "channel scripts\n" }, byHand],
    ["/usr/local/bin/ccc", { "/usr/local/share/ccc/receipt": "channel deb\nversion 1\n" }, byHand],
    ["/usr/local/bin/ccc-next", { "/usr/local/share/ccc/receipt": RECEIPT }, byHand],
    ["/usr/local/sbin/ccc", { "/usr/local/share/ccc/receipt": RECEIPT }, byHand],
    ["/ccc", { "/share/ccc/receipt": RECEIPT }, byHand],
  ];
  test.each(TABLE)("%s %j: %s", async (self, receipts, expected) => {
    expect(await installed(self, receipts)).toBe(expected);
  });

  test("on Windows", async () => {
    const receipts = { "C:\\Apps\\ccc\\share\\ccc\\receipt": RECEIPT };
    expect(await installed("C:\\Apps\\ccc\\bin\\ccc.exe", receipts, "win32")).toBe(script("C:\\Apps\\ccc"));
    expect(await installed("C:\\Apps\\bin\\ccc.exe", receipts, "win32")).toBe(byHand);
  });
});

describe("command", () => {
  const RECEIPT = "channel script\nversion 0.1.0\n";
  const ROOT = join(import.meta.dir, "../../..");

  async function upgrade(args: string[], parts: Partial<World>, ended: Partial<ChildResult> = {}) {
    const requests: ChildRequest[] = [];
    const { world, said, files } = fakeWorld({
      argv: ["upgrade", ...args],
      content: { "/opt/share/ccc/receipt": RECEIPT, "C:\\Apps\\share\\ccc\\receipt": RECEIPT },
      run: async (request) => {
        requests.push(request);
        ["Downloading", "Installed"].some((line) => request.onLine(Buffer.from(line)));
        return { exitCode: 0, ending: "exited", stderr: "", ...ended };
      },
      ...parts,
    });
    return { exitCode: await run(world), ...said, requests, files: files.content };
  }

  describe("ccc upgrade", () => {
    test("runs install.sh on its own prefix, and shows what it says", async () => {
      const { requests, ...result } = await upgrade([], {
        self: "/opt/bin/ccc",
        env: { CCC_DOWNLOAD_BASE: "https://x" },
      });
      expect(result).toMatchObject({ exitCode: 0, stdout: "Downloading\nInstalled\n", stderr: "" });
      const stdin = await readFile(join(ROOT, "install.sh"), "utf8");
      const args = ["-s", "--", "--upgrade-from", "0.0.0", "--prefix", "/opt"];
      expect(requests).toMatchObject([
        { stdin, program: { file: "/bin/sh", args, env: { CCC_DOWNLOAD_BASE: "https://x" } } },
      ]);
    });

    test("installs a given version", async () => {
      const { requests } = await upgrade(["--version", "0.2.0"], { self: "/opt/bin/ccc" });
      expect(requests[0]?.program.args.slice(-4)).toEqual(["--prefix", "/opt", "--version", "0.2.0"]);
    });

    test("runs install.ps1 on Windows", async () => {
      const world = { self: "C:\\Apps\\bin\\ccc.exe", platform: "win32", env: { SystemRoot: "D:\\Win" } } as const;
      const { requests, files } = await upgrade(["--version", "0.2.0"], world);
      const script = "/scratch\\install.ps1";
      expect(files[script]).toBe(await readFile(join(ROOT, "install.ps1"), "utf8"));
      expect(requests[0]?.program.file).toBe("D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe");
      const args = ["-File", script, "-UpgradeFrom", "0.0.0", "-Prefix", "C:\\Apps", "-Version", "0.2.0"];
      expect(requests[0]?.program.args.slice(-8)).toEqual(args);
    });

    test.each([
      ["a failure", { exitCode: 1, stderr: "ccc install: why" }, 1, "ccc install: why\n"],
      ["an end by a signal of the script", { exitCode: null }, 1, ""],
      ["Ctrl-C", { exitCode: null, ending: "interrupted" }, 130, ""],
      ["a line that hangs", { exitCode: null, ending: "timeout" }, 1, "ccc: the upgrade took more than an hour"],
    ] as const)("%s", async (_, ended, exitCode, says) => {
      const result = await upgrade([], { self: "/opt/bin/ccc" }, ended);
      expect(result.exitCode).toBe(exitCode);
      expect(result.stderr).toStartWith(says);
    });

    test.each([
      ["/opt/homebrew/Cellar/ccc/0.1.0/bin/ccc", [], "brew upgrade ccc-cli/tap/ccc"],
      ["/home/u/ccc", [], `${RELEASES}/latest`],
      ["/home/u/ccc", ["--version", "v0.2.0"], `${RELEASES}/tag/v0.2.0`],
    ])("%s %p only says how", async (self, args, says) => {
      const { exitCode, stdout, stderr, requests } = await upgrade(args, { self });
      expect({ exitCode, stdout, requests }).toEqual({ exitCode: 1, stdout: "", requests: [] });
      expect(stderr).toContain(says);
    });

    test("--help runs nothing", async () => {
      const { exitCode, stdout } = await upgrade(["--help"], {});
      expect(exitCode).toBe(0);
      for (const word of ["ccc upgrade", "--version", "install.sh", "CCC_DOWNLOAD_BASE"])
        expect(stdout).toContain(word);
    });

    test("an extra argument is a usage error", async () => {
      expect(await upgrade(["0.2.0"], { self: "/opt/bin/ccc" })).toMatchObject({ exitCode: 2, requests: [] });
    });
  });

  test("the install scripts use the releases of the repository in package.json", async () => {
    for (const file of ["install.sh", "install.ps1"]) {
      const addresses = (await readFile(join(ROOT, file), "utf8")).match(/https:\/\/github\.com[\w./-]*\w/g) ?? [];
      expect(new Set(addresses)).toEqual(new Set([RELEASES]));
    }
  });
});

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const linux = { commit: COMMIT, arch: "x64", libc: "glibc", bun: "1.4.4" } as const;

async function ccc(argv: string[], build = linux as ReturnType<World["build"]>, platform: NodeJS.Platform = "linux") {
  const { world, said } = fakeWorld({ argv, platform, build: () => build });
  return { exitCode: await run(world), ...said };
}

describe("ccc --version", () => {
  const table: [build: ReturnType<World["build"]>, platform: NodeJS.Platform, says: string][] = [
    [linux, "linux", "0123456, linux-x64, Bun 1.4.4"],
    [{ ...linux, libc: "musl" }, "linux", "0123456, linux-x64-musl, Bun 1.4.4"],
    [{ ...linux, arch: "arm64", libc: null }, "darwin", "0123456, darwin-arm64, Bun 1.4.4"],
    [{ ...linux, libc: null }, "win32", "0123456, windows-x64, Bun 1.4.4"],
    [{ ...linux, commit: `${COMMIT}-dirty` }, "linux", "0123456-dirty, linux-x64, Bun 1.4.4"],
    [{ ...linux, commit: "unknown" }, "linux", "unknown, linux-x64, Bun 1.4.4"],
  ];
  for (const [build, platform, says] of table)
    test(says, async () => {
      const expected = { exitCode: 0, stdout: `ccc 0.0.0 (${says})\n`, stderr: "" };
      expect(await ccc(["--version"], build, platform)).toEqual(expected);
      expect(await ccc(["-v"], build, platform)).toEqual(expected);
    });
});

test("ccc --version --json is one object, with the whole commit", async () => {
  const { exitCode, stdout } = await ccc(["--version", "--json"], { ...linux, libc: null }, "win32");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version: "0.0.0",
    commit: COMMIT,
    platform: "windows",
    arch: "x64",
    libc: null,
    bun: "1.4.4",
  });
});
