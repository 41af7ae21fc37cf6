import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Received } from "../../src/sandbox/sandbox.ts";
import { parseJson } from "../../src/text/json.ts";
import { MARK, marked, newMark } from "../attack/processes.ts";
import { CLAUDE } from "../harness.ts";
import { supervisedPlace } from "../supervised.ts";
import { startSession } from "./soak-session.ts";
import { claudeWithQuickReviews, kindOf, soakAnswer, talk } from "./soak-turns.ts";

/**
 * A supervised session of 500 turns on the real Claude Code, with background tasks, sub-agents, compaction, resumes, errors of
 * the API and killed hooks. Fails if anything grows without bound, or if the record is wrong: bun run test:soak [TURNS]
 */

const TURNS = Number(process.argv[2] ?? 500);
const MOST_MINUTES = 10;
const SAMPLES = 5;
/** What all reviewers stream together: three times as much as the output file and its rotated copy may hold. */
const STREAMED = 120_000_000;
/** The output file is rotated at this size, and one rotated file is kept. */
const SET_ASIDE = 20_000_000;

await using place = await supervisedPlace(soakAnswer, { supervisor: { when: "always" } });
// Where ccc sees that no file has changed, a "done" needs no look.
await Bun.$`git init -q ${place.project}`;
await Bun.write(join(place.bin, "talk"), talk(STREAMED / TURNS));
await place.standIn(claudeWithQuickReviews(realpathSync(CLAUDE), place.bin));
const mark = newMark();
const startedAt = Date.now();
const problems: string[] = [];
const expectEqual = (what: string, found: number, wanted: number) => {
  console.log(
    `${found === wanted ? "ok" : "WRONG"}: ${what}: ${found}${found === wanted ? "" : ` instead of ${wanted}`}`,
  );
  if (found !== wanted) problems.push(what);
};

const samples: Sample[] = [];
const every = Math.ceil(TURNS / SAMPLES);
let session = startSession(place, { [MARK]: mark });
for (let turn = 1; turn <= TURNS; turn++) {
  if (Date.now() - startedAt > MOST_MINUTES * 60_000) throw new Error(`turn ${turn} after ${MOST_MINUTES} minutes`);
  await session.turn(turn);
  if (turn % every === every >> 1) await session.compact();
  if (turn % every !== 0) continue;
  samples.push(sample(turn, session.pid, session.id()));
  await session.end();
  if (turn < TURNS) session = startSession(place, { [MARK]: mark }, session.id());
}

console.log(`${TURNS} turns in ${Math.round((Date.now() - startedAt) / 1000)} s`);
console.table(samples);
const turns = Array.from({ length: TURNS }, (_, index) => kindOf(index + 1));
const count = (...kinds: string[]) => turns.filter((kind) => kinds.includes(kind)).length;
const record = join(place.at(".claude/ccc/sessions"), session.id());
const entries = (name: string) =>
  readFileSync(join(record, name), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const asked = entries("prompts.jsonl").filter((prompt) => prompt.by_user && prompt.text?.startsWith("TURN"));
expectEqual("prompts on record", asked.length, TURNS);
expectEqual("different prompts", new Set(asked.map(({ text }) => text)).size, TURNS);
const stops = entries("stops.jsonl");
const ends = stops.filter(({ outcome }) => outcome !== undefined);
const begun = new Set(stops.map(({ stop }) => stop));
expectEqual("stops without an end, as their hook was killed", begun.size - ends.length, count("killed"));
expectEqual(
  "reviews that said not done",
  ends.filter(({ outcome }) => outcome === "rework").length,
  count("unfinished"),
);
const reviews = readFileSync(join(place.bin, "reviews"), "utf8").split("\n").slice(0, -1);
const reviewed = ends.filter(({ outcome }) => outcome === "done" || outcome === "rework").length;
expectEqual("reviews on record, compared with reviewers that ran", reviewed, reviews.length - count("killed"));
expectEqual(
  "stops that nobody reviewed and nobody skipped",
  ends.filter(({ outcome }) => outcome === "unreviewed").length,
  0,
);
const requests = place.sandbox.received;
const first = ({ body }: Received) => JSON.stringify(body.messages[0]);
expectEqual("sub-agents that ran", requests.filter((each) => /SUBTASK/.test(first(each))).length, count("subagent"));
expectEqual("real reviewers", requests.filter(({ role }) => role === "reviewer").length, count("reviewed"));
const notes = entries("prompts.jsonl").filter(({ text }) => text?.startsWith("<task-notification>")).length;
console.log(`notifications that woke the agent: ${notes} of ${count("background", "subagent")}`);
const output = join(place.project, `.claude/ccc/supervisor-${session.id()}-output.jsonl`);
const kept = [`${output}.1`, output].flatMap((path) => readFileSync(path, "utf8").split("\n").slice(0, -1));
expectEqual("lines of reviews that are no JSON", kept.filter((line) => parseJson(line) === undefined).length, 0);
expectEqual("processes that are left", marked(mark).length, 0);
expectEqual("sessions on record", readdirSync(place.at(".claude/ccc/sessions")).length, 1);

const [start, last] = [samples[0], samples.at(-1)];
if (start === undefined || last === undefined) throw new Error("nothing was measured");
const linear = TURNS / every;
const bounds: readonly (readonly [keyof Sample, number])[] = [
  ["record_kB", linear * 1.3],
  ["log_kB", linear * 1.3],
  ["state_kB", 2],
  ["ccc_MB", 1.3],
  ["processes", 1],
  ["files", 1],
];
for (const [name, most] of bounds) {
  const [from, to] = [Math.max(start[name], 1), last[name]];
  const isFine = to <= from * most;
  console.log(`${isFine ? "ok" : "GREW"}: ${name}: from ${from} to ${to}, at most ${most.toFixed(1)} times`);
  if (!isFine) problems.push(name);
}
const kB = Math.max(...samples.map(({ output_kB }) => output_kB));
const mostKB = (2 * SET_ASIDE + (2 * STREAMED) / TURNS) / 1000;
console.log(`${kB <= mostKB ? "ok" : "GREW"}: output_kB: ${kB}, at most ${Math.round(mostKB)}, of ${STREAMED / 1000}`);
if (kB > mostKB) problems.push("output_kB");
if (problems.length > 0) process.exitCode = 1;

interface Sample {
  readonly turn: number;
  readonly record_kB: number;
  readonly state_kB: number;
  readonly output_kB: number;
  readonly log_kB: number;
  readonly files: number;
  readonly processes: number;
  readonly ccc_MB: number;
}

function sample(turn: number, pid: number, id: string): Sample {
  const own = place.at(".claude/ccc");
  const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const size = (path: string) => Math.ceil((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1000);
  const inProject = join(place.project, ".claude/ccc");
  /** Including the rotated one. */
  const both = (name: string) => size(join(inProject, name)) + size(join(inProject, `${name}.1`));
  const folder = join(own, "sessions", id);
  const memory = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return {
    turn,
    record_kB: readdirSync(folder).reduce((sum, name) => sum + size(join(folder, name)), 0),
    state_kB: size(join(folder, "state.json")),
    output_kB: both(`supervisor-${id}-output.jsonl`),
    log_kB: both("supervisor.log"),
    files: files.length,
    processes: marked(mark).length,
    ccc_MB: Math.round(Number(memory ?? 0) / 1000),
  };
}
