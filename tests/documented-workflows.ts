import { readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";

const DOCS = join(import.meta.dir, "../docs");

export const CI_PAGE = readFileSync(join(DOCS, "ci.md"), "utf8");

/** The workflows in docs/ci.md, and docs/tasks.yml, by name. */
export function documentedWorkflows(): ReadonlyMap<string, string> {
  const blocks = [...CI_PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const texts = [...blocks, readFileSync(join(DOCS, "tasks.yml"), "utf8")];
  return new Map(texts.map((text) => [(YAML.parse(text) as { name: string }).name, text]));
}

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly run?: string;
}

/** Runs one script of the workflow "tasks" as the runner would, and returns its exit code. */
export function runTaskStep(wanted: string, cwd: string, env: Readonly<Record<string, string>>): number {
  const { jobs } = YAML.parse(documentedWorkflows().get("tasks") ?? "") as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const script = steps.find(({ id, name }) => id === wanted || name === wanted)?.run;
  if (script === undefined) throw new Error(`no such step: ${wanted}`);
  const { exitCode, stderr } = Bun.spawnSync(["bash", "-e", "-c", script], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  if (stderr.length > 0) throw new Error(stderr.toString());
  return exitCode;
}
