import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Layer, Layers, Scope } from "../../../../src/claude/layers.ts";
import { NEWEST_TESTED, OLDEST_TESTED } from "../../../../src/claude/versions.ts";
import { type Engine, readReviewerName } from "../../../../src/config/defaults.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { CccError } from "../../../../src/errors.ts";
import { diskFiles } from "../../../../src/os/files.ts";
import { instructionsChange } from "../../../../src/supervisor/review/instructions.ts";
import {
  plannedHandOver,
  prepareSupervision,
  refuseSupervision,
  refuseWithoutHooks,
} from "../../../../src/supervisor/setup/prepare.ts";
import { planSupervision, type Supervision } from "../../../../src/supervisor/setup/supervision.ts";
import type { Env, World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { type Given, startSession, verdict } from "../session-in-memory.ts";

const OWN = "/home/u/.claude/SUPERVISOR.md";
const LOOP = ["--supervisor", "--engine", "loop", "glm", "do it"];
const refuse = () => {
  throw new CccError(`cannot write ${OWN}`);
};

function supervision(world: World, engine: Engine) {
  const path = cccPaths(world).config;
  const loaded = { config: {}, providers: new Map(), path, isStamped: true, stamp: "" };
  return planSupervision(loaded, world, engine);
}
const prepare = (world: World, engine: Engine = "hook", isPersistent = false) =>
  prepareSupervision(world, cccPaths(world), {
    provider: "glm",
    claude: "/bin/claude",
    version: NEWEST_TESTED,
    fallback: [],
    isPersistent,
    supervision: supervision(world, engine),
  });

test("a supervised launch records where git reads the project's repository from; ccc use is for all folders", async () => {
  const content = {
    "/work/project/.git": "gitdir: /repo/.git/worktrees/p\n",
    "/repo/.git/worktrees/p/commondir": "/repo/.git\n",
  };
  const { world } = fakeWorld({
    cwd: "/work/project",
    content: { ...content, "/repo/.git/objects/info/alternates": "/shared\n" },
  });
  const { git_folders } = await prepare(world);
  expect(git_folders).toEqual(expect.arrayContaining(["/repo/.git/worktrees/p", "/shared"]));
  expect((await prepare(world, "hook", true)).git_folders).toBeUndefined();
});

test("a launch without checks says how to run the tests of the project, one with checks does not", async () => {
  const content = { "/project/package.json": '{"scripts":{"test":"vitest"}}' };
  const hint = "no checks are set here. To run the tests before each review: ccc --supervisor --check 'npm test'";
  expect((await startSession({ content })).stderr).toContain(hint);
  const argv = ["--supervisor", "--check", "npm run lint", "glm"];
  expect((await startSession({ content, argv })).stderr).not.toContain("no checks are set here");
});

test("a supervised launch removes the copies of a project that a killed ccc has left", async () => {
  const copies = "/home/u/.claude/ccc/copies";
  const content = { [`${copies}/7-killed/a.ts`]: "", [`${copies}/8-running/a.ts`]: "" };
  const { world, files } = fakeWorld({ content, isAlive: (pid) => pid === 8 });
  await prepare(world);
  expect(files.list(copies)).toEqual(["8-running"]);
});

describe("a supervised launch says", () => {
  async function said(changed: Partial<Supervision>, version: string | undefined) {
    const { world, said } = fakeWorld();
    await prepareSupervision(world, cccPaths(world), {
      provider: "glm",
      claude: "/bin/claude",
      version,
      fallback: [],
      isPersistent: false,
      supervision: { ...supervision(world, "hook"), ...changed },
    });
    return said.stderr;
  }
  const reviewers = (...names: string[]) => names.map(readReviewerName);
  const ENABLED = "Supervisor mode enabled: glm, reviewed by";

  test.each<[who: string, changed: Partial<Supervision>, line: string]>([
    [
      "the agent's provider",
      {},
      `${ENABLED} glm, at most 10 reviews per prompt, instructions from /home/u/.claude/SUPERVISOR.md\n`,
    ],
    ["once", { max_iterations: 1 }, `${ENABLED} glm, at most 1 review per prompt, instructions`],
    ["another one with its model", { provider: "kimi", model: "k2" }, `${ENABLED} kimi (k2), at most`],
    [
      "others if it cannot, each once",
      { fallback: reviewers("glm", "kimi:k2", "deepseek", "glm") },
      `${ENABLED} glm, else by kimi (k2), deepseek, at most`,
    ],
  ])("who reviews and how often: %s", async (_, changed, line) =>
    expect(await said(changed, NEWEST_TESTED)).toContain(line),
  );

  test.each<[version: string, warning: string | undefined]>([
    [OLDEST_TESTED, undefined],
    [NEWEST_TESTED, undefined],
    ["2.0.76", `this is Claude Code 2.0.76; ccc's supervisor is tested on ${OLDEST_TESTED} to ${NEWEST_TESTED}`],
    ["9.0.0", `this is Claude Code 9.0.0; ccc's supervisor is tested on`],
    ["", "could not determine the version of Claude Code"],
  ])("whether Claude Code %s is outside the tested versions", async (version, warning) => {
    const stderr = await said({}, version || undefined);
    if (warning === undefined) expect(stderr).not.toContain("tested on");
    else expect(stderr).toContain(warning);
  });
});

describe("the reviewer's instructions", () => {
  const said = async (given: Given) => (await startSession(given)).stderr;
  const created = `created ${OWN} with the reviewer's instructions; edit it as you like`;

  test("are created once, for the user to edit", async () => {
    const { files, stderr } = await startSession();
    expect(stderr).toContain(created);
    expect(files.read(OWN)).toStartWith("# Supervisor");
    expect(await said({ content: { [OWN]: "mine" } })).not.toContain("created");
  });
  test("are not created where the project has its own", async () => {
    const { files, stderr } = await startSession({ content: { "/project/SUPERVISOR.md": "theirs" } });
    expect([files.read(OWN), stderr.includes("created")]).toEqual([undefined, false]);
  });
  test("are the built-in ones, where they cannot be written", async () => {
    const { exitCode, stderr } = await startSession({ refuse: { create: refuse } });
    expect(stderr).toContain(`cannot write ${OWN}; the reviewer uses the built-in instructions`);
    expect(exitCode).not.toBe(1);
  });
  test("are the built-in ones, where something else is in their place, which stays", async () => {
    const { world, files, said } = fakeWorld({ content: { [OWN]: null } });
    await prepare(world, "loop");
    expect([files.content[OWN], said.stderr.includes("created")]).toEqual([null, false]);
  });
  test("must be written for a loop, which has no other place to show them", async () => {
    const { exitCode, stderr, asked } = await startSession({ argv: LOOP, refuse: { create: refuse } });
    expect([exitCode, asked]).toEqual([1, []]);
    expect(stderr).toContain(`no SUPERVISOR.md found, and it could not be created: cannot write ${OWN}`);
    expect(stderr).toContain(`Create /project/SUPERVISOR.md or ${OWN} with the reviewer's instructions.`);
  });
});

describe("ccc doctor refuses a missing SUPERVISOR.md that cannot be created", () => {
  const refused = (engine: Engine, content: Record<string, string | null>) => {
    const files = { ...memoryFiles(content), refuseWrite: refuse };
    const { world } = fakeWorld({ files });
    return () => refuseSupervision(world, cccPaths(world), supervision(world, engine));
  };
  test("for a loop", () =>
    expect(refused("loop", {})).toThrow(`no SUPERVISOR.md found, and it could not be created: cannot write ${OWN}`));
  test.each<[situation: string, engine: Engine, content: Record<string, string | null>]>([
    ["for sessions, which have the built-in instructions", "hook", {}],
    ["where the project has its own", "loop", { "/project/SUPERVISOR.md": "theirs" }],
    ["where the user has one", "loop", { [OWN]: "mine" }],
    ["where something else is in its place", "loop", { [OWN]: null }],
  ])("not %s", (_, engine, content) => expect(refused(engine, content)).not.toThrow());
});

describe("a supervised launch warns of a session without hooks", () => {
  const ANSWER = {
    type: "assistant",
    timestamp: "2026-01-01T12:00:00Z",
    message: { stop_reason: "end_turn", content: [{ type: "text", text: "done" }] },
  };
  /** What the second of two launches says, if a session answered after the first without any hook. */
  async function said(first: Engine, isPersistent = false) {
    const home = await mkdtemp(join(tmpdir(), "ccc-test-"));
    const parts = {
      files: diskFiles(process.pid),
      env: { HOME: home, PATH: "" },
      cwd: home,
      now: () => new Date(1000),
    };
    const before = fakeWorld(parts);
    await prepare(before.world, first);
    expect(before.said.stderr).not.toContain("NOT reviewed");
    await mkdir(join(home, ".claude/projects/p"), { recursive: true });
    await writeFile(join(home, ".claude/projects/p/s1.jsonl"), JSON.stringify({ ...ANSWER, cwd: home }));
    const after = fakeWorld(parts);
    await prepare(after.world, "hook", isPersistent);
    await rm(home, { recursive: true });
    return after.said.stderr.includes("session s1 in this folder was NOT reviewed");
  }
  test("in this folder", async () => expect(await said("hook")).toBe(true));
  test("not after a loop, which needs no hooks", async () => expect(await said("loop")).toBe(false));
  test("not for `ccc use`, which is for all folders", async () => expect(await said("hook", true)).toBe(false));
});

describe("a project's instructions", () => {
  const PATH = "/project/SUPERVISOR.md";

  /** A launch in /project; `answer` is the user's at a terminal. */
  async function launch(content: Record<string, string | null>, answer?: boolean) {
    const questions: string[] = [];
    const confirm = async (question: string) => {
      questions.push(question);
      return answer === true;
    };
    const ask = { ...fakeWorld().world.ask, confirm };
    const { world, said, files } = fakeWorld({ content, ask, isTerminal: () => answer !== undefined });
    const { instructions } = await prepare(world, "hook");
    return {
      instructions,
      stderr: said.stderr.replaceAll(/\n {2}(?! )/g, " "),
      asked: questions.length,
      content: files.content,
    };
  }

  test("are asked about once at a terminal, with their text", async () => {
    const text = "be strict\u001b[2K\n".repeat(30);
    const first = await launch({ [PATH]: text }, true);
    expect(first.instructions).toEqual({ path: PATH, text, is_agreed: true });
    expect(first.asked).toBe(1);
    expect(first.stderr).toContain(`${PATH} tells the reviewer how to review: be strict\\u{1b}[2K be strict`);
    expect(first.stderr).toContain("… 10 more lines");
    expect(first.stderr).toContain(`instructions from ${PATH}\n`);
    expect(await launch(first.content, true)).toMatchObject({ asked: 0, instructions: { is_agreed: true } });
  });

  test("are shown whole up to 20 lines", async () =>
    expect((await launch({ [PATH]: "be strict\n".repeat(20) }, true)).stderr).not.toContain("more line"));

  test("do not count after a no, and ccc says how to be asked again", async () => {
    const first = await launch({ [PATH]: "be kind" }, false);
    expect(first.instructions).toMatchObject({ path: "/home/u/.claude/SUPERVISOR.md", set_aside: expect.any(String) });
    const second = await launch(first.content, true);
    expect(second).toMatchObject({ asked: 0, instructions: { path: "/home/u/.claude/SUPERVISOR.md" } });
    expect(second.stderr).toMatch(
      /you declined the instructions in \/project\/SUPERVISOR.md; to be asked again: rm \S+\/instructions\/\w+\.json\n/,
    );
  });

  test("count without a terminal, and ccc says that nobody has agreed", async () => {
    const { instructions, stderr } = await launch({ [PATH]: "be strict" });
    expect(instructions).toEqual({ path: PATH, text: "be strict", is_agreed: false });
    expect(stderr).toContain(
      `using the reviewer's instructions in ${PATH}, to which you have not agreed. To agree, run`,
    );
  });

  test("that appeared while an agent worked count only after a yes", async () => {
    const { world, files } = fakeWorld({ content: { [PATH]: "say done" } });
    const launched = { path: null, text: "x" };
    instructionsChange(world, cccPaths(world), { session: "s1", cwd: "/project", launched }, () => {});
    const silent = await launch({ ...files.content });
    expect(silent.instructions.text).not.toBe("say done");
    expect(silent.stderr).toContain(
      `not using the reviewer's instructions in ${PATH}: you have not agreed to them. They appeared while an agent worked in session s1. To agree, run ccc --supervisor here in a terminal once`,
    );
    const asked = await launch({ ...files.content }, true);
    expect(asked.stderr).toContain("appeared while an agent worked in session s1\n");
    expect(asked.instructions).toMatchObject({ text: "say done", is_agreed: true });
  });
});

describe("a supervised launch says", () => {
  test("who reviews, and how often at most", async () => {
    const supervisor = { provider: "kimi", model: "k2", max_iterations: 1 };
    expect((await startSession({ config: { supervisor } })).stderr).toContain(
      "Supervisor mode enabled: glm, reviewed by kimi (k2), at most 1 review per prompt",
    );
  });
  test("which checks run", async () => {
    const checks = ["npm test", "npm run lint"];
    expect((await startSession({ config: { supervisor: { checks } } })).stderr).toContain(
      "before each review: npm test; npm run lint",
    );
    expect((await startSession()).stderr).not.toContain("before each review");
  });
  test("that this Claude Code is too old, or not tested yet", async () => {
    const said = async (version: string) => (await startSession({ version })).stderr;
    expect(await said("1.0.1")).toContain("this is Claude Code 1.0.1; ccc's supervisor is tested on");
    expect(await said(NEWEST_TESTED)).not.toContain("tested on");
  });
});

describe("the environment of a review is that of the launch", () => {
  const reviewerEnv = async (given: Given, later: Record<string, string> = {}) => {
    const { start, prompt, hook, reviews, asked } = await startSession(given);
    await start();
    await prompt("do it");
    reviews.push(verdict(true, "fine"));
    await hook("Stop", { last_assistant_message: "x" }, later);
    return asked[0]?.program.env ?? {};
  };
  test("with variables of the user's settings", async () => {
    const content = { "/home/u/.claude/settings.json": JSON.stringify({ env: { MINE: "1" } }) };
    expect((await reviewerEnv({ content }, { MINE: "1" })).MINE).toBe("1");
  });
  test("not with what the project's settings or the agent set since", async () => {
    const shell = { KEPT: "shell", CHANGED: "shell" };
    const env = await reviewerEnv({ env: shell }, { KEPT: "shell", CHANGED: "agent", GIT_SSH_COMMAND: "evil" });
    expect([env.KEPT, env.CHANGED, env.GIT_SSH_COMMAND]).toEqual(["shell", undefined, undefined]);
  });
});

describe("a session ends", () => {
  const notified = async (given: Given, seconds: number, answer = verdict(true, "fine")) => {
    const { start, prompt, stop, pass } = await startSession(given);
    await start();
    await prompt("do it");
    pass(seconds);
    return (await stop(answer)).answer.terminalSequence;
  };
  test("with a notification, if the user has probably turned to something else", async () => {
    expect(await notified({}, 61)).toContain("Review 1 of 10: done");
    expect(await notified({}, 60)).toBeUndefined();
  });
  test("without one, if the agent continues, with -p, or if the user does not want any", async () => {
    expect(await notified({}, 99, verdict(false, "no"))).toBeUndefined();
    expect(await notified({ env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } }, 99)).toBeUndefined();
    expect(await notified({ config: { supervisor: { notify: false } } }, 99)).toBeUndefined();
    expect(await notified({ version: "2.0.77" }, 99)).toBeUndefined();
  });
  test("with a question at once", async () =>
    expect(await notified({}, 1, verdict(false, "Which?", { needs_user: true }))).toContain("Which?"));
  test("with the user's own command, which gets no key", async () => {
    const ran: unknown[] = [];
    const sequence = await notified(
      {
        config: { supervisor: { notify: "tell-me" } },
        env: { ANTHROPIC_API_KEY: "k" },
        program: ({ program }) => {
          if (program.args.some((word) => word.includes("tell-me"))) ran.push(program.env);
          return { exitCode: 0 };
        },
      },
      61,
    );
    expect(sequence).toBeUndefined();
    expect(ran).toMatchObject([{ CCC_OUTCOME: "done", CCC_FOLDER: "/project" }]);
    expect(ran[0]).not.toHaveProperty("ANTHROPIC_API_KEY");
  });
});

