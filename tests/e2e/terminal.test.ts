import { expect, test } from "bun:test";
import { CCC, inTurn } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

test("HOOK-01 HOOK-02 HOOK-03 in the terminal the user types a task, sees each round, and gets the prompt back", async () => {
  await using place = await supervisedPlace(
    inTurn({
      agent: [{ say: "FIRST ANSWER" }, { say: "SECOND ANSWER" }, { say: "THIRD ANSWER" }],
      reviewer: [notDone("THE TESTS ARE MISSING"), DONE],
    }),
  );
  await using screen = newScreen([CCC, "--supervisor", "glm"], { cwd: place.project, env: place.env });

  await screen.shows("❯");
  expect(screen.history()).toContain("Supervisor mode enabled: glm, reviewed by glm");
  await screen.submit("write a program");
  await screen.shows("FIRST ANSWER");
  await screen.shows("supervisor 1/10: not done");
  await screen.shows("SECOND ANSWER");
  await screen.shows("supervisor: done after 2 rounds");

  // The prompt is back: the next task is reviewed like the first.
  await screen.submit("and another");
  await screen.shows("THIRD ANSWER");
  await screen.shows("supervisor: done after 1 round: seen");
  expect(place.reviews()).toHaveLength(3);
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);
});
