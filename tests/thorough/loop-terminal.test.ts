import { describe, expect, test } from "bun:test";
import { shellWord } from "../../src/text/shell.ts";
import { CCC, expectGone, inTurn, newPlace, type Place, provider } from "../harness.ts";
import { readReport } from "../loop-report.ts";
import { newScreen } from "../screen.ts";
import { DONE, notDone, supervisedPlace } from "../supervised.ts";

const LOOP = [CCC, "--supervisor", "--engine", "loop"];
const start = (place: Place, ...args: string[]) =>
  newScreen([...LOOP, ...args], { cwd: place.project, env: place.env, cols: 60 });
/** In a shell that stays open and prints the exit code and the terminal's mode. */
const startInShell = (place: Place, ...args: string[]) =>
  newScreen(["sh", "-c", `trap : INT; ${[...LOOP, ...args].map(shellWord).join(" ")}; echo "END $?"; stty -a`], {
    cwd: place.project,
    env: place.env,
  });
const SANE = /[^-]icanon(.|\n)*[^-]echo /;

test("LOOP-04 LOOP-07 LDES-05 LDES-08 what is typed stays whole while output scrolls, is queued, and the session is handed over, supervised", async () => {
  const [typed, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const call = (command: string) => ({ use: "Bash", input: { command, description: "work" } });
  await using place = await supervisedPlace(
    inTurn({
      agent: [
        { ...call("echo one"), after: typed.promise },
        call("echo two"),
        { say: "FIRST\u001b[2J ANSWER", after: sent.promise },
        { say: "SECOND ANSWER" },
        { say: "THIRD ANSWER" },
        { say: "IN THE SESSION" },
      ],
      reviewer: [notDone("FEEDBACK-ONE"), DONE],
    }),
    { supervisor: { max_iterations: 1 } },
  );
  await using screen = start(place, "glm", "--allowedTools", "Bash");

  await screen.shows("Task:");
  screen.type("先写测试，the task\r");
  await screen.shows(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] the agent is working \d+ s/);
  screen.type("再重构 half");
  await screen.shows("> 再重构 half");
  typed.resolve();
  await screen.shows("→ Bash: echo two");
  await screen.shows(/→ Bash: echo two\n. the agent is working \d+ s\n> 再重构 half\s*$/);
  // Over a combining accent, an emoji of several code points, and a Chinese character.
  screen.type(" e\u0301👍🏽字\u007f\u007f\u007f不要忘记更新文档和所有的例子，也包括中文的说明文件");
  await screen.shows(/> …[^\n]*，也包括中文的说明文件\s*$/);
  screen.type("\r");
  await screen.shows("queued: 再重构 half 不要忘记更新文档和所有的例子");
  await screen.shows("1 message queued");
  sent.resolve();
  await screen.shows("FIRST ANSWER");
  await screen.shows("Review 1 of 1: not done");

  // Claude Code itself, in the same session, showing the conversation so far.
  await screen.shows("❯ ");
  await screen.shows("THIRD ANSWER");
  await screen.shows(/SessionStart:resume says: NOT done: the\s+review\s+limit/);
  await screen.shows(/supervised\s+by\s+the\s+hook\s+engine/);
  const report = await readReport(place);
  expect(report).toMatchObject({ outcome: "not done", exit_code: 3, handed_over: true, agent: { phases: 3 } });
  await screen.submit("are you there");
  await screen.shows("IN THE SESSION");
  await screen.shows(/Stop says: Review 1 of \d+: done/);
  await screen.submit("/exit");
  // The user continued, so claude's own exit code counts.
  expect(await screen.exited).toBe(0);

  const message = "再重构 half 不要忘记更新文档和所有的例子，也包括中文的说明文件";
  expect(place.turns()[3]).toContain(message);
  expect(place.turns()[4]).toContain("FEEDBACK-ONE");
  const prompts = `1. 先写测试，the task\\n\\n2. ${message}\\n`;
  expect(place.reviews()[0]).toContain(`${prompts}</section-`);
  expect(place.reviews()[1]).toContain(`${prompts}\\n3. are you there\\n</section-`);
});

test("after a hand-over in which the user does nothing, the outcome stands", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "AN ANSWER" }], reviewer: [notDone("F")] }), {
    supervisor: { max_iterations: 1 },
  });
  await using screen = start(place, "glm", "the task");
  await screen.shows("❯ ");
  await screen.submit("/exit");
  await screen.shows(/you sent no prompt, so the outcome\s+stands: not done\s+\(exit code 3\)/);
  expect(await screen.exited).toBe(3);
});

