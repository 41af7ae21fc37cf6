import { existsSync, readFileSync } from "node:fs";
import { RESUME_COMMAND } from "../../src/claude/arguments.ts";
import { pluginFiles, WAKING } from "../../src/claude/hook-settings.ts";
import type { Turn } from "../../src/sandbox/sandbox.ts";
import { shellWord } from "../../src/text/shell.ts";
import { CLAUDE, newPlace, newSandbox, type Place, settledIn } from "../harness.ts";
import { newScreen } from "../screen.ts";
import type { Seen } from "./compatibility.ts";
import { agentRequests, runner, shares, writeHook } from "./probe-print.ts";
import { EXPECTED_MS, enter, PROMPT, within } from "./typing.ts";

const SEQUENCE = "\u001b]9;PROBE\u0007";

/** Without ccc: what Claude Code itself can do in a terminal. */
export async function probeTerminal(canWake = true): Promise<Seen> {
  await using place = await newPlace();
  let isLimited = false;
  const answer = (): Turn => (isLimited ? { fail: 429, message: "LIMITED" } : { say: "ANSWER" });
  await using sandbox = newSandbox(({ role }) => (role === "helper" ? { say: "-" } : answer()));
  await settledIn(place);
  for (const { path, content } of pluginFiles(place.at("plugin"))) await place.write(path, content);
  const env = { CLAUDE_CODE_ATTRIBUTION_HEADER: "0", [RESUME_COMMAND]: "PROBE-COMMAND" };
  await using screen = newScreen(
    [CLAUDE, "--plugin-dir", place.at("plugin"), "--settings", await settingsFile(place, canWake)],
    {
      cwd: place.project,
      env: { ...place.env, ...env, ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "a-token" },
    },
  );
  await screen.shows(PROMPT);
  // A version that does not know a hook event drops the whole file.
  if (canWake && screen.text().includes("Settings Error")) return probeTerminal(false);
  screen.type("/superv");
  const hasCommand = await within(() => screen.text().includes("/ccc:supervisor"));
  screen.type("\u007f".repeat("/superv".length));
  // Older versions treat keys that arrive together as one.
  await within(() => !screen.text().includes("/superv"), EXPECTED_MS);
  await enter(screen, "first task");
  await screen.shows("ANSWER");
  const hasNotified = await within(() => screen.raw().includes(SEQUENCE));
  const before = agentRequests(sandbox).at(-1);
  const session = JSON.parse(readFileSync(place.at("stop.json"), "utf8")).session_id;
  const asked = agentRequests(sandbox).length;
  const print = runner(place, sandbox.url, env);
  await print([
    "--fork-session",
    "--resume",
    session,
    "--no-session-persistence",
    "--setting-sources",
    "",
    "-p",
    "again",
  ]);
  const after = agentRequests(sandbox)[asked];
  const ticks = ticksOf(place);
  const isRefreshed = await within(() => ticksOf(place) >= ticks + 2);
  isLimited = true;
  const answered = agentRequests(sandbox).length;
  await enter(screen, "second task");
  await within(() => agentRequests(sandbox).length > answered, EXPECTED_MS);
  const isTold = canWake && (await within(() => existsSync(place.at("failure.json"))));
  isLimited = false;
  const isWoken = isTold && (await within(() => screen.text().split("ANSWER").length > 2));
  await enter(screen, "/exit");
  const hasHint = await within(() => screen.history().includes("PROBE-COMMAND --resume"));
  return {
    pluginFolder: hasCommand,
    hookNotifications: hasNotified,
    sharedCacheOfTerminal: shares(before, after),
    statusLineRefresh: isRefreshed,
    wakingHooks: isWoken,
    resumeCommand: hasHint,
  };
}

async function settingsFile(place: Place, canWake: boolean): Promise<string> {
  await writeHook(place.at("stop"), `printf '%s\\n' '${JSON.stringify({ terminalSequence: SEQUENCE })}'`);
  await writeHook(place.at("failure"), "sleep 1; echo WOKEN >&2; exit 2");
  await writeHook(place.at("line"), `echo x >> "$0.ticks"; echo LINE`);
  const stop = [{ hooks: [{ type: "command", command: shellWord(place.at("stop")) }] }];
  const waking = { type: "command", command: shellWord(place.at("failure")), timeout: 60, ...WAKING };
  const statusLine = { type: "command", command: shellWord(place.at("line")), refreshInterval: 1 };
  await place.write(place.at("probe.json"), {
    hooks: { Stop: stop, ...(canWake ? { StopFailure: [{ hooks: [waking] }] } : {}) },
    statusLine,
  });
  return place.at("probe.json");
}

function ticksOf(place: Place): number {
  const file = place.at("line.ticks");
  return existsSync(file) ? readFileSync(file, "utf8").length : 0;
}
