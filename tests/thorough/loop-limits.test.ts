import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { $ } from "bun";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { CCC, credentials, inTurn, newSandbox, ONE_REVIEW, provider } from "../harness.ts";
import { readReport } from "../loop-report.ts";
import { newScreen } from "../screen.ts";
import { DONE, sessions, supervisedPlace } from "../supervised.ts";

const LOOP = ["--supervisor", "--engine", "loop", "glm"];

/** As GLM words it, with the zone. */
function limitFor(ms: number): Turn {
  const end = new Date(Date.now() + ms).toISOString();
  return { fail: 429, message: `[1308][Usage limit reached for 5 hour. Your limit will reset at ${end}]` };
}

/** The agent's turns. The first fails with a limit that resets this long after the request. */
function limitedFirst(ms: number, ...turns: readonly Turn[]) {
  const then = inTurn({ agent: [{ say: "ok" }, ...turns], reviewer: [DONE] });
  return (...[received, index]: Parameters<typeof then>): Turn =>
    received.role === "agent" && index === 0 ? limitFor(ms) : then(received, index);
}

test("LDES-07 the loop waits for the agent's usage limit: the session continues, is reviewed, and the exit code is 0", async () => {
  await using place = await supervisedPlace(limitedFirst(2_000, { say: "THE ANSWER" }), {
    supervisor: { limit_wait_seconds: 60 },
  });
  const result = await place.ccc([...LOOP, "THE TASK"]);
  expect(result).toMatchObject({ exitCode: 0, stdout: "THE ANSWER\n" });
  expect(result.stderr).toMatch(/… waiting for the usage limit to reset: \d{4}-\d\d-\d\d \d\d:\d\d UTC, in \ds\n/);
  expect(result.stderr).toMatch(/^2 agent runs.*: .* Waited \ds for a usage limit\./m);
  expect(place.turns()).toHaveLength(2);
  expect(place.turns()[1]).toMatch(/THE TASK.*The usage limit has reset\. Continue where you left off\./);
  expect(place.reviews()[0]).toContain("1. THE TASK\\n</section-");
  const report = await readReport(place);
  expect(report).toMatchObject({ outcome: "done", prompts: ["THE TASK"], agent: { phases: 2 } });
  expect(report.waited_seconds).toBeGreaterThan(0);
});

