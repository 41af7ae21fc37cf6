/** `ccc supervisor-guard` is answered in main.ts, before anything else is loaded. */
export const GUARD_HELP = `Say whether a reviewer may use a tool. Claude Code calls this as a PreToolUse hook in the reviewer's
session, with the event on stdin. It prints {"hookSpecificOutput":…} with "allow" or "deny".

Usage
  ccc supervisor-guard
`;
