import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { cccPaths } from "../../../../src/config/paths.ts";
import { runChild } from "../../../../src/os/child.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import { takeBaseline } from "../../../../src/supervisor/changes/baseline.ts";
import type { ChangedFile } from "../../../../src/supervisor/changes/changes.ts";
import { changesWhenAsked } from "../../../../src/supervisor/changes/suspicions.ts";
import type { Baseline } from "../../../../src/supervisor/record/session.ts";
import type { World } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";

/** Real programs, for which a slow machine is not too slow: the clock stands still. */
export function patientWorld(): Pick<World, "files" | "run" | "now"> {
  const at = new Date();
  return {
    files: diskFiles(process.pid),
    run: (request) => runChild({ ...request, timeoutMs: 60_000 }),
    now: () => at,
  };
}

/** A folder on the disk with a real git, and ccc's folder beside it. */
export async function gitPlace({ init = ["--initial-branch=main"] as string[] | "none", folder = "" } = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "ccc-test-")));
  const project = join(root, 'a "project": ä');
  const home = join(root, "home");
  await mkdir(project);
  await mkdir(home);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home };
  const named = { GIT_AUTHOR_NAME: "n", GIT_AUTHOR_EMAIL: "e", GIT_COMMITTER_NAME: "n", GIT_COMMITTER_EMAIL: "e" };
  const git = async (...args: string[]) =>
    (
      await $`git ${args}`
        .cwd(project)
        .env({ ...env, ...named })
        .quiet()
    ).text();
  if (init !== "none") await git("init", "-q", ...init);
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: join(root, "config") }, platform: "linux" });
  const { world } = fakeWorld(patientWorld());
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), content);
  };
  const place = {
    paths,
    project: join(project, folder),
    cwd: project,
    plain: env as Record<string, string>,
    checks: [] as string[],
  };
  const where = (other: Partial<typeof place>) => {
    const { plain, checks, ...rest } = { ...place, ...other };
    return {
      ...rest,
      launch: { environment: { salt: "", plain, hashed: [] }, checks: { commands: checks, left_out: [] } },
    };
  };
  return {
    root,
    project,
    home,
    paths,
    env,
    git,
    write,
    commit: async () => {
      await git("add", "-A");
      await git("commit", "-q", "-m", "m");
    },
    /** A program that leaves a trace when it runs. */
    trap: async (name: string) => {
      const path = join(root, name);
      await writeFile(path, `#!/bin/sh\necho ran >> '${join(root, "trace")}'\ncat\n`);
      await chmod(path, 0o755);
      return path;
    },
    hasRun: () => Bun.file(join(root, "trace")).exists(),
    take: (before?: Baseline, { parts, ...other }: Partial<typeof place> & { parts?: Partial<World> } = {}) =>
      takeBaseline({ ...world, ...parts }, where(other), "p", before),
    changes: (baseline: Baseline | undefined, other: Partial<typeof place> = {}) =>
      changesWhenAsked(world, where(other), baseline)(),
    /** What is suspicious about them. */
    suspicions: async (baseline: Baseline | undefined, other: Partial<typeof place> = {}) => {
      const changes = await changesWhenAsked(world, where(other), baseline)();
      return changes.suspicious?.map(({ text }) => text);
    },
    /** The changes in short: "added a.ts +3 -0". */
    listed: async (baseline: Baseline | undefined, other: Partial<typeof place> = {}) => {
      const changes = await changesWhenAsked(world, where(other), baseline)();
      return "why" in changes ? changes.why : changes.files.map(inShort);
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

export type GitPlace = Awaited<ReturnType<typeof gitPlace>>;

function inShort({ kind, path, from, added, deleted }: ChangedFile): string {
  const lines = added === undefined ? [] : [`+${added} -${deleted}`];
  return [kind, ...(from === undefined ? [] : [from, "→"]), path, ...lines].join(" ");
}
