import { expect, test } from "bun:test";
import { hasAttribution, isTerminalSession, withoutSession } from "../../../src/claude/session-env.ts";

test.each([
  [{}, true],
  [{ CLAUDE_CODE_ATTRIBUTION_HEADER: "1" }, true],
  [{ CLAUDE_CODE_ATTRIBUTION_HEADER: "0" }, false],
  [{ CLAUDE_CODE_ATTRIBUTION_HEADER: 0 }, false],
  [{ CLAUDE_CODE_ATTRIBUTION_HEADER: "False" }, false],
])("requests have Claude Code's attribution block: %j %p", (env, expected) =>
  expect(hasAttribution(env)).toBe(expected),
);

test.each([
  [{ CLAUDE_CODE_ENTRYPOINT: "cli" }, true],
  [{ CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, false],
  [{}, true],
])("a session in a terminal: %j %p", (env, expected) => expect(isTerminalSession(env)).toBe(expected));

test("a child gets nothing that ties it to the session it was started from", () => {
  const env = { PATH: "/bin", CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s", CLAUDE_CODE_MESSAGING_TOKEN: "t" };
  expect(withoutSession(env)).toEqual({ PATH: "/bin" });
  expect(env.CLAUDECODE).toBe("1");
});
