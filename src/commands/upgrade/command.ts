import { defineCommand } from "citty";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";
import { channelOf, upgradeAdvice } from "./channel.ts";
import { installer } from "./installer.ts";

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

/** A stalled download must end some day; a slow one must not be cut off. */
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
    if (ended.ending === "timeout") throw new CccError("the upgrade took more than an hour and was stopped");
    return ended.exitCode === EXIT.ok ? EXIT.ok : EXIT.failure;
  } finally {
    scratch.remove();
  }
}
