import { describe, expect, test } from "bun:test";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import {
  chmod,
  lutimes,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { CccError } from "../../../../src/errors.ts";
import { openScratch } from "../../../../src/supervisor/proof/scratch.ts";
import { type ProjectTrees, readTrees, type TreeFile } from "../../../../src/supervisor/proof/trees.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { type GitPlace, gitPlace, patientWorld } from "../baseline/place.ts";

const aliveWorld = (parts: Partial<World> = {}) => fakeWorld({ ...patientWorld(), pid: process.pid, ...parts }).world;

const placeOf = ({ paths, project, env }: GitPlace) => ({
  paths,
  project,
  cwd: project,
  launch: { environment: { salt: "", plain: env, hashed: [] } },
});

/** The trees of a project, whose files `change` changes after the prompt. */
async function treesOf(place: GitPlace, change: () => Promise<unknown> = async () => {}): Promise<ProjectTrees> {
  const baseline = await place.take();
  await change();
  return readTrees(aliveWorld(), placeOf(place), baseline);
}

const entryIn = (folder: string, name: string) => {
  const path = join(folder, name);
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return `→ ${readlinkSync(path)}`;
  return found.isDirectory() ? "/" : readFileSync(path, "latin1");
};

/** The paths below a folder. Bun's own list follows links. */
const pathsIn = (folder: string, below = ""): string[] =>
  readdirSync(join(folder, below), { withFileTypes: true }).flatMap((each) => {
    const path = join(below, each.name);
    return each.isDirectory() ? [path, ...pathsIn(folder, path)] : [path];
  });

/** All that is in a folder: content, kind, mode and time. */
const everythingIn = (folder: string): string[] =>
  pathsIn(folder)
    .sort()
    .map((path) => {
      const { mode, mtimeMs, ino } = lstatSync(join(folder, path));
      // git marks an object as used when another store would get the same one, as snapshots have always done.
      const time = path.startsWith(".git/objects/") ? "" : mtimeMs;
      return [path, entryIn(folder, path), mode.toString(8), time, ino].join(" | ");
    });

/** The paths in a copy, links with their targets. */
const listed = (folder: string) =>
  pathsIn(folder)
    .sort()
    .flatMap((name) => {
      const entry = entryIn(folder, name);
      return entry === "/" ? [] : [entry.startsWith("→") ? `${name} ${entry}` : name];
    });

describe("a copy of a project", () => {
  test("has the files of the tree that it is made from, for their owner only, and is removed when it is closed", async () => {
    await using place = await gitPlace();
    await place.write("src/a.ts", "old");
    await place.write("run.sh", "#!/bin/sh\n");
    await place.write("b ä.txt", "same");
    // A cache that nobody ignores.
    await place.write("src/__pycache__/a.pyc", place.project);
    await chmod(join(place.project, "run.sh"), 0o755);
    await symlink("src/a.ts", join(place.project, "link"));
    await place.commit();
    const trees = await treesOf(place, async () => {
      await place.write("src/a.ts", "new");
      await place.write("src/deep/new.ts", "untracked");
    });
    for (const [files, content, more] of [
      [trees.before, "old", []],
      [trees.now, "new", ["src/deep/new.ts"]],
    ] as const) {
      const copy = await openScratch(aliveWorld(), { paths: place.paths, trees, files });
      expect(listed(copy.folder)).toEqual(["b ä.txt", "link → src/a.ts", "run.sh", "src/a.ts", ...more]);
      expect(await readFile(join(copy.folder, "link"), "utf8")).toBe(content);
      expect(((await stat(copy.folder)).mode & 0o777).toString(8)).toBe("700");
      expect(((await stat(join(copy.folder, "run.sh"))).mode & 0o111) !== 0).toBe(true);
      expect(copy.folder.startsWith(place.project)).toBe(false);
      copy.close();
      expect(await readdir(dirname(copy.folder))).toEqual([]);
    }
  });

  test("stands for the project's folder where the repository has more than that", async () => {
    await using place = await gitPlace({ folder: "packages/one" });
    await place.write("packages/one/a", "1");
    await place.write("packages/two/b", "2");
    await place.commit();
    const baseline = await place.take();
    const there = { ...placeOf(place), project: join(place.project, "packages/one") };
    const trees = await readTrees(aliveWorld(), there, baseline);
    const copy = await openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.now });
    expect(copy.folder).toEndWith("/packages/one");
    expect(listed(copy.folder)).toEqual(["a"]);
    expect(await readFile(join(copy.folder, "../two/b"), "utf8")).toBe("2");
  });

  test("has the project's installed packages and settings as links, and nothing that was built or cached", async () => {
    await using place = await gitPlace();
    await place.write(".gitignore", "node_modules\n.venv\n.env*\ndist\n*.pyc\n");
    await place.write("packages/own/index.js", "1");
    await place.commit();
    for (const path of ["node_modules/left/a.js", "node_modules/@s/pad/b.js", "node_modules/.cache/x", "dist/a.js"])
      await place.write(path, "");
    for (const path of [".venv/bin/python", ".env", "a.pyc"]) await place.write(path, "");
    // The copy has no such folder, and no file with such a name.
    for (const path of ["empty/.env", "packages/.env\t"]) await place.write(path, "");
    await symlink("../packages/own", join(place.project, "node_modules/own"));
    await symlink("../../packages/own", join(place.project, "node_modules/@s/own"));
    const trees = await treesOf(place);
    const copy = await openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.now });
    const { project } = place;
    expect(listed(copy.folder)).toEqual([
      `.env → ${project}/.env`,
      ".gitignore",
      `.venv → ${project}/.venv`,
      "node_modules/@s/own → ../../packages/own",
      `node_modules/@s/pad → ${project}/node_modules/@s/pad`,
      `node_modules/left → ${project}/node_modules/left`,
      // A package of the project itself is that of the copy.
      "node_modules/own → ../packages/own",
      "packages/own/index.js",
    ]);
    copy.close();
    // What is linked stays.
    expect(await readFile(join(project, "node_modules/left/a.js"), "utf8")).toBe("");
  });

  test.each(["node_modules", "node_modules/"])(
    "has the packages that a link to another folder leads to, if git is told to ignore %s",
    async (pattern) => {
      await using place = await gitPlace();
      await place.write(".gitignore", `${pattern}\n.env\n`);
      await place.write("../shared/left/a.js", "1");
      await place.write("../shared/.env", "1");
      await symlink("../shared", join(place.project, "node_modules"));
      await symlink("../shared/.env", join(place.project, ".env"));
      const trees = await treesOf(place);
      for (const env of [undefined, { PATH: "" }]) {
        const copy = await openScratch(aliveWorld(), {
          paths: place.paths,
          trees,
          files: trees.now,
          ...(env && { env }),
        });
        expect(listed(copy.folder)).toEqual([
          `.env → ${place.project}/.env`,
          ".gitignore",
          `node_modules/.env → ${place.project}/node_modules/.env`,
          `node_modules/left → ${place.project}/node_modules/left`,
        ]);
        copy.close();
      }
    },
  );

  test("has settings as links, and for checks, which may write there, as copies", async () => {
    await using place = await gitPlace();
    await place.write(".gitignore", ".env*\nown.json\n");
    await place.write("config/base", "1");
    await place.commit();
    await place.write(".env", "A=1");
    await place.write("own.json", `{"root":"${place.project}"}`);
    await symlink("config/base", join(place.project, ".env.base"));
    const trees = await treesOf(place);
    const open = (env?: Record<string, string>) =>
      openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.now, ...(env && { env }) });
    const rest = [".env.base → config/base", ".gitignore", "config/base"];
    const links = [".env", "own.json"].map((name) => `${name} → ${place.project}/${name}`);
    expect(listed((await open()).folder)).toEqual([...links, ...rest].sort());
    expect(listed((await open({ PATH: "" })).folder)).toEqual([".env", ...rest]);
  });

  test("has what was built before the prompt as copies, for checks alone, and nothing that changed since", async () => {
    await using place = await gitPlace();
    await place.write(".gitignore", "dist\nbuild\nbin\nout\n*.gen\n__pycache__\n.state\n");
    for (const path of ["a/src", "b/src", "c/src", "d/src"]) await place.write(path, "1");
    await place.commit();
    const at = (path: string) => join(place.project, path);
    const built = [
      "a/dist/deep/x.js",
      "a/one.gen",
      "b/dist/old.js",
      "b/dist/new.js",
      "c/build/CMakeCache.txt",
      "d/out/x",
    ];
    for (const path of [...built, "a/__pycache__/x", ".state/x", "a/bin/run"]) await place.write(path, path);
    await place.write("c/build/CMakeCache.txt", `DIR=${place.project}/c`);
    await symlink("x", at("d/out/link"));
    await chmod(at("a/bin/run"), 0o755);
    const before = Date.now() / 1000 - 60;
    for (const path of pathsIn(place.project)) if (!path.startsWith(".git/")) await lutimes(at(path), before, before);
    const trees = await treesOf(place, () => place.write("b/dist/new.js", "built again"));
    const open = (env?: Record<string, string>) =>
      openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.now, ...(env && { env }) });
    const code = [".gitignore", "a/src", "b/src", "c/src", "d/src"];
    expect(listed((await open()).folder)).toEqual(code);
    const { folder } = await open({ PATH: "" });
    expect(listed(folder)).toEqual([...code, "a/bin/run", "a/dist/deep/x.js", "a/one.gen"].sort());
    expect((await stat(join(folder, "a/bin/run"))).mode & 0o111).not.toBe(0);
    // A build in the copy takes the code for newer.
    const times = await Promise.all(["a/dist/deep/x.js", "a/src"].map(async (path) => stat(join(folder, path))));
    expect(times[0]?.mtimeMs).toBeLessThanOrEqual(times[1]?.mtimeMs ?? 0);
    await writeFile(join(folder, "a/dist/deep/x.js"), "from the copy");
    expect(await readFile(at("a/dist/deep/x.js"), "utf8")).toBe("a/dist/deep/x.js");
  });

  test("leaves out what was built there and only other users may read", async () => {
    await using place = await gitPlace();
    await place.write(".gitignore", "data\ndist\nout\n");
    await place.write("src/a", "1");
    await place.commit();
    for (const path of ["data/pg/a", "dist/a", "out/closed"]) await place.write(path, "x");
    const before = Date.now() / 1000 - 60;
    for (const path of pathsIn(place.project))
      if (!path.startsWith(".git/")) await lutimes(join(place.project, path), before, before);
    const trees = await treesOf(place);
    const world = aliveWorld();
    const { list, entry } = world.files;
    const files = {
      ...world.files,
      list: (path: string) => {
        if (path.endsWith("/pg")) throw new CccError(`cannot read ${path}: permission denied`);
        return list(path);
      },
      entry: (path: string) => {
        const found = entry(path);
        return found && { ...found, isReadable: !path.endsWith("/closed") };
      },
    };
    const request = { paths: place.paths, trees, files: trees.now, env: { PATH: "" } };
    const { folder } = await openScratch({ ...world, files }, request);
    expect(listed(folder)).toEqual([".gitignore", "dist/a", "src/a"]);
  });

  test("says which files name the project by its path: what they run may not be the copy", async () => {
    await using place = await gitPlace();
    await place.write("run.sh", `cd '${place.project}' && make`);
    await place.write("other.sh", `cd '${place.project}-2'; cd '/x${place.project}'`);
    await place.write("README.md", place.project);
    await place.commit();
    const trees = await treesOf(place);
    const copy = await openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.now });
    expect(copy.naming).toEqual(["run.sh"]);
  });

  test("has no text that the agent has put in place of another one in the repository's objects", async () => {
    await using place = await gitPlace();
    await place.write("a.test.ts", "strict");
    await place.write("b.test.ts", "weak");
    await place.commit();
    const trees = await treesOf(place, async () => {
      const [strict = "", weak = ""] = await Promise.all(
        ["a", "b"].map(async (name) => (await place.git("rev-parse", `HEAD:${name}.test.ts`)).trim()),
      );
      const objectOf = (id: string) => join(place.project, ".git/objects", id.slice(0, 2), id.slice(2));
      await rm(objectOf(strict));
      await writeFile(objectOf(strict), await readFile(objectOf(weak)));
      await place.write("a.test.ts", "changed");
    });
    const copying = openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.before });
    await expect(copying).rejects.toMatchObject({ why: "a.test.ts was too large to be kept" });
  });
});

