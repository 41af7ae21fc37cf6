import { describe, expect, test } from "bun:test";
import { chmodSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../../src/cli/run.ts";
import type { ChildRequest } from "../../../../src/os/child.ts";
import { diskFiles } from "../../../../src/os/disk.ts";
import { makeScratch } from "../../../../src/os/scratch.ts";
import type { EndSignal } from "../../../../src/world.ts";
import { fakeWorld } from "../../fakes.ts";
import { type Answer, SESSION, verdict } from "../../supervisor/session-in-memory.ts";

const server = (name: string) => ({
  env: {
    ANTHROPIC_BASE_URL: `https://${name}.test`,
    ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}`,
    ANTHROPIC_MODEL: `model-of-${name}`,
  },
});
const CONFIG = { current_provider: "glm", providers: { glm: server("glm"), kimi: server("kimi") } };

/** When the session was last written to, in seconds. */
const WRITTEN = 1_000_000;

interface Given {
  readonly config?: object;
  readonly configIn?: (project: string) => object;
  /** More files in the home. */
  readonly home?: Readonly<Record<string, string>>;
  /** What the reviewer answers. */
  readonly answer?: Answer;
  /** What a check prints, and its exit code. */
  readonly check?: Answer;
  /** Arrives while the reviewer works. */
  readonly signal?: EndSignal;
  /** How long ago the session was last written to. */
  readonly minutesAgo?: number;
  /** Where the agent was last, in the project. */
  readonly agentIn?: string;
  /** More files in the project. */
  readonly project?: Readonly<Record<string, string>>;
}

/** `ccc review` in a folder with one session, in which the agent has answered. */
async function review(args: readonly string[], given: Given = {}) {
  const scratch = makeScratch();
  try {
    const [home, cwd, bin] = ["home", "project", "bin"].map((name) => join(scratch.path, name)) as [
      string,
      string,
      string,
    ];
    const files = diskFiles(process.pid);
    const transcript = join(home, ".claude/projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${SESSION}.jsonl`);
    const entries = [
      { type: "user", promptId: "p1", cwd, message: { content: "write add.py" } },
      {
        ...{ type: "assistant", timestamp: "2026-01-01T10:00:00Z", cwd: join(cwd, given.agentIn ?? "") },
        message: { stop_reason: "end_turn", model: "model-of-glm", content: [{ type: "text", text: "I wrote it." }] },
      },
    ];
    files.writePrivate(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    utimesSync(transcript, WRITTEN, WRITTEN);
    files.writePrivate(
      join(home, ".claude/ccc.json"),
      JSON.stringify({ ...CONFIG, ...given.config, ...given.configIn?.(cwd) }),
    );
    for (const [name, text] of Object.entries(given.project ?? { "add.py": "" }))
      files.writePrivate(join(cwd, name), text);
    for (const [name, text] of Object.entries(given.home ?? {})) files.writePrivate(join(home, name), text);
    const claude = join(bin, "claude");
    files.writePrivate(claude, "");
    chmodSync(claude, 0o755);
    const asked: ChildRequest[] = [];
    const ran: string[] = [];
    let onSignal: (signal: EndSignal) => void = () => {};
    let isListening = false;
    const answerTo = (request: ChildRequest): Answer => {
      if (request.program.args[0] === "--version") return { lines: ["2.1.325 (Claude Code)"] };
      if (request.program.file === claude) {
        asked.push(request);
        if (given.signal !== undefined) onSignal(given.signal);
        return given.answer ?? verdict(true, "All there.");
      }
      if (!request.program.args.includes("-c")) return { exitCode: 128 };
      ran.push(request.program.args.at(-1) ?? "");
      return given.check ?? {};
    };
    const { world, said } = fakeWorld({
      ...{ argv: ["review", ...args], cwd, env: { HOME: home, PATH: bin } },
      files,
      now: () => new Date(WRITTEN * 1000 + (given.minutesAgo ?? 0) * 60_000),
      onSignal: (handler) => {
        onSignal = handler;
        isListening = true;
        return () => {
          isListening = false;
        };
      },
      run: async (request) => {
        const { lines = [], ...end } = answerTo(request);
        const bytes = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
        const isStopped = bytes.some((line) => request.onLine(new TextEncoder().encode(line)));
        return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
      },
    });
    const exitCode = await run(world);
    const generated = join(home, ".claude/ccc");
    const settings = files
      .list(generated)
      .filter((name) => name.includes("-supervisor+"))
      .map((name) => ({ provider: name.split("-")[1], text: files.read(join(generated, name)) ?? "" }));
    return {
      exitCode,
      ...said,
      cwd,
      asked,
      ran,
      isListening,
      settings,
      isRecorded: files.list(join(generated, "sessions")).length > 0,
    };
  } finally {
    scratch.remove();
  }
}

describe("ccc review", () => {
  test("asks the session's own provider, prints the verdict, and keeps nothing of it", async () => {
    const { asked, ...result } = await review([]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: "Done.\n\nThe reviewer says:\n  All there.\n\nReviewed by glm in 1 s: 0 tokens in, 0 out.\n",
      stderr: `… reviewing session ${SESSION}: glm\n`,
      ...{ settings: [{ provider: "glm" }], isListening: false, isRecorded: false },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.stdin).toContain("1. write add.py\n");
    expect(asked[0]?.stdin).toContain("The user asked for it. The verdict goes to the user, and not to the agent.");
  });

  test("--json prints one value", async () => {
    const { stdout, exitCode } = await review(["--json", "--provider", "kimi"], { answer: verdict(false, "No test.") });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ session: SESSION, verdict: "not done", exit_code: 3, feedback: "No test." },
      ...{ reviewer: "kimi", findings: [] },
    });
  });

  test("a check that fails is the verdict, and nobody is asked", async () => {
    const { exitCode, stdout, asked, ran } = await review(["--check", "npm test"], {
      check: { exitCode: 1, lines: ["1 failed"] },
    });
    expect({ exitCode, asked, ran }).toEqual({ exitCode: 3, asked: [], ran: ["npm test"] });
    expect(stdout).toStartWith("NOT done: a check failed: npm test (exit 1).\n");
  });

  test.each([
    [["--check", "true", "--check", " "], "--check takes a command"],
    [["--model", " "], "--model takes the name of a model"],
    [["--provider", "kimmi"], 'unknown provider "kimmi"'],
  ])("%j is refused before anything is asked or written", async (args, says) => {
    const { exitCode, stdout, stderr, asked, settings } = await review(args);
    expect({ exitCode, stdout, asked, settings }).toEqual({ exitCode: 2, stdout: "", asked: [], settings: [] });
    expect(stderr).toContain(says);
  });

  test("keys are masked in what the reviewer and the checks say, also those that ccc.json only refers to", async () => {
    const config = { providers: { glm: { env: { ...server("glm").env, ANTHROPIC_AUTH_TOKEN: "file:~/key" } } } };
    const answer = verdict(false, "add.py has the key key-in-a-file in it");
    for (const args of [[], ["--json"]]) {
      const { stdout, stderr, settings } = await review(args, { config, answer, home: { key: "key-in-a-file\n" } });
      expect(stdout).toContain("add.py has the key *** in it");
      expect(`${stdout}${stderr}${JSON.stringify(settings)}`).not.toContain("key-in-a-file");
    }
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends it without a verdict: exit %d", async (signal, code) => {
    const { exitCode, stdout, stderr, asked, isListening } = await review([], {
      signal,
      answer: { exitCode: null, ending: "interrupted" },
    });
    expect({ exitCode, stdout, isListening }).toEqual({ exitCode: code, stdout: "", isListening: false });
    expect(stderr).toEndWith("ccc: interrupted; nothing was changed\n");
    expect(asked).toHaveLength(1);
  });
});

