import { CccError } from "../../errors.ts";
import { REPOSITORY } from "../../repository.ts";
import type { Channel } from "./channel.ts";

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
