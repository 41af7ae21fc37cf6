import { runScripted, type ScriptedResult } from "../../sandbox/scripted-run.ts";
import type { Received, Script } from "../../sandbox/turns.ts";
import type { World } from "../../world.ts";
import { type Check, fail, ok } from "./check-result.ts";

const TASK = "Say that you are done.";
const INSTRUCTIONS = "These are the instructions of ccc doctor.";
const FEEDBACK = "This is the feedback of ccc doctor.";

/** Runs this claude supervised on a scripted model: the first stop is refused, the second allowed. */
export function checkLive(world: World, claude: string): Promise<Check[]> {
  const run = { claude, engine: "hook" as const, task: TASK, options: [], instructions: INSTRUCTIONS, script };
  return runScripted(world, run, findings);
}

export function script(): Script {
  let reviews = 0;
  return ({ role }) => {
    if (role !== "reviewer") return { say: "I am done." };
    reviews++;
    return { verdict: { completed: reviews > 1, feedback: FEEDBACK } };
  };
}

/** What the requests of the agent and of its reviewer show. */
export function findings({ ended, received }: Pick<ScriptedResult, "ended" | "received">): Check[] {
  const reviews = received.filter(({ role }) => role === "reviewer");
  const agent = received.filter((request) => request.role === "agent" && said(request).includes(TASK));
  const why = `claude ended with exit code ${ended.exitCode}${ended.stderr === "" ? "" : `: ${ended.stderr.slice(-300)}`}`;
  const advice = "Run ccc demo to see where it fails. ccc may not support a very new claude yet.";
  const live = (name: string, isFine: boolean, detail: string) =>
    isFine ? ok(name, detail) : fail(name, `not seen; ${why}`, advice);
  return [
    live("live: the Stop hook fires", reviews.length > 0, "a review was requested"),
    live(
      "live: a block is obeyed",
      agent.some((request) => said(request).includes(FEEDBACK)),
      "the agent continued with the feedback",
    ),
    live(
      "live: a verdict is returned",
      reviews.length === 2 && ended.exitCode === 0,
      "the second review let the agent stop",
    ),
    live(
      "live: SUPERVISOR.md is seen",
      reviews.every((request) => said(request).includes(INSTRUCTIONS)) && reviews.length > 0,
      "in every review request",
    ),
  ];
}

function said({ body }: Received): string {
  return JSON.stringify(body.messages);
}
