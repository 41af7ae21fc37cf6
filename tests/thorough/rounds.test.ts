import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Script, Turn } from "../../src/sandbox/sandbox.ts";
import { shellWord } from "../../src/text/shell.ts";
import { CCC, inTurn, type Place, provider } from "../harness.ts";
import { DONE, notDone, type SupervisedPlace, sessions, supervisedPlace, traces } from "../supervised.ts";

/**
 * Installs a stand-in reviewer that always says no, for tests about the agent's Claude Code: starting a real one for each
 * review would prove no more. Returns what each review was asked.
 */
async function alwaysNo(place: Place): Promise<() => string[]> {
  const claude = join(place.bin, "claude-of-the-agent");
  await rename(join(place.bin, "claude"), claude);
  const no = JSON.stringify({ type: "result", structured_output: { completed: false, feedback: "again" } });
  await place.standIn(
    `[ "$CCC_SUPERVISOR_HOOK" = 1 ] || exec '${claude}' "$@"\n(head -n 1; echo END-OF-REVIEW) >> "$HOME/reviews"\necho '${no}'`,
  );
  return () => readFileSync(place.at("reviews"), "utf8").split("END-OF-REVIEW").slice(0, -1);
}

test("HOOK-04 a reviewer that always says no is asked ten times per prompt", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }] }));
  const reviews = await alwaysNo(place);

  const first = await place.ccc(["--supervisor", "glm", "-p", "work", "--output-format", "stream-json", "--verbose"]);
  expect(first.exitCode).toBe(3);
  expect(first.stdout).toContain("Review 10 of 10: not done");
  // The stand-in counts no tokens, and may take no time.
  expect(first.stdout).toMatch(
    /Stopped after 10 reviews: NOT done( \(.*\))?\. The last changes were not reviewed\. Last feedback: /,
  );
  expect(reviews()).toHaveLength(10);
  expect((await traces(place)).state.count).toBe(10);

  const { session_id } = (await traces(place)).state;
  await place.config({ providers: { glm: provider(place.sandbox, "t") }, supervisor: { max_iterations: 2 } });
  // A session that was supervised stays so.
  expect(await place.ccc(["glm", "--resume", session_id, "-p", "and more"])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining(`to continue: ccc glm --resume ${session_id}`),
  });
  expect(reviews()).toHaveLength(12);
});

test("with the oldest version, whose prompts have no ids, each prompt of a session is reviewed", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }] }), {
    supervisor: { max_iterations: 1 },
  });
  await place.oldest();
  const reviews = await alwaysNo(place);
  const hook = { type: "command", command: `${shellWord(CCC)} supervisor-hook` };
  await place.write(place.at(".claude/settings.json"), { hooks: { Stop: [{ hooks: [hook] }] } });
  for (const prompt of [
    ["-p", "FIRST-PROMPT"],
    ["--continue", "-p", "SECOND-PROMPT"],
  ])
    expect(await place.ccc(["glm", ...prompt])).toMatchObject({ exitCode: 0 });
  expect(reviews()).toHaveLength(2);
  expect(reviews()[1]).toContain("SECOND-PROMPT");
  // Its transcript, which lacks much of what newer ones say, is found and read, beside the empty one that --continue leaves.
  const found = await place.ccc(["review", "--check", "false", "--json"]);
  expect(found.exitCode).toBe(3);
  const { verdict, session } = JSON.parse(found.stdout);
  expect(verdict).toBe("check failed");
  const transcript = (await sessions(place)).find((name) => name.endsWith(`/${session}.jsonl`)) ?? "";
  expect(readFileSync(place.at(".claude/projects", transcript), "utf8")).toContain("SECOND-PROMPT");
});

test("a session that keeps starting background shells still ends", async () => {
  // The first one runs until the first review, however slow the machine is.
  const command = "until ls .claude/ccc/supervisor-*-output.jsonl; do sleep 0.1; done; sleep 0.2";
  const shell: Turn = { use: "Bash", input: { command, description: "wait", run_in_background: true } };
  // Each turn starts another shell, whose end wakes the session again, until the limit is reached.
  const script: Script = ({ role, body }, index) => {
    if (role !== "agent") return notDone("again");
    const last = JSON.stringify(body.messages.at(-1));
    return index < 12 && !last.includes("tool_result") ? shell : { say: "started" };
  };
  await using place = await supervisedPlace(script, { supervisor: { max_iterations: 3 } });
  const result = await place.ccc(["--supervisor", "glm", "-p", "work", "--allowedTools", "Bash", "--max-turns", "40"]);
  expect(result.signal).toBeNull();
  expect(place.reviews()).toHaveLength(3);
  expect(place.reviews()[0]).toContain("still running in the background");
});

test("the review waits until a delegated agent has finished", async () => {
  const order: string[] = [];
  // The delegated agent works until the hook has let the first stop pass without a review.
  const passed = async () => {
    const log = join(place.project, ".claude/ccc/supervisor.log");
    while (!(existsSync(log) && readFileSync(log, "utf8").includes("a delegated agent is still working")))
      await Bun.sleep(5);
    order.push("let pass");
  };
  await using place: SupervisedPlace = await supervisedPlace((received, index) => {
    if (received.role === "reviewer") {
      order.push("reviewed");
      return DONE;
    }
    if (JSON.stringify(received.body.messages[0]).includes("SUBTASK")) return { say: "sub done", after: passed() };
    const input = { description: "d", prompt: "SUBTASK", subagent_type: "general-purpose", run_in_background: true };
    return index === 0 ? { use: "Agent", input } : { say: "waiting" };
  });
  await Bun.$`git init -q ${place.project}`;
  expect(await place.ccc(["--supervisor", "glm", "-p", "delegate it"])).toMatchObject({ exitCode: 0 });
  expect(order).toEqual(["let pass", "reviewed"]);
  expect((await traces(place)).state.count).toBe(1);
});
