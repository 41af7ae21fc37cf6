import { expect, test } from "bun:test";
import { CCC, inTurn, newPlace, newSandbox, provider, settledIn } from "../harness.ts";
import { newScreen } from "../screen.ts";

test("HOOK-01 HOOK-02 HOOK-03 in the terminal the user types a task, sees each round, and gets the prompt back", async () => {
  await using place = await newPlace();
  await using glm = newSandbox(
    inTurn({
      agent: [{ say: "FIRST ANSWER" }, { say: "SECOND ANSWER" }, { say: "THIRD ANSWER" }],
      reviewer: [
        { verdict: { completed: false, feedback: "THE TESTS ARE MISSING" } },
        { verdict: { completed: true, feedback: "seen" } },
      ],
    }),
  );
  await place.config({ providers: { glm: provider(glm, "glm-token") } });
  await settledIn(place);
  await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });

  await screen.shows("❯");
  expect(screen.history()).toContain("Supervisor mode enabled: glm, reviewed by glm");
  screen.type("write a program");
  await screen.shows("❯ write a program");
  screen.type("\r");
  await screen.shows("FIRST ANSWER");
  await screen.shows("supervisor 1/10: not done");
  await screen.shows("SECOND ANSWER");
  await screen.shows("supervisor: done after 2 rounds");

  // The prompt is back: the next task is reviewed like the first.
  screen.type("and another");
  await screen.shows("❯ and another");
  screen.type("\r");
  await screen.shows("THIRD ANSWER");
  await screen.shows("supervisor: done after 1 round: seen");
  expect(glm.received.filter(({ role }) => role === "reviewer")).toHaveLength(3);
  screen.type("/exit");
  await screen.shows("❯ /exit");
  screen.type("\r");
  expect(await screen.exited).toBe(0);
});
