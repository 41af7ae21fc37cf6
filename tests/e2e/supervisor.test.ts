import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { shellWord } from "../../src/launch/shell.ts";
import type { Script, Turn } from "../../src/sandbox/turns.ts";
import { CCC, credentials, inTurn, newPlace, newSandbox, type Place, provider } from "../harness.ts";
import { DONE, notDone, type SupervisedPlace, supervisedPlace } from "../supervised.ts";

const INSTRUCTIONS = "INSTRUCTIONS-OF-THE-TEST: look for yourself.";

/** The supervisor's files in the project. */
async function traces(place: Place) {
  const folder = join(place.project, ".claude/ccc");
  const names = existsSync(folder) ? await readdir(folder) : [];
  const read = async (suffix: string) => {
    const name = names.find((each) => each.startsWith("supervisor-") && each.endsWith(suffix));
    return name === undefined ? "" : readFile(join(folder, name), "utf8");
  };
  const output = (await read("-output.jsonl")).split("\n").slice(0, -1);
  return { state: JSON.parse((await read(".json")) || "{}"), output: output.map((line) => JSON.parse(line)), names };
}

/** All hooks in the settings that the launch generated: three of the agent's, one of the reviewer's. */
function generatedHooks(place: Place): { command: string; args?: string[] }[] {
  const folder = place.at(".claude/ccc");
  const names = readdirSync(folder).filter((name) => name.startsWith("settings-"));
  const files = names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const hooks = files.flatMap((file) => Object.values(file.hooks as Record<string, { hooks: [] }[]>).flat());
  expect(hooks).toHaveLength(4);
  return hooks.flatMap((group) => group.hooks);
}

/** The conversations in the user's resume list. */
async function sessions(place: Place): Promise<string[]> {
  const folder = place.at(".claude/projects");
  const all = await readdir(folder, { recursive: true });
  // The oldest version stores the output of delegated agents next to the conversations.
  return all.filter((name) => name.endsWith(".jsonl") && !basename(name).startsWith("agent-"));
}

const verdicts = inTurn({ reviewer: [notDone("FEEDBACK-ONE"), notDone("FEEDBACK-TWO"), DONE] });
/** By content: the oldest version starts extra agents to warm up. */
const noNoYes: Script = (request, index) => {
  if (request.role !== "agent") return verdicts(request, index);
  const heard = JSON.stringify(request.body.messages);
  return { say: heard.includes("FEEDBACK-TWO") ? "third" : heard.includes("FEEDBACK-ONE") ? "second" : "first" };
};

async function threeRounds(place: Place) {
  await place.write(join(place.project, "SUPERVISOR.md"), INSTRUCTIONS);
  const hook = { hooks: [{ type: "command", command: `echo ran >> ${shellWord(place.at("hooks.txt"))}` }] };
  await place.write(place.at(".claude/settings.json"), { hooks: { Stop: [hook], SessionStart: [hook] } });

  const result = await place.ccc(["--supervisor", "glm", "-p", "ORIGINAL-REQUEST of the user"]);

  expect(result).toMatchObject({ exitCode: 0, stdout: "third\n" });
  expect(result.stderr).toContain("Supervisor mode enabled: glm, reviewed by glm, at most 10 reviews per prompt");
}

describe("the loop on the real Claude Code: no, no, yes", () => {
  for (const version of ["pinned", "oldest"] as const) {
    test(`HOOK-01 HOOK-02 HOOK-03 HOOK-05 HOOK-06 HOOK-08 HOOK-13 HOOK-19 HOOK-20 with the ${version} version`, async () => {
      await using place = await supervisedPlace(noNoYes);
      if (version === "oldest") await place.oldest();
      await threeRounds(place);

      const turns = place.turns().filter((messages) => messages.includes("ORIGINAL-REQUEST"));
      const reviews = place.reviews();
      expect([turns.length, reviews.length]).toEqual([3, 3]);
      expect(turns[1]).toContain("FEEDBACK-ONE");
      expect(turns[2]).toContain("FEEDBACK-TWO");
      // As the API receives it: newer versions drop the system prompt.
      for (const review of reviews) expect(review).toContain(INSTRUCTIONS);
      for (const review of reviews) expect(review).toContain("1. ORIGINAL-REQUEST of the user");
      expect(reviews[2]).toContain("1. FEEDBACK-ONE\\n\\n2. FEEDBACK-TWO");
      expect(reviews[2]).toContain("Round 3 of at most 10");
      for (const request of place.sandbox.received) expect(request.headers.authorization).toBe("Bearer glm-token");

      const { state, output } = await traces(place);
      expect(state).toMatchObject({ count: 3, feedback: ["FEEDBACK-ONE", "FEEDBACK-TWO"] });
      expect(output.filter(({ type }) => type === "result")).toHaveLength(3);
      const isExec = version === "pinned";
      for (const { args } of generatedHooks(place)) expect(args !== undefined).toBe(isExec);
      expect(await sessions(place)).toHaveLength(1);
      expect((await readFile(place.at("hooks.txt"), "utf8")).split("\n").filter(Boolean)).toHaveLength(4);
    });
  }

  test("HOOK-10 HOOK-11 the state has session, count and times, and git ignores the folder", async () => {
    await using place = await supervisedPlace(noNoYes);
    await Bun.$`git init -q ${place.project}`;
    await threeRounds(place);
    const { state } = await traces(place);
    expect(Object.keys(state)).toEqual(expect.arrayContaining(["session_id", "count", "created_at", "updated_at"]));
    expect(Date.parse(state.updated_at)).toBeGreaterThan(Date.parse(state.created_at));
    const status = await Bun.$`git -C ${place.project} status --porcelain --untracked-files=all`.text();
    expect(status).not.toContain("ccc");
  });
});

