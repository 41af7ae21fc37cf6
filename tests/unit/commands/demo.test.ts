import { describe, expect, spyOn, test } from "bun:test";
import { readMessage } from "../../../src/claude/api.ts";
import { run } from "../../../src/cli/run.ts";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import type { Role } from "../../../src/sandbox/sandbox.ts";
import { newCriterion } from "../../../src/supervisor/criteria.ts";
import { stateFolder } from "../../../src/supervisor/project.ts";
import type { World } from "../../../src/world.ts";
import { fakeWorld } from "../fakes.ts";

const CONFIG = "/home/u/.claude/ccc.json";
const STATE = {
  count: 3,
  ledger: { prompts: 1, criteria: [{ ...newCriterion("C1", "it adds"), status: "met", evidence: "line 1" }] },
};

interface Given {
  /** How the supervised run ends. */
  readonly ended?: Partial<ChildResult>;
  /** What Claude Code asks the model, in turn. TASK is the task of the demo. */
  readonly requests?: readonly (readonly [role: Role, text: string])[];
  readonly parts?: Partial<World>;
  readonly content?: Record<string, string>;
}

/** `ccc demo` without Claude Code: what it shows, what it runs, and what its model answers. */
async function demo(
  args: readonly string[],
  { ended, requests = [["agent", "TASK"]], parts, content = {} }: Given = {},
) {
  const ran: ChildRequest[] = [];
  const answers: unknown[] = [];
  const folder = stateFolder("/scratch/project");
  const { world, said, files } = fakeWorld({
    argv: ["demo", ...args],
    content,
    run: async (request) => {
      ran.push(request);
      const { env } = JSON.parse(files.read("/scratch/home/.claude/ccc.json") ?? "").providers.scripted;
      files.create("/scratch/project/sum.sh", "one\ntwo\n");
      const task = request.program.args.at(-1) ?? "";
      for (const [role, text] of requests)
        answers.push(await askModel(env.ANTHROPIC_BASE_URL, role, text.replace("TASK", task)));
      files.writePrivate(`${folder}/.gitignore`, "*");
      files.writePrivate(`${folder}/supervisor-0a1b.json`, JSON.stringify(STATE));
      return { exitCode: 0, ending: "exited", stderr: "", ...ended };
    },
    ...parts,
  });
  return { exitCode: await run(world), ...said, ran, answers };
}

const TOOLS = { agent: ["Bash", "Write"], reviewer: ["Read", "StructuredOutput"], helper: [] } as const;

/** The tool and its input, or the text, with which the model answers. */
async function askModel(url: string, role: Role, content: string): Promise<unknown> {
  const body = { model: "m", messages: [{ role: "user", content }], tools: TOOLS[role].map((name) => ({ name })) };
  const response = await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
  const [block = {}] = readMessage(await response.text())?.blocks ?? [];
  return block.type === "text" ? block.text : { [String(block.name)]: block.input };
}

