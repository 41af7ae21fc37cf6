import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { inTurn, newSandbox, type Place, provider } from "../harness.ts";
import { type Campaign, type Outcome, tryEach, unless } from "./campaign.ts";
import { damage, leftovers } from "./checks.ts";
import { generatedHooks } from "./hooks.ts";
import { kill, marked, strays } from "./processes.ts";
import type { Random } from "./random.ts";
import { newScene } from "./scene.ts";

const KEY = "sk-killed-review-0123456789";

export const KILL_REVIEW: Campaign = {
  name: "kill/review",
  what: "`kill -9` during a review",
  how: "the hook, the reviewer (real Claude Code) or both, at random moments; nothing reports the work as done, all files are intact, no process is left, the next stop is reviewed",
  tries: 100,
  quick: 1,
  run: killReviews,
};

/** Found in the arguments of the processes to kill. */
const VICTIMS = [["supervisor-hook"], ["--fork-session"], ["supervisor-hook", "--fork-session"]] as const;

async function killReviews(count: number, random: Random): Promise<Outcome> {
  await using scene = await newScene();
  // The reviewer never says "done", so a "done" anywhere is false.
  const reviewer = [{ verdict: { completed: false, feedback: "FEEDBACK" } }];
  await using sandbox = newSandbox(inTurn({ agent: [{ say: "the agent's answer" }], reviewer }));
  const { place } = scene;
  const providers = { glm: provider(sandbox, KEY) };
  await place.config({ providers, supervisor: { max_iterations: 1 } });
  await Bun.$`chmod 600 ${place.at(".claude/ccc.json")}`;
  // Creates a session to review.
  await scene.run(["--supervisor", "glm", "-p", "ORIGINAL-REQUEST"]);
  await place.config({ providers, supervisor: { max_iterations: 1_000_000 } });
  const run = await generatedHooks(scene);
  const answer = { last_assistant_message: "the agent's answer", stop_hook_active: false };
  const stop = () => run("Stop", { session_id: sessionOf(place), ...answer });
  const started = performance.now();
  await stop();
  const usualMs = performance.now() - started;

  const cases = Array.from({ length: count }, (_, index) => ({
    victims: VICTIMS[index % VICTIMS.length] ?? VICTIMS[0],
    afterMs: random.next() * usualMs,
  }));
  const describe = ({ victims, afterMs }: (typeof cases)[number]) =>
    `${victims.join(" and ")}, after ${afterMs.toFixed(0)} of ${usualMs.toFixed(0)} ms`;
  return await tryEach(cases, 1, describe, async ({ victims, afterMs }) => {
    const running = stop();
    await Promise.race([running, Bun.sleep(afterMs)]);
    for (const { pid, command } of marked(scene.mark)) if (victims.some((word) => command.includes(word))) kill(pid);
    const first = await running;
    const left = await strays(scene.mark, STRAY_MS);
    const torn = damage(place, [KEY]);
    const second = await stop();
    return [
      ...unless(!first.stdout.includes(": done"), `the work is reported as done: ${first.stdout}`),
      ...left,
      ...torn,
      ...unless(second.stdout.includes("FEEDBACK"), `the next stop was not reviewed: ${second.stdout}${second.stderr}`),
      ...damage(place, [KEY]),
      ...leftovers(place),
    ];
  });
}

/** A reviewer whose hook was killed runs to the end. */
const STRAY_MS = 20_000;

/** The id of the only session. */
function sessionOf(place: Place): string {
  const names = readdirSync(place.at(".claude/projects"), { recursive: true, encoding: "utf8" });
  const transcript = names.find((name) => name.endsWith(".jsonl"));
  if (transcript === undefined) throw new Error("there is no session");
  return basename(transcript, ".jsonl");
}
