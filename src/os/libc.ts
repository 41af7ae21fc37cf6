import { dlopen } from "bun:ffi";

/** Files through libc itself: loading node:fs takes a third of Bun's own start time, and reading Bun.stdin starts threads. */
export interface LibcFiles {
  /** Reads some of stdin, and returns how much: 0 at its end, negative if it cannot wait for more. */
  readonly readStdin: (into: Uint8Array) => number;
  /** Whether stdin is a terminal. */
  readonly isTerminal: () => boolean;
  /** The path with links resolved; undefined if it cannot be opened. */
  readonly realPath: (path: string) => string | undefined;
}

/** For Linux with glibc; undefined if it does not work. */
export function libcFiles(): LibcFiles | undefined {
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const found = new Uint8Array(LONGEST_PATH);
  return {
    readStdin: (into) => libc.read(0, into, into.length),
    isTerminal: () => libc.isatty(0) === 1,
    // As Bun's own realpath does it: the kernel resolves all links, and /proc tells where they end.
    realPath: (path) => {
      // To libc, the path would end there.
      if (path.includes("\0")) return undefined;
      const fd = libc.open(encoder.encode(`${path}\0`), O_PATH | O_CLOEXEC);
      if (fd < 0) return undefined;
      const length = libc.readlink(encoder.encode(`/proc/self/fd/${fd}\0`), found, LONGEST_PATH);
      libc.close(fd);
      if (length <= 0 || length === LONGEST_PATH) throw new Error(`/proc does not tell where ${path} is`);
      return decoder.decode(found.subarray(0, length));
    },
  };
}

const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const LONGEST_PATH = 4096;

function openLibc() {
  try {
    return dlopen("libc.so.6", {
      read: { args: ["i32", "ptr", "usize"], returns: "i32" },
      open: { args: ["ptr", "i32"], returns: "i32" },
      readlink: { args: ["ptr", "ptr", "usize"], returns: "i32" },
      close: { args: ["i32"], returns: "i32" },
      isatty: { args: ["i32"], returns: "i32" },
    }).symbols;
  } catch {
    return undefined;
  }
}

/** Reads text to its end. `rest` reads what is left if `readSome` cannot wait for it. */
export async function readWhole(
  readSome: LibcFiles["readStdin"],
  rest: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const length = readSome(bytes);
    if (length < 0) return text + decoder.decode(await rest());
    if (length === 0) return text + decoder.decode();
    text += decoder.decode(bytes.subarray(0, length), { stream: true });
  }
}