test("what killed processes left is removed by the next copy, and after a day in any case", async () => {
  await using place = await gitPlace();
  await place.write("a", "");
  const trees = await treesOf(place);
  const copies = join(place.paths.generated, "copies");
  for (const name of ["1-ended", "2-running", "2-old", "no owner"])
    await mkdir(join(copies, name, "deep"), { recursive: true });
  // Another process has its id now.
  const before = Date.now() / 1000 - 25 * 3600;
  await utimes(join(copies, "2-old"), before, before);
  const world = aliveWorld({ isAlive: (pid) => pid === 2 });
  (await openScratch(world, { paths: place.paths, trees, files: trees.now })).close();
  expect(await readdir(copies)).toEqual(["2-running"]);
});

describe("there is no copy, and nothing is left of it, for", () => {
  const left = ({ paths }: GitPlace) => readdir(join(paths.generated, "copies")).catch(() => []);
  const whyNot = (place: GitPlace, trees: ProjectTrees, files = trees.now) =>
    openScratch(aliveWorld(), { paths: place.paths, trees, files }).then(
      ({ folder }) => `copied to ${folder}`,
      (error) => error.why,
    );

  /** Why there is no copy of a project that is prepared like this. */
  async function whyNotOf(prepare: (place: GitPlace) => Promise<unknown>) {
    await using place = await gitPlace();
    await prepare(place);
    const why = await whyNot(place, await treesOf(place));
    expect(await left(place)).toEqual([]);
    return why;
  }

  test("a tree with names, links or sizes that a copy cannot have", async () => {
    await using place = await gitPlace();
    await place.write("a", "1");
    const trees = await treesOf(place);
    const id = trees.now.get("a")?.id ?? "";
    const file: TreeFile = { mode: "100644", id };
    const cannotHave = (name: string) => `${name} is a name that a copy cannot have`;
    const leadsOut = "link is a link that leads out of the project";
    const names: Record<string, string> = {
      "x\ny": cannotHave("x\\ny"),
      "x\u0007": cannotHave("x\\u{7}"),
      "\uDC80": cannotHave("\\x80"),
      ".git/hooks/pre-commit": cannotHave(".git/hooks/pre-commit"),
      "deep/.GIT/config": cannotHave("deep/.GIT/config"),
      ".git. /config": cannotHave(".git. /config"),
      "git~1/config": cannotHave("git~1/config"),
      "../x": cannotHave("../x"),
      "/x": cannotHave("/x"),
      "x\\y": cannotHave("x\\y"),
      A: "a and A differ in spelling only",
      "a/b": "a is both a file and a folder",
    };
    for (const [name, why] of Object.entries(names))
      expect(await whyNot(place, trees, new Map([...trees.now, [name, file]]))).toBe(why);
    for (const target of ["/etc/passwd", "../x", "a/../x", "p/../../x", ""]) {
      const contents = new Map([["link id", Buffer.from(target)]]);
      const link = { mode: "120000", id: "link id" };
      expect(await whyNot(place, { ...trees, contents }, new Map([["link", link]]))).toBe(leadsOut);
    }
    const folders = new Map(["d/x/y", "d/X/y"].map((path) => [path, file]));
    expect(await whyNot(place, trees, folders)).toBe("d/x and d/X differ in spelling only");
    const many = new Map(Array.from({ length: 30_001 }, (_, at) => [`f${at}`, file]));
    expect(await whyNot(place, trees, many)).toBe("more than 30000 files");
    await place.write("a", "2");
    expect(await whyNot(place, trees)).toBe("a changes while it is copied");
    expect(await left(place)).toEqual([]);
  });

  test("a submodule or another repository inside", async () =>
    expect(
      await whyNotOf(async ({ project, git, write }) => {
        await git("init", "-q", join(project, "inner"));
        await write("inner/x", "");
      }),
    ).toBe("inner is a repository of its own"));

  test("a large file that is no longer as it was", async () => {
    await using place = await gitPlace();
    await place.write("large", Buffer.alloc(5_000_001));
    const trees = await treesOf(place, () => place.write("large", Buffer.alloc(5_000_002)));
    const open = (files: ProjectTrees["now"]) => openScratch(aliveWorld(), { paths: place.paths, trees, files });
    expect((await stat(join((await open(trees.now)).folder, "large"))).size).toBe(5_000_002);
    await expect(open(trees.before)).rejects.toMatchObject({ why: "large was too large to be kept" });
  });

  test("Python packages that are installed from the project itself", async () =>
    expect(
      await whyNotOf(async ({ write, project }) => {
        await write(".gitignore", ".venv");
        await write(".venv/lib/python3.12/site-packages/__editable__.own.pth", `${project}/src\n`);
      }),
    ).toBe(".venv leads back to the project (__editable__.own.pth)"));

  test("the same outside the project, where checks are to run the copy", async () => {
    await using place = await gitPlace();
    await place.write("own.py", "");
    const trees = await treesOf(place);
    const home = join(place.root, "home");
    const open = (env: Record<string, string>) =>
      openScratch(aliveWorld(), { paths: place.paths, trees, files: trees.now, env }).then(
        ({ close }) => close(),
        (error) => error.why,
      );
    const install = async (folder: string, path: string) => {
      const packages = join(folder, "lib/python3.12/site-packages");
      await mkdir(packages, { recursive: true });
      await writeFile(join(packages, "own.pth"), `${path}\n`);
      return `${folder} leads back to the project (own.pth)`;
    };
    const conda = await install(join(place.root, "conda"), `${place.project}/src`);
    await install(join(place.root, "other"), `${place.project}-2`);
    expect(await open({ PATH: "", HOME: home, CONDA_PREFIX: join(place.root, "other") })).toBeUndefined();
    expect(await open({ PATH: "", HOME: home, CONDA_PREFIX: join(place.root, "conda") })).toBe(conda);
    await mkdir(join(place.root, "conda/bin"));
    await writeFile(join(place.root, "conda/bin/python3"), "");
    expect(await open({ PATH: `/bin:${join(place.root, "conda/bin")}`, HOME: home })).toBe(conda);
    const poetry = await install(join(home, ".cache/pypoetry/virtualenvs/own"), place.project);
    expect(await open({ PATH: "", HOME: home })).toBe(poetry);
  });

  test("PHP packages, which load the project's own classes", async () =>
    expect(
      await whyNotOf(async ({ write }) => {
        await write(".gitignore", "vendor");
        await write("vendor/composer/autoload_real.php", "");
      }),
    ).toBe("vendor/composer leads back to the project"));

  test("a clock that runs out", async () => {
    await using place = await gitPlace();
    for (let at = 0; at < 201; at++) await place.write(`f${at}`, "1");
    const trees = await treesOf(place);
    const times = [0, 30_000].map((at) => new Date(at));
    const world = aliveWorld({ now: () => times.shift() ?? new Date(30_000) });
    const opened = openScratch(world, { paths: place.paths, trees, files: trees.now });
    await expect(opened).rejects.toMatchObject({ why: "copying the files takes too long" });
  });

  test("a folder of ccc's own that is in the project", async () => {
    await using place = await gitPlace();
    await place.write("a", "1");
    const trees = await treesOf(place);
    const paths = { ...place.paths, generated: join(place.project, "ccc") };
    const opened = openScratch(aliveWorld(), { paths, trees, files: trees.now });
    await expect(opened).rejects.toMatchObject({ why: "ccc's own folder is in the project" });
  });
});

