import { whatIsSent } from "../../claude/sent.ts";
import { MANAGED_BY_HOST } from "../../providers/variables.ts";
import { finalEffect, inForce, lost, type Result } from "./result.ts";
import type { Setting, Source } from "./settings.ts";

/** How plain `claude` uses the settings. */
export function explainPlain(all: readonly Setting[]): Result {
  const isOurs = ({ source }: Setting) => source === "shared" || source === "provider";
  // If a host such as ccc manages the provider, only the environment counts.
  const isHosted = all.some(({ name, source }) => name === MANAGED_BY_HOST && source === "shell");
  const read = all.filter((each) => (isHosted ? each.source === "shell" : !isOurs(each)));
  const winners = new Map(read.map((each) => [each.name, each]));
  const sent = whatIsSent(inForce(winners));
  return {
    sent,
    effect: (setting) => {
      if (isOurs(setting)) return lost("not read");
      const winner = winners.get(setting.name);
      if (winner === setting) return finalEffect(setting, sent);
      return lost(winner === undefined ? "your shell decides" : (WINS[winner.source] ?? ""));
    },
  };
}

const WINS: Readonly<Partial<Record<Source, string>>> = {
  shell: "your shell decides",
  user: "user settings win",
  project: "project settings win",
  local: "local settings win",
  managed: "the policy wins",
};
