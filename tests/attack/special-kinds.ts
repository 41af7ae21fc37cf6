import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

type Plant = (path: string, outside: string) => void;

/** What can be in place of a file of ccc. `outside` is a file of the user. */
const KINDS: Readonly<Record<string, Plant>> = {
  "a FIFO": (path) => void Bun.spawnSync(["mkfifo", path]),
  "a socket": (path, outside) => {
    // The path of a socket is limited to about 100 bytes, so it is created elsewhere and moved.
    const short = join(dirname(dirname(outside)), "s");
    const server = Bun.listen({ unix: short, socket: { data() {} } });
    renameSync(short, path);
    server.stop(true);
  },
  "a folder": (path) => mkdirSync(path),
  "a link to /dev/zero": (path) => symlinkSync("/dev/zero", path),
  "a dangling link": (path, outside) => symlinkSync(`${outside}-nowhere`, path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a link to a file of the user": (path, outside) => symlinkSync(outside, path),
  "a huge file": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 100_000_000);
  },
  "an unreadable file": (path) => {
    writeFileSync(path, "x");
    chmodSync(path, 0o000);
  },
  "an empty file": (path) => writeFileSync(path, ""),
};

export const SPECIAL_KINDS = Object.keys(KINDS);
export const SPECIAL =
  "FIFO, socket, folder, links to /dev/zero, nowhere, itself and a user's file, huge, unreadable, empty";

/** Replaces whatever is at `path`. */
export function plantSpecial(kind: string, path: string, outside: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path)) rmSync(path, { recursive: true });
  KINDS[kind]?.(path, outside);
}
