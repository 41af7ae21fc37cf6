import { posix, win32 } from "node:path";
import { CccError } from "../../errors.ts";
import { REPOSITORY } from "../../repository.ts";

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

export const RELEASES = `${REPOSITORY}/releases`;

/** How to upgrade a ccc that cannot replace itself. */
export function upgradeAdvice(kind: Exclude<Channel["kind"], "script">, self: string, version?: string): CccError {
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
