import { defineCommand } from "citty";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { docsPage } from "../../repository.ts";
import type { World } from "../../world.ts";
import { upgradeAdvice } from "./advice.ts";
import { channelOf } from "./channel.ts";
import { installer } from "./installer.ts";

const DESCRIPTION = `Replace this ccc by the newest one, if it was installed by install.sh or install.ps1: download, check
of the checksum, a trial run, and only then the exchange. After a failure the old one is as it was. It goes back to an
older one only when --version asks for it. Installed in another way, it says how to upgrade. Claude Code itself is
upgraded by ccc update.

Environment
  CCC_DOWNLOAD_BASE    where releases are, instead of GitHub

Exit codes
  0      done, or it was that version or a newer one already
  1      a failure, or ccc was installed in another way
  2      a mistake on the command line
  130    Ctrl-C

More
  ${docsPage("install.md")}`;

/** `ccc upgrade`: the newest ccc in the place of this one. */
export function upgradeCommand(world: World) {
  return defineCommand({
    meta: {
      name: "upgrade",
      description: DESCRIPTION,
    },
    args: { version: { type: "string", valueHint: "VERSION", description: "this version, newer or older" } },
    run: ({ args }) => upgrade(world, args.version),
  });
}

/** Against hanging for ever; a slow line has time enough. */
const TIMEOUT_MS = 60 * 60_000;

async function upgrade(world: World, version: string | undefined): Promise<number> {
  if (version !== undefined && !/^v?\d+\.\d+\.\d+[\w.+-]*$/.test(version))
    throw usageError("--version takes a version, 1.2.3 for instance");
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
    if (ended.ending === "timeout") throw new CccError("the upgrade took more than an hour, and was given up");
    return ended.exitCode === EXIT.ok ? EXIT.ok : EXIT.failure;
  } finally {
    scratch.remove();
  }
}
