import { describe, expect, test } from "bun:test";
import { chmod, lstat, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runChild } from "../../../../src/os/child.ts";
import { type GitPlace, gitPlace } from "./place.ts";

/** All files below a folder, with mode, time and content. */
async function everything(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const stat = await lstat(join(folder, name));
      const content = stat.isFile() ? Bun.hash(await readFile(join(folder, name))) : "";
      return `${name} ${(stat.mode & 0o777).toString(8)} ${stat.mtimeMs} ${content}`;
    }),
  );
}

/** Everything in a repository that makes git run programs. */
async function plant(place: GitPlace, trap: string, folder = "."): Promise<void> {
  const git = (...args: string[]) => place.git("-C", folder, ...args);
  await writeFile(join(place.root, "included"), `[core]\n\tfsmonitor = ${trap}\n`);
  const settings = {
    "core.fsmonitor": trap,
    "core.hooksPath": join(place.root, "hooks"),
    "core.pager": trap,
    "core.sshCommand": trap,
    "filter.f.clean": trap,
    "filter.f.smudge": trap,
    "filter.f.process": trap,
    "filter.f.required": "true",
    "diff.external": trap,
    "diff.d.command": trap,
    "diff.d.textconv": trap,
    "include.path": join(place.root, "included"),
  };
  for (const [key, value] of Object.entries(settings)) await git("config", key, value);
  await place.write(join(folder, ".gitattributes"), "* filter=f diff=d\n");
  for (const hooks of [join(place.root, "hooks"), join(place.project, folder, ".git/hooks")]) {
    await mkdir(hooks, { recursive: true });
    for (const name of ["post-index-change", "pre-commit", "fsmonitor-watchman"]) {
      await writeFile(join(hooks, name), `#!/bin/sh\nexec ${trap}\n`, { mode: 0o755 });
    }
  }
}