test("HOOK-04 a reviewer that always says no is asked ten times, and again for the user's next prompt", async () => {
  await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer: [notDone("again")] }));
  const reviews = () => place.reviews().length;

  const first = await place.ccc(["--supervisor", "glm", "-p", "work", "--output-format", "stream-json", "--verbose"]);
  expect(first.exitCode).toBe(0);
  expect(first.stdout).toContain("supervisor 10/10: not done");
  expect(first.stdout).toContain("stopped after 10 reviews: NOT done. The last changes were not reviewed.");
  expect(reviews()).toBe(10);
  expect((await traces(place)).state.count).toBe(10);

  const { session_id } = (await traces(place)).state;
  await place.config({ providers: { glm: provider(place.sandbox, "t") }, supervisor: { max_iterations: 2 } });
  expect(await place.ccc(["--supervisor", "glm", "--resume", session_id, "-p", "and more"])).toMatchObject({
    exitCode: 0,
  });
  expect(reviews()).toBe(12);
});

test("with the oldest version, whose prompts have no ids, each prompt of a session is reviewed", async () => {
  const script = inTurn({ agent: [{ say: "done" }], reviewer: [notDone("again")] });
  await using place = await supervisedPlace(script, { supervisor: { max_iterations: 1 } });
  await place.oldest();
  const hook = { type: "command", command: `${shellWord(CCC)} supervisor-hook` };
  await place.write(place.at(".claude/settings.json"), { hooks: { Stop: [{ hooks: [hook] }] } });
  for (const prompt of [
    ["-p", "FIRST-PROMPT"],
    ["--continue", "-p", "SECOND-PROMPT"],
  ])
    expect(await place.ccc(["glm", ...prompt])).toMatchObject({ exitCode: 0 });
  expect(place.reviews()).toHaveLength(2);
  expect(place.reviews()[1]).toContain("SECOND-PROMPT");
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
  expect(await place.ccc(["--supervisor", "glm", "-p", "delegate it"])).toMatchObject({ exitCode: 0 });
  expect(order).toEqual(["let pass", "reviewed"]);
  expect((await traces(place)).state.count).toBe(1);
});

test("HOOK-09 HDES-07 the first supervised launch creates SUPERVISOR.md and reports it, and its text reaches the API", async () => {
  await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }));
  const path = place.at(".claude/SUPERVISOR.md");
  expect((await place.ccc(["--supervisor", "glm", "-p", "x"])).stderr).toContain(`created ${path}`);
  const text = await readFile(path, "utf8");
  expect(text).toContain("You are the supervisor");
  expect(text).toContain('"completed"');
  expect(place.reviews()[0]).toContain("You are the supervisor");
  await Bun.write(path, "MY-OWN-INSTRUCTIONS");
  expect((await place.ccc(["--supervisor", "glm", "-p", "x"])).stderr).not.toContain("created");
  expect(await readFile(path, "utf8")).toBe("MY-OWN-INSTRUCTIONS");
  expect(place.reviews().at(-1)).toContain("MY-OWN-INSTRUCTIONS");
});

test("the reviewer can read and run tests but not write, whatever the user allows the agent", async () => {
  await using place = await newPlace();
  const file = join(place.project, "code.txt");
  const bash = (command: string): Turn => ({ use: "Bash", input: { command, description: "try" } });
  const attempts: Turn[] = [
    { use: "Write", input: { file_path: join(place.project, "written.txt"), content: "x" } },
    { use: "Read", input: { file_path: file } },
    { use: "Edit", input: { file_path: file, old_string: "flaw", new_string: "mended" } },
    ...[
      "echo x > made1.txt",
      "touch made2.txt",
      "sed -i s/flaw/mended/ code.txt",
      "cat code.txt > made3.txt",
      "npm test",
      "npm run lint -- --fix",
      "make test deploy",
      "node --test --test-reporter=spec --test-reporter-destination=code.txt",
    ].map(bash),
    DONE,
  ];
  await using glm = newSandbox(inTurn({ agent: [{ say: "done" }], reviewer: attempts }));
  await place.config({
    settings: { permissions: { allow: ["Bash", "Write", "Edit"], defaultMode: "acceptEdits" } },
    providers: { glm: provider(glm, "t") },
  });
  await place.write(place.at(".claude/settings.json"), { permissions: { allow: ["Bash", "Write", "Edit"] } });
  await place.write(file, "flaw\n");
  await place.write(join(place.project, "package.json"), { scripts: { test: "echo THE-TESTS-RAN" } });

  const result = await place.ccc(["--supervisor", "glm", "-p", "x"], {
    env: { PATH: `${place.env.PATH}:${nodeFolder()}` },
  });

  expect(result.exitCode).toBe(0);
  expect((await readdir(place.project)).sort()).toEqual([".claude", "code.txt", "package.json"]);
  expect(await readFile(file, "utf8")).toBe("flaw\n");
  const seen = JSON.stringify(glm.received.findLast(({ role }) => role === "reviewer")?.body.messages);
  expect(seen).toContain("THE-TESTS-RAN");
});

