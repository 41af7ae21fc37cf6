import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { asObject, parseJson } from "../../src/text/json.ts";
import { ABOUT, ROOT, sourceOf } from "./about.ts";
import { SBOM } from "./package.ts";
import {
  conductSteps,
  exitCodeOf,
  type RehearsalOptions,
  rehearsalOptions,
  rehearsalTable,
} from "./rehearse/conduct-steps.ts";
import type { Step } from "./rehearse/step.ts";
import { runLogged } from "./rehearse/step.ts";
import { STEPS } from "./rehearse/steps.ts";

/**
 * `bun run release:rehearse`: goes through a whole release, as far as this machine can, and prints one table. A step that
 * cannot run here is listed as "not run".
 *
 *   --only STEP        only this step, on the release in dist/release; repeatable
 *   --assets FOLDER    rehearses a finished release instead of building one
 *   --strict           a step that is not run counts as failed
 */

process.exitCode = await rehearse(
  rehearsalOptions(
    process.argv.slice(2),
    STEPS.map(({ name }) => name),
  ),
);

async function rehearse(options: RehearsalOptions | string): Promise<number> {
  if (typeof options === "string") return complain(options);
  const assets = resolve(options.assets ?? join(ROOT, "dist/release"));
  const builds = options.assets === undefined && (options.only.length === 0 || options.only.includes("build"));
  const problem = builds ? undefined : await staleness(assets);
  const needed = STEPS.some(({ name, needsRelease }) => needsRelease && options.only.includes(name));
  if (problem !== undefined && (needed || options.assets !== undefined)) return complain(problem);

  const logs = join(ROOT, "dist/rehearsal");
  await rm(logs, { recursive: true, force: true });
  await mkdir(logs, { recursive: true });
  const cache = join(ROOT, ".cache/rehearsal");
  const perform = async (step: Step) => {
    console.error(`${step.name}…`);
    const scratch = await mkdtemp(join(tmpdir(), "ccc-rehearsal-"));
    try {
      const run = runLogged(join(logs, `${step.name}.log`), ROOT);
      return await step.run({ assets, scratch, cache, run });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
  const onRow = ({ step, outcome, seconds }: { step: string; outcome: { result: string }; seconds: number }) =>
    console.error(`${step}: ${outcome.result}, ${seconds} s`);
  const rows = await conductSteps(STEPS, options, perform, performance.now.bind(performance), onRow);
  console.log(rehearsalTable(rows));
  const code = exitCodeOf(rows, options.strict);
  if (code !== 0) console.error(`The rehearsal failed. Logs: ${relative(process.cwd(), logs)}. Again: --only STEP`);
  return code;
}

/** The release must be of the checked-out commit, or this would rehearse something else. */
async function staleness(assets: string): Promise<string | undefined> {
  const sbom = Bun.file(join(assets, SBOM));
  if (!(await sbom.exists())) return `there is no release in ${assets}: run bun run release:rehearse --only build`;
  const { component } = asObject(asObject(parseJson(await sbom.text())).metadata);
  const { version, properties } = asObject(component);
  const built = Array.isArray(properties) ? asObject(properties[0]).value : undefined;
  const { commit } = await sourceOf(ROOT, process.env);
  if (version === ABOUT.version && built === commit.replace(/-dirty$/, "")) return undefined;
  return `${assets} was built from ${version} ${built}, not from ${ABOUT.version} ${commit}: run bun run release:rehearse --only build`;
}

function complain(problem: string): number {
  console.error(`release:rehearse: ${problem}`);
  return 2;
}
