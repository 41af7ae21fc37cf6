import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { inTurn } from "../harness.ts";
import { afterLook, DONE, LOOK, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const STREAM = ["--output-format", "stream-json", "--verbose"];
const bash = (command: string, more: object = {}): Turn => ({
  use: "Bash",
  input: { command, description: "work", ...more },
});

/** How each stop of the only session ended, from the record. */
async function outcomes(place: SupervisedPlace): Promise<string[]> {
  const lines = (await place.record())["stops.jsonl"]?.trim().split("\n") ?? [];
  return lines.flatMap((line) => {
    const { outcome, why } = JSON.parse(line);
    return outcome === undefined ? [] : [why === undefined ? outcome : `${outcome}: ${why}`];
  });
}

function logged(place: SupervisedPlace): string {
  const path = join(place.project, ".claude/ccc/supervisor.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

describe("there is no review, and the user learns why", () => {
  test("in plan mode; the next prompt outside it is reviewed", async () => {
    await using place = await supervisedPlace(inTurn({ agent: [{ say: "a plan" }], reviewer: [DONE] }));
    const planned = await place.ccc(["--supervisor", "glm", "-p", "plan it", "--permission-mode", "plan", ...STREAM]);
    expect(planned.exitCode).toBe(0);
    for (const told of [planned.stdout, planned.stderr])
      expect(told).toContain("No review: the session is in plan mode");
    expect(logged(place)).toContain("no review: the session is in plan mode");
    expect(place.reviews()).toBeEmpty();
    // A skipped stop is not a round.
    expect(await place.record()).not.toHaveProperty("state.json");

    await place.ccc(["--supervisor", "glm", "--continue", "-p", "do it"]);
    expect(await outcomes(place)).toEqual(["skipped: plan", "done"]);
    expect(place.reviews()).toHaveLength(1);
  });

  test("while a wake-up is scheduled; what ccc noticed has to be ruled on after the next prompt", async () => {
    const wakeUp = { use: "ScheduleWakeup", input: { delaySeconds: 3600, reason: "wait", prompt: "go on" } };
    const ruled = { id: "C1", text: "", status: "met" as const, evidence: "`git status`: a.test.ts is deleted" };
    await using place = await supervisedPlace(
      inTurn({
        agent: [bash("rm a.test.ts"), wakeUp, { say: "later" }],
        reviewer: [LOOK, DONE, { verdict: { completed: true, feedback: "seen", criteria: [ruled] } }],
      }),
    );
    await Bun.$`git init -q ${place.project}`;
    await place.write(join(place.project, "a.test.ts"), "expect(1);\n");
    const args = ["--supervisor", "glm", "-p", "wait for it", "--allowedTools", "ScheduleWakeup,Bash"];
    const child = place.start(args);
    // Claude Code waits for the wake-up.
    while (child.exitCode === null && logged(place) === "") await Bun.sleep(10);
    child.kill();
    await child.exited;
    expect(logged(place)).toContain("no review: the agent has scheduled a wake-up");
    expect(place.reviews()).toBeEmpty();

    await place.ccc(["--supervisor", "glm", "--continue", "-p", "say hello"]);
    expect(await outcomes(place)).toEqual(["skipped: scheduled", "done"]);
    const point = "undone, or explained by what the user asked for: a.test.ts was deleted";
    expect(place.reviews()[0]).toContain(`- C1: ${point}\\n`);
    expect(place.reviews().at(-1)).toContain("it says done, but does not say that C1 is met");
  });

  test("when nothing has happened since a review said done; a changed file or a tool then means another review", async () => {
    const shell = (awaited: string, work = "true") => {
      const wait = `for i in $(seq 600); do grep -qs '${awaited}' .claude/ccc/supervisor.log && break; sleep 0.1; done`;
      return bash(`${wait}; ${work}`, { run_in_background: true });
    };
    // Three shells, each of which wakes the agent when the previous stop has ended.
    const shells = [shell("round 1: done"), shell("nothing has happened", "echo x > made"), shell("round 2: done")];
    await using place = await supervisedPlace((request, index) => {
      const { role, body } = request;
      if (role !== "agent") return afterLook(DONE, request);
      const next = shells[index];
      if (next !== undefined) return next;
      const last = JSON.stringify(body.messages.at(-1));
      const notifications = JSON.stringify(body.messages).split("<status>").length - 1;
      return last.includes("task-notification") && notifications === 3 ? bash("echo more work") : { say: "noticed" };
    });
    await Bun.$`git init -q ${place.project}`;
    const result = await place.ccc(["--supervisor", "glm", "-p", "work", "--allowedTools", "Bash", ...STREAM]);
    expect(result.exitCode).toBe(0);
    expect(await outcomes(place)).toEqual(["done", "skipped: unchanged", "done", "done"]);
    expect(result.stdout).toContain("No review: nothing has happened since the last review, which said done");
    const codes = place.reviews().map((text) => /<section-(\w+)/.exec(text)?.[1]);
    expect(new Set(codes).size).toBe(3);
  });

  test('when no tool ran and supervisor.when is "changes"', async () => {
    const script = inTurn({ agent: [{ say: "hello" }, bash("echo x"), { say: "done" }], reviewer: [DONE] });
    await using place = await supervisedPlace(script, { supervisor: { when: "changes" } });
    await Bun.$`git init -q ${place.project}`;
    const talk = await place.ccc(["--supervisor", "glm", "-p", "hello", ...STREAM]);
    expect(talk.exitCode).toBe(0);
    expect(talk.stdout).toContain("No review: no tool ran since your last prompt");
    expect(place.reviews()).toBeEmpty();
    await place.ccc(["--supervisor", "glm", "--continue", "-p", "work", "--allowedTools", "Bash"]);
    expect(await outcomes(place)).toEqual(["skipped: talk", "done"]);
  });
});