test("at the agent's usage limit, the same session continues on the next provider, with its key alone and nothing done twice", async () => {
  // As DeepSeek: the answers of other models have no thinking.
  const NO_THINKING = "The `content[].thinking` in the thinking mode must be passed back to the API.";
  await using kimi = newSandbox(({ role, body }) => {
    const isForeign = body.messages.some((message) => message.role === "assistant");
    if ("thinking" in body && isForeign) return { fail: 400, message: NO_THINKING };
    return role === "reviewer" ? DONE : { say: "GONE ON" };
  });
  const trace: Turn = { use: "Bash", input: { command: "echo x >> ../trace", description: "leave a trace" } };
  await using place = await supervisedPlace(({ role }, index) =>
    role === "agent" && index === 0 ? trace : limitFor(7_200_000),
  );
  // Where ccc sees that no file has changed, a "done" needs no look.
  await $`git init -q ${place.project}`;
  const models = { ANTHROPIC_MODEL: "kimi-k2", CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };
  await place.config({
    fallback: ["kimi"],
    supervisor: ONE_REVIEW,
    providers: { glm: provider(place.sandbox, "glm-token"), kimi: provider(kimi, "kimi-token", models) },
  });
  const result = await place.ccc([...LOOP, "--model", "glm-5", "--permission-mode", "bypassPermissions", "THE TASK"], {
    env: { CLAUDE_CODE_MAX_RETRIES: "10", IS_SANDBOX: "1" },
  });
  expect(result).toMatchObject({ exitCode: 0, stdout: "GONE ON\n" });
  expect(await readFile(join(place.project, "../trace"), "utf8")).toBe("x\n");
  const agent = kimi.received.find(({ role, body }) => role === "agent" && !("thinking" in body));
  expect(agent?.body.model).toBe("kimi-k2");
  // A fork of the session has the same problem, a digest has not.
  const review = kimi.received.at(-1);
  expect(review?.role).toBe("reviewer");
  expect(review?.body.messages.map(({ role }) => role)).not.toContain("assistant");
  expect(JSON.stringify(agent?.body.messages)).toMatch(
    /THE TASK.*"tool_use".*"tool_result".*approves nothing.*Continue where you left off\./,
  );
  expect(JSON.stringify(kimi.received)).not.toContain("glm-token");
  for (const seen of credentials(kimi)) expect(seen).toEqual({ bearer: "Bearer kimi-token", key: "kimi-token" });
  for (const seen of credentials(place.sandbox)) expect(seen).toEqual({ bearer: "Bearer glm-token", key: "glm-token" });
  expect(place.turns().length).toBeLessThan(5);
  expect(result.stderr).toContain("if glm fails, the session continues on kimi\n");
  expect(result.stderr).toMatch(/… glm: API Error: .*Usage limit reached.*\. Continuing on kimi\n/);
  expect(result.stderr).toContain("… kimi wants its own model's thinking in every answer; continuing without thinking");
  expect(result.stderr).toMatch(/^2 agent runs.* Continued on kimi\./m);
  expect(await readReport(place)).toMatchObject({
    outcome: "done",
    provider: "glm",
    reviewer: "kimi",
    relays: [{ from: "glm", to: "kimi", why: expect.stringContaining("Usage limit reached") }],
  });
  expect((await place.ccc(["report"])).stdout).toContain("agent on glm, then on kimi, reviewed by kimi, loop engine");
  const [session = ""] = await sessions(place);
  const again = await place.ccc(["--dry-run", "--json", "--resume", basename(session, ".jsonl")]);
  expect(JSON.parse(again.stdout)).toMatchObject({ provider: "kimi", why: "for this session" });
});

test("a limit that ccc does not wait for ends the run long before claude's tenth retry, and names the command that continues it", async () => {
  let isLimited = true;
  const then = inTurn({ agent: [{ say: "GONE ON" }], reviewer: [DONE] });
  await using place = await supervisedPlace((received, index) =>
    isLimited ? limitFor(7_200_000) : then(received, index),
  );
  const failed = await place.ccc([...LOOP, "THE TASK"], { env: { CLAUDE_CODE_MAX_RETRIES: "10" } });
  expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
  expect(place.turns().length).toBeLessThan(5);
  const [, command = ""] =
    /^Failed: .*Usage limit reached.* Continue with `ccc ([^`]*)` when the limit resets, at .* \(in 1h 59m\)\./m.exec(
      failed.stderr,
    ) ?? [];
  expect(await readReport(place)).toMatchObject({ outcome: "failed", waited_seconds: 0, exit_code: 1 });

  isLimited = false;
  const args = command.split(" ").slice(0, -1);
  expect(args.slice(0, -1)).toEqual([...LOOP, "--resume"]);
  expect(await place.ccc([...args, "continue"])).toMatchObject({ exitCode: 0, stdout: "GONE ON\n" });
  expect(place.turns().at(-1)).toMatch(/THE TASK.*continue/);
});

test("on a terminal the wait is a countdown, keeps what is typed, and ends at once with Ctrl-C", async () => {
  await using place = await supervisedPlace(limitedFirst(3_600_000, { say: "IN THE SESSION" }));
  await using screen = newScreen([CCC, ...LOOP, "THE TASK"], { cwd: place.project, env: place.env });
  await screen.shows(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waiting for the usage limit to reset 59m \d+s/);
  screen.type("and MORE OF IT\r");
  await screen.shows("queued: and MORE OF IT");
  screen.type("\u0003");
  await screen.shows("Interrupted by Ctrl-C while waiting for a usage limit.");
  await screen.shows("IN THE SESSION");
  expect(place.turns().at(-1)).toMatch(/THE TASK.*and MORE OF IT/);
  await screen.submit("/exit");
  expect(await screen.exited).toBe(0);
});
