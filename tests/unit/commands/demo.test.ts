import { describe, expect, spyOn, test } from "bun:test";
import { run } from "../../../src/cli/run.ts";
import { checkFor, storyScript, TASK } from "../../../src/commands/demo.ts";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import type { Role, Turn } from "../../../src/sandbox/sandbox.ts";
import { newCriterion } from "../../../src/supervisor/ledger.ts";
import { stateFolder } from "../../../src/supervisor/options.ts";
import { fakeWorld } from "../fakes.ts";

describe("command", () => {
  const STATE = {
    count: 3,
    ledger: { prompts: 1, criteria: [{ ...newCriterion("C1", "it adds"), status: "met", evidence: "line 1" }] },
  };

  /** `ccc demo` whose supervised run ends like this and leaves a state behind. */
  async function demo(args: readonly string[], ended: Partial<ChildResult> = {}, isTerminal = false) {
    const requests: ChildRequest[] = [];
    const folder = stateFolder("/scratch/project");
    const { world, said, files } = fakeWorld({
      argv: ["demo", ...args],
      isTerminal: () => isTerminal,
      run: async (request) => {
        requests.push(request);
        await askModel(files.read("/scratch/home/.claude/ccc.json") ?? "");
        files.writePrivate(`${folder}/.gitignore`, "*");
        files.writePrivate(`${folder}/supervisor-0a1b.json`, JSON.stringify(STATE));
        return { exitCode: 0, ending: "exited", stderr: "", ...ended };
      },
    });
    return { exitCode: await run(world), ...said, requests };
  }

  /** What the agent's Claude Code does first. */
  async function askModel(config: string): Promise<void> {
    const url = JSON.parse(config).providers.scripted.env.ANTHROPIC_BASE_URL;
    const body = {
      model: "m",
      messages: [{ role: "user", content: TASK }],
      tools: [{ name: "Bash" }, { name: "Write" }],
    };
    await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
  }

  test.each([
    [[], "$ ccc --supervisor --check 'test"],
    [["--engine", "loop"], "$ ccc --supervisor --engine loop --check 'test"],
  ])("%j shows its command, runs ccc in a home of its own, and says what is on record", async (args, command) => {
    const { exitCode, stdout, stderr, requests } = await demo(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(command);
    expect(stdout).toContain("  agent      writes sum.sh\n");
    expect(stdout).toContain("Done: 1 of 1 met after 3 reviews, one of them a failed check.");
    expect(stdout).toContain("  C1 met: it adds (line 1)\n");
    expect(stdout).toContain("Its files in the project: supervisor-0a1b.json\n");
    expect(requests).toMatchObject([{ program: { file: "/self/ccc", env: { HOME: "/scratch/home" } } }]);
  });

  test.each([1, 3])("a run that fails with exit code %d is a failure that says why", async (code) => {
    const { exitCode, stdout, stderr } = await demo([], { exitCode: code, stderr: "no such model" });
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
      expect((await demo(args, {}, isTerminal)).exitCode).toBe(0);
      expect(pause).toHaveBeenCalledTimes(pauses);
    } finally {
      pause.mockRestore();
    }
  });
});

describe("story", () => {
  /** Plays requests to the scripted model. Returns what it answers, and what the user is told. */
  function play(requests: readonly [role: Role, said: string][]) {
    const told: string[] = [];
    const script = storyScript(
      "/p/sum.sh",
      () => "the script",
      (line) => told.push(line),
    );
    const turns = requests.map(([role, content], index) => {
      const body = { model: "m", messages: [{ role: "user", content }] };
      return script({ role, path: "/", headers: {}, body }, index) as Turn;
    });
    return { told, turns };
  }

  test("the agent's first step is told, and only for a request about the task", () => {
    const { told, turns } = play([
      ["helper", TASK],
      ["agent", "something else"],
      ["agent", TASK],
    ]);
    expect(turns).toMatchObject([{ say: "ok" }, { say: "ok" }, { use: "Write", input: { file_path: "/p/sum.sh" } }]);
    expect(told).toEqual(["agent      writes sum.sh"]);
  });

  test("the file is shown after each change, and what ccc did only if the request has it", () => {
    const { told } = play([
      ["agent", TASK],
      ["agent", TASK],
      ["agent", `${TASK} A check failed: x`],
    ]);
    expect(told).toEqual([
      "agent      writes sum.sh",
      "           sum.sh is now: the script",
      'agent      says: "Done: sum.sh prints the sum."',
      "ccc        check failed, and goes back to the agent; no model was asked",
      "agent      fixes sum.sh",
    ]);
    expect(play([["reviewer", TASK]]).told).toEqual(["reviewer   reads sum.sh itself"]);
  });

  test("the reviewer looks and rejects, then looks and accepts; more is not scripted", () => {
    const { turns } = play(Array.from({ length: 5 }, () => ["reviewer", TASK] as [Role, string]));
    expect(turns).toMatchObject([
      { use: "Read" },
      { verdict: { completed: false } },
      { use: "Read" },
      { verdict: { completed: true } },
      { say: "ok" },
    ]);
  });

  test("the check is one that the system's shell can run", () => {
    expect(checkFor("win32")).toBe("findstr + sum.sh");
    expect(checkFor("darwin")).toStartWith("test ");
  });
});
