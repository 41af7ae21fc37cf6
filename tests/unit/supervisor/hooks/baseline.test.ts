import { describe, expect, test } from "bun:test";
import { appendFile, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOOK_DEFAULTS } from "../../../../src/cli/hooks.ts";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { recordPrompt } from "../../../../src/supervisor/hooks/prompt.ts";
import { superviseStop } from "../../../../src/supervisor/hooks/stop.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld, withMessage } from "../../fakes.ts";
import { type GitPlace, gitPlace, patientWorld } from "../baseline/place.ts";
import { type Answer, verdict } from "../session-in-memory.ts";

/** The two hooks of a session in a real repository. */
async function session(place: GitPlace) {
  await mkdir(join(place.root, "bin"));
  const claude = join(place.root, "bin/claude");
  await writeFile(claude, "#!/bin/sh\n", { mode: 0o755 });
  const env = { ...place.env, PATH: `${join(place.root, "bin")}:${place.env.PATH}` };
  const common = { session_id: "s", cwd: place.project };
  const real = patientWorld();
  let answer: Answer = {};
  let message = "";
  let others = 0;
  const run = async (request: ChildRequest) => {
    if (request.program.file !== claude) {
      others++;
      return real.run(request);
    }
    message = String((await withMessage(request)).stdin);
    for (const line of answer.lines ?? []) request.onLine(new TextEncoder().encode(JSON.stringify(line)));
    return { exitCode: 1, ending: "exited", stderr: "", ...answer } as const;
  };
  const { world, said } = fakeWorld({ ...real, run, cwd: place.project, env });
  const hook = { ...HOOK_DEFAULTS, configDir: place.paths.folder };
  const folder = join(place.paths.generated, "sessions/s");
  return {
    said,
    switchTo: (is_on: boolean) =>
      openSession(world.files, place.paths, common.session_id).switch.save({ is_on, is_due: false }),
    baseline: async () => JSON.parse(await readFile(join(folder, "baseline.json"), "utf8")),
    /** Makes the clock move on, which a test is too quick for. */
    age: () => utimes(join(folder, "stops.jsonl"), new Date(), new Date(Date.now() + 60_000)),
    prompt: (prompt: string, prompt_id?: string, more: object = {}) =>
      recordPrompt(world, hook, () => ({ ...common, hook_event_name: "UserPromptSubmit", prompt, prompt_id, ...more })),
    record: openSession(world.files, place.paths, common.session_id),
    /** The changes at a stop. Nobody reviews it, unless there is an answer. */
    stop: async (reviewer: Answer = { exitCode: 1 }, more: object = {}) => {
      answer = reviewer;
      await superviseStop(world, hook, () => ({ ...common, ...more }));
      const { changes } = JSON.parse(
        (await readFile(join(folder, "stops.jsonl"), "utf8")).trim().split("\n").at(-1) ?? "",
      );
      return "why" in changes ? changes.why : changes.files.map(({ path }: { path: string }) => path);
    },
    /** How a stop ended that need not be reviewed, and how often git ran for it. */
    skip: async (event: object) => {
      const before = others;
      await superviseStop(world, hook, () => ({ ...common, ...event }));
      const lines = (await readFile(join(folder, "stops.jsonl"), "utf8")).trim().split("\n");
      return { why: JSON.parse(lines.at(-1) ?? "").why, hasRunGit: others > before };
    },
    /** What the reviewer got at the last stop. */
    message: () => message,
  };
}

