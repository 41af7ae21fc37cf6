import { describe, expect, test } from "bun:test";
import { shellWord } from "../../src/launch/shell.ts";
import { CCC, expectGone, inTurn, newPlace, type Place, provider } from "../harness.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

const LOOP = [CCC, "--supervisor", "--engine", "loop", "glm"];
const start = (place: Place, ...args: string[]) =>
  newScreen([...LOOP, ...args], { cwd: place.project, env: place.env });

test("LOOP-04 LOOP-07 LDES-05 LDES-08 it asks for the task, queues what is typed while the agent works, and hands the session over", async () => {
  const release = Promise.withResolvers<void>();
  await using place = await supervisedPlace(
    inTurn({
      agent: [
        { say: "FIRST ANSWER", after: release.promise },
        { say: "SECOND ANSWER" },
        { say: "THIRD ANSWER" },
        { say: "IN THE SESSION" },
      ],
      reviewer: [notDone("FEEDBACK-ONE"), DONE],
    }),
  );
  await using screen = start(place);

  await screen.shows("Task:");
  screen.type("the task\r");
  await screen.shows(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] the agent is working \d+ s/);
  screen.type("and MORE OF IT\r");
  await screen.shows("queued: and MORE OF IT");
  release.resolve();
  await screen.shows("FIRST ANSWER");
  await screen.shows("SECOND ANSWER");
  await screen.shows("supervisor 1/10: not done");
  await screen.shows("FEEDBACK-ONE");

  // Claude Code itself, in the same session, showing the conversation so far.
  await screen.shows("❯ ");
  await screen.shows("THIRD ANSWER");
  await screen.submit("are you there");
  await screen.shows("IN THE SESSION");
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);

  expect(place.turns()[1]).toContain("and MORE OF IT");
  expect(place.turns()[3]).toContain("FEEDBACK-ONE");
  for (const review of place.reviews()) expect(review).toContain("1. the task\\n\\n2. and MORE OF IT\\n</section-");
});

describe("Ctrl-C", () => {
  test("at six random moments leaves no process behind, a sane terminal, and a session to continue", async () => {
    await using place = await supervisedPlace(({ role }) =>
      role === "reviewer" ? notDone("again") : { say: "AN ANSWER", delayMs: 100 },
    );
    const moments = Array.from({ length: 6 }, (_, index) => ({ index, ms: index * 500 + Math.random() * 500 }));
    let handedOver = 0;
    const lane = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        await using screen = newScreen(
          ["sh", "-c", `trap : INT; ${LOOP.map(shellWord).join(" ")} "the task"; stty -a; echo "END"`],
          {
            cwd: place.project,
            env: place.env,
          },
        );
        // Even on a slow machine, some hit while the agent works and there is a session to hand over.
        if (moment.index % 3 === 0) await screen.shows("AN ANSWER");
        else await Bun.sleep(moment.ms);
        screen.type("\u0003");
        await screen.shows(/❯ |^END/m);
        if (!/^END/m.test(screen.text())) {
          handedOver++;
          await screen.submit("/exit");
        }
        await screen.shows(/^END/m);
        expect(screen.text()).toMatch(/[^-]icanon/);
        expect(screen.text()).toMatch(/[^-]echo /);
        await screen.exited;
      }
    };
    await Promise.all([lane(), lane()]);
    const left = Bun.spawnSync(["ps", "-eww", "-o", "args"]).stdout.toString();
    expect(left.split("\n").filter((line) => line.includes(place.home))).toEqual([]);
    expect(handedOver).toBeGreaterThan(0);
  });

  test("twice quits at once", async () => {
    await using place = await newPlace();
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
    // It ignores signals.
    await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; esac
trap '' TERM INT; echo $$ > "$HOME/pids"; (trap '' TERM INT; exec sleep 300) & echo $! >> "$HOME/pids"
echo '{"type":"text","session_id":"s1","content":"STUBBORN"}'; while :; do sleep 1; done`);
    await using screen = start(place, "the task");
    await screen.shows("STUBBORN");
    screen.type("\u0003");
    await screen.shows("press Ctrl-C again to quit now");
    screen.type("\u0003");
    expect(await screen.exited).toBe(130);
    await expectGone(place);
  });

  test("once hands the session over to the user", async () => {
    const never = Promise.withResolvers<void>();
    await using place = await supervisedPlace(
      inTurn({ agent: [{ say: "ONE" }, { say: "TWO", after: never.promise }], reviewer: [notDone("F")] }),
    );
    await using screen = start(place, "the task");
    await screen.shows("supervisor 1/10: not done");
    screen.type("\u0003");
    await screen.shows("Interrupted.");
    await screen.shows("❯ ");
    await screen.shows("ONE");
    never.resolve();
    await screen.submit("/exit");
    expect(await screen.exited).toBe(0);
  });
});
