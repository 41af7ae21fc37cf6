import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runChild } from "../../../../src/os/child.ts";
import { shownName } from "../../../../src/os/names.ts";
import { loopBaseline } from "../../../../src/supervisor/changes/baseline.ts";
import type { ChangeList } from "../../../../src/supervisor/changes/changes.ts";
import { type Baseline, openSession } from "../../../../src/supervisor/record/session.ts";
import { openStop } from "../../../../src/supervisor/record/stops.ts";
import { NOT_LOOKED } from "../../../../src/supervisor/review/review.ts";
import { fakeWorld } from "../../fakes.ts";
import { type GitPlace, gitPlace, patientWorld } from "../baseline/place.ts";

describe("changes since", () => {
  const LINES = "one\ntwo\nthree\nfour\nfive\n";

  describe("changes since a baseline", () => {
    test("added, modified, deleted and renamed files, committed or not, with all kinds of names", async () => {
      await using place = await gitPlace();
      await place.write("kept.txt", LINES);
      await place.write("changed.txt", LINES);
      await place.write("deleted.test.ts", "a\nb\n");
      await place.write("dir/old name.txt", LINES);
      await place.write(".gitignore", "ignored/\n");
      await place.commit();
      await place.write("untracked before.txt", LINES);
      await place.write("ignored/x", "1");

      const baseline = await place.take();
      expect(await place.listed(baseline)).toEqual([]);

      await place.write("changed.txt", `${LINES}six\n`);
      await place.write("untracked before.txt", "one\n");
      await place.commit();
      await rm(join(place.project, "deleted.test.ts"));
      await rename(join(place.project, "dir/old name.txt"), join(place.project, 'dir/новое 名前 "ä"\t.txt'));
      await place.write("new\nline.txt", "1\n2\n");
      await place.write("picture.png", new Uint8Array([0, 1, 2, 0]));
      await place.write("ignored/y", "1");
      expect(await place.listed(baseline)).toEqual([
        "modified changed.txt +1 -0",
        "deleted deleted.test.ts +0 -2",
        'renamed dir/old name.txt → dir/новое 名前 "ä"\t.txt +0 -0',
        "added new\nline.txt +2 -0",
        "added picture.png",
        "modified untracked before.txt +0 -4",
      ]);
    });

    test("no name hides a file: newlines, bytes that are not UTF-8, a byte order mark", async () => {
      await using place = await gitPlace();
      const names = ["\na", "\uFEFFb", "\uFFFDc", "d\n\ne", "f\r\ng", "h\n"].map((name) => Buffer.from(name));
      names.push(Buffer.from([0x69, 0xff]), Buffer.from([0x6a, 0xc3]));
      const top = Buffer.from(`${place.project}/`);
      const write = (text: string) => {
        for (const name of names) writeFileSync(Buffer.concat([top, name]), text);
      };
      const listed = async (baseline: Baseline | undefined) => (await place.listed(baseline)) as string[];
      const empty = await place.take();
      write("1\n");
      await place.commit();
      const shown = ["\\na", "d\\n\\ne", "f\\r\\ng", "h\\n", "i\\xff", "j\\xc3", "\\u{feff}b", "\uFFFDc"];
      expect((await listed(empty)).map(shownName)).toEqual(shown.map((name) => `added ${name} +1 -0`));

      const baseline = await place.take(empty);
      expect(await listed(baseline)).toEqual([]);
      write("2\n");
      expect((await listed(baseline)).map(shownName)).toEqual(shown.map((name) => `modified ${name} +1 -1`));
      for (const name of names) unlinkSync(Buffer.concat([top, name]));
      expect((await listed(baseline)).map(shownName)).toEqual(shown.map((name) => `deleted ${name} +0 -1`));

      const inner = Buffer.concat([top, Buffer.from([0xfe, 0x2f, 0x2e, 0x67, 0x69, 0x74])]);
      cpSync(`${place.project}/.git`, join(place.root, "git copy"), { recursive: true });
      mkdirSync(inner.subarray(0, -5));
      renameSync(join(place.root, "git copy"), inner);
      expect((await listed(baseline)).map(shownName)).toContain("added \\xfe");
    });

    test("the tree is the same for the same files, whatever happened in between", async () => {
      await using place = await gitPlace();
      await place.write("a", "1");
      const baseline = await place.take();
      const treeNow = async () => {
        const changes = await place.changes(baseline);
        return "why" in changes ? changes.why : changes.tree;
      };
      const before = await treeNow();
      expect(before).toBe(baseline?.trees[0]?.tree ?? "");
      await place.write("a", "2");
      expect(await treeNow()).not.toBe(before);
      await place.write("a", "1");
      await place.commit();
      expect(await treeNow()).toBe(before);
      expect((await place.take(baseline))?.trees[0]?.tree).toBe(before);
    });

    test("files become links and folders, and the other way round", async () => {
      await using place = await gitPlace();
      for (const path of ["file", "folder/a", "moved/b", "elsewhere/b"]) await place.write(path, LINES);
      await place.commit();
      const baseline = await place.take();
      await rm(join(place.project, "file"));
      await place.write("file/inside", "1\n");
      await rm(join(place.project, "folder"), { recursive: true });
      await place.write("folder", "1\n");
      await rm(join(place.project, "moved"), { recursive: true });
      await symlink("elsewhere", join(place.project, "moved"));
      expect(await place.listed(baseline)).toEqual([
        "deleted file +0 -5",
        "added file/inside +1 -0",
        "added folder +1 -0",
        "deleted folder/a +0 -5",
        "added moved +1 -0",
        "deleted moved/b +0 -5",
      ]);
    });

    test("what Python leaves behind is no change, unless the project has it or says so", async () => {
      await using place = await gitPlace();
      await place.write("kept/__pycache__/tracked.pyc", "1\n");
      await place.write("shown/.gitignore", "!__pycache__/\n");
      await place.commit();
      const baseline = await place.take();
      await place.write("a/__pycache__/a.pyc", "1\n");
      await place.write(".pytest_cache/v", "1\n");
      await place.write("shown/__pycache__/b.pyc", "1\n");
      await place.write("kept/__pycache__/tracked.pyc", "2\n");
      expect(await place.listed(baseline)).toEqual([
        "modified kept/__pycache__/tracked.pyc +1 -1",
        "added shown/__pycache__/b.pyc +1 -0",
      ]);
    });

    test("marks in the repository's index, and its exclude file, hide nothing", async () => {
      await using place = await gitPlace();
      for (const path of ["assumed", "skipped"]) await place.write(path, "1\n");
      await place.commit();
      const baseline = await place.take();
      for (const path of ["assumed", "skipped", "hidden"]) await place.write(path, "2\n");
      await place.git("update-index", "--assume-unchanged", "assumed");
      await place.git("update-index", "--skip-worktree", "skipped");
      await place.write(".git/info/exclude", "hidden\n");
      expect(await place.git("status", "--porcelain")).toBe("");
      const seen = ["modified assumed +1 -1", "added hidden +1 -0", "modified skipped +1 -1"];
      expect(await place.listed(baseline)).toEqual(seen);
      // The next prompt of the session does not trust them either.
      const next = await place.take(baseline);
      await place.write("assumed", "3\n");
      expect(await place.listed(next)).toEqual(["modified assumed +1 -1"]);
    });

    test("nor does an index that claims the former content of a file", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      await place.commit();
      const baseline = await place.take();
      const former = (await place.git("rev-parse", "HEAD:a")).trim();
      await place.write("a", "2\n");
      // Git reads a file that is as new as the index.
      await utimes(join(place.project, "a"), 1_700_000_000, 1_700_000_000);
      await place.git("add", "a");
      const now = (await place.git("rev-parse", ":a")).trim();
      const index = await readFile(join(place.project, ".git/index"));
      index.set(Buffer.from(former, "hex"), index.indexOf(Buffer.from(now, "hex")));
      index.set(new Bun.CryptoHasher("sha1").update(index.subarray(0, -20)).digest(), index.length - 20);
      await place.write(".git/index", index);
      expect(await place.git("status", "--porcelain")).toBe("");
      expect(await place.listed(baseline)).toEqual(["modified a +1 -1"]);
      const next = await place.take(baseline);
      await rm(join(place.project, ".git/index"));
      await place.git("add", "-A");
      expect(next?.trees[0]?.tree).toBe((await place.git("write-tree")).trim());
    });

    test("nor do marks from before the session, in the project or in another worktree", async () => {
      await using place = await gitPlace();
      const names = ["assumed", "both", "not here", "skipped"];
      for (const path of names) await place.write(path, "1\n");
      await place.commit();
      const worktree = join(place.root, "other");
      await place.git("worktree", "add", "-q", "-b", "w", worktree);
      const hide = async (folder: string) => {
        await place.git("-C", folder, "update-index", "--assume-unchanged", "assumed", "both");
        await place.git("-C", folder, "update-index", "--skip-worktree", "skipped", "both", "not here");
        await rm(join(folder, "not here"));
      };
      await hide(place.project);
      const baseline = await place.take();
      await hide(worktree);
      for (const path of ["assumed", "both", "skipped"]) await place.write(path, "2\n");
      for (const path of ["assumed", "both", "skipped"]) await Bun.write(join(worktree, path), "3\n");
      expect(await place.git("status", "--porcelain")).toBe("");
      expect(await place.listed(baseline, { cwd: worktree })).toEqual([
        ...["assumed", "both", "skipped"].map((path) => `modified ${path} +1 -1`),
        ...["assumed", "both", "skipped"].map((path) => `modified ${worktree}/${path} +1 -1`),
      ]);
    });

    test("a merge that is not finished", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      await place.commit();
      await place.git("switch", "-q", "-c", "other");
      await place.write("a", "2\n");
      await place.commit();
      await place.git("switch", "-q", "main");
      await place.write("a", "3\n");
      await place.commit();
      await place.git("merge", "other").catch(() => {});
      await place.write("a", "3\n");
      const baseline = await place.take();
      await place.write("a", "4\n");
      expect(await place.listed(baseline)).toEqual(["modified a +1 -1"]);
    });

    test("a merge of two branches that renamed the same file", async () => {
      await using place = await gitPlace();
      await place.write("a", LINES);
      await place.commit();
      await place.git("switch", "-q", "-c", "other");
      await place.git("mv", "a", "theirs");
      await place.commit();
      await place.git("switch", "-q", "main");
      await place.git("mv", "a", "ours");
      await place.commit();
      await place.git("merge", "other").catch(() => {});
      expect(await place.git("ls-files", "-u")).toContain("ours");
      const baseline = await place.take();
      await place.write("ours", `${LINES}six\n`);
      expect(await place.listed(baseline)).toEqual(["modified ours +1 -0"]);
    });

    test("1,000 files are listed by name; of more, the new ones are left out first", async () => {
      await using place = await gitPlace();
      const names = Array.from({ length: 999 }, (_, index) => `old/${1_000 + index}`);
      for (const name of names) await place.write(name, name);
      const baseline = await place.take();
      for (const name of names) await rm(join(place.project, name));
      await place.write("new", "");
      const changes = async () => {
        const { files, more } = (await place.changes(baseline)) as ChangeList;
        return [files.length, files[0]?.path, files.at(-1)?.path, more];
      };
      expect(await changes()).toEqual([1_000, "new", "old/1998", 0]);
      await place.write("newer", "");
      expect(await changes()).toEqual([1_000, "old/1000", "new", 1]);
    });

    test("work that no review has seen is listed once, with what is suspicious about it", async () => {
      await using place = await gitPlace();
      for (const name of ["a", "b"])
        await place.write(`${name}.test.ts`, `test("${name}", () => expect(1).toBe(1));\n`);
      const before = await place.take();
      await rm(join(place.project, "a.test.ts"));
      const next = await place.take(before);
      if (before === undefined || next === undefined) throw new Error("no baseline");
      await rm(join(place.project, "b.test.ts"));
      const { suspicious, files, unseen } = (await place.changes({ ...next, unseen: before.trees })) as ChangeList;
      expect(files.map(({ path }) => path)).toEqual(["b.test.ts"]);
      expect(suspicious.map(({ text }) => text)).toEqual([expect.stringContaining("b.test.ts")]);
      expect(unseen?.files.map(({ path }) => path)).toEqual(["a.test.ts"]);
      expect(unseen?.suspicious.map(({ text }) => text)).toEqual([expect.stringContaining("a.test.ts")]);
    });

    test("large files are known to have changed, but are not stored", async () => {
      await using place = await gitPlace();
      await place.write("model.bin", new Uint8Array(6_000_000));
      await place.write("grows.txt", LINES);
      await place.commit();
      await place.write("untracked.bin", new Uint8Array(6_000_000));
      const baseline = await place.take();
      expect(await place.listed(baseline)).toEqual([]);
      await place.write("untracked.bin", new Uint8Array(6_000_001));
      await place.write("model.bin", new Uint8Array(6_000_002));
      await place.write("grows.txt", "x".repeat(5_000_001));
      await place.write("new.bin", new Uint8Array(7_000_000));
      const seen = ["modified grows.txt", "modified model.bin", "added new.bin", "modified untracked.bin"];
      expect(await place.listed(baseline)).toEqual(seen);
      expect((await place.take(baseline))?.bytes).toBeLessThan(1000);
    });

    test("a repository inside counts as one file", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      await place.commit();
      await mkdir(join(place.project, "inner"));
      await place.git("-C", "inner", "init", "-q");
      const baseline = await place.take();
      await place.write("inner/x", "1\n");
      expect(await place.listed(baseline)).toEqual([]);
      await place.git("-C", "inner", "add", "-A");
      await place.git("-C", "inner", "commit", "-q", "-m", "m");
      expect(await place.listed(baseline)).toEqual(["modified inner"]);
    });

    test("a former file that the repository has lost has no lines to count", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      await place.commit();
      const baseline = await place.take();
      const blob = (await place.git("rev-parse", "HEAD:a")).trim();
      await rm(join(place.project, ".git/objects", blob.slice(0, 2), blob.slice(2)));
      await place.write("a", "2\n");
      await place.write("b", "3\n");
      expect(await place.listed(baseline)).toEqual(["modified a", "added b"]);
    });

    test("a subfolder of a repository: the whole repository counts", async () => {
      await using place = await gitPlace({ folder: "packages/a" });
      await place.write("packages/a/x", "1\n");
      await place.commit();
      const baseline = await place.take();
      await place.write("packages/b/y", "1\n");
      expect(await place.changes(baseline)).toMatchObject({ top: place.project, files: [{ path: "packages/b/y" }] });
    });

    test("another worktree that the agent is in", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      await place.commit();
      const worktree = join(place.root, "other");
      const baseline = await place.take();
      await place.git("worktree", "add", "-q", "-b", "w", worktree);
      await Bun.write(join(worktree, "a"), "2\n3\n");
      await place.write("b", "1\n");
      const changes = await place.changes(baseline, { cwd: worktree });
      expect(changes).toMatchObject({ worktree, top: place.project });
      expect(await place.listed(baseline, { cwd: worktree })).toEqual([
        "added b +1 -0",
        `modified ${worktree}/a +2 -1`,
      ]);
      // A baseline that is taken there knows the files of both.
      const next = await place.take(baseline, { cwd: worktree });
      expect(await place.listed(next, { cwd: worktree })).toEqual([]);
      await Bun.write(join(worktree, "a"), "4\n");
      expect(await place.listed(next, { cwd: worktree })).toEqual([`modified ${worktree}/a +1 -2`]);
    });

    for (const [name, init] of [
      ["no commit yet", ["-q"]],
      ["SHA-256", ["--object-format=sha256"]],
      ["a separate git folder", ["--separate-git-dir=../git folder"]],
    ] as const) {
      test(`a repository with ${name}`, async () => {
        await using place = await gitPlace({ init: [...init] });
        await place.write("a", "1\n");
        await place.write("large", new Uint8Array(6_000_000));
        const baseline = await place.take();
        await place.write("b", "1\n");
        await rm(join(place.project, "large"));
        expect(await place.listed(baseline)).toEqual(["added b +1 -0", "deleted large"]);
      });
    }

    test("an index in two files", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      await place.write("b", "1\n");
      await place.commit();
      await place.git("update-index", "--split-index");
      const baseline = await place.take();
      await place.write("a", "2\n");
      expect(await place.listed(baseline)).toEqual(["modified a +1 -1"]);
    });

    test("without a repository, or without a baseline", async () => {
      await using none = await gitPlace({ init: "none" });
      expect(await none.take()).toBeUndefined();
      expect(await none.listed(undefined)).toBe("not a git repository");
      await using place = await gitPlace();
      expect(await place.listed(undefined)).toBe("no baseline");
      const baseline = await place.take();
      await rm(place.paths.generated, { recursive: true });
      expect(await place.listed(baseline)).toBe("no baseline");
    });

    test("a comparison that is no longer possible is itself suspicious, one that never was is not", async () => {
      await using none = await gitPlace({ init: "none" });
      expect(await none.suspicions(undefined)).toBeUndefined();
      await using place = await gitPlace();
      expect(await place.suspicions(undefined)).toBeUndefined();
      const baseline = await place.take();
      await rename(join(place.project, ".git"), join(place.project, "git"));
      expect(await place.suspicions(baseline)).toEqual([
        "ccc could not compare the files with those at the user's prompt (not a git repository), so look for this yourself: deleted, skipped and weakened tests, and changed settings of tests and CI",
      ]);
    });
  });
});

