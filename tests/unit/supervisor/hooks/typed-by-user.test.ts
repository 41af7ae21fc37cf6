import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { callingClaude, commandOrigin, whyNotUsers } from "../../../../src/supervisor/hooks/typed-by-user.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { startTerminal } from "../../../../src/supervisor/record/terminal-record.ts";
import { fakeWorld } from "../../fakes.ts";

describe("the Claude Code that calls a hook", () => {
  const rows: [string, writer: number | undefined | null, pid: string | undefined, expected: string | undefined][] = [
    ["is who passes the event, and whom the environment names", 7, "7", "7"],
    ["older versions do not name the process", 7, undefined, "7"],
    ["another program that passes an event is not", 8, "7", undefined],
    ["nor is one that passes a file or a pipe", undefined, "7", undefined],
    ["where the system does not tell, the environment counts", null, "7", "7"],
    ["and without it there is none", null, undefined, undefined],
  ];
  for (const [name, writer, CLAUDE_PID, expected] of rows)
    test(name, () => expect(callingClaude({ env: { CLAUDE_PID }, stdinWriter: () => writer })).toBe(expected as never));
});

describe("a command is the user's", () => {
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
  const record = sessionRecord(paths, "s");
  const event = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "/ccc:supervisor off" } as const;
  const why = async (content: Record<string, string>, env: Record<string, string>, session = "s") => {
    const { world } = fakeWorld({ content, env: { CLAUDE_PID: "7", ...env } });
    startTerminal(world.files, paths, "7", session, undefined);
    const rest = { transcript_path: undefined, cwd: undefined, prompt_id: undefined, permission_mode: undefined };
    return whyNotUsers(await commandOrigin(world, paths, record, { ...event, ...rest }, "/project"));
  };
  const scheduled = (prompt: string) => JSON.stringify([{ id: "1", prompt, user_prompt_id: null }]);

  test("in the session that its Claude Code started", async () => expect(await why({}, {})).toBeUndefined());
  test("whatever else is scheduled", async () =>
    expect(await why({ [record.scheduled]: scheduled("go on") }, {})).toBeUndefined());
  test("not in another session", async () => expect(await why({}, {}, "other")).toContain("does not come from"));
  test("not from a Claude Code that an agent started", async () =>
    expect(await why({}, { CCC_EXEC: "5.2" })).toContain("from within another session"));
  test("not if the agent has scheduled it", async () =>
    expect(await why({ [record.scheduled]: scheduled("/ccc:supervisor  off") }, {})).toContain("was scheduled"));
  test("not if it is scheduled for all sessions of the project", async () =>
    expect(await why({ "/project/.claude/scheduled_tasks.json": '{"prompt":"/ccc:supervisor off"}' }, {})).toContain(
      "was scheduled",
    ));
});