describe("the files at a prompt", () => {
  test("are recorded for each prompt of the user, and compared at the stop", async () => {
    await using place = await gitPlace();
    const hooks = await session(place);
    await hooks.prompt("one", "p1");
    await place.write("first", "1");
    expect(await hooks.stop()).toEqual(["first"]);
    // Neither a message typed while the agent works nor the end of a task is a new start.
    await hooks.prompt("hurry up", "p1");
    await hooks.prompt("<task-notification>\n<task-id>b1</task-id></task-notification>", "p2");
    expect(await hooks.stop()).toEqual(["first"]);
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p1" });
    await hooks.prompt("two", "p3");
    await place.write("second", "1");
    expect(await hooks.stop()).toEqual(["second"]);
  });

  test("before work that no review has seen are compared too, until a review has seen it", async () => {
    await using place = await gitPlace();
    await place.write("a.test.ts", "expect(1);\n");
    await place.write("both", "1");
    const hooks = await session(place);
    await hooks.prompt("one", "p1");
    await place.write("first", "1\n");
    await place.write("both", "2\n");
    await rm(join(place.project, "a.test.ts"));
    // An error of the API, then one of the reviewer's.
    await hooks.prompt("go on", "p2");
    await hooks.stop();
    await hooks.prompt("go on", "p3");
    await place.write("both", "3\n");
    expect(await hooks.stop(verdict(false, "not yet"))).toEqual(["both"]);
    expect(hooks.message()).toContain(
      ":\n- a.test.ts was deleted\n- deleted: a.test.ts (+0 -1)\n- added: first (+1 -0)",
    );
    await hooks.prompt("two", "p4");
    await place.write("second", "1");
    expect(await hooks.stop()).toEqual(["second"]);
    expect(hooks.message()).not.toContain("added: first");
  });

  test("are recorded after a stop, where Claude Code gives prompts no id", async () => {
    await using place = await gitPlace();
    const hooks = await session(place);
    await hooks.prompt("one");
    await place.write("first", "1");
    await hooks.prompt("hurry up");
    expect(await hooks.stop()).toEqual(["first"]);
    await hooks.age();
    await hooks.prompt("two");
    expect(await hooks.stop()).toEqual([]);
  });

  test("are not looked at while the user has switched supervision off", async () => {
    await using place = await gitPlace();
    const hooks = await session(place);
    hooks.switchTo(false);
    await hooks.prompt("one", "p1");
    await expect(hooks.baseline()).rejects.toThrow();
    hooks.switchTo(true);
    await hooks.prompt("two", "p2");
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p2" });
  });

  test("are not looked at without a repository", async () => {
    await using place = await gitPlace({ init: "none" });
    const hooks = await session(place);
    await hooks.prompt("one", "p1");
    expect(await hooks.stop()).toBe("not a git repository");
    expect(hooks.baseline()).rejects.toThrow();
    expect(patientWorld().files.entry(join(place.paths.generated, "baselines"))).toBeUndefined();
  });

  test("unreadable output of git never fails the prompt", async () => {
    await using place = await gitPlace();
    const hooks = await session(place);
    await writeFile(join(place.root, "bin/git"), "#!/bin/sh\necho nonsense\n", { mode: 0o755 });
    await hooks.prompt("one", "p1");
    expect(hooks.said.stderr).toContain("no record of the files at this prompt: git failed. Its reviews do not");
    expect(await hooks.stop()).toBe("git failed");
  });
});

describe("what ccc notices at a stop that is not reviewed", () => {
  const TASK = { status: "running", description: "", command: "" };
  const entry = (promptId: string) => ({ type: "user", promptId, message: { content: "x" } });
  const says = (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } });
  const USES = { type: "assistant", message: { content: [{ type: "tool_use", name: "Bash", input: {} }] } };
  const worked = { last_assistant_message: "later", prompt_id: "p1" };
  const NOTICED = "undone, or explained by what the user asked for: a.test.ts was deleted";

  /** A session in which the agent has deleted a test. */
  async function deleted(place: GitPlace, { mode = "default", when = "always", lines = [USES] as object[] } = {}) {
    await place.write("a.test.ts", "expect(1);\n");
    const hooks = await session(place);
    const transcript_path = join(place.root, "t.jsonl");
    const transcript = [entry("p1"), ...lines, says("later")].map((line) => JSON.stringify(line)).join("\n");
    await writeFile(transcript_path, transcript);
    await mkdir(place.paths.folder, { recursive: true });
    await writeFile(
      join(place.paths.folder, "ccc.json"),
      JSON.stringify({ providers: { glm: { env: {} } }, supervisor: { when } }),
    );
    await hooks.prompt("one", "p1", { permission_mode: mode });
    await rm(join(place.project, "a.test.ts"));
    const skip = (event: object) => hooks.skip({ ...worked, transcript_path, permission_mode: mode, ...event });
    return { ...hooks, skip };
  }

  test.each([
    ["delegated", { background_tasks: [{ ...TASK, type: "subagent" }] }, {}],
    ["scheduled", { session_crons: [{ id: "c", prompt: "go on", recurring: false }] }, {}],
    ["plan", {}, { mode: "plan" }],
    ["talk", { background_tasks: [{ ...TASK, type: "shell" }] }, { when: "changes", lines: [] }],
  ])("has to be ruled on after the next prompt: %s", async (why, event, given) => {
    await using place = await gitPlace();
    const hooks = await deleted(place, given);
    expect(await hooks.skip(event)).toEqual({ why, hasRunGit: true });
    await hooks.prompt("two", "p2");
    // A "done" without a ruling does not count.
    await hooks.stop(verdict(true, "done"));
    expect(hooks.message()).toContain(`- C1: ${NOTICED}\n`);
    expect(hooks.message()).toContain("does not say that C1 is met");
  });

  test("is kept after a review that said done, and is gone if the agent undid it", async () => {
    await using place = await gitPlace();
    const hooks = await deleted(place);
    await place.write("a.test.ts", "expect(1);\n");
    await hooks.stop(verdict(true, "done"));
    await rm(join(place.project, "a.test.ts"));
    const event = { background_tasks: [{ ...TASK, type: "subagent" }] };
    await hooks.skip(event);
    await place.write("b.test.ts", "it.skip(1);\n");
    await hooks.skip(event);
    await rm(join(place.project, "b.test.ts"));
    await hooks.skip(event);
    await hooks.prompt("two", "p2");
    await hooks.stop(verdict(false, "no"));
    expect(hooks.message()).toContain(NOTICED);
    expect(hooks.message()).not.toContain("b.test.ts");
  });

  test.each([
    ["talk", { when: "changes", lines: [] }],
    ["plan", { mode: "plan", lines: [] }],
  ])("is not looked for where no tool ran: %s", async (why, given) => {
    await using place = await gitPlace();
    const hooks = await deleted(place, given);
    expect(await hooks.skip({})).toEqual({ why, hasRunGit: false });
  });

  test("is not looked for without a baseline", async () => {
    await using place = await gitPlace({ init: "none" });
    const hooks = await deleted(place);
    const event = { background_tasks: [{ ...TASK, type: "subagent" }] };
    expect(await hooks.skip(event)).toEqual({ why: "delegated", hasRunGit: false });
  });
});

