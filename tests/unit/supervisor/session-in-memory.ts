import { run } from "../../../src/cli/run.ts";
import { cccPaths, type Paths } from "../../../src/config/paths.ts";
import type { ChildRequest, ChildResult } from "../../../src/os/child.ts";
import type { Files } from "../../../src/os/files.ts";
import { openSession, type SessionRecord } from "../../../src/supervisor/record/session.ts";
import { asObject, type Json, parseJson } from "../../../src/text/json.ts";
import type { Program, ProgramEnd, World } from "../../../src/world.ts";
import { fakeWorld, memoryFiles, messagesOn } from "../fakes.ts";

export const SESSION = "11111111-2222-4333-8444-555555555555";
const HOME = "/home/u";
const PATHS = cccPaths({ env: { HOME }, platform: "linux" });

/** What a program does that ccc runs: its lines on stdout, and how it ends. */
export type Answer = Partial<ChildResult> & {
  readonly lines?: readonly (object | string)[];
  /** Its lines after each question about its answer. It ends before the next one. */
  readonly later?: readonly (readonly (object | string)[])[];
  /** What happens while it runs. */
  readonly before?: () => void;
};

export function verdict(completed: boolean, feedback: string, more: object = {}): Answer {
  const answer = { completed, feedback, ...more };
  return { lines: [{ type: "result", subtype: "success", is_error: false, result: "", structured_output: answer }] };
}

export interface Given {
  readonly argv?: readonly string[];
  /** Fields of ccc.json. */
  readonly config?: Json;
  /** More files. null stands for a folder. */
  readonly content?: Record<string, string | null>;
  readonly env?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** Functions of the disk that fail. */
  readonly refuse?: Partial<Files>;
  readonly parts?: Partial<World>;
  /** What claude answers, each time that ccc runs it: a reviewer, or the agent of a loop. */
  readonly claude?: readonly Answer[];
  /** What happens while ccc waits for claude, with `-p` and after a loop. */
  readonly during?: (
    session: MemorySession,
    cancelled: Promise<unknown> | undefined,
  ) => Promise<Partial<ProgramEnd> | undefined>;
  /** What happens in each pause that a hook makes. Without it, pauses last until something else ends them. */
  readonly paused?: (session: MemorySession, seconds: number) => Promise<void>;
  /** What a check or another program answers that is neither claude nor git. */
  readonly program?: (request: ChildRequest) => Answer;
}

const provider = (name: string) => ({
  env: { ANTHROPIC_BASE_URL: `https://${name}.test`, ANTHROPIC_AUTH_TOKEN: `secret-key-of-${name}` },
});

/**
 * A supervised launch and its hooks, in memory: no process, no disk, and a folder without git. After `ccc use`, the hooks
 * are those of a session that ccc did not start.
 */
