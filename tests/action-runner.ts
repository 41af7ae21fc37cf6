import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { YAML } from "bun";

/** A composite action as GitHub reads it. */
export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly ActionStep[] };
}

export interface ActionStep {
  readonly id?: string;
  readonly name: string;
  readonly if?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}

export const ACTION_FOLDER = join(import.meta.dir, "../.github/actions/supervise");

export function readAction(): Action {
  return YAML.parse(readFileSync(join(ACTION_FOLDER, "action.yml"), "utf8")) as Action;
}

export interface ActionRun {
  readonly outputs: Readonly<Record<string, string>>;
  /** Whether every step succeeded. */
  readonly succeeded: boolean;
  /** Names of the steps that ran, with their exit codes. */
  readonly steps: readonly (readonly [name: string, exitCode: number])[];
  /** What the log of the job shows. */
  readonly log: string;
  /** Workflow commands that took effect, as they were printed. */
  readonly commands: readonly string[];
  /** The inputs of third-party actions that would have run, by step name. */
  readonly used: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly summary: string;
}

export interface RunnerPlace {
  readonly workspace: string;
  readonly temp: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onStart?: (step: string, child: Bun.Subprocess) => void;
}

/** Runs the steps as GitHub's runner does: its shell, its files for output, environment and path, its commands in the output. */
export async function runAction(inputs: Readonly<Record<string, string>>, place: RunnerPlace): Promise<ActionRun> {
  const action = readAction();
  const given: Record<string, string> = {};
  for (const [name, { default: usual = "" }] of Object.entries(action.inputs)) given[name] = inputs[name] ?? usual;
  const known: Record<string, { outputs: Record<string, string>; outcome: string }> = {};
  const fill = (text: string) => text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, path: string) => value(path));
  const value = (path: string): string => {
    const [root, id = "", kind, name = ""] = path.split(".");
    if (root === "inputs") return given[id] ?? "";
    if (root !== "steps") throw new Error(`unknown expression: ${path}`);
    return (kind === "outputs" ? known[id]?.outputs[name] : known[id]?.outcome) ?? "";
  };
  const isWanted = (condition = "success()") =>
    condition.split(" && ").every((part) => {
      if (part === "always()") return true;
      if (part === "success()") return succeeded;
      const [path = "", other] = part.split(" != ");
      return other === "''" && value(path) !== "";
    });

  let succeeded = true;
  const steps: [string, number][] = [];
  const used: Record<string, Record<string, string>> = {};
  const console = logReader();
  const added: string[] = [];
  const files = await commandFiles(place.temp);
  for (const step of action.runs.steps) {
    if (!isWanted(step.if)) {
      if (step.id !== undefined) known[step.id] = { outputs: {}, outcome: "skipped" };
      continue;
    }
    if (step.uses !== undefined) {
      used[step.name] = Object.fromEntries(
        Object.entries(step.with ?? {}).map(([name, each]) => [name, fill(String(each))]),
      );
      continue;
    }
    if (step.shell !== "bash") throw new Error(`another shell: ${step.shell}`);
    const script = join(place.temp, `step-${steps.length}.sh`);
    await writeFile(script, fill(step.run ?? ""));
    await writeFile(files.GITHUB_OUTPUT, "");
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, each]) => [name, fill(each)]));
    const child = Bun.spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd: resolve(place.workspace, fill(step["working-directory"] ?? ".")),
      env: {
        ...place.env,
        ...files,
        PATH: [...added.toReversed(), place.env.PATH].join(":"),
        GITHUB_ACTION_PATH: ACTION_FOLDER,
        GITHUB_WORKSPACE: place.workspace,
        RUNNER_TEMP: place.temp,
        RUNNER_OS: process.platform === "darwin" ? "macOS" : "Linux",
        ...env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    place.onStart?.(step.name, child);
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    console.read(stdout, stderr);
    const exitCode = child.exitCode ?? 128;
    steps.push([step.name, exitCode]);
    if (exitCode !== 0) succeeded = false;
    if (step.id !== undefined)
      known[step.id] = { outputs: pairs(files.GITHUB_OUTPUT), outcome: exitCode === 0 ? "success" : "failure" };
    added.splice(0, added.length, ...lines(files.GITHUB_PATH));
    if (readFileSync(files.GITHUB_ENV, "utf8") !== "") throw new Error("the environment of the job was changed");
  }
  const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, each]) => [name, fill(each.value)]));
  const summary = readFileSync(files.GITHUB_STEP_SUMMARY, "utf8");
  return { outputs, succeeded, steps, used, summary, log: console.log(), commands: console.commands };
}

async function commandFiles(temp: string) {
  const folder = join(temp, "_runner_file_commands");
  await mkdir(folder, { recursive: true });
  const names = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_STATE"] as const;
  const files = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<
    (typeof names)[number],
    string
  >;
  for (const path of Object.values(files)) if (!existsSync(path)) await writeFile(path, "");
  return files;
}

function lines(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

function pairs(path: string): Record<string, string> {
  return Object.fromEntries(
    lines(path).map((line) => {
      const [, name, value] = /^([^=<]+)=(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`the runner would refuse this output: ${line}`);
      return [name, value];
    }),
  );
}

/** Finds workflow commands in the output of steps, and masks the log. Reads both streams, in any order. */
function logReader() {
  const commands: string[] = [];
  const masks: string[] = [];
  const shown: string[] = [];
  return {
    commands,
    log: () => masks.reduce((text, mask) => text.replaceAll(mask, "***"), shown.join("\n")),
    read(stdout: string, stderr: string) {
      const [begin = "", end = ""] = [/^::stop-commands::.*$/m, /^::[0-9a-f]{32}::$/m].map(
        (pattern) => pattern.exec(stdout)?.[0],
      );
      const [before = "", rest = ""] = begin === "" ? [stdout] : stdout.split(begin);
      const [between = "", after = ""] = end === "" ? [rest] : rest.split(end);
      // The runner also obeys commands on stderr, unless they are stopped.
      const open = begin === "" ? `${before}${stderr}` : `${before}${after}`;
      for (const line of open.split("\n").filter((each) => each.startsWith("::"))) {
        commands.push(line);
        const mask = /^::add-mask::(.*)$/.exec(line)?.[1];
        if (mask !== undefined) masks.push(mask.replaceAll("%25", "%"));
      }
      const plain = open.split("\n").filter((line) => !line.startsWith("::add-mask::"));
      shown.push(...plain, between, ...(begin === "" ? [] : [stderr]));
    },
  };
}
