import type { Problems } from "../attack/campaign.ts";
import type { Findings, ScenarioName, Seen } from "./compatibility.ts";
import { backgroundSession, launchSession, limitSession, loopSession, reviewedSession } from "./print-sessions.ts";
import { probePrint } from "./probe-print.ts";
import { probeTerminal } from "./probe-terminal.ts";
import { terminalSession } from "./terminal-session.ts";

/** Tries the Claude Code in CCC_TEST_CLAUDE and prints the results as JSON. */

/** A session that takes longer hangs. */
const PATIENCE_MS = 180_000;

const SESSIONS: readonly [run: () => Promise<Findings>, scenarios: readonly ScenarioName[]][] = [
  [launchSession, ["launch", "isolation"]],
  [reviewedSession, ["hook", "guard", "cacheOfPrint"]],
  [limitSession, ["limit"]],
  [loopSession, ["loop"]],
  [terminalSession, ["terminal", "command", "statusLine", "notification", "wake", "cacheOfTerminal"]],
  [backgroundSession, ["background"]],
];

const findings: Partial<Record<ScenarioName, Problems>> = {};
for (const [run, scenarios] of SESSIONS) {
  const failed = (problem: string) => Object.fromEntries(scenarios.map((name) => [name, [problem]]));
  Object.assign(findings, await bounded(run(), failed));
}
let seen: Seen = {};
for (const probe of [probePrint, probeTerminal]) seen = { ...seen, ...(await bounded(probe(), complain)) };
await Bun.write(Bun.stdout, JSON.stringify({ findings, seen }));
process.exit(0);

async function bounded<T>(running: Promise<T>, failed: (problem: string) => T): Promise<T> {
  const late = Bun.sleep(PATIENCE_MS).then(() => failed(`no end after ${PATIENCE_MS / 1000} s`));
  return Promise.race([running.catch((error) => failed(String(error))), late]);
}

/** Its facts count as not measured. */
function complain(problem: string): Seen {
  console.error(problem);
  return {};
}
