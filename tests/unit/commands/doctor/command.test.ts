import { describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import { fixableFiles, fixFiles } from "../../../../src/commands/doctor/fixable.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { diskFiles, type Files } from "../../../../src/os/files.ts";
import { fakeWorld } from "../../fakes.ts";

describe("ccc doctor", () => {
  const CONFIG = "/home/u/.claude/ccc.json";
  const content = { [CONFIG]: JSON.stringify({ providers: { glm: {} } }), "/bin/claude": null };

  const NONE = { isFile: false, isFolder: false, isExecutable: false, mode: 0, size: 0 };

  test("an unknown provider is reported before any check runs", async () => {
    const { world, said } = fakeWorld({ argv: ["doctor", "nope"], content });
    expect(await run(world)).toBe(2);
    expect(said).toEqual({ stdout: "", stderr: 'ccc: unknown provider "nope"\nYour providers: glm\n' });
  });

  test("the text output ends with the command that tests providers; JSON does not", async () => {
    const last = async (...argv: string[]) => {
      const { world, said } = fakeWorld({ argv: ["doctor", ...argv], content });
      await run(world);
      return said.stdout.trimEnd().split("\n").at(-1);
    };
    expect(await last()).toBe("To test the providers: ccc validate --all");
    expect(await last("glm")).toBe("To test its tools and streaming: ccc validate glm --deep");
    expect(await last("--json")).toBe("}");
  });

  test("advice of several lines is indented and wrapped to the terminal", async () => {
    const parts = { isTerminal: () => true, columns: () => 60 };
    const { world, said } = fakeWorld({ argv: ["doctor"], content: { "/bin/claude": null }, ...parts });
    expect(await run(world)).toBe(1);
    expect(said.stdout).toContain("\u001b[31m✗\u001b[39m ccc.json: ");
    expect(Bun.stripANSI(said.stdout)).toContain(
      `✗ ccc.json: there is no ${CONFIG} yet\n    Add a provider:\n      ccc provider add\n`,
    );
    for (const line of Bun.stripANSI(said.stdout).split("\n")) {
      expect(line).toMatch(/^([✓!✗] | {2}|$)/);
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
    }
    expect(said.stdout).not.toContain("ccc validate");
  });

  test("only --fix fixes, and says so first", async () => {
    const doctor = async (...args: string[]) => {
      const { world, said } = fakeWorld({ argv: ["doctor", ...args], content });
      const made: string[] = [];
      const identify: Files["identify"] = (path) => ({ ...identity(path), mode: 0o644 });
      const identity = (path: string) => world.files.identify(path) ?? { ...NONE, id: path };
      const makePrivate = (path: string) => void made.push(path);
      await run({ ...world, files: { ...world.files, identify, makePrivate } });
      return { first: said.stdout.split("\n")[0], made };
    };
    expect(await doctor()).toMatchObject({ made: [] });
    expect(await doctor("--fix")).toMatchObject({
      first: `✓ fixed: ${CONFIG} is now readable by you only`,
      made: [CONFIG, "/home/u/.claude/ccc"],
    });
  });
});

describe("what --fix fixes", () => {
  const GONE = 2 ** 22 + 1;
  const HERE = process.pid;

  /** A home with these files, modes and ages, and ccc in its folder "project". */
  async function homeWith(content: Record<string, string>) {
    const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
    for (const [path, text] of Object.entries({ ".claude/ccc.json": "{}", "project/x": "", ...content })) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text, { mode: 0o600 });
    }
    await mkdir(join(home, ".claude/ccc"), { recursive: true });
    await chmod(join(home, ".claude/ccc"), 0o700);
    const parts = { files: diskFiles(HERE), env: { HOME: home }, cwd: join(home, "project") };
    const { world } = fakeWorld({ ...parts, isAlive: (pid) => pid !== GONE });
    /** How many files are open to others, locks, and temporary. */
    const found = () => {
      const { open, locks, temporary } = fixableFiles(world, cccPaths(world));
      return [open.length, locks.length, temporary.length];
    };
    const fix = () =>
      fixFiles(world, cccPaths(world)).map(({ isFixed, detail }) =>
        isFixed ? detail.replaceAll(home, "~") : `not: ${detail}`,
      );
    const names = async () => (await readdir(home, { recursive: true })).filter((name) => name.includes("."));
    return { home, fix, found, names, [Symbol.asyncDispose]: () => rm(home, { recursive: true }) };
  }

  test("what others can read becomes private, with the same content", async () => {
    await using place = await homeWith({});
    const [config, folder] = [join(place.home, ".claude/ccc.json"), join(place.home, ".claude/ccc")];
    await chmod(config, 0o644);
    await chmod(folder, 0o755);
    expect(place.found()).toEqual([2, 0, 0]);
    expect(place.fix()).toEqual([
      "~/.claude/ccc.json is now readable by you only",
      "~/.claude/ccc is now readable by you only",
    ]);
    expect([(await stat(config)).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await Bun.file(config).text()).toBe("{}");
    expect([place.found(), place.fix()]).toEqual([[0, 0, 0], []]);
  });

  test("locks and unfinished files of processes that are gone are removed, all others stay", async () => {
    await using place = await homeWith({
      ".claude/ccc.json.lock": String(GONE),
      ".claude/ccc/usage/glm.json.lock": String(GONE),
      "project/.claude/ccc/supervisor-s.json.lock": String(GONE),
      [`.claude/ccc.json.${GONE}.tmp`]: "a key",
      [`.claude/ccc/settings-glm.json.${GONE}.tmp`]: "a key",
      // Of processes that still run, of Claude Code, or of somebody else.
      ".claude/settings.json.lock": String(HERE),
      [`.claude/ccc/loaded.${HERE}.tmp`]: "",
      ".claude/daemon.lock": String(GONE),
      [`.claude/history.${GONE}.tmp`]: "",
      ".claude/ccc/notes.lock": "not a process",
      "project/.claude/ccc/mine.txt": "",
    });
    expect(place.found()).toEqual([0, 3, 2]);
    expect(place.fix().sort()).toEqual(
      [
        `removed the lock ~/.claude/ccc.json.lock`,
        `removed the lock ~/.claude/ccc/usage/glm.json.lock`,
        `removed the lock ~/project/.claude/ccc/supervisor-s.json.lock`,
        `removed ~/.claude/ccc.json.${GONE}.tmp, which a killed process left`,
        `removed ~/.claude/ccc/settings-glm.json.${GONE}.tmp, which a killed process left`,
      ].sort(),
    );
    expect((await place.names()).filter((name) => /\.(lock|tmp|txt)$/.test(name)).sort()).toEqual([
      `.claude/ccc/loaded.${HERE}.tmp`,
      ".claude/ccc/notes.lock",
      ".claude/daemon.lock",
      `.claude/history.${GONE}.tmp`,
      ".claude/settings.json.lock",
      "project/.claude/ccc/mine.txt",
    ]);
    expect([place.found(), place.fix()]).toEqual([[0, 0, 0], []]);
  });

  test("links of a project are not followed", async () => {
    await using place = await homeWith({ "elsewhere/a.lock": String(GONE) });
    await mkdir(join(place.home, "project/.claude"));
    await symlink(join(place.home, "elsewhere"), join(place.home, "project/.claude/ccc"));
    expect([place.found(), place.fix()]).toEqual([[0, 0, 0], []]);
    expect(await place.names()).toContain("elsewhere/a.lock");
  });

  test("programs for editors that are links to ccc are replaced", async () => {
    await using place = await homeWith({ ".claude/ccc/bin/ccc-kimi": "#!/bin/sh\n" });
    const link = join(place.home, ".claude/ccc/bin/ccc-glm");
    await symlink("/opt/ccc", link);
    expect(place.fix()).toEqual(["~/.claude/ccc/bin/ccc-glm is now a program of its own"]);
    expect(await Bun.file(link).text()).toEndWith(' --as=glm "$@"\n');
    expect(place.fix()).toEqual([]);
  });

  test("records of launches that are too old to matter are removed", async () => {
    await using place = await homeWith({
      ".claude/ccc/launches/old.json": "{}",
      ".claude/ccc/launches/new.json": "{}",
    });
    const long = new Date(Date.now() - 100 * 24 * 3600 * 1000);
    await utimes(join(place.home, ".claude/ccc/launches/old.json"), long, long);
    expect(place.fix()).toEqual(["removed 1 record of launches and sessions that are too old to matter"]);
    expect(await place.names()).toContain(".claude/ccc/launches/new.json");
  });

  test("only locks and unfinished files are looked at", () => {
    const generated = "/home/u/.claude/ccc";
    const content = {
      [`${generated}/gone.lock`]: "1",
      [`${generated}/just-made.lock`]: "",
      [`${generated}/folder.lock`]: null,
      [`${generated}/usage.json`]: "12",
    };
    const { world } = fakeWorld({ content, isAlive: () => false });
    expect(fixableFiles(world, cccPaths(world))).toEqual({
      links: [],
      open: [],
      locks: [`${generated}/gone.lock`],
      temporary: [],
    });
  });

  test("Windows has no modes that could be too open", () => {
    const open = (platform: NodeJS.Platform) => {
      const { world } = fakeWorld({ platform, env: { HOME: "/home/u", USERPROFILE: "/home/u" } });
      const identify = (id: string) => ({
        id,
        isFile: true,
        isFolder: false,
        isExecutable: true,
        mode: 0o644,
        size: 0,
      });
      return fixableFiles({ ...world, files: { ...world.files, identify } }, cccPaths(world)).open.length;
    };
    expect([open("win32"), open("linux")]).toEqual([0, 2]);
  });
});
