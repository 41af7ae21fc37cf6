import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import { findSandbox, openSandbox } from "../../../../src/supervisor/review/sandbox.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { type GitPlace, gitPlace, patientWorld } from "../baseline/place.ts";

const CLAUDE = { claude: "/bin/claude", version: "2.1.325" };
const KEPT = { machine: "m", ...CLAUDE, why: null };

/** What is found on a machine with these programs and files; `ran` are the programs that were started. */
async function found(
  parts: Partial<World>,
  content: Record<string, string>,
  run: Partial<Awaited<ReturnType<World["run"]>>> = {},
) {
  const ran: string[] = [];
  const { world } = fakeWorld({
    content: { "/etc/machine-id": "m\n", ...content },
    env: { HOME: "/h", USERPROFILE: "/h", PATH: "/usr/bin" },
    run: async ({ program }) => {
      ran.push(program.file);
      return { exitCode: 0, ending: "exited", stderr: "", ...run };
    },
    ...parts,
  });
  return { ...(await findSandbox(world, cccPaths(world), CLAUDE)), ran };
}

describe("whether there is a sandbox", () => {
  const both = { "/usr/bin/bwrap": "x", "/usr/bin/socat": "x" };
  const kept = (more: object) => ({ "/h/.claude/ccc/sandbox.json": JSON.stringify({ ...KEPT, ...more }) });

  test("what the system lacks is said, with what to do, and nothing else is tried", async () => {
    expect(await found({ platform: "win32" }, both)).toEqual({
      why: "Claude Code has none on this system",
      advice: "",
      ran: [],
    });
    expect(await found({ platform: "linux" }, {})).toMatchObject({ why: "missing: bubblewrap and socat", ran: [] });
    expect(await found({ platform: "linux" }, { "/usr/bin/bwrap": "x" })).toEqual({
      why: "missing: socat",
      advice: "apt-get install socat",
      ran: [],
    });
    const silent = found({ platform: "linux" }, both, { exitCode: 1 });
    expect(await silent).toMatchObject({ why: "user namespaces are forbidden here" });
    const refused = { exitCode: 1, stderr: "bwrap: No permissions to create a new namespace\n" };
    expect(await found({ platform: "linux" }, { ...both, ...kept({}) }, refused)).toEqual({
      why: "user namespaces are forbidden here (bwrap: No permissions to create a new namespace)",
      advice: expect.stringContaining("sysctl"),
      ran: ["/usr/bin/bwrap"],
    });
  });

  test.each([
    ["the project", { project: "/dev/shm/p" }, {}],
    ["the place for copies", {}, { XDG_CACHE_HOME: "/dev/shm/cache" }],
    ["temporary files", {}, { TMPDIR: "/dev/shm/tmp" }],
  ])("there is none where it would not see %s", async (_, about, env) => {
    const { world } = fakeWorld({
      platform: "linux",
      env: { HOME: "/h", PATH: "/usr/bin", ...env },
      content: { ...both, ...kept({}) },
    });
    const { why } = await findSandbox(world, cccPaths(world), { ...CLAUDE, ...about });
    expect(why).toMatch(/^\/dev\/shm\/[\w/]+ is not visible in it$/);
  });

  test("what was tried with this Claude Code on this machine is kept, and the system is looked at again only if it worked", async () => {
    expect(await found({ platform: "linux" }, { ...both, ...kept({}) })).toEqual({ ran: ["/usr/bin/bwrap"] });
    expect(await found({ platform: "linux" }, { ...both, ...kept({ why: "no" }) })).toMatchObject({
      why: "no",
      ran: [],
    });
    expect(await found({ platform: "darwin" }, kept({}))).toEqual({ ran: [] });
  });

  test("what was tried is a cache: a home where it can be neither read nor written is no obstacle", async () => {
    const files = memoryFiles({ "/etc/machine-id": "m" });
    const refused = <T extends unknown[], R>(action: (path: string, ...rest: T) => R) => {
      return (path: string, ...rest: T) => {
        if (path.endsWith("/sandbox.json")) throw new CccError("permission denied");
        return action(path, ...rest);
      };
    };
    const disk = { ...files, read: refused(files.read), writePrivate: refused(files.writePrivate) };
    expect(await found({ platform: "darwin", files: disk }, {})).toMatchObject({ ran: ["/bin/claude"] });
  });

  test("a trial that cannot be made is not kept: it says nothing about Claude Code", async () => {
    const plain = memoryFiles({ "/etc/machine-id": "m" });
    const makeFolder = () => {
      throw new CccError("read-only file system");
    };
    const parts = { platform: "darwin", files: { ...plain, makeFolder } } as const;
    expect(await found(parts, {})).toEqual({
      why: "it cannot be prepared: read-only file system",
      advice: "Set XDG_CACHE_HOME to a folder in which ccc may write.",
      ran: [],
    });
    expect(plain.exists("/h/.claude/ccc/sandbox.json")).toBeFalse();
  });

  test("a folder of the trial that cannot be removed is no obstacle", async () => {
    const removeFolder = () => {
      throw new CccError("cannot remove it: directory not empty");
    };
    const files = { ...memoryFiles({ "/etc/machine-id": "m" }), removeFolder };
    expect(await found({ platform: "darwin", files }, {})).toMatchObject({ ran: ["/bin/claude"] });
  });

  test.each([{ machine: "other" }, { version: "2.1.326" }, { claude: "/other" }])("not for %j", async (other) => {
    const { why, ran } = await found({ platform: "darwin" }, kept(other));
    expect(ran).toEqual(["/bin/claude"]);
    expect(why).toContain("Claude Code ran nothing in it");
  });
});

