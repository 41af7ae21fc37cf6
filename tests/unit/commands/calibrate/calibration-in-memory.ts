import { run } from "../../../../src/cli/run.ts";
import type { ChildRequest, ChildResult } from "../../../../src/os/child.ts";
import { asObject, parseJson } from "../../../../src/text/json.ts";
import type { EndSignal, World } from "../../../../src/world.ts";
import { fakeWorld, memoryFiles, withMessage } from "../../fakes.ts";
import { type Answer, verdict } from "../../supervisor/session-in-memory.ts";

const server = (name: string) => ({
  env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}` },
});

/** Only tests about confirmation have a second review. */
const CONFIG = {
  current_provider: "glm",
  providers: { glm: server("glm"), kimi: server("kimi"), login: {} },
  supervisor: { confirm: false },
};

const FOLDER = "/home/u/.claude/ccc/calibration";

interface Given {
  /** What each reviewer answers, in turn; the last one answers again. */
  readonly answers?: readonly Answer[];
  /** How the agent of a case ends. */
  readonly agent?: Partial<ChildResult>;
  /** Sent while this review, counted from 1, is going on. */
  readonly signal?: { readonly name: EndSignal; readonly at: number };
  readonly version?: string;
  readonly parts?: Partial<World>;
}

/** The answer of a reviewer whose API refuses the key. */
export const REFUSED = {
  lines: [{ type: "result", subtype: "success", is_error: true, api_error_status: 401, result: "invalid key" }],
};

/** A machine on which runs of `ccc calibrate` follow each other, in memory: neither git nor claude is real. */
export function calibrationMachine(config: object = {}) {
  const files = memoryFiles({
    "/bin/claude": "claude",
    "/self/ccc": "this is ccc",
    "/home/u/.claude/ccc.json": JSON.stringify({ ...CONFIG, ...config }),
  });
  let clock = Date.parse("2026-11-18T02:00:00Z");
  return {
    files,
    /** What is on record of the last run, line by line. */
    record: () => {
      const name = files.list(FOLDER).at(-1) ?? "";
      const lines = (files.read(`${FOLDER}/${name}`) ?? "").split("\n").filter(Boolean);
      return { count: files.list(FOLDER).length, entries: lines.map((line) => asObject(parseJson(line))) };
    },
    async calibrate(args: readonly string[], { answers = [verdict(true, "All there.")], ...given }: Given = {}) {
      clock += 60_000;
      const [agents, reviewers]: [ChildRequest[], ChildRequest[]] = [[], []];
      const listeners = new Set<(signal: EndSignal) => void>();
      const answerTo = (request: ChildRequest): Answer => {
        const { file, args } = request.program;
        if (args[0] === "--version") return { lines: [`${given.version ?? "2.1.325"} (Claude Code)`] };
        if (file !== "/bin/claude") return file === "/bin/sh" ? {} : { exitCode: 128 };
        if (args[3] === "--allowedTools") {
          agents.push(request);
          files.content[`/scratch/home/.claude/projects/-scratch-project/${args[2]}.jsonl`] = "";
          return { lines: ["working"], ...given.agent };
        }
        reviewers.push(request);
        if (given.signal?.at === reviewers.length) for (const listener of listeners) listener(given.signal.name);
        return answers[Math.min(reviewers.length, answers.length) - 1] ?? {};
      };
      const { world, said } = fakeWorld({
        argv: ["calibrate", ...args],
        now: () => new Date(clock),
        files: { ...files, modified: (path) => (files.modified(path) === undefined ? undefined : clock) },
        run: async (request) => {
          const { lines = [], ...end } = answerTo(await withMessage(request));
          const bytes = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
          const isStopped = bytes.some((line) => request.onLine(new TextEncoder().encode(line)));
          return { exitCode: isStopped ? null : 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
        },
        onSignal: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        ...given.parts,
      });
      return { exitCode: await run(world), ...said, agents, reviewers, listeners: listeners.size };
    },
  };
}
