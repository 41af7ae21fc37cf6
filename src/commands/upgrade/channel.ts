import { posix, win32 } from "node:path";

/** How the running ccc was installed, which decides how to upgrade it. */
export type Channel =
  | { readonly kind: "brew" }
  | { readonly kind: "script"; readonly prefix: string }
  | { readonly kind: "binary" };

/** `self` is the running program with links resolved. */
export function channelOf(
  self: string,
  platform: NodeJS.Platform,
  read: (path: string) => string | undefined,
): Channel {
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
