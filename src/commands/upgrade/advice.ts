import { CccError } from "../../errors.ts";
import { REPOSITORY } from "../../repository.ts";
import type { Channel } from "./channel.ts";

export const RELEASES = `${REPOSITORY}/releases`;

/** What to do where ccc does not replace itself. */
export function upgradeAdvice(kind: Exclude<Channel["kind"], "script">, self: string, version?: string): CccError {
  if (kind === "brew") {
    return new CccError("this ccc was installed by Homebrew, which also upgrades it", {
      advice: "brew upgrade ccc-cli/tap/ccc",
    });
  }
  const page = version === undefined ? `${RELEASES}/latest` : `${RELEASES}/tag/v${version.replace(/^v/, "")}`;
  return new CccError(`${self} was put there by hand, so ccc does not replace it`, {
    advice: `Download SHA256SUMS and the archive for this machine from
  ${page}
check the archive
  sha256sum --check --ignore-missing SHA256SUMS
and put the ccc from it in the place of this one. install.sh, from the same page, does all of that and makes
\`ccc upgrade\` work from then on.`,
  });
}
