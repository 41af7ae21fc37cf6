import { join } from "node:path";
import { ABOUT, ROOT } from "../about.ts";
import { ASSETS } from "../assemble.ts";
import { tagProblems } from "../tag.ts";
import { verifyRelease } from "../verify.ts";
import { passed, type Step } from "./step.ts";

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
