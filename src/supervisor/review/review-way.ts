import type { ReviewWay } from "../../claude/reviewer-command.ts";
import { canDo } from "../../claude/version-facts.ts";
import type { ReviewContext } from "../../config/defaults.ts";

/** What decides whether a reviewer's requests can be served from the agent's prompt cache. */
export interface CacheFacts {
  /** The version of Claude Code; undefined if unknown. */
  readonly version: string | undefined;
  /** Whether the agent works in a terminal, not with `-p`. */
  readonly isTerminal: boolean;
  /** Whether requests begin with Claude Code's attribution block, which differs between a terminal and `-p`. */
  readonly hasAttribution: boolean;
  /** Whether the reviewer has the agent's provider and model. */
  readonly hasAgentsModel: boolean;
}

/**
 * What the reviewer of a session gets to see. A fork with all of the agent's tools rests on the guard; without it, and in
 * versions that have no cache to share and let a failed guard pass, the fork has the harmless tools only.
 */
export function chooseWay(context: ReviewContext, facts: CacheFacts, isGuarded: boolean): ReviewWay {
  if (!isGuarded) return "schema";
  if (context === "fresh") return "fresh";
  if (canShare(facts)) return "shared";
  if (context === "auto") return "fresh";
  return canDo(facts.version, "sharedCacheOfPrint") ? "shared" : "schema";
}

function canShare({ version, isTerminal, hasAttribution, hasAgentsModel }: CacheFacts): boolean {
  if (!hasAgentsModel) return false;
  return isTerminal ? !hasAttribution && canDo(version, "sharedCacheOfTerminal") : canDo(version, "sharedCacheOfPrint");
}

/** How to ask again after an answer without a verdict, or one that the session was too long for. */
export function nextWay(
  way: ReviewWay,
  problem: "no verdict" | "too long",
  canBeFresh: boolean,
): ReviewWay | undefined {
  if (problem === "too long") return way !== "fresh" && canBeFresh ? "fresh" : undefined;
  return way === "shared" ? "schema" : way;
}