describe("Ctrl-C", () => {
  test("at six random moments leaves no process behind, a sane terminal, a reason, and a session to continue", async () => {
    await using place = await supervisedPlace(({ role }) =>
      role === "reviewer" ? notDone("again") : { say: "AN ANSWER", delayMs: 100 },
    );
    const moments = Array.from({ length: 6 }, (_, index) => ({ index, ms: index * 500 + Math.random() * 500 }));
    let handedOver = 0;
    const lane = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        await using screen = startInShell(place, "glm", "the task");
        // Even on a slow machine, some come while the agent works and there is a session to hand over.
        if (moment.index % 3 === 0) await screen.shows("AN ANSWER");
        else await Bun.sleep(moment.ms);
        screen.type("\u0003");
        await screen.shows(/❯ |^END/m);
        if (!/^END/m.test(screen.text())) {
          handedOver++;
          await screen.submit("/exit");
        }
        await screen.shows(/^END (0|130)$/m);
        await screen.shows(SANE);
        const said = screen.history();
        // Before the loop has begun, ccc ends as any program does.
        if (said.includes("⠋")) expect(said).toMatch(/Interrupted by Ctrl-C (while|before) |NOT done: /);
        await screen.exited;
      }
    };
    await Promise.all([lane(), lane()]);
    const left = Bun.spawnSync(["ps", "-eww", "-o", "args"]).stdout.toString();
    expect(left.split("\n").filter((line) => line.includes(place.home))).toEqual([]);
    expect(handedOver).toBeGreaterThan(0);
  });

  /** A claude that never answers. */
  async function silentPlace(script: string): Promise<Place> {
    const place = await newPlace();
    await place.config({ providers: { glm: provider({ url: "http://127.0.0.1:9" }, "t") } });
    await place.standIn(`case "$*" in *--version*) echo 2.1.325; exit;; esac\n${script}`);
    return place;
  }

  test("twice quits at once", async () => {
    // It ignores signals.
    await using place = await silentPlace(
      `trap '' TERM INT; echo $$ > "$HOME/pids"; (trap '' TERM INT; exec sleep 300) & echo $! >> "$HOME/pids"
echo '{"type":"text","session_id":"s1","content":"STUBBORN"}'; while :; do sleep 1; done`,
    );
    await using screen = start(place, "glm", "the task");
    await screen.shows("STUBBORN");
    screen.type("\u0003");
    await screen.shows("press Ctrl-C again to quit now");
    screen.type("\u0003");
    expect(await screen.exited).toBe(130);
    await expectGone(place);
  });

  test("at the question for the task ends ccc, which says so", async () => {
    await using place = await silentPlace("exit 1");
    await using screen = startInShell(place, "glm");
    await screen.shows("Task:");
    screen.type("half\u0003");
    await screen.shows("END 130");
    await screen.shows(SANE);
    expect(screen.text()).toContain("not sent: half\nInterrupted by Ctrl-C before the agent had started.");
    expect(screen.text()).toContain("No session was started.");
    expect(await readReport(place)).toMatchObject({ outcome: "interrupted", prompts: [], session_id: null });
  });

  for (const signal of ["TERM", "HUP"]) {
    test(`SIG${signal} restores the terminal, and leaves a reason`, async () => {
      await using place = await silentPlace(
        `echo '{"type":"text","session_id":"s1","content":"HERE"}'; kill -${signal} $PPID; exec sleep 300`,
      );
      await using screen = startInShell(place, "glm", "the task");
      await screen.shows("END 143");
      await screen.shows(SANE);
      const reason = `interrupted by SIG${signal} while the agent was working`;
      expect(await readReport(place)).toMatchObject({ outcome: "interrupted", exit_code: 143, reason });
    });
  }
});

test("--no-handover ends with the exit code and the answer, and needs the loop engine", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "THE\u001b[2J ANSWER" }], reviewer: [DONE] }));
  await using screen = startInShell(place, "--no-handover", "glm", "the task");
  await screen.shows(/^1 agent run \(\d+ s\): (.|\n)*^THE ANSWER\n+END 0$/m);
  await screen.shows(SANE);
  expect(await place.ccc(["--supervisor", "--no-handover", "glm"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("--no-handover is for the loop engine"),
  });
});