describe("ccc demo", () => {
  test.each([
    [[], "$ ccc --supervisor --check 'test"],
    [["--engine", "loop"], "$ ccc --supervisor --engine loop --check 'test"],
  ])("%j shows its command, runs ccc in a home of its own, and says what is on record", async (args, command) => {
    const { exitCode, stdout, stderr, ran } = await demo(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(command);
    expect(stdout).toContain("  agent      writes sum.sh\n");
    expect(stdout).toContain("Done: 1 of 1 met after 3 reviews, one of them a failed check.");
    expect(stdout).toContain("  ✓ C1 met: it adds (line 1)\n");
    expect(stdout).toContain("Its files in the project: supervisor-0a1b.json\n");
    expect(ran).toMatchObject([{ program: { file: "/self/ccc", env: { HOME: "/scratch/home" } } }]);
  });

  test.each<[name: string, parts: Partial<World>, content: Record<string, string>, next: string]>([
    ["from elsewhere", {}, {}, "/self/ccc provider add, then: /self/ccc --supervisor"],
    ["from a clone", { self: "/project/dist/ccc" }, {}, "./dist/ccc provider add, then: ./dist/ccc --supervisor"],
    ["from the PATH", { self: "/bin/ccc" }, { "/bin/ccc": "ccc" }, "ccc provider add, then: ccc --supervisor"],
    ["with another one on the PATH", {}, { "/bin/ccc": "an older one" }, "/self/ccc provider add, then: /self/ccc"],
    [
      "without a claude but the clone's",
      { env: { HOME: "/home/u", PATH: "/project/node_modules/.bin:/usr/bin" } },
      { "/project/node_modules/.bin/claude": "claude" },
      "npm install -g @anthropic-ai/claude-code, then: /self/ccc provider add, then: /self/ccc --supervisor\n",
    ],
    ["with a provider", {}, { [CONFIG]: '{"providers":{"kimi":{}}}' }, "/self/ccc --supervisor kimi"],
  ])("it ends with a command that works where it ran: %s", async (_, parts, content, next) => {
    const { stdout } = await demo([], { parts, content });
    expect(stdout).toContain(`\nNext: ${next}`);
  });

  test("verdicts have colors on a terminal, but not what the agent says", async () => {
    const requests = [
      ["agent", "TASK"],
      ["agent", "TASK"],
      ["agent", "TASK A check failed: x"],
    ] as const;
    const shown = async (env: Record<string, string>, columns = 80) => {
      const parts = { isTerminal: () => true, columns: () => columns, env: { HOME: "/home/u", PATH: "/bin", ...env } };
      return (await demo(["--fast"], { requests, parts })).stdout;
    };
    const colors = await shown({});
    expect(colors).toContain("\u001b[31mcheck failed\u001b[39m, and goes back");
    expect(colors).toContain("\n\u001b[32mDone:\u001b[39m 1 of 1 met");
    expect(colors).toContain('says: "Done: sum.sh');
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) expect(await shown(env)).toBe(Bun.stripANSI(colors));
    const narrow = "  ccc        check failed, and goes back to the agent; no\n             model was asked\n";
    expect(await shown({ NO_COLOR: "1" }, 60)).toContain(narrow);
  });

  test.each([1, 3])("a run that fails with exit code %d is a failure that says why", async (code) => {
    const { exitCode, stdout, stderr } = await demo([], { ended: { exitCode: code, stderr: "no such model" } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`the demo failed (exited, exit code ${code}): no such model`);
    expect(stdout).not.toContain("That was the real Claude Code");
  });

  test.each([
    ["on a terminal", [], true, 1],
    ["not with --fast", ["--fast"], true, 0],
    ["not in a pipe", [], false, 0],
  ])("each step is shown long enough to be read: %s", async (_, args, isTerminal, pauses) => {
    const pause = spyOn(Bun, "sleepSync").mockImplementation(() => {});
    try {
      expect((await demo(args, { parts: { isTerminal: () => isTerminal } })).exitCode).toBe(0);
      expect(pause).toHaveBeenCalledTimes(pauses);
    } finally {
      pause.mockRestore();
    }
  });

  test.each([
    ["win32", "findstr + sum.sh"],
    ["darwin", "test $(sh sum.sh 2 3) = 5"],
  ] as const)("on %s the check is one that its shell can run", async (platform, check) => {
    const { ran } = await demo([], {
      parts: { platform, env: { HOME: "/home/u", PATH: "/bin", CCC_CLAUDE: "/bin/claude" } },
    });
    const { args = [] } = ran[0]?.program ?? {};
    expect(args[args.indexOf("--check") + 1]).toBe(check);
  });
});

describe("the story of the demo", () => {
  /** The steps that the user sees. */
  const steps = (stdout: string) => stdout.split("\n").filter((line) => /^ {2}(agent|ccc|reviewer|) {3,}/.test(line));

  test("begins with the first request about the task", async () => {
    const requests = [
      ["helper", "TASK"],
      ["agent", "something else"],
      ["agent", "TASK"],
    ] as const;
    const { stdout, answers } = await demo([], { requests });
    expect(answers).toMatchObject(["ok", "ok", { Write: { file_path: "/scratch/project/sum.sh" } }]);
    expect(steps(stdout)).toEqual(["  agent      writes sum.sh"]);
  });

  test("shows the file after each change, and what ccc did only if the request contains it", async () => {
    const requests = [
      ["agent", "TASK"],
      ["agent", "TASK"],
      ["agent", "TASK A check failed: x"],
    ] as const;
    expect(steps((await demo([], { requests })).stdout)).toEqual([
      "  agent      writes sum.sh",
      "             sum.sh is now: one",
      "             two",
      '  agent      says: "Done: sum.sh prints the sum."',
      "  ccc        check failed, and goes back to the agent; no model was asked",
      "  agent      fixes sum.sh",
    ]);
    const { stdout } = await demo([], { requests: [["reviewer", "TASK"]] });
    expect(steps(stdout)).toEqual(["  reviewer   reads sum.sh itself"]);
  });

  test("has a reviewer that looks and rejects, then looks and accepts, and one that confirms; more is not scripted", async () => {
    const { answers } = await demo([], { requests: Array.from({ length: 7 }, () => ["reviewer", "TASK"] as const) });
    expect(answers).toMatchObject([
      { Read: {} },
      { StructuredOutput: { completed: false } },
      { Read: {} },
      { StructuredOutput: { completed: true } },
      { Read: {} },
      { StructuredOutput: { completed: true } },
      "ok",
    ]);
  });
});
