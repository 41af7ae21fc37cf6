import { canDo, VERSION_FACTS, type VersionFact } from "../../src/claude/versions.ts";
import type { Problems } from "../attack/campaign.ts";

/** What ccc does in a session, and what it needs from Claude Code for that. */
export const SCENARIOS = {
  launch: { what: "a launch reaches the provider, with its model, and prints the answer" },
  isolation: { what: "no key, server or header of another provider gets through" },
  hook: { what: "with `-p`: a stop is reviewed, the feedback reaches the agent, and the next stop is done" },
  guard: { what: "the reviewer reads the project, writes nothing, and sees no key" },
  limit: { what: "ten reviews, then the end, whatever Claude Code's own limit is" },
  loop: { what: "the loop engine, from the first answer to done" },
  terminal: { what: "in a terminal: both reviews are shown, and the prompt comes back" },
  command: { what: "`/ccc:supervisor` answers, and no model is asked", needs: "pluginFolder" },
  statusLine: { what: "the status line shows provider, model and supervision" },
  notification: { what: "the reviewer's question is shown as a desktop notification", needs: "hookNotifications" },
  wake: { what: "a session continues by itself when a usage limit has reset", needs: "processIds" },
  background: { what: "`ccc glm --bg` reaches its provider with its key", needs: "backgroundSessions" },
  cacheOfPrint: { what: "with `-p`, reviews are served from the agent's prompt cache", needs: "sharedCacheOfPrint" },
  cacheOfTerminal: { what: "in a terminal too", needs: "sharedCacheOfTerminal" },
} as const satisfies Readonly<Record<string, Scenario>>;

export interface Scenario {
  readonly what: string;
  readonly needs?: VersionFact;
}

export type ScenarioName = keyof typeof SCENARIOS;

/** What went wrong in each scenario of a session. */
export type Findings = Readonly<Partial<Record<ScenarioName, Problems>>>;

/** What was seen of each fact. */
export type Seen = Readonly<Partial<Record<VersionFact, boolean>>>;

/** The results for one version of Claude Code. */
export interface Tried {
  readonly version: string;
  /** Why nothing could be tried, if nothing could. */
  readonly missing?: string;
  readonly findings: Findings;
  readonly seen: Seen;
}

/** "held", "failed", or "not supported", which is not a failure if the table of facts says so. */
export type Outcome = "held" | "failed" | "not supported" | "not available";

export function outcomeOf({ version, missing, findings }: Tried, name: ScenarioName): Outcome {
  if (missing !== undefined) return "not available";
  const { needs }: Scenario = SCENARIOS[name];
  if (findings[name]?.length === 0) return "held";
  return needs === undefined || canDo(version, needs) || findings[name] === undefined ? "failed" : "not supported";
}

/** Everything that needs attention: unavailable versions, failures, and wrong facts in the table. */
export function complaints(all: readonly Tried[]): string[] {
  return all.flatMap((tried) => {
    const { version, missing, findings } = tried;
    if (missing !== undefined) return [`${version} is not available: ${missing}`];
    const failed = scenarioNames().flatMap((name) => {
      const outcome = outcomeOf(tried, name);
      if (outcome === "failed") return [`${version}, ${name}: ${findings[name]?.join("; ") ?? "not tried"}`];
      const { needs }: Scenario = SCENARIOS[name];
      return outcome === "held" && needs !== undefined && !canDo(version, needs)
        ? [`${version}, ${name}: works, but version-facts.ts says that this version lacks ${needs}`]
        : [];
    });
    return [...failed, ...wrongFacts(tried)];
  });
}

function wrongFacts({ version, seen }: Tried): string[] {
  return factNames().flatMap((fact) => {
    if (seen[fact] === undefined) return [`${version}, fact ${fact}: not measured`];
    if (seen[fact] === canDo(version, fact)) return [];
    const [is, says] = seen[fact] ? ["can", "cannot"] : ["cannot", "can"];
    return [`${version}, fact ${fact}: it ${is}, but version-facts.ts says that it ${says}`];
  });
}

export function scenarioNames(): ScenarioName[] {
  return Object.keys(SCENARIOS) as ScenarioName[];
}

export function factNames(): VersionFact[] {
  return Object.keys(VERSION_FACTS) as VersionFact[];
}
