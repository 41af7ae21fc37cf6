import { posix, win32 } from "node:path";

/** How the running ccc came to be where it is, and so how it is upgraded. */
export type Channel =
  | { readonly kind: "brew" }
  | { readonly kind: "script"; readonly prefix: string }
  | { readonly kind: "binary" };

/** `self` is the running program, through all links. `read` gives the text of a file, undefined where there is none. */
export function channelOf(
  self: string,
  platform: NodeJS.Platform,
  read: (path: string) => string | undefined,
): Channel {
  if (/\/(Cellar|Caskroom)\/ccc\//.test(self)) return { kind: "brew" };
  const { dirname, join } = platform === "win32" ? win32 : posix;
  const prefix = dirname(dirname(self));
  // The script would not replace a program of another name beside its own.
  const isInPlace = self === join(prefix, "bin", platform === "win32" ? "ccc.exe" : "ccc");
  if (!isInPlace || !isOfScript(read(join(prefix, "share", "ccc", "receipt")))) return { kind: "binary" };
  return { kind: "script", prefix };
}

function isOfScript(receipt: string | undefined): boolean {
  return receipt?.split("\n").includes("channel script") === true;
}
