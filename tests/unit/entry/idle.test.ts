import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isIdle, skipReason } from "../../../src/entry/idle.ts";
import { persistentSecret, reviewerMarker } from "../../../src/markers.ts";

const prompt = (text: string) => ({ hook_event_name: "UserPromptSubmit", session_id: "a-1", prompt: text });
const STOP = { hook_event_name: "Stop", session_id: "a-1", last_assistant_message: "/ccc:supervisor on" };

describe("a hook of a session without supervision has nothing to do", () => {
  const rows: [string, event: unknown, switched: string[], isIdle: boolean][] = [
    ["at a stop, whatever the agent says", STOP, [], true],
    ["at a prompt", prompt("hello"), [], true],
    ["at a prompt about the command", prompt("what is /ccc:supervisor?"), [], true],
    ["but at the command", prompt("/ccc:supervisor on"), [], false],
    ["with spaces before it", prompt("  /ccc:supervisor"), [], false],
    ["but at a stop once it was switched", STOP, ["a-1"], false],
    ["but at a prompt once it was switched", prompt("hello"), ["a-1"], false],
    ["another session's switch does not matter", STOP, ["a-2"], true],
    ["but at the start", { hook_event_name: "SessionStart", session_id: "a-1" }, [], false],
    ["but with a session id that is a path, which is reported", { ...STOP, session_id: "../a" }, [], false],
    ["but without a session", { hook_event_name: "Stop" }, [], false],
    ["but with another event", { ...STOP, hook_event_name: "PreToolUse" }, [], false],
  ];
  let folder = "";
  const args = () => ["supervisor-hook", "--idle", "--config-dir", folder, "--announce"];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ccc-test-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  test.each(rows)("%s", async (_, json, switched, idle) => {
    for (const session of switched) {
      await mkdir(join(folder, "ccc/sessions", session), { recursive: true });
      await writeFile(join(folder, "ccc/sessions", session, "switch.json"), "{}");
    }
    expect(isIdle({ json }, args())).toBe(idle);
  });
  test("but handles input that is not an event", () => expect(isIdle({ json: undefined }, args())).toBe(false));
  test("but without the folder of ccc.json", () =>
    expect(isIdle({ json: STOP }, ["supervisor-hook", "--idle"])).toBe(false));
});

const HOOK = ["supervisor-hook", "--settings", "/s.json"];
const WORD = "0123456789abcdef0123456789abcdef";
const PERSISTENT = [...HOOK, "--persistent=word"];

describe("a hook has nothing to do", () => {
  const table: [name: string, args: string[], env: Record<string, string>, isSkipped: boolean][] = [
    ["HDES-03 in a reviewer's session", HOOK, { CCC_SUPERVISOR_HOOK: "1" }, true],
    ["in the session of a reviewer with a secret, too", HOOK, { CCC_SUPERVISOR_HOOK: reviewerMarker("word") }, true],
    ["not with the marker blank", HOOK, { CCC_SUPERVISOR_HOOK: "" }, false],
    ["not with another value", HOOK, { CCC_SUPERVISOR_HOOK: "0" }, false],
    ["not in a launch, for its own hook", HOOK, { CCC_LAUNCH: "word" }, false],
    ["in a launch, for the hook of `ccc use`", PERSISTENT, { CCC_LAUNCH: "word" }, true],
    ["in a reviewer's session, for that hook", PERSISTENT, { CCC_SUPERVISOR_HOOK: reviewerMarker("word") }, true],
    ["not for markers that a project can set", PERSISTENT, { CCC_LAUNCH: "1", CCC_SUPERVISOR_HOOK: "1" }, false],
    ["not for another secret", PERSISTENT, { CCC_LAUNCH: "w", CCC_SUPERVISOR_HOOK: reviewerMarker("w") }, false],
    ["as before, if an earlier ccc wrote that hook", [...HOOK, "--persistent"], { CCC_LAUNCH: "1" }, true],
    ["not for other commands", ["glm"], { CCC_SUPERVISOR_HOOK: "1" }, false],
  ];
  test.each(table)("%s", (_, args, env, isSkipped) => expect(skipReason(args, env) !== undefined).toBe(isSkipped));
});

describe("the --persistent secret of ccc's hook is found in settings.json", () => {
  const settings = (given: string | string[]) => {
    const [command, ...args] = [given].flat();
    return JSON.stringify({ hooks: { Stop: [{ hooks: [{ command, args }] }] } }, null, 2);
  };
  const table: [command: string | string[], word: string | undefined][] = [
    [`'/it'\\''s "here"/ccc' supervisor-hook --settings '/a "b"' --announce --persistent=${WORD}`, WORD],
    [["C:\\ccc.exe", "supervisor-hook", `--persistent=${WORD}`], WORD],
    ["ccc supervisor-hook --persistent", undefined],
    ["other --persistent=yes", undefined],
  ];
  test.each(table)("%s", (command, word) => expect(persistentSecret(settings(command))).toBe(word));
});
