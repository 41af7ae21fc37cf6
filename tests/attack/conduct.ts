import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Campaign, Outcome } from "./campaign.ts";
import { killMarked, MARK } from "./processes.ts";
import type { Row } from "./table.ts";

/** Runs campaigns, two at a time: a machine with two cores is enough. */
export async function conduct(
  campaigns: readonly Campaign[],
  seed: number,
  countOf: (campaign: Campaign) => number,
): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "ccc-attack-"));
  const outcomes = new Map<Campaign, Outcome>();
  const waiting = [...campaigns];
  const lane = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      outcomes.set(each, await runOne(each, countOf(each), seed, folder));
    }
  };
  await Promise.all([lane(), lane()]);
  await rm(folder, { recursive: true, force: true });
  return campaigns.map((campaign) => ({ campaign, outcome: outcomes.get(campaign) ?? { tried: 0, failures: [] } }));
}

/** More than any campaign needs on a slow machine. */
const LIMIT_MS = 10 * 60_000;

/** Runs a campaign in a child process, which is killed if it hangs. */
async function runOne({ name }: Campaign, count: number, seed: number, folder: string): Promise<Outcome> {
  const started = performance.now();
  const mark = crypto.randomUUID();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "one.ts"), name, `${count}`, `${seed}`], {
    env: { ...process.env, TMPDIR: folder, [MARK]: mark },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const text = await child.stdout.text();
  await child.exited;
  clearTimeout(timer);
  await killMarked(mark);
  const outcome = parse(text) ?? { tried: count, failures: [aborted(name, child)] };
  const held = outcome.tried - outcome.failures.length;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.error(`${held === outcome.tried ? "held" : "FAILED"} ${name}: ${held} of ${outcome.tried}, ${seconds} s`);
  return outcome;
}

function aborted(name: string, { exitCode, signalCode }: Bun.Subprocess) {
  return { where: name, problem: `the campaign was aborted (${signalCode ?? `exit code ${exitCode}`})` };
}

function parse(text: string): Outcome | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
