import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, type Json } from "../../src/text/json.ts";
import { inTurn, newSandbox, type Place, provider } from "../harness.ts";
import { type Campaign, type Outcome, tryEach, unless } from "./campaign.ts";
import { damage, leftovers } from "./checks.ts";
import { end, MARK, marked, strays } from "./processes.ts";
import type { Random } from "./random.ts";
import { newScene, type Scene } from "./scene.ts";

const KEY = "sk-killed-review-0123456789";

export const KILL_REVIEW: Campaign = {
  name: "kill/review",
  what: "`kill -9` in a review",
  how: "the real Claude Code as reviewer; at random moments the hook, the reviewer, or both; nothing says that the work is done, every file whole, no process left, the next stop is reviewed",
  tries: 100,
  quick: 1,
  run: killReviews,
};

const VICTIMS = [["supervisor-hook"], ["--fork-session"], ["supervisor-hook", "--fork-session"]] as const;

async function killReviews(count: number, random: Random): Promise<Outcome> {
  await using scene = await newScene();
  // It never says that the work is done: whoever hears so was deceived.
  const reviewer = [{ verdict: { completed: false, feedback: "FEEDBACK" } }];
  await using sandbox = newSandbox(inTurn({ agent: [{ say: "the agent's answer" }], reviewer }));
  const { place } = scene;
  const providers = { glm: provider(sandbox, KEY) };
  await place.config({ providers, supervisor: { max_iterations: 1 } });
  await Bun.$`chmod 600 ${place.at(".claude/ccc.json")}`;
  // A session to review, and the hook as Claude Code calls it.
  await scene.run(["--supervisor", "glm", "-p", "ORIGINAL-REQUEST"]);
  await place.config({ providers, supervisor: { max_iterations: 1_000_000 } });
  const hook = await supervisedHook(place);
  const usual = await timed(() => runHook(scene, hook));

  const cases = Array.from({ length: count }, (_, index) => ({
    victims: VICTIMS[index % VICTIMS.length] ?? VICTIMS[0],
    afterMs: random.next() * usual,
  }));
  const describe = ({ victims, afterMs }: (typeof cases)[number]) =>
    `${victims.join(" and ")}, after ${afterMs.toFixed(0)} of ${usual.toFixed(0)} ms`;
  return await tryEach(cases, 1, describe, async ({ victims, afterMs }) => {
    const running = runHook(scene, hook);
    await Promise.race([running, Bun.sleep(afterMs)]);
    for (const { pid, command } of marked(scene.mark)) if (victims.some((word) => command.includes(word))) end(pid);
    const first = await running;
    const left = await strays(scene.mark, STRAY_MS);
    const torn = damage(place, [KEY]);
    const second = await runHook(scene, hook);
    return [
      ...unless(!/done after/.test(first.stdout), `it was told that the work is done: ${first.stdout}`),
      ...left,
      ...torn,
      ...unless(second.stdout.includes("FEEDBACK"), `the next stop was not reviewed: ${second.stdout}${second.stderr}`),
      ...damage(place, [KEY]),
      ...leftovers(place),
    ];
  });
}

/** A reviewer whose hook is gone comes to its own end. */
const STRAY_MS = 20_000;

interface Hook {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly event: string;
}

/** The Stop hook of the generated settings, with the environment and the event that Claude Code would give it. */
async function supervisedHook(place: Place): Promise<Hook> {
  const folder = place.at(".claude/ccc");
  const settings = readdirSync(folder)
    .filter((name) => /^settings-.*\.json$/.test(name))
    .map((name) => asObject(JSON.parse(readFileSync(join(folder, name), "utf8"))))
    .find(({ hooks }) => asObject(hooks).Stop !== undefined);
  const [group] = asObject(settings?.hooks).Stop as Json[];
  const [hook] = asObject(group).hooks as { command: string; args?: string[] }[];
  if (hook === undefined) throw new Error("the generated settings have no Stop hook");
  const projects = place.at(".claude/projects");
  const transcript = readdirSync(projects, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(".jsonl"),
  );
  if (transcript === undefined || !existsSync(projects)) throw new Error("there is no session to review");
  const session_id = /([^/]*)\.jsonl$/.exec(transcript)?.[1];
  return {
    command: hook.args === undefined ? ["/bin/sh", "-c", hook.command] : [hook.command, ...hook.args],
    env: { ...(asObject(settings?.env) as Record<string, string>), CLAUDE_PROJECT_DIR: place.project },
    event: JSON.stringify({ session_id, stop_hook_active: false, cwd: place.project, hook_event_name: "Stop" }),
  };
}

async function runHook({ place, mark }: Scene, { command, env, event }: Hook) {
  const child = Bun.spawn([...command], {
    cwd: place.project,
    env: { ...place.env, ...env, [MARK]: mark },
    stdin: new Blob([event]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { stdout, stderr };
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}
