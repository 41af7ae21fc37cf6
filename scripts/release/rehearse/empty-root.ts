import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { devDependencies } from "../../../package.json" with { type: "json" };
import type { Libc } from "../../../src/build-info.ts";
import { ROOT } from "../about.ts";
import type { Run, Stage } from "./step.ts";

/** A root folder with BusyBox, one C library and the real Claude Code, and nothing else. */
export interface EmptyRoot {
  readonly folder: string;
  /** Runs a shell script inside, as root, with its own /proc and process ids. */
  sh(script: string, env?: Readonly<Record<string, string>>): Promise<string>;
}

/** Why such a root cannot be made here; undefined if it can. */
export function rootProblem(libc: Libc): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "needs Linux on x64";
  if (process.getuid?.() !== 0) return "needs root, for chroot";
  const tools = ["unshare", "chroot", "busybox", ...(libc === "musl" ? ["musl-gcc", "g++", "make", "xz"] : ["ldd"])];
  const missing = tools.filter((tool) => Bun.which(tool) === null);
  const packages = libc === "musl" ? "musl musl-tools g++ make xz-utils gcc-12-source" : "util-linux";
  if (libc === "musl" && !existsSync("/usr/src/gcc-12")) missing.push("the source of GCC 12");
  if (missing.length === 0) return undefined;
  return `${missing.join(", ")} missing: apt-get install busybox-static ${packages}`;
}

export async function emptyRoot(libc: Libc, { scratch, cache, run }: Stage): Promise<EmptyRoot> {
  const folder = join(scratch, "root");
  for (const name of ["bin", "lib", "tmp", "root", "proc", "dev", "etc", "usr/local"])
    await mkdir(join(folder, name), { recursive: true });
  await chmod(join(folder, "tmp"), 0o1777);
  await writeFile(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  const busybox = Bun.which("busybox") ?? "busybox";
  await copyFile(busybox, join(folder, "bin/busybox"));
  await run(["chroot", folder, "/bin/busybox", "--install", "-s", "/bin"]);
  const claude = libc === "musl" ? await muslClaude(cache, run) : join(ROOT, `node_modules/${PACKAGE}/claude`);
  await copyFile(claude, join(folder, "bin/claude"));
  if (libc === "musl") await putMusl(folder, cache, run);
  else await putGlibc(folder, claude, run);
  return {
    folder,
    sh: (script, env = {}) => {
      const variables = Object.entries({ HOME: "/root", PATH: "/usr/local/bin:/bin", ...env });
      const inside = [
        "/bin/env",
        "-i",
        ...variables.map(([name, value]) => `${name}=${value}`),
        "/bin/sh",
        "-euc",
        script,
      ];
      const command = [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        ENTER,
        "sh",
        folder,
        ...inside,
      ];
      return run(command, { shown: `in the root: ${script}` });
    },
  };
}

const PACKAGE = "@anthropic-ai/claude-code-linux-x64";

/** The mounts end with their namespace. */
const ENTER = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"';

async function putGlibc(folder: string, program: string, run: Run): Promise<void> {
  const listed = (await run(["ldd", program])).matchAll(/(\/lib\S+) \(/g);
  for (const [, library = ""] of listed) {
    await mkdir(join(folder, dirname(library)), { recursive: true });
    await copyFile(library, join(folder, library));
  }
}

async function putMusl(folder: string, cache: string, run: Run): Promise<void> {
  const library = join(cache, "musl/libstdc++.so.6");
  if (!existsSync(library)) await run(["bash", join(ROOT, "scripts/release/musl-libstdcxx.sh"), dirname(library)]);
  await copyFile(library, join(folder, "lib/libstdc++.so.6"));
  await copyFile("/lib/ld-musl-x86_64.so.1", join(folder, "lib/ld-musl-x86_64.so.1"));
  await symlink("ld-musl-x86_64.so.1", join(folder, "lib/libc.musl-x86_64.so.1"));
}

/** npm installs only the package for the machine's C library, so this one is fetched by name. */
async function muslClaude(cache: string, run: Run): Promise<string> {
  const version = devDependencies["@anthropic-ai/claude-code"];
  const folder = join(cache, `claude-${version}-linux-x64-musl`);
  const program = join(folder, `node_modules/${PACKAGE}-musl/claude`);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ dependencies: { [`${PACKAGE}-musl`]: version } }));
  await run([process.execPath, "install", "--silent", "--no-save", "--os", "linux", "--cpu", "x64"], { cwd: folder });
  return program;
}
