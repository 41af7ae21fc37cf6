import { isAbsolute, join, relative, sep } from "node:path";
import { defineCommand } from "citty";
import * as v from "valibot";
import { ENGINES, type Engine, SUPERVISOR_DEFAULTS } from "../config/defaults.ts";
import { chooseProvider, loadConfig } from "../config/load.ts";
import { folderPin } from "../config/pins.ts";
import { CccError, EXIT } from "../errors.ts";
import { findClaude } from "../launch/find.ts";
import { type Received, runScripted, type Script, type Turn } from "../sandbox/sandbox.ts";
import { tally } from "../supervisor/criteria.ts";
import { stateFolder } from "../supervisor/project.ts";
import { LedgerSchema } from "../supervisor/record/state.ts";
import { shellWord } from "../text/shell.ts";
import { colored, outputWidth, wrap } from "../text/table.ts";
import { optional, programFolders, type World } from "../world.ts";

const DESCRIPTION = `Watch the supervisor work on your own Claude Code: no key, no network, no cost. Only the model is
scripted, on this machine; the rest is real, in a temporary home.

Exit codes
  0      finished
  1      failed
  2      usage error
  127    claude not found`;

export function demoCommand(world: World) {
  return defineCommand({
    meta: {
      name: "demo",
      description: DESCRIPTION,
    },
    args: {
      engine: {
        type: "enum",
        options: [...ENGINES],
        default: SUPERVISOR_DEFAULTS.engine,
        description: "how stops are reviewed",
      },
      fast: { type: "boolean", default: false, description: "do not pause between steps" },
    },
    run: ({ args }) => demo(world, args.engine, args.fast),
  });
}

async function demo(world: World, engine: Engine, fast: boolean): Promise<number> {
  const claude = findClaude(world);
  const isSlow = world.isTerminal(1) && !fast;
  const width = outputWidth(world);
  const say = (line = "") => {
    const shown = STEP.test(line) ? wrapStep(line, width) : wrap(line, width);
    // The agent's own words are not a verdict.
    world.stdout(`${SAYS_VERDICT.test(line) ? colored(shown, world, 1, VERDICTS) : shown}\n`);
  };
  const tell = (line: string) => {
    say(`  ${line}`);
    if (isSlow) Bun.sleepSync(READING_MS);
  };
  const readFile = (project: string) =>
    world.files.read(join(project, FILE))?.trim().replaceAll("\n", "\n             ") ?? "(not there)";
  const check = checkFor(world.platform);

  say(`A scripted model, your Claude Code (${claude}) and a temporary home. Task:`);
  say(`  "${TASK}"`);
  say();
  say(`$ ccc --supervisor ${engine === "loop" ? "--engine loop " : ""}--check '${check}' scripted …`);
  const options = ["--permission-mode", "acceptEdits"];
  const script = (project: string) => storyScript(join(project, FILE), () => readFile(project), tell);
  await runScripted(world, { claude, engine, task: TASK, options, checks: [check], script }, ({ ended, project }) => {
    if (ended.exitCode !== 0) {
      throw new CccError(`the demo failed (${ended.ending}, exit code ${ended.exitCode}): ${ended.stderr}`);
    }
    const folder = stateFolder(project);
    const kept = world.files.list(folder).filter((name) => name !== ".gitignore");
    const state = kept.find((name) => /^supervisor-[0-9a-f-]+\.json$/.test(name)) ?? "none";
    say();
    const { count, ledger } = JSON.parse(world.files.read(join(folder, state)) ?? "{}");
    const criteria = v.parse(LedgerSchema, ledger ?? {}).criteria;
    say(
      `Done: ${tally(criteria)} after ${count} reviews, one of them a failed check. What the supervisor has on record:`,
    );
    for (const { id, status, text, evidence } of criteria)
      say(`  ${status === "met" ? "✓" : "✗"} ${id} ${status}: ${text} (${evidence})`);
    say(`Its files in the project: ${kept.join(", ")}`);
  });
  say();
  say("That was the real Claude Code and the real ccc; only the model was scripted.");
  say(nextSteps(world));
  return EXIT.ok;
}