test.each([
  ["a folder of programs in a folder of their own, with that", "/h/tools/bin", ["/h/tools"]],
  ["one directly in the home, alone", "/h/bin", ["/h/bin"]],
  ["one with another name, alone", "/h/work/scripts", ["/h/work/scripts"]],
  ["one in a hidden folder, with all of that", "/h/.sdk/x/y", ["/h/.sdk"]],
  ["one in a folder that other programs use too, with the part of its own", "/h/.config/a/b/bin", ["/h/.config/a"]],
  ["one three levels down in such a folder", "/h/.local/share/a/bin", ["/h/.local/share/a"]],
  ["programs of the user's own, and nothing beside them", "/h/.local/bin", ["/h/.local/bin"]],
  ["none that is beside secrets", "/h/.docker/bin", []],
])("of a hidden home, a reviewer sees %s", async (_, folder, shown) => {
  const { world } = fakeWorld({ env: { HOME: "/h", PATH: folder }, content: { [`${folder}/tool`]: "x" } });
  const place = { project: "/project", paths: cccPaths(world) };
  const sandbox = await openSandbox({ world, baseline: undefined, ...place } as Parameters<typeof openSandbox>[0]);
  const rules = sandbox.rules({ read: ["/project"], files: [] }, []);
  expect(rules.shown.filter((path) => path.startsWith("/h/") && !path.includes("/.cache"))).toEqual(shown);
});

test("hidden are folders that are no part of the system, logs, mail, and what no tool needs of a home", async () => {
  const open = ["/usr/bin/ls", "/opt/go/bin/go", "/var/lib/dpkg/a", "/etc/a", "/tools/bin/x", "/work/p/a.ts"];
  const inHome = ["/h/.cache/pip/a", "/h/.cargo/bin/cargo"];
  const closed = ["/work/other/.env", "/var/log/a", "/var/mail/u", "/h/.cache/app/token", "/h/.cargo/credentials.toml"];
  const folders = ["/usr", "/opt", "/var", "/etc", "/tools", "/work", "/h", "/var/lib", "/var/log", "/var/mail"];
  const content = Object.fromEntries([
    ...[...open, ...inHome, ...closed].map((path) => [path, "x"] as const),
    ...folders.map((path) => [path, null] as const),
  ]);
  const { world } = fakeWorld({ platform: "linux", env: { HOME: "/h", PATH: "/usr/bin:/tools/bin" }, content });
  const place = { project: "/work/p", paths: cccPaths(world) };
  const sandbox = await openSandbox({ world, baseline: undefined, ...place } as Parameters<typeof openSandbox>[0]);
  const { hidden, shown } = sandbox.rules({ read: ["/work/p"], files: [] }, []);
  const innermost = (rules: readonly string[], path: string) =>
    Math.max(-1, ...rules.filter((rule) => `${path}/`.startsWith(`${rule}/`)).map(({ length }) => length));
  const isHidden = (path: string) => innermost(hidden, path) > innermost(shown, path);
  expect([...open, ...inHome, ...closed].filter(isHidden)).toEqual(closed);
});

