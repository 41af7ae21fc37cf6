import type { Paths } from "../../config/ccc-paths.ts";
import { MOST_CHECKS } from "../../config/defaults.ts";
import type { World } from "../../world.ts";
import { checkConsent } from "./check-consent.ts";
import { type CheckSources, collectChecks } from "./collect-checks.ts";

/** The commands of a session. */
export interface SettledChecks {
  readonly commands: string[];
  /** Those of the project that do not run, because nobody could be asked. */
  readonly left_out: string[];
}

/** The checks of a session that ccc did not start: the user cannot be asked, but an earlier yes counts. */
export function knownChecks(world: World, paths: Paths, folder: string, sources: CheckSources): SettledChecks {
  const { trusted, projects, untrusted } = collectChecks(sources);
  const hasAgreed = checkConsent(world.files, paths, folder, projects).read() === true;
  const commands = hasAgreed ? [...trusted, ...untrusted] : trusted;
  return { commands: commands.slice(0, MOST_CHECKS), left_out: hasAgreed ? [] : untrusted };
}