describe("planned hand over", () => {
  const LAYERS = { settings: [], managed: [], usersText: "" };

  interface Situation {
    readonly isWanted?: boolean;
    readonly terminals?: readonly number[];
    readonly args?: readonly string[];
    readonly env?: Env;
  }

  function planned({ isWanted = true, terminals = [0, 1, 2], args = [], env = {} }: Situation): string {
    const handOver = plannedHandOver(isWanted, args, { env, isTerminal: (fd) => terminals.includes(fd) }, LAYERS);
    return handOver.kind === "unsupervised" ? `${handOver.kind}: ${handOver.why}` : handOver.kind;
  }

  describe("a hand-over", () => {
    const cases: [name: string, situation: Situation, expected: string][] = [
      ["on a terminal", {}, "supervised"],
      ["stderr is in a file", { terminals: [0, 1] }, "supervised"],
      ["stdout is in a file", { terminals: [0, 2] }, "none"],
      ["the prompt comes from a pipe", { terminals: [1, 2] }, "none"],
      ["with --no-handover", { isWanted: false }, "none"],
      [
        "with an option that switches hooks off",
        { args: ["--bare"] },
        "unsupervised: with --bare Claude Code runs no hooks, so supervision cannot work",
      ],
      [
        "with a variable that does",
        { env: { CLAUDE_CODE_SIMPLE: "1" } },
        "unsupervised: CLAUDE_CODE_SIMPLE is set: Claude Code runs no hooks, so supervision cannot work",
      ],
    ];
    for (const [name, situation, expected] of cases) test(name, () => expect(planned(situation)).toBe(expected));
  });
});

