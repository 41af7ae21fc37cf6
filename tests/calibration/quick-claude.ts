import { dirname, join } from "node:path";
import { readMessage } from "../../src/claude/api.ts";
import { type CaseSession, withCaseSession } from "../../src/commands/calibrate/case-session.ts";
import type { CalibrationCase } from "../../src/commands/calibrate/cases.ts";
import type { ChildRequest, ChildResult } from "../../src/os/child.ts";
import { asObject, type Json } from "../../src/text/json.ts";
import type { Env, World } from "../../src/world.ts";
import { caseWorld } from "./case-place.ts";

/** Programs that start quickly, before the machine's own: npm, and the Python behind a shim such as pyenv's. */
const QUICK_PATH = [join(import.meta.dir, "bin"), dirname(pythonPath()), process.env.PATH].join(":");

/** The real machine, but with programs that start quickly. */
export function quickWorld(): World {
  const world = caseWorld();
  return { ...world, env: { ...world.env, PATH: QUICK_PATH } };
}

/** The session of a case without Claude Code, for tests that must be quick. */
export function withQuickSession<T>(
  world: World,
  given: CalibrationCase,
  use: (session: CaseSession) => Promise<T>,
): Promise<T> {
  return withCaseSession({ ...world, run: quickRun(world) }, QUICK_CLAUDE, given, use);
}

export const QUICK_CLAUDE = "/quick/claude";

/**
 * Runs programs, with a replacement for Claude Code: it asks the scripted model, runs the same commands and edits, and
 * writes as much of a transcript as ccc reads.
 */
export function quickRun(world: World): World["run"] {
  const known = new Set<string>();
  return (request) =>
    request.program.file === QUICK_CLAUDE ? answerPrompt(world, request, known) : world.run(request);
}

async function answerPrompt(
  world: World,
  { program: { args, env }, cwd, stdin }: ChildRequest,
  known: Set<string>,
): Promise<ChildResult> {
  const entries = [entry("user", String(stdin), cwd)];
  // As Claude Code does for titles. It must not use up a turn of the agent's.
  await ask(env, []);
  for (;;) {
    const blocks = await ask(env, [{ name: "Bash" }]);
    entries.push(entry("assistant", blocks, cwd));
    const call = blocks.find(({ type }) => type === "tool_use");
    if (call === undefined) break;
    const { output, hasFailed } = await useTool(world, String(call.name), asObject(call.input), { cwd, env, known });
    const result = { type: "tool_result", tool_use_id: call.id, is_error: hasFailed, content: output };
    entries.push(entry("user", [result], cwd));
  }
  const folder = join(env.HOME ?? "", ".claude/projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"));
  const lines = entries.map((each) => `${JSON.stringify(each)}\n`).join("");
  world.files.append(join(folder, `${args[2]}.jsonl`), lines, Number.POSITIVE_INFINITY);
  return { exitCode: 0, ending: "exited", stderr: "" };
}

async function ask(env: Env, tools: readonly object[]): Promise<readonly Json[]> {
  const body = JSON.stringify({ model: "scripted", messages: [{ role: "user", content: "hi" }], tools });
  const response = await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages`, { method: "POST", body });
  const message = readMessage(await response.text());
  if (message === undefined) throw new Error("the scripted model has not answered");
  return message.blocks;
}

interface ToolPlace {
  readonly cwd: string;
  readonly env: Env;
  /** Like Claude Code, it refuses to change a file that was not read. */
  readonly known: Set<string>;
}

async function useTool({ files }: World, tool: string, input: Json, { cwd, env, known }: ToolPlace) {
  if (tool === "Bash") {
    const { isPassed, output } = await runShell(String(input.command), cwd, env);
    return { output: isPassed ? output : `Exit code 1\n${output}`, hasFailed: !isPassed };
  }
  const path = String(input.file_path);
  const text = files.read(path);
  if (text === undefined && tool !== "Write") throw new Error(`${path} does not exist`);
  if (text !== undefined && tool !== "Read" && !known.has(path)) throw new Error(`${path} was not read before`);
  known.add(path);
  if (tool === "Read") return { output: text ?? "", hasFailed: false };
  files.create(path, tool === "Write" ? String(input.content) : edited(text ?? "", input, path));
  return { output: `The file ${path} has been changed.`, hasFailed: false };
}

function edited(text: string, { old_string: old, new_string: by }: Json, path: string): string {
  const parts = text.split(String(old));
  if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times what is edited: ${old}`);
  return parts.join(String(by));
}

function entry(type: "user" | "assistant", content: unknown, cwd: string): object {
  return { type, message: { role: type, content, ...(type === "assistant" && { model: "scripted" }) }, cwd };
}

/** Runs a command in a shell, with what it prints on both streams. */
export async function runShell(command: string, cwd: string, env: Env) {
  const child = Bun.spawn(["/bin/sh", "-c", `exec 2>&1\n${command}`], { cwd, env, stdin: "ignore", stdout: "pipe" });
  const output = (await child.stdout.text()).trimEnd();
  return { isPassed: (await child.exited) === 0, output };
}

function pythonPath(): string {
  const { stdout } = Bun.spawnSync(["python3", "-c", "import sys; print(sys.executable)"]);
  return stdout.toString().trim();
}
