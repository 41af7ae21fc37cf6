import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ABOUT } from "../about.ts";
import { notRun, passed, type Step } from "./step.ts";

/** The arm64 program, under QEMU, with a stand-in for claude: a hook could not start an arm64 program here. */
export const arm64Step: Step = {
  name: "arm64",
  needsRelease: true,
  async run({ assets, scratch, run }) {
    const qemu = Bun.which("qemu-aarch64") ?? Bun.which("qemu-aarch64-static");
    const libraries = "/usr/aarch64-linux-gnu";
    if (qemu === null || !existsSync(join(libraries, "lib/libc.so.6")))
      return notRun("QEMU or its C library missing: apt-get install qemu-user libc6-arm64-cross");
    const home = join(scratch, "arm64");
    const programs = join(scratch, "programs");
    for (const folder of [home, programs]) await mkdir(folder);
    const provider = { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_AUTH_TOKEN: "none" } };
    await Bun.write(join(home, "ccc.json"), JSON.stringify({ providers: { local: provider } }));
    const env = { HOME: home, PATH: "/usr/bin:/bin", CCC_CONFIG_DIR: home, CCC_CLAUDE: "/bin/echo" };
    await run(["tar", "-xzf", join(assets, "ccc-linux-arm64.tar.gz"), "-C", programs]);
    const expected: readonly (readonly [args: readonly string[], says: string])[] = [
      [["--version", "--json"], '"arch":"arm64"'],
      [["--version"], `ccc ${ABOUT.version} (`],
      [["--help"], "ccc provider"],
      [["provider", "list"], "local"],
      [["--dry-run", "--json", "local", "hello"], '"file": "/bin/echo"'],
      [["local", "hello"], "hello"],
    ];
    for (const [args, says] of expected) {
      const said = await run([qemu, "-L", libraries, join(programs, "ccc"), ...args], {
        env,
        cwd: home,
        timeoutMs: 120_000,
      });
      if (!said.includes(says)) throw new Error(`ccc ${args.join(" ")} does not say ${says}, but: ${said}`);
    }
    return passed("version, help, provider list, dry run, launch of a stand-in for claude");
  },
};

/** The release's program for Windows launches the real Claude Code for Windows. `bun run test:windows` alone tests more. */
export const windowsStep: Step = {
  name: "windows",
  needsRelease: true,
  async run({ assets, run }) {
    if (process.platform !== "win32" && !existsSync("/usr/lib/wine/wine64"))
      return notRun("Wine missing: scripts/wine/setup.sh");
    const env = { ...process.env, CCC_TEST_EXE: join(assets, "ccc-windows-x64.exe") } as Record<string, string>;
    await run([process.execPath, "tests/windows/run.ts", "launch"], { env });
    return passed("the tests of launches, with Claude Code for Windows");
  },
};

/** Programs that cannot run here. Their rows say where they do. */
export const elsewhereSteps: readonly Step[] = [
  { name: "arm64-musl", why: "Debian has no musl libraries for arm64" },
  { name: "macos", why: "needs a Mac" },
  { name: "windows-arm64", why: "needs Windows on arm64" },
].map(({ name, why }) => ({
  name,
  needsRelease: true,
  run: async () => notRun(`${why}; the release workflow runs it (smoke)`),
}));
