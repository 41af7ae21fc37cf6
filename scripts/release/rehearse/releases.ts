import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Libc } from "../../../src/build-info.ts";
import { ABOUT, ROOT } from "../about.ts";
import { archive } from "../archive.ts";
import { renderSums, SUMS, sumsOf } from "../sums.ts";
import { archiveName, binaryName, type Target } from "../targets.ts";
import type { Stage } from "./step.ts";

interface Previous {
  readonly version: string;
  /** What it was built from. */
  readonly source: string;
  /** A release for one kind of machine. */
  readonly folder: string;
}

/** Builds the last release before this one, for x64; before the first release, this commit with a lower version. */
export async function buildPrevious(libc: Libc, { scratch, run }: Stage): Promise<Previous> {
  const tags = (await run(["git", "tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD"])).split("\n");
  const tag = previousTag(tags, ABOUT.version);
  const source = join(scratch, "previous");
  await run(["git", "clone", "--quiet", "--no-checkout", ROOT, source]);
  const commit = (await run(["git", "rev-parse", `${tag ?? "HEAD"}^{commit}`])).trim();
  await run(["git", "checkout", "--quiet", "--detach", commit], { cwd: source });
  const version = tag?.slice(1) ?? FIRST;
  if (tag === undefined) await setVersion(join(source, "package.json"), version);
  await run([process.execPath, "install", "--frozen-lockfile"], { cwd: source });

  const target: Target = { os: "linux", arch: "x64", libc };
  const folder = join(source, "release");
  await mkdir(folder);
  const program = join(folder, binaryName(target));
  const compile = join(import.meta.dir, "compile-here.ts");
  await run([process.execPath, compile, program, commit, JSON.stringify(target)], { cwd: source });
  const documents = { LICENSE: await bytes(source, "LICENSE"), "README.md": await bytes(source, "README.md") };
  await Bun.write(join(folder, archiveName(target)), archive(target, await Bun.file(program).bytes(), documents, 0));
  await Bun.write(join(folder, "install.sh"), await bytes(source, "install.sh"));
  await Bun.write(join(folder, SUMS), renderSums(await sumsOf(folder)));
  return { version, source: tag ?? "this commit: there is no tag yet", folder };
}

const FIRST = "0.0.0";

/** Tags come newest first. The tag of this version may exist already, and pre-releases do not count. */
export function previousTag(tags: readonly string[], version: string): string | undefined {
  return tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag) && tag !== `v${version}`);
}

async function setVersion(file: string, version: string): Promise<void> {
  await Bun.write(file, JSON.stringify({ ...(await Bun.file(file).json()), version }, null, 2));
}

function bytes(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  return Bun.file(join(folder, name)).bytes();
}

/** Serves releases on 127.0.0.1 at GitHub's paths. `newest` is one of them. */
export function serveReleases(
  folders: ReadonlyMap<string, string>,
  newest: string,
): AsyncDisposable & { base: string } {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const [, latest] = /^\/latest\/download\/([\w.-]+)$/.exec(pathname) ?? [];
      if (latest !== undefined) return Response.redirect(`/download/v${newest}/${latest}`);
      const [, version = "", name = ""] = /^\/download\/v([\w.+-]+)\/([\w.-]+)$/.exec(pathname) ?? [];
      const folder = folders.get(version);
      const file = folder === undefined ? undefined : Bun.file(join(folder, name));
      return file !== undefined && file.size > 0 ? new Response(file) : new Response("not found", { status: 404 });
    },
  });
  return { base: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}