test("folders that only other users may list are no obstacle", async () => {
  const content = { "/work/p/.env": "x", "/work/p/data/pg/a": "x", "/tmp/claude/b/c": "x", "/work/p/a/b.pem": "x" };
  const folders = { "/work/p/data": null, "/work/p/data/pg": null, "/work/p/a": null, "/tmp/claude": null };
  const files = memoryFiles({ ...content, ...folders, "/work/p": null, "/h": null });
  const list = (path: string) => {
    if (/\/(?:pg|claude)$/.test(path)) throw new CccError(`cannot read ${path}: permission denied`);
    return files.list(path);
  };
  const { world } = fakeWorld({ env: { HOME: "/h", PATH: "" }, files: { ...files, list } });
  const place = { project: "/work/p", paths: cccPaths(world) };
  const sandbox = await openSandbox({ world, baseline: undefined, ...place } as Parameters<typeof openSandbox>[0]);
  const { hidden } = sandbox.rules({ read: ["/work/p"], files: [] }, []);
  expect(hidden).toEqual(expect.arrayContaining(["/work/p/.env", "/work/p/a/b.pem"]));
});

describe("a reviewer works in a copy of the project", () => {
  /** The sandbox of a project on the disk, and git in its copy. */
  async function opened(place: GitPlace) {
    const { world } = fakeWorld({ ...patientWorld(), pid: process.pid, env: place.env });
    const { paths, project, env } = place;
    const launch = { environment: { salt: "", plain: env, hashed: [] } };
    const sandbox = await openSandbox({
      world,
      baseline: await place.take(),
      log: { say: () => {} },
      paths,
      project,
      cwd: project,
      launch,
    });
    const git = async (...args: string[]) => (await $`git ${args}`.cwd(sandbox.cwd).env(env).quiet()).text();
    return { ...sandbox, git };
  }

  test("with its commits, branches, tags and index, and nothing of its configuration", async () => {
    await using place = await gitPlace();
    await place.write("a.ts", "1\n");
    await place.commit();
    await place.git("branch", "feature/one");
    await place.git("tag", "v1");
    await place.git("config", "core.pager", "evil");
    await place.write("staged.ts", "2\n");
    await place.git("add", "staged.ts");
    await place.write("a.ts", "3\n");
    const { git, close } = await opened(place);
    const refs = ["for-each-ref", "--format=%(refname) %(objectname)"];
    expect(await git(...refs)).toBe(await place.git(...refs));
    expect(await git("log", "--format=%H")).toBe(await place.git("log", "--format=%H"));
    expect(await git("status", "--short")).toBe(" M a.ts\nA  staged.ts\n");
    expect(await git("config", "--local", "--list")).not.toContain("pager");
    close();
  });

  test("without files that may contain secrets, and it learns that", async () => {
    await using place = await gitPlace();
    await place.write("a.ts", "1");
    for (const name of ["a", "b", "c", "d", "e"]) await place.write(`${name}/.env`, "KEY=1");
    await place.commit();
    const few = await opened(place);
    expect([existsSync(join(few.cwd, "a.ts")), existsSync(join(few.cwd, "a/.env"))]).toEqual([true, false]);
    expect(few.about).toContain("may contain secrets: a/.env, b/.env, c/.env, d/.env, e/.env. git");
    few.close();
    await place.write("f/.env", "KEY=1");
    const many = await opened(place);
    expect(many.about).toContain("d/.env, e/.env, and 1 more. git");
    many.close();
  });

  test("or in an empty folder, where there is no repository", async () => {
    await using place = await gitPlace({ init: "none" });
    await place.write("a.ts", "1");
    const { cwd, about, git, close } = await opened(place);
    expect(about).toContain("You are in an empty folder");
    expect(about).toContain(`The project is in ${place.project}, which you can read and not change.`);
    expect((await git("rev-parse", "--show-toplevel")).trim()).toBe(cwd);
    expect(await git("status", "--short")).toBe("");
    close();
  });

  test("whose paths are the project's in what it says, and which is gone afterwards with all that belongs to it", async () => {
    await using place = await gitPlace();
    await place.write("a.ts", "1");
    await place.commit();
    const { cwd, env, keepSettings, translate, close } = await opened(place);
    const said = (path: string) => JSON.stringify({ file: join(path, "a.ts") });
    const translated = (text: string) => new TextDecoder().decode(translate(new TextEncoder().encode(text)));
    expect(translated(said(cwd))).toBe(said(place.project));
    expect(translated(said("/elsewhere"))).toBe(said("/elsewhere"));
    const made = [cwd, env.CLAUDE_CODE_TMPDIR ?? "", dirname(keepSettings("{}"))];
    expect(made.map((path) => existsSync(path))).toEqual([true, true, true]);
    close();
    expect(made.map((path) => existsSync(path))).toEqual([false, false, false]);
  });
});
