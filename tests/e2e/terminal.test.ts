import { expect, test } from "bun:test";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { CCC, inTurn, newPlace, newSandbox, provider, settledIn } from "../harness.ts";
import { reviewShares } from "../prefix.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

/** Its text must not write to the terminal. */
const ASKS: Turn = { verdict: { completed: false, needs_user: true, feedback: "Which\u001b]0;EVIL\u0007 one?" } };

test("HOOK-01 HOOK-02 HOOK-03 in the terminal the user types a task, sees each round, and gets the prompt back", async () => {
  await using place = await supervisedPlace(
    inTurn({
      agent: [{ say: "FIRST ANSWER" }, { say: "SECOND ANSWER" }, { say: "THIRD ANSWER" }],
      reviewer: [notDone("THE TESTS ARE MISSING"), DONE, ASKS],
    }),
  );
  await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });

  await screen.shows("❯");
  expect(screen.history()).toContain("Supervisor mode enabled: glm, reviewed by glm");
  await screen.shows("Every stop is reviewed by glm. To switch that off in this session: /ccc:supervisor off");
  await screen.submit("write a program");
  await screen.shows("FIRST ANSWER");
  await screen.shows(/Stop says: Review 1 of 10: not done \(\d+ s, \d+ tokens\)/);
  await screen.shows("Stop hook feedback: What follows comes from ccc's supervisor, not from the user");
  await screen.shows(/^\s*THE TESTS ARE MISSING$/m);
  await screen.shows("SECOND ANSWER");
  await screen.shows(/Stop says: Review 2 of 10: done \(\d+ s, \d+ tokens in all\)\. seen/);
  expect(screen.text()).not.toContain("error");

  // The prompt is back: the next task is reviewed like the first.
  await screen.submit("and another");
  await screen.shows("THIRD ANSWER");
  await screen.shows("Stop says: Needs you: Which one? (after 1 review, ");
  // A question is a desktop notification too.
  const question = String.raw`Needs you: Which one\? \(after 1 review, \d+ s, \d+ tokens\)`;
  expect(screen.raw()).toMatch(new RegExp(`\u001b\\]9;ccc: ${question}\u0007`));
  expect(screen.raw()).toMatch(new RegExp(`\u001b\\]777;notify;ccc;${question}\u0007`));
  expect(screen.raw()).not.toContain("EVIL");
  // The agent is told once.
  expect(place.turns().at(-1)?.split("THE TESTS ARE MISSING")).toHaveLength(2);
  // Each starts with the agent's own request, because ccc leaves out the attribution block in the terminal.
  expect(reviewShares(place.sandbox.received)).toEqual([1, 1, 1]);
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);
});

test("ccc -c continues on the provider of the session that Claude Code takes: in a terminal not of a later one with -p", async () => {
  await using place = await newPlace();
  await using sandbox = newSandbox(({ body }) => ({ say: `ANSWER OF ${body.model}` }));
  await settledIn(place);
  const on = (model: string) => provider(sandbox, "token", { ANTHROPIC_MODEL: model });
  await place.config({ providers: { glm: on("glm-5"), kimi: on("kimi-k3") } });
  const inTerminal = async (args: string[], says: string, model = "kimi-k3") => {
    await using screen = newScreen([CCC, ...args], { cwd: place.project, env: place.env });
    await screen.shows("❯");
    await screen.submit(says);
    await screen.shows(new RegExp(`${says}[^]*ANSWER OF ${model}`));
    await screen.submit("/exit");
    expect(await screen.exited).toBe(0);
    return screen.history();
  };
  await inTerminal(["kimi"], "build the first thing");
  const printed = await place.ccc(["glm", "-p", "print something", "--output-format", "json"]);
  // It stays one that began with -p, wherever it continues.
  await inTerminal(["glm", "--resume", JSON.parse(printed.stdout).session_id], "and the rest", "glm-5");

  const said = await inTerminal(["-c"], "build the second thing");
  expect(said).toContain("using kimi, which this session last ran on");
  expect(said).toContain("build the first thing");
  expect(await place.ccc(["glm", "-p", "print something else"])).toMatchObject({ exitCode: 0 });
  // Without a terminal, Claude Code takes the last one, however it began.
  expect(await place.ccc(["-c", "-p", "and more"])).toMatchObject({ stdout: "ANSWER OF glm-5\n" });
});