export async function startSession(given: Given = {}) {
  const { argv = ["--supervisor", "glm"], config = {}, version = "2.1.325" } = given;
  // Only tests about confirmation have a second review.
  const supervisor = { confirm: false, ...asObject(config.supervisor) };
  const text = JSON.stringify({ providers: { glm: provider("glm"), kimi: provider("kimi") }, ...config, supervisor });
  const files = memoryFiles({
    "/bin/claude": "claude",
    "/self/ccc": "this is ccc",
    [`${HOME}/.claude/ccc.json`]: text,
    ...given.content,
  });
  const reviews = [...(given.claude ?? [])];
  const asked: ChildRequest[] = [];
  const questions: string[] = [];
  const answers = (request: ChildRequest, message: string | undefined): Answer => {
    const { file, args } = request.program;
    if (args[0] === "--version") return { lines: [`${version} (Claude Code)`] };
    if (file !== "/bin/claude") return given.program?.(request) ?? { exitCode: 128 };
    asked.push(request.stdin instanceof ReadableStream ? { ...request, stdin: message ?? "" } : request);
    return reviews.shift() ?? { exitCode: 1 };
  };
  let clock = Date.parse("2026-01-01T10:00:00Z");
  const world = (parts: Partial<World>) =>
    fakeWorld({
      files: { ...files, ...given.refuse },
      env: { HOME, PATH: "/bin", ...given.env },
      now: () => new Date(clock),
      ...(given.paused && { pause: (seconds) => paused(seconds) }),
      ...given.parts,
      run: async (request) => {
        const messages = messagesOn(request.stdin);
        const { lines = [], later = [], before, ...end } = answers(request, (await messages.next()).value);
        before?.();
        const print = (each: readonly (object | string)[]) =>
          each
            .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
            .some((line) => request.onLine(new TextEncoder().encode(line)));
        let isStopped = print(lines);
        for (const each of later) {
          const { value, done = false } = await messages.next();
          if (value !== undefined) questions.push(value);
          isStopped ||= done || print(each);
        }
        return { exitCode: 0, ending: isStopped ? "stopped" : "exited", stderr: "", ...end };
      },
      ...parts,
    });
  const paused = async (seconds: number) => {
    clock += seconds * 1000;
    await given.paused?.(session, seconds);
  };
  /** The claude that was started, whose environment its hooks inherit. */
  let program: Program = { file: "", args: [], env: { HOME, PATH: "/bin", ...given.env } };
  const started = async (each: Program) => {
    program = each;
    return 0;
  };

  /** Calls the hook for an event, as the settings say. Returns what it told Claude Code, and what it wrote to stderr. */
  const hook: MemorySession["hook"] = async (name, event, env = {}, options = []) => {
    const path = program.file === "" ? `${HOME}/.claude/settings.json` : argument(program.args, "--settings");
    const settings = asObject(parseJson(files.read(path) ?? ""));
    const [command] = commandsOf(asObject(settings.hooks)[name]);
    if (command === undefined) throw new Error(`no hook for ${name}`);
    const input = JSON.stringify({ hook_event_name: name, session_id: SESSION, cwd: "/project", ...event });
    const { world: inHook, said } = world({
      argv: [...command.slice(1), ...options],
      stdin: () => input,
      env: { ...program.env, CLAUDE_PROJECT_DIR: "/project", ...env },
    });
    const code = await run(inHook);
    return { code, stderr: said.stderr, answer: asObject(parseJson(said.stdout)) };
  };
  const session: MemorySession = {
    files,
    reviews,
    asked,
    questions,
    hook,
    started: () => program,
    launch: async (argv, config) => {
      const path = `${HOME}/.claude/ccc.json`;
      const before = files.content[path] ?? null;
      files.content[path] = JSON.stringify({ ...asObject(parseJson(before ?? "")), ...config });
      await run(world({ argv }).world);
      files.content[path] = before;
    },
    pass: (seconds: number) => {
      clock += seconds * 1000;
    },
    start: (event: object = {}) => hook("SessionStart", { source: "startup", ...event }),
    prompt: (prompt: string, event: object = {}) => hook("UserPromptSubmit", { prompt, prompt_id: prompt, ...event }),
    stop: (answer?: Answer, event: object = {}) => {
      if (answer !== undefined) reviews.push(answer);
      return hook("Stop", { last_assistant_message: "I am done", background_tasks: [], session_crons: [], ...event });
    },
    paths: PATHS,
    record: (id = SESSION) => openSession(files, PATHS, id),
  };
  /** What ccc has written for a claude that it waits for. Without `during`, that claude has not ended for the test. */
  let running: Record<string, string | null> = {};
  const handOver: World["handOver"] = async (each, cancelled) => {
    await started(each);
    if (given.during === undefined) running = { ...files.content };
    return { exitCode: 0, signal: null, isInterrupted: false, ...(await given.during?.(session, cancelled)) };
  };
  const launched = world({ argv, exec: started, handOver });
  const exitCode = await run(launched.world);
  Object.assign(files.content, running);
  return { ...session, ...launched.said, exitCode };
}

interface HookResult {
  readonly code: number;
  readonly stderr: string;
  /** The JSON on stdout; empty without one. */
  readonly answer: Json;
}

/** A session that runs. */
export interface MemorySession {
  readonly files: ReturnType<typeof memoryFiles>;
  /** What claude will answer. */
  readonly reviews: Answer[];
  /** How claude was run. */
  readonly asked: readonly ChildRequest[];
  /** What reviewers were asked about their answers. */
  readonly questions: readonly string[];
  readonly hook: (
    name: string,
    event: object,
    env?: Readonly<Record<string, string>>,
    options?: readonly string[],
  ) => Promise<HookResult>;
  readonly started: () => Program;
  /** Another launch in the same folder, with other fields of ccc.json. */
  readonly launch: (argv: readonly string[], config: Json) => Promise<void>;
  readonly pass: (seconds: number) => void;
  readonly start: (event?: object) => Promise<HookResult>;
  readonly prompt: (prompt: string, event?: object) => Promise<HookResult>;
  /** A stop after which a reviewer answers like this. */
  readonly stop: (answer?: Answer, event?: object) => Promise<HookResult>;
  readonly paths: Paths;
  /** What is on record of a session, of this one unless another is named. */
  readonly record: (id?: string) => SessionRecord;
}

function argument(args: readonly string[], name: string): string {
  return args[args.indexOf(name) + 1] ?? "";
}

/** The commands of a hook in settings, in either form. */
function commandsOf(groups: unknown): string[][] {
  const list = Array.isArray(groups) ? groups : [];
  return list
    .flatMap((group) => asObject(group).hooks as Json[])
    .map(({ command, args }) => (Array.isArray(args) ? [String(command), ...args] : words(String(command))));
}

function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}
