import { readFileSync, statfsSync } from "node:fs";

/**
 * Temporary folders of tests are in memory where that is possible. On a disk, each new file gets slower the more files were
 * deleted just before: ext4 without a journal does not use their places again for a minute, and looks at each of them.
 */
const MEMORY = "/dev/shm";
const ENOUGH_BYTES = 4e9;

function isUsable(): boolean {
  if (process.platform !== "linux") return false;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .findLast((line) => line.split(" ")[1] === MEMORY);
  const [, , type, options = ""] = mount?.split(" ") ?? [];
  const { bavail, bsize } = statfsSync(MEMORY);
  return type === "tmpfs" && !options.split(",").includes("noexec") && bavail * bsize > ENOUGH_BYTES;
}

if (process.env.TMPDIR === undefined && isUsable()) process.env.TMPDIR = MEMORY;