/** Who acts, and the action. Further lines of an action are aligned with it. */
const STEP = /^ {2}(agent|ccc|reviewer| {8}) /;
const STEP_INDENT = 13;

function wrapStep(line: string, width: number): string {
  const indent = " ".repeat(STEP_INDENT);
  const what = line.slice(STEP_INDENT).replaceAll(`\n${indent}`, "\n");
  return line.slice(0, STEP_INDENT) + wrap(what, width - STEP_INDENT, 0).replaceAll("\n", `\n${indent}`);
}

const SAYS_VERDICT = /^( {2}(ccc|reviewer|[✓✗]) |Done:)/;

const VERDICTS = {
  "✓": "good",
  "✗": "bad",
  "Done:": "good",
  "done: ": "good",
  "done, confirmed": "good",
  "check passed": "good",
  "check failed": "bad",
  "not done": "bad",
  "C2 is not met": "bad",
} as const;

/** Commands that can be pasted where the demo ran. */
function nextSteps(world: World): string {
  const ccc = commandFor(world);
  const provider = optional(() => {
    const loaded = loadConfig(world);
    return chooseProvider(loaded, folderPin(loaded, world)).provider;
  });
  const steps =
    provider === undefined ? [`${ccc} provider add`, `${ccc} --supervisor`] : [`${ccc} --supervisor ${provider}`];
  const install = hasOwnClaude(world) ? [] : ["npm install -g @anthropic-ai/claude-code"];
  return `Next: ${[...install, ...steps].join(", then: ")}`;
}

/** Whether the user's shell has a claude. `bun run` and npx put those of a project on the PATH only while they run. */
function hasOwnClaude(world: World): boolean {
  const folders = programFolders(world.env, world.platform).filter((folder) => !folder.includes("node_modules"));
  const PATH = folders.join(world.platform === "win32" ? ";" : ":");
  return optional(() => findClaude({ ...world, env: { ...world.env, PATH } })) !== undefined;
}

/** How the user starts this ccc: it may not be on the PATH, or another one may be. */
function commandFor({ self, cwd, env, platform, files }: World): string {
  const real = (path: string) => (files.exists(path) ? files.realPath(path) : path);
  const [found] = programFolders(env, platform)
    .map((folder) => join(folder, platform === "win32" ? "ccc.exe" : "ccc"))
    .filter((path) => files.programSize(path) !== undefined);
  if (found !== undefined && real(found) === real(self)) return "ccc";
  const inside = relative(cwd, self);
  return shellWord(inside.startsWith("..") || isAbsolute(inside) ? self : `.${sep}${inside}`);
}

/** The pause after each line on a terminal, for reading. */
const READING_MS = 900;

const TASK =
  "Write sum.sh, a shell script that prints the sum of its two arguments, and a usage line if it gets fewer.";

const FILE = "sum.sh";

/** The check that ccc runs at every stop. cmd.exe cannot run the script. */
function checkFor(platform: NodeJS.Platform): string {
  return platform === "win32" ? "findstr + sum.sh" : "test $(sh sum.sh 2 3) = 5";
}

/** What the scripted model does, and the line that the user sees. */
interface Step {
  readonly turn: Turn;
  readonly tell: string;
  /** The file has just changed, so show it. */
  readonly changed?: true;
  /** What ccc did just before. It is shown only if the request really contains it. */
  readonly before?: { readonly sent: string; readonly tell: string };
}

const FEEDBACK = "Without arguments sum.sh fails with a syntax error instead of a usage line.";

const MISSING = "sum.sh has no such line";

const ADDS = "sum.sh prints the sum of two arguments";

const USAGE = "it prints a usage line if it gets fewer";

const ALONE = "nothing but sum.sh was written";