test("reviewer and agent can have different providers, and neither sees the other's key", async () => {
  await using place = await newPlace();
  await using glm = newSandbox(inTurn({ agent: [{ say: "done" }] }));
  await using kimi = newSandbox(inTurn({ reviewer: [DONE] }));
  await place.config({
    providers: { glm: provider(glm, "glm-token"), kimi: provider(kimi, "kimi-token") },
    supervisor: { enabled: true, provider: "kimi", model: "kimi-k2" },
  });
  const result = await place.ccc(["glm", "-p", "x"], { env: { ANTHROPIC_API_KEY: "foreign" } });
  expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" });
  expect(result.stderr).toContain("glm, reviewed by kimi (kimi-k2)");
  expect([glm.received.map(({ role }) => role), kimi.received.map(({ role }) => role)]).toEqual([
    ["agent"],
    ["reviewer"],
  ]);
  expect(credentials(glm)).toEqual([{ bearer: "Bearer glm-token", key: "glm-token" }]);
  expect(credentials(kimi)).toEqual([{ bearer: "Bearer kimi-token", key: "kimi-token" }]);
  expect(kimi.received[0]?.body.model).toBe("kimi-k2");
});

describe("a failed review lets the agent stop and says why", () => {
  const failures: [name: string, reviewer: Turn[], says: string, results: number][] = [
    ["HOOK-16 a refused key, at once", [{ fail: 401 }], "the API refused the reviewer's key (HTTP 401)", 0],
    ["HOOK-16 an API error", [{ fail: 400, message: "bad model" }], "claude reports an error", 1],
    ["HOOK-18 prose, after a second try", [{ say: "Looks fine to me." }], "gave no verdict, twice", 2],
  ];
  for (const [name, reviewer, says, results] of failures) {
    test(name, async () => {
      await using place = await supervisedPlace(inTurn({ agent: [{ say: "done" }], reviewer }));
      const result = await place.ccc(
        ["--supervisor", "glm", "-p", "x", "--output-format", "stream-json", "--verbose"],
        {
          env: { CLAUDE_CODE_MAX_RETRIES: "10" },
        },
      );
      expect(result.exitCode).toBe(0);
      expect(result.stdout).toContain("supervisor could not review: ");
      expect(result.stdout).toContain(says);
      expect(place.sandbox.received.filter(({ role }) => role === "agent")).toHaveLength(1);
      const { output } = await traces(place);
      expect(output.filter(({ type }) => type === "result")).toHaveLength(results);
      // Claude Code alone would have retried ten times. After a refusal it first asks for the key again.
      if (name.includes("at once")) expect(place.reviews().length).toBeLessThanOrEqual(3);
    });
  }
});

test("no settings file, the project's in particular, can turn the review off", async () => {
  await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }));
  const off = {
    disableAllHooks: true,
    env: { CCC_SUPERVISOR_HOOK: "1", CLAUDE_CODE_SAFE_MODE: "1", CLAUDE_CODE_SIMPLE: "1" },
  };
  await place.write(place.at(".claude/settings.json"), off);
  await place.write(join(place.project, ".claude/settings.json"), off);
  expect(await place.ccc(["--supervisor", "glm", "-p", "x"], { env: { CCC_SUPERVISOR_HOOK: "1" } })).toMatchObject({
    exitCode: 0,
  });
  expect(place.reviews()).toHaveLength(1);
});

test("CCC_SUPERVISOR=0 overrides ccc.json", async () => {
  await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }), { supervisor: { enabled: true } });
  expect(await place.ccc(["glm", "-p", "x"], { env: { CCC_SUPERVISOR: "0" } })).toMatchObject({
    exitCode: 0,
    stderr: "",
  });
  expect(place.reviews()).toBeEmpty();
});

test("HDES-01 CCC_SUPERVISOR=1 works like the flag", async () => {
  await using place = await supervisedPlace(inTurn({ reviewer: [DONE] }));
  expect(await place.ccc(["glm", "-p", "x"], { env: { CCC_SUPERVISOR: "1" } })).toMatchObject({ exitCode: 0 });
  expect(place.reviews()).toHaveLength(1);
});

function nodeFolder(): string {
  return join(Bun.which("node") ?? "", "..");
}