describe("take baseline", () => {
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

    test("has a new store once that has grown large, and the old one stays until the new one counts", async () => {
      await using place = await gitPlace();
      await place.write("a", "1\n");
      const baseline = await place.take();
      if (baseline === undefined) throw new Error("no baseline");
      const stores = () => readdir(join(place.paths.generated, "baselines"));
      expect((await place.take(baseline))?.store).toBe(baseline.store);
      expect((await place.take({ ...baseline, bytes: 128_000_000 }))?.store).toBe(baseline.store);
      const next = await place.take({ ...baseline, bytes: 128_000_001 });
      expect(next).toMatchObject({ trees: [{ tree: baseline.trees[0]?.tree ?? "" }], bytes: 2 });
      expect((await stores()).sort()).toEqual([baseline.store, next?.store ?? ""].sort());
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
});

describe("loop baseline", () => {
  test("work that no review has seen is reported after the next prompt, also when the loop continues with a session", async () => {
    await using place = await gitPlace();
    const { world } = fakeWorld(patientWorld());
    const environment = { salt: "", plain: place.env, hashed: [] };
    const launch = { environment, checks: { commands: [], left_out: [] } };
    const where = { paths: place.paths, project: place.project, cwd: place.project, launch };
    const record = openSession(world.files, place.paths, "s");
    const changed = async (loop: ReturnType<typeof loopBaseline>) => {
      const changes = await place.changes(loop.current());
      if ("why" in changes) throw new Error(changes.why);
      return [changes.files, changes.unseen?.files].map((files) => files?.map(({ path }) => path));
    };

    // The agent fails.
    const first = loopBaseline(world, where, undefined);
    await first.take();
    await place.write("first", "1\n");
    first.save(record);

    const second = loopBaseline(world, where, record);
    await second.take();
    await place.write("second", "2\n");
    expect(await changed(second)).toEqual([["second"], ["first"]]);

    // A review rules on both.
    second.save(record);
    const outcome = { kind: "done", rounds: 1, feedback: "", criteria: [], ...NOT_LOOKED } as const;
    const about = { promptId: undefined, clean: <T>(value: T) => value, write: (action: () => void) => action() };
    openStop(world, record, about).close(outcome);
    await second.take();
    await place.write("third", "3\n");
    expect(await changed(second)).toEqual([["third"], undefined]);

    // A store that has grown large is gone with the next prompt.
    const { store = "" } = second.current() ?? {};
    record.baseline.save({ ...(second.current() ?? expect.unreachable()), bytes: 200_000_000 });
    const third = loopBaseline(world, where, record);
    await third.take();
    expect(await readdir(join(place.paths.generated, "baselines"))).toEqual([third.current()?.store ?? ""]);
    expect(third.current()?.store).not.toBe(store);
  });
});
