import type { Received, Script, Turn } from "../../sandbox/turns.ts";

export const TASK = "Write sum.sh, a shell script that prints the sum of its two arguments.";
export const FILE = "sum.sh";
/** The one command that the demo's agent runs. */
export const COMMAND = "sh sum.sh 2 3";

/** What the scripted model does, and the line that the user sees. */
interface Step {
  readonly turn: Turn;
  readonly tell: string;
  /** The file has just changed: show it. */
  readonly changed?: true;
}

const FEEDBACK = "sum.sh subtracts: it says $1 - $2. Make it add, run `sh sum.sh 2 3` and see 5.";

/** An agent that says "done" too early, and a reviewer that checks. */
function steps(file: string): Record<"agent" | "reviewer", readonly Step[]> {
  const look: Step = { turn: { use: "Read", input: { file_path: file } }, tell: "reviewer   reads sum.sh itself" };
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
      },
      {
        turn: { use: "Bash", input: { command: COMMAND, description: "Try it" } },
        tell: `agent      runs ${COMMAND}`,
        changed: true,
      },
      { turn: { say: "It adds now: 2 and 3 give 5." }, tell: 'agent      says: "It adds now: 2 and 3 give 5."' },
    ],
    reviewer: [
      look,
      { turn: { verdict: { completed: false, feedback: FEEDBACK } }, tell: `reviewer   not done: ${FEEDBACK}` },
      look,
      {
        turn: { verdict: { completed: true, feedback: "sum.sh adds; the run printed 5." } },
        tell: "reviewer   done: sum.sh adds; the run printed 5.",
      },
    ],
  };
}

/** Answers the real Claude Code step by step, and prints each step when it is requested. */
export function storyScript(file: string, readFile: () => string, tell: (line: string) => void): Script {
  const story = steps(file);
  const at = { agent: 0, reviewer: 0 };
  return (request) => {
    // Older versions start agents of their own that have nothing to do with the task.
    if (request.role === "helper" || !isAboutTask(request)) return { say: "ok" };
    const step = story[request.role][at[request.role]++];
    if (step === undefined) return { say: "ok" };
    if (step.changed) tell(`           ${FILE} is now: ${readFile()}`);
    tell(step.tell);
    return step.turn;
  };
}

function isAboutTask({ body }: Received): boolean {
  return JSON.stringify(body.messages).includes(TASK);
}