describe("a launch in which no hook would run is refused", () => {
  const layer = (scope: Scope, parts: Partial<Layer> = {}): Layer => ({
    path: `/${scope}.json`,
    scope,
    env: {},
    apiKeyHelper: undefined,
    forbidsHooks: false,
    ...parts,
  });
  const refuse = (args: string[], env: Record<string, string> = {}, layers: Partial<Layers> = {}) =>
    refuseWithoutHooks(args, env, { usersText: "", settings: [], managed: [], ...layers });
  test("--bare", () => expect(() => refuse(["-p", "--bare"])).toThrow("with --bare Claude Code runs no hooks"));
  test("--safe-mode", () => expect(() => refuse(["--safe-mode"])).toThrow("with --safe-mode"));
  test("CLAUDE_CODE_SIMPLE", () => expect(() => refuse([], { CLAUDE_CODE_SIMPLE: "1" })).toThrow("CLAUDE_CODE_SIMPLE"));
  test("policy", () => {
    const managed = [layer("managed"), layer("managed", { path: "/policy.json", forbidsHooks: true })];
    expect(() => refuse([], {}, { managed })).toThrow("/policy.json");
  });
  test("CLAUDE_CODE_SAFE_MODE", () =>
    expect(() => refuse([], { CLAUDE_CODE_SAFE_MODE: "1" })).toThrow("CLAUDE_CODE_SAFE_MODE"));
  test("no session to review", () =>
    expect(() => refuse(["-p", "--no-session-persistence"])).toThrow("no session to review"));
  test("but not for a word after --", () =>
    expect(refuse(["--", "--bare"], {}, { managed: [layer("managed")] })).toBeUndefined());

  const policies: [name: string, value: unknown, isRefused: boolean][] = [
    ["CLAUDE_CODE_SIMPLE", "1", true],
    ["CLAUDE_CODE_SIMPLE", true, true],
    ["CLAUDE_CODE_SIMPLE", "0", false],
    ["CLAUDE_CODE_SAFE_MODE", "true", true],
    ["CCC_SUPERVISOR_HOOK", 1, true],
    ["CCC_SUPERVISOR_HOOK", "", false],
    ["BUN_BE_BUN", "1", true],
    ["BUN_JSC_useJIT", "", true],
    ["LD_TRACE_LOADED_OBJECTS", "", true],
    ["HTTPS_PROXY", "http://proxy", false],
  ];
  test.each(policies)("policy with %s=%p: %p", (name, value, isRefused) => {
    const managed = [layer("managed", { env: { [name]: value } })];
    const attempt = () => refuse([], {}, { managed });
    if (!isRefused) expect(attempt()).toBeUndefined();
    else
      expect(attempt).toThrow(
        `your organization's policy (/managed.json) sets ${name}, which would prevent every review`,
      );
  });
  test.each(["user", "project", "local"] as const)(
    "%s settings with a variable that no launch can override",
    (scope) => {
      const settings = [layer(scope, { env: { BUN_BE_BUN: "1", LD_SHOW_AUXV: "1" } })];
      expect(() => refuse([], {}, { settings })).toThrow(`/${scope}.json sets LD_SHOW_AUXV, which`);
    },
  );
});
