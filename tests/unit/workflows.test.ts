import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";

const FOLDER = join(import.meta.dir, "../../.github/workflows");

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly needs?: readonly string[];
  readonly steps: readonly Step[];
}
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

test("the workflows exist", () => expect(readdirSync(FOLDER).sort()).toEqual(["ci.yml", "nightly.yml", "release.yml"]));

test("the tests of Windows run every night, on Windows and under Wine", () => {
  const { jobs } = YAML.parse(readFileSync(join(FOLDER, "nightly.yml"), "utf8")) as Workflow;
  const { strategy, steps } = jobs.windows ?? { steps: [] };
  expect(strategy?.matrix.os).toEqual(["windows-latest", "ubuntu-latest"]);
  expect(steps.map(({ run }) => run)).toContain("npx -y bun@1.4.4 run test:windows");
  expect(jobs.report?.needs).toContain("windows");
});

for (const name of readdirSync(FOLDER)) {
  const text = readFileSync(join(FOLDER, name), "utf8");
  const workflow = YAML.parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  describe(name, () => {
    test("may only read the repository, unless a job declares that it needs more", () =>
      expect(["{}", '{"contents":"read"}']).toContain(JSON.stringify(workflow.permissions)));
    test("pins every action to a commit, and names its version", () => {
      const uses = text.split(/\r?\n/).filter((line) => /^[\s-]*uses:/.test(line));
      const pinned = uses.filter((line) => /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line));
      expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length);
      expect(pinned).toEqual(uses);
    });
    test("puts no expression into a script: text from others would run as code", () =>
      expect(steps.filter((step) => step.run?.includes("${{"))).toEqual([]));
    test("leaves no credentials in the checkout", () => {
      const checkouts = steps.filter((step) => step.uses?.startsWith("actions/checkout@"));
      expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
    });
    test("gives every job a timeout", () =>
      expect(jobs.filter((job) => !((job["timeout-minutes"] ?? 0) > 0))).toEqual([]));
  });
}