/** An agent that says "done" too early, twice, a check that fails, and a reviewer that looks. */
function steps(file: string): Record<"agent" | "reviewer", readonly Step[]> {
  const seen = (id: string, text: string, evidence: string) => ({ id, text, status: "met" as const, evidence });
  const adds = seen("C1", ADDS, "sum.sh has $1 + $2, and the check saw 5");
  const alone = seen("C3", ALONE, "sum.sh is the only file");
  const look: Step = {
    turn: { use: "Read", input: { file_path: file } },
    tell: "reviewer   reads sum.sh itself",
    before: { sent: "Data: checks that passed", tell: "ccc        check passed; now the reviewer is asked" },
  };
  return {
    agent: [
      {
        turn: { use: "Write", input: { file_path: file, content: 'echo "$(($1 - $2))"\n' } },
        tell: "agent      writes sum.sh",
      },
      {
        turn: { say: "Done: sum.sh prints the sum." },
        tell: 'agent      says: "Done: sum.sh prints the sum."',
        changed: true,
      },
      {
        turn: { use: "Edit", input: { file_path: file, old_string: "$1 - $2", new_string: "$1 + $2" } },
        tell: "agent      fixes sum.sh",
        before: {
          sent: "A check failed: ",
          tell: "ccc        check failed, and goes back to the agent; no model was asked",
        },
      },
      { turn: { say: "It adds now." }, tell: 'agent      says: "It adds now."', changed: true },
      {
        turn: { use: "Edit", input: { file_path: file, old_string: "echo", new_string: `${USAGE_LINE}\necho` } },
        tell: "agent      adds the usage line",
        before: { sent: `- C2: ${USAGE}`, tell: "ccc        tells the agent that C2 is not met" },
      },
      { turn: { say: "Done, with a usage line." }, tell: 'agent      says: "Done, with a usage line."', changed: true },
    ],
    reviewer: [
      look,
      {
        turn: {
          verdict: {
            completed: false,
            feedback: FEEDBACK,
            criteria: [adds, { id: "C2", text: USAGE, status: "unmet", evidence: MISSING }, alone],
          },
        },
        tell: `reviewer   not done, 2 of 3 met. C2, ${USAGE}: ${MISSING}`,
      },
      look,
      {
        turn: {
          verdict: {
            completed: true,
            feedback: "It adds, and prints a usage line.",
            criteria: [adds, seen("C2", USAGE, "line 1 of sum.sh"), alone],
          },
        },
        tell: "reviewer   done: It adds, and prints a usage line.",
      },
      {
        ...look,
        tell: "reviewer   reads sum.sh itself",
        before: { sent: CONFIRMS, tell: "ccc        has that confirmed by a fresh reviewer, without the conversation" },
      },
      {
        turn: {
          verdict: {
            completed: true,
            feedback: "I have read it: it adds, and has a usage line.",
            criteria: [adds, seen("C2", USAGE, "line 1 of sum.sh"), alone],
          },
        },
        tell: "reviewer   done, confirmed: I have read it: it adds, and has a usage line.",
      },
    ],
  };
}

/** A phrase that only the message for a confirming reviewer contains. */
const CONFIRMS = "says that the work is done";

const USAGE_LINE = '[ $# -eq 2 ] || { echo "usage: sum.sh A B" >&2; exit 2; }';

/** Answers the real Claude Code step by step, and prints each step when it is requested. */
function storyScript(file: string, readFile: () => string, tell: (line: string) => void): Script {
  const story = steps(file);
  const at = { agent: 0, reviewer: 0 };
  return (request) => {
    // Older versions also start agents that have nothing to do with the task.
    if (request.role === "helper" || !isAboutTask(request)) return { say: "ok" };
    const step = story[request.role][at[request.role]++];
    if (step === undefined) return { say: "ok" };
    if (step.changed) tell(`           ${FILE} is now: ${readFile()}`);
    const { before } = step;
    if (before !== undefined && JSON.stringify(request.body.messages).includes(before.sent)) tell(before.tell);
    tell(step.tell);
    return step.turn;
  };
}

function isAboutTask({ body }: Received): boolean {
  return JSON.stringify(body.messages).includes(TASK);
}