describe("a baseline", () => {
  test("runs nothing that the repository names, and changes nothing in it", async () => {
    await using place = await gitPlace();
    await place.write("a.txt", "1\n");
    await place.commit();
    await mkdir(join(place.project, "inner"));
    await place.git("-C", "inner", "init", "-q");
    await place.write("inner/x", "1\n");
    await place.git("-C", "inner", "add", "-A");
    await place.git("-C", "inner", "commit", "-q", "-m", "m");
    await place.git("add", "inner");
    const trap = await place.trap("trap.sh");
    await plant(place, trap);
    await plant(place, trap, "inner");
    await place.write("a.txt", "2\n");
    await place.write("node_modules/.bin/git", `#!/bin/sh\nexec ${trap}\n`);
    await chmod(join(place.project, "node_modules/.bin/git"), 0o755);
    await symlink(join(place.project, "node_modules/.bin"), join(place.root, "programs"));
    const before = await everything(place.project);

    const plain = { ...place.env, PATH: `${join(place.root, "programs")}:${place.env.PATH}` };
    const baseline = await place.take(undefined, { plain });
    expect(baseline?.trees).toHaveLength(1);
    expect(await everything(place.project)).toEqual(before);
    await place.write("a.txt", "3\n4\n");
    await place.write("inner/x", "2\n");
    expect(await place.listed(baseline)).toEqual(["modified a.txt +2 -1"]);
    await place.take(baseline, { plain });
    expect(await place.hasRun()).toBe(false);

    // The same git would have run it.
    await place.git("status").catch(() => {});
    expect(await place.hasRun()).toBe(true);
  });

  test("runs no filter of the user's either: they change and store files", async () => {
    await using place = await gitPlace();
    await place.write(".gitattributes", "* filter=f text working-tree-encoding=nonsense\n");
    await place.write("a.txt", "1\r\n");
    const trap = await place.trap("trap.sh");
    const config = `[core]\n\tfsmonitor = ${trap}\n[filter "f"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n`;
    await writeFile(join(place.home, ".gitconfig"), config);
    const baseline = await place.take();
    await place.write("a.txt", "1\n");
    expect(await place.listed(baseline)).toEqual(["modified a.txt +1 -1"]);
    expect(await place.hasRun()).toBe(false);
  });

  test("goes by the folder, not by a core.worktree that leads elsewhere", async () => {
    await using place = await gitPlace();
    await place.write("a", "1\n");
    await place.git("config", "core.worktree", place.home);
    const baseline = await place.take();
    await writeFile(join(place.home, "private"), "1\n");
    await place.write("b", "1\n");
    expect(await place.listed(baseline)).toEqual(["added b +1 -0"]);
  });

  test("is readable by the user alone", async () => {
    await using place = await gitPlace();
    await place.write("a", "1\n");
    await place.take();
    const modes = (await everything(join(place.paths.generated, "baselines"))).map((line) => line.split(" ")[1]);
    expect(modes.length).toBeGreaterThan(10);
    expect(modes.filter((mode) => !/^[4-7]00$/.test(mode ?? ""))).toEqual([]);
  });

  test("leaves out ccc's own records, where the config folder is in the repository", async () => {
    await using place = await gitPlace();
    const paths = { ...place.paths, generated: join(place.project, "ccc") };
    const baseline = await place.take(undefined, { paths });
    expect(await place.listed(baseline, { paths })).toEqual([]);
    expect((await place.take(baseline, { paths }))?.trees).toEqual(baseline?.trees ?? []);
  });

  test("is given up after two seconds, and then for ten minutes", async () => {
    await using place = await gitPlace();
    const bin = join(place.root, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "git"), "#!/bin/sh\nexec /bin/sleep 60\n", { mode: 0o755 });
    const at = Date.parse("2026-01-01T00:00:00Z");
    const times = [at, at + 1_900];
    const parts = { run: runChild, now: () => new Date(times.shift() ?? at + 1_900) };
    const slow = await place.take(undefined, { plain: { PATH: bin }, parts });
    expect(slow).toMatchObject({ why: "too slow", trees: [] });
    expect(await place.listed(slow)).toBe("too slow");

    const minutesLater = (minutes: number) => ({ parts: { now: () => new Date(at + minutes * 60_000) } });
    expect(await place.take(slow, minutesLater(9))).toMatchObject({ why: "too slow", at: slow?.at });
    expect((await place.take(slow, minutesLater(10)))?.trees).toHaveLength(1);
  });

  test("says so where git is missing or fails", async () => {
    await using place = await gitPlace();
    expect(await place.take(undefined, { plain: { PATH: place.home } })).toMatchObject({ why: "git was not found" });
    await writeFile(join(place.home, "git"), "#!/bin/sh\necho no >&2\nexit 1\n", { mode: 0o755 });
    const failed = await place.take(undefined, { plain: { PATH: place.home } });
    expect(failed).toMatchObject({ why: "git failed" });
    expect((await place.take(failed))?.trees).toHaveLength(1);
  });

  test("replaces a store that has grown large", async () => {
    await using place = await gitPlace();
    await place.write("a", "1\n");
    const baseline = await place.take();
    if (baseline === undefined) throw new Error("no baseline");
    const stores = () => readdir(join(place.paths.generated, "baselines"));
    expect((await place.take(baseline))?.store).toBe(baseline.store);
    expect((await place.take({ ...baseline, bytes: 128_000_000 }))?.store).toBe(baseline.store);
    const next = await place.take({ ...baseline, bytes: 128_000_001 });
    expect(next).toMatchObject({ trees: [{ tree: baseline.trees[0]?.tree ?? "" }], bytes: 2 });
    expect(await stores()).toEqual([next?.store ?? ""]);
    await place.write("a", "2\n");
    expect(await place.listed(next)).toEqual(["modified a +1 -1"]);
  });

  test("starts anew where another repository took the place of the former", async () => {
    await using place = await gitPlace();
    await place.write("a", "1\n");
    const baseline = await place.take();
    await rename(join(place.project, ".git"), join(place.root, "former"));
    await place.git("init", "-q");
    const next = await place.take(baseline);
    expect(next?.trees[0]?.tree).toBe(baseline?.trees[0]?.tree ?? "");
    expect(next?.store).not.toBe(baseline?.store ?? "");
  });

  test("of a repository that belongs to another user", async () => {
    await using place = await gitPlace();
    await place.write("a", "1\n");
    if (process.getuid?.() === 0) {
      await Bun.$`chown -R 65534:65534 ${place.project}`;
      expect(place.git("status")).rejects.toThrow();
    }
    expect((await place.take())?.trees).toHaveLength(1);
  });
});
