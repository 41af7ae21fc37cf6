import { defineCommand } from "citty";
import type { World } from "../world.ts";
import { JSON_FLAG } from "./shared.ts";

const DESCRIPTION = `Show the version, and what this ccc was built from.

JSON
  { version, commit, platform, arch, libc, bun }`;

export function versionCommand(world: World) {
  return defineCommand({
    meta: { name: "version", description: DESCRIPTION },
    args: { json: JSON_FLAG },
    run: ({ args }) => world.stdout(args.json ? `${JSON.stringify(describe(world))}\n` : versionLine(world)),
  });
}

/** Scripts may rely on the first two words. The target is spelled as in the names of downloads. */
export function versionLine(world: World): string {
  const { version, commit, platform, arch, libc, bun } = describe(world);
  const target = `${platform}-${arch}${libc === "musl" ? "-musl" : ""}`;
  return `ccc ${version} (${shorten(commit)}, ${target}, Bun ${bun})\n`;
}

function describe(world: World) {
  const { commit, arch, libc, bun } = world.build();
  const platform = world.platform === "win32" ? "windows" : world.platform;
  return { version: world.version, commit, platform, arch, libc, bun };
}

function shorten(commit: string): string {
  return commit.replace(/^([0-9a-f]{7})[0-9a-f]+/, "$1");
}
