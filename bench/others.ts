import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { devDependencies } from "../package.json" with { type: "json" };
import { startSandbox } from "../src/sandbox/sandbox.ts";
import {
  LAUNCHERS,
  type Launcher,
  NOT_ON_NPM,
  type PreparedLaunch,
  type Provider,
  prepareLaunch,
  stopServer,
} from "./launchers.ts";
import { type Costs, inBenchFolder, inPlace, makePlace, measure, type Program } from "./measure.ts";

/**
 * What it takes to start claude on a provider: ccc, other launchers that npm has, and, to compare with, an empty Bun program, an
 * empty Node program and claude itself. All of them run in turn in one run, each launcher with a home and a configuration of its
 * own, a provider on 127.0.0.1, and a stand-in for claude that ends at once. A launcher that cannot be run is reported.
 */

const ROUNDS = Number(process.argv[2] ?? 20);
const CLAUDE = join(import.meta.dir, "../node_modules/.bin/claude");
const NODE = Bun.which("node");
const CCC = "ccc glm";

const launches: Record<string, PreparedLaunch> = {};
const notRun: Record<string, string> = { ...NOT_ON_NPM };

// The scripted API runs in another process, because this one blocks while it measures a program.
if (process.argv[2] === "--serve") console.log(startSandbox(() => ({ say: "ok" })).url);
else await inBenchFolder(compare);

async function compare(folder: string, empty: string): Promise<void> {
  const place = await makePlace(folder);
  const server = Bun.spawn([process.execPath, import.meta.path, "--serve"], { stdout: "pipe" });
  try {
    const { value } = await server.stdout.getReader().read();
    const provider = { url: new TextDecoder().decode(value).trim(), key: "t", model: "m" };
    for (const launcher of LAUNCHERS) await prepare(launcher, place.project, provider);
    const programs: Record<string, Program> = {
      "empty Bun program": { command: [empty] },
      ...(NODE === null ? {} : { "node -e 0": { command: [NODE, "-e", "0"] } }),
      "stand-in for claude": { command: [Bun.which("true") ?? ""] },
      "claude --version": { command: [CLAUDE, "--version"] },
      "claude -p hi, with the answer": { command: [CLAUDE, "-p", "hi"], env: claudeEnvironment(provider) },
    };
    for (const [name, { program }] of Object.entries(launches)) programs[name] = program;
    for (const [name, program] of Object.entries(programs)) programs[name] = inPlace(program, place);
    const [before = 0] = loadavg();
    const costs = measure(programs, ROUNDS);
    const [after = 0] = loadavg();
    print(costs, { before, after });
  } finally {
    Object.values(launches).forEach(stopServer);
    server.kill();
  }
}

async function prepare(launcher: Launcher, folder: string, provider: Provider): Promise<void> {
  const { launch, stop, package: npm, version } = launcher;
  const name = [launch.join(" "), ...(npm === undefined ? [] : [`${npm} ${version}`])].join(", ");
  const inFolder = (id: string) => prepareLaunch(launcher, join(folder, name.replaceAll("/", "+"), id), provider);
  try {
    launches[name] = await inFolder("a");
    if (stop === undefined) return;
    const first = await inFolder("b");
    launches[`${name}, its server not running`] = {
      ...first,
      program: { ...first.program, before: first.stop?.command ?? [] },
    };
  } catch (error) {
    notRun[name] = readable(error);
  }
}

/** Nothing from the user's environment, and no address but the provider's. */
function claudeEnvironment({ url, key }: Provider): Record<string, string> {
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key, ...quiet };
}

/** Why a package manager or a launcher failed, without addresses. */
function readable(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return decodeURIComponent(
    text.replace(/^error: /, "").replace(/GET https?:\/\/[^/\s]+\/(\S+) - 404/, "needs $1, which npm did not have"),
  );
}

function print(costs: Costs, load: { readonly before: number; readonly after: number }): void {
  const loads = `load ${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after on ${cpus().length} cores`;
  console.log(`${[new Date().toISOString().slice(0, 10), ...versions(), loads].join(", ")}\n`);
  const head = [
    "program",
    "processor time, ms",
    `relative to ${CCC}`,
    "time, ms",
    `relative to ${CCC}`,
    "processes that stay",
    "MB",
  ];
  console.log(`Medians of ${ROUNDS} rounds:\n\n| ${head.join(" | ")} |\n| --- |${" ---: |".repeat(head.length - 1)}`);
  const own = costs.get(CCC);
  for (const [name, cost] of costs) {
    const figures = (["processor", "time"] as const).flatMap((figure) => [
      cost[figure].toFixed(1),
      own === undefined ? "" : (cost[figure] / own[figure]).toFixed(2),
    ]);
    const stays = launches[name]?.stays;
    const kept = stays === undefined ? ["", ""] : [stays.processes, stays.megabytes.toFixed(0)];
    console.log(`| ${[name, ...figures, ...kept].join(" | ")} |`);
  }
  console.log("\n| not run | reason |\n| --- | --- |");
  for (const [name, reason] of Object.entries(notRun)) console.log(`| ${name} | ${reason} |`);
}

function versions(): string[] {
  const node = NODE === null ? "not found" : Bun.spawnSync([NODE, "--version"]).stdout.toString().trim().slice(1);
  return [`Claude Code ${devDependencies["@anthropic-ai/claude-code"]}`, `Bun ${Bun.version}`, `Node ${node}`];
}
