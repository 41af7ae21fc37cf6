import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ABOUT, ROOT } from "../about.ts";
import { ASSETS } from "../package.ts";
import { sumsOf } from "../sums.ts";
import { tagProblems } from "../tag.ts";
import { verifyRelease } from "../verify.ts";
import { passed, type Step } from "./step.ts";

/** Builds the commit twice, with different folders, time zones and umasks, and compares every byte. */
export const buildTwice: Step = {
  name: "build",
  needsRelease: false,
  async run({ assets, scratch, run }) {
    const changed = await run(["git", "status", "--porcelain"]);
    if (changed !== "") throw new Error("there are uncommitted changes, and a release is built from a commit");
    const commit = (await run(["git", "rev-parse", "HEAD"])).trim();
    const releases: string[] = [];
    for (const { folder, umask, zone } of PLACES) {
      const source = join(scratch, folder);
      await mkdir(source, { recursive: true });
      await run(["git", "clone", "--quiet", "--no-checkout", ROOT, source]);
      const script = `umask ${umask} && git checkout --quiet --detach ${commit} && "$0" install --frozen-lockfile && "$0" run build --all`;
      const env = { ...process.env, TZ: zone } as Record<string, string>;
      await run(["sh", "-c", script, process.execPath], { cwd: source, env });
      releases.push(join(source, "dist/release"));
    }
    const [one = "", two = ""] = releases;
    const sums = await sumsOf(one);
    const different = differences(sums, await sumsOf(two));
    if (different.length > 0) throw new Error(`the two builds differ in ${different.join(", ")}`);
    await rm(assets, { recursive: true, force: true });
    await cp(one, assets, { recursive: true });
    return passed(`two builds of ${commit.slice(0, 7)}, ${sums.size} files, the same bytes`);
  },
};

const PLACES = [
  { folder: "one", umask: "022", zone: "Pacific/Kiritimati" },
  { folder: "another-folder/with a longer name", umask: "077", zone: "America/St_Johns" },
];

/** The names of files that are missing in one, or differ. */
export function differences(one: ReadonlyMap<string, string>, two: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...one.keys(), ...two.keys()])].filter((name) => one.get(name) !== two.get(name)).sort();
}

/** What is left to do before the tag can be pushed. */
export const tagStep: Step = {
  name: "tag",
  needsRelease: false,
  async run() {
    const about = { version: ABOUT.version, repository: `github:${ABOUT.repository}` };
    const changelog = await Bun.file(join(ROOT, "CHANGELOG.md")).text();
    const tag = `v${ABOUT.version}`;
    const problems = tagProblems(about, changelog, tag, ABOUT.repository);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return passed(`${tag} can be pushed: version and changelog are ready`);
  },
};

export const verifyStep: Step = {
  name: "verify",
  needsRelease: true,
  async run({ assets }) {
    const faults = await verifyRelease(assets, ROOT, ABOUT);
    if (faults.length > 0) throw new Error(faults.join("\n"));
    return passed(`${ASSETS.length} files, all as SHA256SUMS says`);
  },
};
