import { describe, expect, test } from "bun:test";
import { persistentWord, reviewerMark } from "../../../../src/marks.ts";
import { skipReason } from "../../../../src/supervisor/hooks/skip.ts";

const HOOK = ["supervisor-hook", "--settings", "/s.json"];
const WORD = "0123456789abcdef0123456789abcdef";
const PERSISTENT = [...HOOK, "--persistent=word"];

describe("a hook has nothing to do", () => {
  const table: [name: string, args: string[], env: Record<string, string>, isSkipped: boolean][] = [
    ["HDES-03 in a reviewer's session", HOOK, { CCC_SUPERVISOR_HOOK: "1" }, true],
    ["in the session of a reviewer with a word, too", HOOK, { CCC_SUPERVISOR_HOOK: reviewerMark("word") }, true],
    ["not with the mark blank", HOOK, { CCC_SUPERVISOR_HOOK: "" }, false],
    ["not with another value", HOOK, { CCC_SUPERVISOR_HOOK: "0" }, false],
    ["not in a launch, for its own hook", HOOK, { CCC_LAUNCH: "word" }, false],
    ["in a launch, for the hook of `ccc use`", PERSISTENT, { CCC_LAUNCH: "word" }, true],
    ["in a reviewer's session, for that hook", PERSISTENT, { CCC_SUPERVISOR_HOOK: reviewerMark("word") }, true],
    ["not for marks that a project can set", PERSISTENT, { CCC_LAUNCH: "1", CCC_SUPERVISOR_HOOK: "1" }, false],
    ["not for another word", PERSISTENT, { CCC_LAUNCH: "w", CCC_SUPERVISOR_HOOK: reviewerMark("w") }, false],
    ["as before, if an earlier ccc wrote that hook", [...HOOK, "--persistent"], { CCC_LAUNCH: "1" }, true],
    ["not for other commands", ["glm"], { CCC_SUPERVISOR_HOOK: "1" }, false],
  ];
  test.each(table)("%s", (_, args, env, isSkipped) => expect(skipReason(args, env) !== undefined).toBe(isSkipped));
});

describe("the --persistent word of ccc's hook is found in settings.json", () => {
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
  test.each(table)("%s", (command, word) => expect(persistentWord(settings(command))).toBe(word));
});
