import { existsSync, readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { withToolHook } from "../../src/claude/quick-events.ts";
import type { MessagesRequest, Sandbox } from "../../src/sandbox/sandbox.ts";
import { shellWord } from "../../src/text/shell.ts";
import { CLAUDE, inTurn, newPlace, newSandbox, type Place, settledIn } from "../harness.ts";
import { cachedPrefix } from "../prefix.ts";
import { sessions } from "../supervised.ts";
import type { Seen } from "./compatibility.ts";

/** More than the 8 blocks after which newer versions end the turn. */
const BLOCKS = 11;

/** Without ccc: what Claude Code itself can do with `-p`. */
export async function probePrint(): Promise<Seen> {
  await using place = await newPlace();
  await using sandbox = newSandbox(() => ({ say: "ANSWER" }));
  await settledIn(place);
  await place.write(join(place.project, "CLAUDE.md"), "Be brief.");
  const run = runner(place, sandbox.url);
  const context = { hookSpecificOutput: { hookEventName: "Stop", additionalContext: "GO-ON" } };
  await writeHook(
    place.at("feedback"),
    `case "$event" in *'"stop_hook_active":false'*) echo '${JSON.stringify(context)}';; esac`,
  );
  // A shell would fail at the quotes in the path of the home with exit code 2, which means "continue".
  await writeHook(join(place.bin, "direct"), "");
  const feedback = [{ type: "command", command: shellWord(place.at("feedback")) }];
  const direct = [{ type: "command", command: join(place.bin, "direct"), args: ["PASSED"] }];

  await run(["--settings", JSON.stringify({ hooks: { Stop: [{ hooks: feedback }, { hooks: direct }] } }), "-p", "hi"]);

  const requests = agentRequests(sandbox);
  const event = eventOf(place.at("feedback.json"));
  const session = String(event.session_id);
  const before = requests.at(-1);
  const fork = async (args: readonly string[]): Promise<MessagesRequest | undefined> => {
    const asked = agentRequests(sandbox).length;
    await run([
      "--fork-session",
      "--resume",
      session,
      "--no-session-persistence",
      "--setting-sources",
      "",
      ...args,
      "-p",
      "again",
    ]);
    return agentRequests(sandbox)[asked];
  };
  const same = await fork([]);
  const other = await fork(["--system-prompt", "ANOTHER-PROMPT"]);

  const background = await run(["--bg", "hi"]);
  const blocked = await blockForever(place);
  const isRefused = await brokenHook(place);
  return {
    hookArguments: readFile(join(place.bin, "direct.args")) === "PASSED\n",
    stopFeedback: requests.some((body) => JSON.stringify(body.messages).includes("GO-ON")),
    processIds: readFile(place.at("feedback.pid")) !== "",
    promptIds: event.prompt_id !== undefined,
    lastAnswers: event.last_assistant_message !== undefined,
    backgroundTasks: event.background_tasks !== undefined,
    scheduledPrompts: event.session_crons !== undefined,
    sharedCacheOfPrint: shares(before, same),
    keptSystemPrompt: other !== undefined && !JSON.stringify(other.system).includes("ANOTHER-PROMPT"),
    backgroundSessions: background.exitCode === 0,
    blockCap: blocked.length < BLOCKS,
    blockingFailures: isRefused,
    retriesInTranscript: await namesRetries(),
  };
}

/** Without Claude Code's own small requests. */
export function agentRequests({ received }: Pick<Sandbox, "received">): MessagesRequest[] {
  return received.filter(({ role }) => role === "agent").map(({ body }) => body);
}

/** Whether the second request can reuse all of the first one from a provider's cache. */
export function shares(before: MessagesRequest | undefined, after: MessagesRequest | undefined): boolean {
  return before !== undefined && after !== undefined && cachedPrefix(before, after).share === 1;
}

/** A session whose Stop hook says "continue" a few times. */
async function blockForever(place: Place) {
  await using sandbox = newSandbox(() => ({ say: "ANSWER" }));
  const again = `echo x >> "$HOME/blocks"; [ "$(grep -c x "$HOME/blocks")" -ge ${BLOCKS} ] || echo '{"decision":"block","reason":"go on"}'`;
  await writeHook(place.at("block"), again);
  const hooks = { Stop: [{ hooks: [{ type: "command", command: shellWord(place.at("block")) }] }] };
  await runner(place, sandbox.url)(["--settings", JSON.stringify({ hooks }), "-p", "hi"]);
  return agentRequests(sandbox);
}

/** Whether a tool is refused if the hook before it cannot run, as with the reviewer's guard. */
async function brokenHook(place: Place): Promise<boolean> {
  await using sandbox = newSandbox(
    inTurn({
      agent: [{ use: "Bash", input: { command: 'touch "$HOME/ran"', description: "try" } }, { say: "ANSWER" }],
    }),
  );
  const settings = JSON.stringify(withToolHook({}, { command: "/nowhere/guard" }));
  await runner(place, sandbox.url)(["--settings", settings, "--allowedTools", "Bash", "-p", "hi"]);
  if (agentRequests(sandbox).length < 2) throw new Error("the tool was not called");
  return !existsSync(place.at("ran"));
}

/** Whether a session says in its transcript that a request failed and is sent again. */
async function namesRetries(): Promise<boolean> {
  await using place = await newPlace();
  await using sandbox = newSandbox(() => ({ fail: 401 }));
  await settledIn(place);
  await runner(place, sandbox.url, { CLAUDE_CODE_MAX_RETRIES: "2" })(["-p", "hi"]);
  const [transcript = ""] = await sessions(place);
  return (readFile(place.at(".claude/projects", transcript)) ?? "").includes('"subtype":"api_error"');
}

/** A program that saves its arguments and the event on stdin in files beside it. */
export async function writeHook(path: string, then: string): Promise<void> {
  const keep = `event=$(cat); printf '%s\\n' "$event" > "$0.json"; printf '%s\\n' "$*" > "$0.args"; printf '%s' "$CLAUDE_PID" > "$0.pid"`;
  await Bun.write(path, `#!/bin/sh\n${keep}\n${then}\n`);
  await chmod(path, 0o755);
}

function eventOf(path: string): Record<string, unknown> {
  const text = readFile(path);
  if (text === undefined) throw new Error(`no Stop hook ran: ${path} is missing`);
  return JSON.parse(text);
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Runs claude itself on a server, to the end. */
export function runner(place: Place, url: string, env: Readonly<Record<string, string>> = {}) {
  const all = { ...place.env, ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: "a-token", ...env };
  return async (args: readonly string[]) => {
    const child = Bun.spawn([CLAUDE, ...args], {
      cwd: place.project,
      env: all,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { exitCode: await child.exited, stdout, stderr };
  };
}