describe("while it is in doubt whose prompt it is", () => {
  const USERS = { origin: { kind: "human" } };
  const AGENTS = { origin: { kind: "peer" }, isMeta: true };

  /** A session with a first prompt of the user, whose stop was reviewed. */
  async function reviewedOnce(place: GitPlace) {
    const hooks = await session(place);
    const transcript = join(place.root, "t.jsonl");
    const event = { transcript_path: transcript };
    const write = (promptId: string, content: string, marks: object) =>
      appendFile(transcript, `${JSON.stringify({ type: "user", promptId, message: { content }, ...marks })}\n`);
    const prompt = (text: string, id: string) => hooks.prompt(text, id, event);
    const stop = (prompt_id: string, answer?: Answer) => hooks.stop(answer, { ...event, prompt_id });
    await prompt("one", "p1");
    await write("p1", "one", USERS);
    await place.write("first", "1");
    await stop("p1", verdict(false, "not yet"));
    const stores = () => patientWorld().files.list(join(place.paths.generated, "baselines"));
    return { hooks, prompt, write, stop, stores };
  }

  test("the earlier files count, and those at the prompt only once it is the user's", async () => {
    await using place = await gitPlace();
    const { hooks, prompt, write, stop } = await reviewedOnce(place);
    await prompt("carry on", "p2");
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p1" });
    await write("p2", "carry on", AGENTS);
    expect(await stop("p2")).toEqual(["first"]);
    expect(hooks.record.candidates.read()).toBeUndefined();

    await prompt("two", "p3");
    await place.write("second", "1");
    await write("p3", "two", USERS);
    expect(await stop("p3")).toEqual(["second"]);
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p3" });
  });

  test("so it is without ids, as in older versions", async () => {
    await using place = await gitPlace();
    const hooks = await session(place);
    const transcript_path = join(place.root, "t.jsonl");
    const write = (content: string, marks: object = {}) =>
      appendFile(transcript_path, `${JSON.stringify({ type: "user", message: { content }, ...marks })}\n`);
    const round = async (text: string, marks: object) => {
      await hooks.prompt(text, undefined, { transcript_path });
      await write(text, marks);
      await place.write(`after ${text}`, "1");
      return hooks.stop(verdict(false, "not yet"), { transcript_path });
    };
    expect(await round("one", {})).toEqual(["after one"]);
    const scheduled = { isMeta: true, permissionMode: "default" };
    expect(await round("carry on", scheduled)).toEqual(["after carry on", "after one"]);
    expect(await round("two", {})).toEqual(["after two"]);
  });

  test("the next prompt settles it too, if the agent was interrupted", async () => {
    await using place = await gitPlace();
    const { hooks, prompt, write, stop } = await reviewedOnce(place);
    await prompt("two", "p2");
    await write("p2", "two", USERS);
    await place.write("second", "1");
    await prompt("carry on", "p3");
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p2" });
    await write("p3", "carry on", AGENTS);
    expect(await stop("p3")).toEqual(["second"]);
  });

  test("a message of the user's during the turn of somebody else is no new start", async () => {
    await using place = await gitPlace();
    const { hooks, prompt, write, stop } = await reviewedOnce(place);
    await prompt("carry on", "p2");
    await write("p2", "carry on", AGENTS);
    await place.write("second", "1");
    await prompt("how is it going?", "p2");
    expect(await stop("p2")).toEqual(["first", "second"]);
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p1" });
  });

  test("a prompt of the agent's cannot remove the earlier files, however large the store is", async () => {
    await using place = await gitPlace();
    const { hooks, prompt, write, stop, stores } = await reviewedOnce(place);
    const [store = ""] = stores();
    const { baseline } = hooks.record;
    baseline.save({ ...(baseline.read() ?? expect.unreachable()), bytes: 200_000_000 });
    await prompt("carry on", "p2");
    expect(stores()).toHaveLength(2);
    await write("p2", "carry on", AGENTS);
    expect(await stop("p2")).toEqual(["first"]);
    expect(stores()).toEqual([store]);

    await prompt("two", "p3");
    await write("p3", "two", USERS);
    expect(await stop("p3")).toEqual([]);
    expect(stores()).not.toContain(store);
    expect(stores()).toHaveLength(1);
  });

  test("a prompt that the event says is the user's counts at once", async () => {
    await using place = await gitPlace();
    const { hooks, stop } = await reviewedOnce(place);
    await hooks.prompt("two", "p2", { transcript_path: join(place.root, "t.jsonl"), source: "user" });
    expect(await hooks.baseline()).toMatchObject({ prompt_id: "p2" });
    expect(await stop("p2")).toEqual([]);
  });
});
