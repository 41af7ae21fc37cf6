import { readdir } from "node:fs/promises";
import { CCC } from "../tests/harness.ts";
import { newScreen } from "../tests/screen.ts";
import { DONE, type SupervisedPlace, supervisedPlace } from "../tests/supervised.ts";
import { type Cost, costOf, newAgent, writeFiles } from "./review-session.ts";

/**
 * What a review costs: the size of its request, how much of it the provider's prompt cache already holds from the agent's
 * last request, and its price, for a session of 60 tool calls with the real Claude Code and a scripted model.
 */

const SESSIONS = {
  "-p, hook": (place) => place.ccc(["--supervisor", "glm", "-p", "do it"]),
  "-p, loop": (place) => place.ccc(["--supervisor", "--engine", "loop", "glm", "do it"]),
  "terminal, hook": async (place) => {
    await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });
    await screen.shows("❯");
    await screen.submit("do it");
    await screen.shows("Stop says: Done");
  },
} satisfies Record<string, (place: SupervisedPlace) => Promise<unknown>>;

async function run(session: keyof typeof SESSIONS, context: "session" | "fresh"): Promise<Record<string, Cost>> {
  await using place = await supervisedPlace(
    ({ role }) => {
      if (role === "agent") return agent();
      return role === "reviewer" ? DONE : { say: "ok" };
    },
    { supervisor: { context } },
  );
  const agent = newAgent(place);
  await writeFiles(place);
  await SESSIONS[session](place);
  const costs = { [context]: lastReview(place) };
  if (context === "fresh") return costs;
  await reviewAsBefore(place);
  return { before: lastReview(place), ...costs };
}

/** The hook on its own: a fork that answers in a schema, as every review was before. */
async function reviewAsBefore(place: SupervisedPlace): Promise<void> {
  const [session_id] = await readdir(place.at(".claude/ccc/sessions"));
  const settings = (await readdir(place.at(".claude/ccc"))).find((name) => name.startsWith("settings-glm-supervisor"));
  await place.ccc(["supervisor-hook", "--settings", place.at(".claude/ccc", settings ?? "")], {
    stdin: JSON.stringify({ session_id, cwd: place.project }),
  });
}

function lastReview({ sandbox: { received } }: SupervisedPlace): Cost {
  const review = received.findLast(({ role }) => role === "reviewer");
  if (review === undefined) throw new Error("there was no review");
  return costOf(review, received);
}

console.log("| session | reviewer | request, kB | of the agent's last request, cached | price, tokens | relative |");
console.log("| --- | --- | ---: | ---: | ---: | ---: |");
for (const session of Object.keys(SESSIONS) as (keyof typeof SESSIONS)[]) {
  const costs = { ...(await run(session, "session")), ...(await run(session, "fresh")) };
  const before = costs.before?.price ?? 0;
  for (const [reviewer, { bytes, share, price }] of Object.entries(costs)) {
    const cells = [(bytes / 1000).toFixed(0), `${(share * 100).toFixed(0)} %`, price.toFixed(0), ratio(price / before)];
    console.log(`| ${session} | ${reviewer} | ${cells.join(" | ")} |`);
  }
  claim(`${session}: session shares at least 95 %`, (costs.session?.share ?? 0) >= 0.95);
  claim(`${session}: session costs at most a tenth`, (costs.session?.price ?? before) <= before / 10);
  claim(`${session}: fresh is at most 40 kB`, (costs.fresh?.bytes ?? 40_001) <= 40_000);
}

function ratio(value: number): string {
  return value.toFixed(3);
}

function claim(what: string, holds: boolean): void {
  if (holds) return;
  console.log(`\nTOO EXPENSIVE: ${what} does not hold\n`);
  process.exitCode = 1;
}
