/** `ccc upgrade` and `ccc --version`. */

import { posix, win32 } from "node:path";
import { defineCommand } from "citty";
import powershellScript from "../../install.ps1" with { type: "text" };
import shellScript from "../../install.sh" with { type: "text" };
import { docsPage, REPOSITORY } from "../build-info.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import type { Program, World } from "../world.ts";

const DESCRIPTION = `Replace this ccc with the newest version, if install.sh or install.ps1 installed it. The download is
verified and tried out first; if anything fails, the old ccc stays. It only downgrades with --version. If ccc was installed
in another way, it says how to upgrade. To upgrade Claude Code itself: ccc update.

Environment
  CCC_DOWNLOAD_BASE    where releases are, instead of GitHub

Exit codes
  0      done, or already that version or a newer one
  1      failure, or ccc was installed in another way
  2      usage error
  130    Ctrl-C

More
  ${docsPage("install.md")}`;

export function upgradeCommand(world: World) {
  return defineCommand({
    meta: {
      name: "upgrade",
      description: DESCRIPTION,
    },
    args: { version: { type: "string", valueHint: "VERSION", description: "install this version, newer or older" } },
    run: ({ args }) => upgrade(world, args.version),
  });
}

/** Ends a stalled download, but not a slow one. */
const TIMEOUT_MS = 60 * 60_000;

async function upgrade(world: World, version: string | undefined): Promise<number> {
  if (version !== undefined && !/^v?\d+\.\d+\.\d+[\w.+-]*$/.test(version))
    throw usageError("--version takes a version, for example 1.2.3");
  const self = world.files.realPath(world.self);
  const channel = channelOf(self, world.platform, world.files.read);
  if (channel.kind !== "script") throw upgradeAdvice(channel.kind, self, version);
  const scratch = world.scratch();
  try {
    const { program, stdin } = installer(world, { prefix: channel.prefix, version }, scratch.path);
    const onLine = (line: Uint8Array | undefined) => {
      world.stdout(`${new TextDecoder().decode(line)}\n`);
      return false;
    };
    const ended = await world.run({ program, cwd: scratch.path, stdin, timeoutMs: TIMEOUT_MS, onLine });
    if (ended.stderr !== "") world.stderr(`${ended.stderr}\n`);
    if (ended.ending === "interrupted") return EXIT.interrupted;
    if (ended.ending === "timeout")
      throw new CccError("the upgrade took more than an hour and was stopped", { advice: "Try again: ccc upgrade" });
    return ended.exitCode === EXIT.ok ? EXIT.ok : EXIT.failure;
  } finally {
    scratch.remove();
  }
}

/** How the running ccc was installed, which decides how to upgrade it. */
type Channel =
  | { readonly kind: "brew" }
  | { readonly kind: "script"; readonly prefix: string }
  | { readonly kind: "binary" };

/** `self` is the running program with links resolved. */
function channelOf(self: string, platform: NodeJS.Platform, read: (path: string) => string | undefined): Channel {
  if (/\/(Cellar|Caskroom)\/ccc\//.test(self)) return { kind: "brew" };
  const { dirname, join } = platform === "win32" ? win32 : posix;
  const prefix = dirname(dirname(self));
  // The script only replaces a program called ccc.
  const isInPlace = self === join(prefix, "bin", platform === "win32" ? "ccc.exe" : "ccc");
  if (!isInPlace || !isFromScript(read(join(prefix, "share", "ccc", "receipt")))) return { kind: "binary" };
  return { kind: "script", prefix };
}

function isFromScript(receipt: string | undefined): boolean {
  return receipt?.split("\n").includes("channel script") === true;
}

/** How to upgrade a ccc that cannot replace itself. */
function upgradeAdvice(kind: Exclude<Channel["kind"], "script">, self: string, version?: string): CccError {
  if (kind === "brew") {
    return new CccError("this ccc was installed with Homebrew, so upgrade it with Homebrew", {
      advice: "brew upgrade ccc-cli/tap/ccc",
    });
  }
  const page = version === undefined ? `${RELEASES}/latest` : `${RELEASES}/tag/v${version.replace(/^v/, "")}`;
  return new CccError(`${self} was installed by hand, so ccc does not replace it`, {
    advice: `Download SHA256SUMS and the archive for this machine from
  ${page}
check the archive
  sha256sum --check --ignore-missing SHA256SUMS
and replace this ccc with the one in it. Or install with install.sh from the same page: then
\`ccc upgrade\` works from now on.`,
  });
}

const RELEASES = `${REPOSITORY}/releases`;

interface Installer {
  readonly program: Program;
  readonly stdin: string;
}

/**
 * How to run the install script that is embedded in ccc. A shell reads it from stdin. PowerShell cannot read a script of
 * more than one line from there, so it is written to `folder`.
 */
function installer(
  { env, platform, files, version: running }: Pick<World, "env" | "platform" | "files" | "version">,
  target: { readonly prefix: string; readonly version: string | undefined },
  folder: string,
): Installer {
  const { prefix, version } = target;
  if (platform !== "win32") {
    const options = [
      "--upgrade-from",
      running,
      "--prefix",
      prefix,
      ...(version === undefined ? [] : ["--version", version]),
    ];
    return { program: { file: "/bin/sh", args: ["-s", "--", ...options], env }, stdin: shellScript };
  }
  const script = `${folder}\\install.ps1`;
  files.create(script, powershellScript);
  const options = ["-UpgradeFrom", running, "-Prefix", prefix, ...(version === undefined ? [] : ["-Version", version])];
  const args = ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script, ...options];
  const powershell = `${env.SystemRoot ?? "C:\\Windows"}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
  return { program: { file: powershell, args, env }, stdin: "" };
}

/** For programs: { version, commit, platform, arch, libc, bun }. */
export function versionJson(world: World): string {
  return `${JSON.stringify(builtFrom(world))}\n`;
}

/** Scripts may rely on the first two words. The target is spelled as in download names. */
export function versionLine(world: World): string {
  const { version, commit, platform, arch, libc, bun } = builtFrom(world);
  const target = `${platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
  return `ccc ${version} (${shorten(commit)}, ${target}, Bun ${bun})\n`;
}

function builtFrom(world: World) {
  const { commit, arch, libc, bun } = world.build();
  const platform = world.platform === "win32" ? "windows" : world.platform;
  return { version: world.version, commit, platform, arch, libc, bun };
}

function shorten(commit: string): string {
  return commit.replace(/^([0-9a-f]{7})[0-9a-f]+/, "$1");
}