test("trees need a repository, and the files at the prompt", async () => {
  await using plain = await gitPlace({ init: "none" });
  const why = (place: GitPlace, baseline: Parameters<typeof readTrees>[2]) =>
    readTrees(aliveWorld(), placeOf(place), baseline).catch((error) => error.why);
  expect(await why(plain, undefined)).toBe("the project is not a git repository");
  await using place = await gitPlace();
  expect(await why(place, undefined)).toBe("the files at the prompt are not known");
  const baseline = await place.take();
  const lost = baseline && { ...baseline, trees: [], why: "too slow" as const };
  expect(await why(place, lost)).toBe("the files at the prompt are not known (too slow)");
});

test("whatever is in a project, a copy leaves all of it as it was: files, times, index, stashes, worktrees, hooks", async () => {
  const name = fc.constantFrom("a", "b.test.ts", "node_modules/p/i.js", ".env", "d/e/f", "x y", "ä", "-n", "dist/o.js");
  const change = fc.record({
    name,
    how: fc.constantFrom("write", "write", "delete", "link", "folder link", "program"),
    text: fc.string({ maxLength: 20 }),
  });
  const apply = async (
    place: GitPlace,
    changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
  ) => {
    for (const { name: path, how, text } of changes) {
      const full = join(place.project, path);
      await rm(full, { recursive: true, force: true });
      if (how === "delete") continue;
      await mkdir(dirname(full), { recursive: true });
      if (how === "link") await symlink("a", full);
      else if (how === "folder link") await symlink("d", full);
      else await writeFile(full, text, { mode: how === "program" ? 0o755 : 0o644 });
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 6 }), fc.array(change, { maxLength: 6 }), async (first, second) => {
      await using place = await gitPlace();
      const trap = await place.trap("hook");
      await place.write(".gitignore", "node_modules\n.env\ndist\n");
      await apply(place, first);
      await place.commit();
      for (const hook of ["post-checkout", "post-index-change", "pre-commit", "reference-transaction"])
        await symlink(trap, join(place.project, ".git/hooks", hook)).catch(() => {});
      await place.git("config", "core.fsmonitor", trap);
      await place.write("stashed", "1");
      await place.git("-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "stash", "-u", "-q");
      const baseline = await place.take();
      await apply(place, second);
      await rm(join(place.root, "trace"), { force: true });
      const before = everythingIn(place.project);
      const trees = await readTrees(aliveWorld(), placeOf(place), baseline).catch(() => undefined);
      for (const files of trees === undefined ? [] : [trees.before, trees.now]) {
        const request = { paths: place.paths, trees: trees as ProjectTrees, files };
        const copy = await openScratch(aliveWorld(), request).catch((error) => {
          expect(error).toHaveProperty("why");
          return undefined;
        });
        copy?.close();
      }
      expect(everythingIn(place.project)).toEqual(before);
      expect(await place.hasRun()).toBe(false);
      expect(await readlink(join(place.project, ".git/hooks/pre-commit"))).toBe(trap);
    }),
    { numRuns: 8 },
  );
}, 60_000);