describe("in a folder that is pinned to glm only", () => {
  const pinned = (cwd: string) => ({ folders: { [cwd]: { provider: "glm", only: true } } });
  const here = (more: object = {}) => ({ configIn: (cwd: string) => ({ ...pinned(cwd), ...more }) });

  test("another provider that is named is refused, and told how to allow it", async () => {
    const { exitCode, stderr, asked, settings } = await review(["--provider", "kimi"], here());
    expect({ exitCode, asked, settings }).toEqual({ exitCode: 2, asked: [], settings: [] });
    expect(stderr).toContain("is pinned to glm only: kimi must not see its files");
    expect(stderr).toContain("ccc review --anyway --provider kimi");
  });

  test("--anyway allows it", async () => {
    const { exitCode, settings } = await review(["--provider", "kimi", "--anyway"], here());
    expect(exitCode).toBe(0);
    expect(settings.map(({ provider }) => provider)).toEqual(["kimi"]);
  });

  test("glm itself may review", async () =>
    expect(await review(["--provider", "glm"], here())).toMatchObject({
      exitCode: 0,
      settings: [{ provider: "glm" }],
    }));

  test("a reviewer in ccc.json is replaced by glm, and that is said", async () => {
    const { exitCode, settings, stderr } = await review([], here({ supervisor: { provider: "kimi" } }));
    expect({ exitCode, providers: settings.map(({ provider }) => provider) }).toEqual({
      exitCode: 0,
      providers: ["glm"],
    });
    expect(stderr).toContain("kimi");
  });
});

describe("what the reviewer sees", () => {
  const shared = async (args: readonly string[], minutesAgo: number, config: object = {}) => {
    const { stdout } = await review([...args, "--json"], { minutesAgo, config });
    return JSON.parse(stdout).context;
  };
  test.each([
    ["the session, while its prompt cache is warm", [], 4, "session"],
    ["a digest, once that would be paid for in full", [], 5, "fresh"],
    ["the session whatever it costs, if the user says so", ["--context", "session"], 60, "session"],
    ["a digest, if the user says so", ["--context", "fresh"], 0, "fresh"],
  ])("%s", async (_, args, minutesAgo, wanted) => expect(await shared(args, minutesAgo)).toBe(wanted));

  test("as ccc.json has it, without an option", async () =>
    expect(await shared([], 60, { supervisor: { context: "session" } })).toBe("session"));

  test.each([
    ["where the agent was last", { "sub/add.py": "" }, true],
    ["the project, if that folder is gone", { "add.py": "" }, false],
    ["the project, if that is a file now", { sub: "" }, false],
  ])("%s", async (_, project, isThere) => {
    const { asked, cwd } = await review([], { agentIn: "sub", project });
    expect(String(asked[0]?.stdin).includes(`${join(cwd, "sub")}, which is not where you are: look there.`)).toBe(
      isThere,
    );
  });

  test("the agent's own settings, which share its prompt cache, but another provider only its own", async () => {
    const config = { claude_args: ["--settings", '{"env":{"MINE":"1"}}'] };
    const [own] = (await review([], { config })).settings;
    const [other] = (await review(["--provider", "kimi"], { config })).settings;
    expect(own?.text).toContain('"MINE": "1"');
    expect(other?.text).not.toContain("MINE");
  });
});
