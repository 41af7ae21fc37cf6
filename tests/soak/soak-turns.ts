import type { Received, Turn } from "../../src/sandbox/sandbox.ts";
import { DONE } from "../supervised.ts";

/** What happens in a turn of the soak. */
export type TurnKind = "say" | "tool" | "background" | "subagent" | "unfinished" | "error" | "killed" | "reviewed";

/** Of 50 turns, one has a real reviewer, one has its hook killed, and one fails at the API. */
export function kindOf(turn: number): TurnKind {
  if (turn % 50 === 0) return "reviewed";
  if (turn % 50 === 7) return "killed";
  if (turn % 50 === 15) return "error";
  if (turn % 25 === 3) return "subagent";
  if (turn % 20 === 9) return "unfinished";
  if (turn % 10 === 2) return "background";
  return turn % 5 === 1 ? "tool" : "say";
}

/** The scripted model: does what the last message of a request asks for. */
export function soakAnswer({ role, body }: Received): Turn {
  if (role === "reviewer") return DONE;
  if (role === "helper") return { say: "<summary>It went on.</summary>" };
  // After a compaction, a message of the system follows the prompt.
  const last = JSON.stringify(body.messages.findLast((message) => message.role === "user"));
  if (/SUBTASK/.test(JSON.stringify(body.messages[0])) && !/TURN/.test(last)) return { say: "subtask done" };
  if (/create a detailed summary/i.test(last)) return { say: "<summary>It went on.</summary>" };
  const asked = [...JSON.stringify(body.messages).matchAll(/TURN (\d+) ([a-z]+)/g)].at(-1);
  const [, turn = "0", kind] = asked ?? [];
  const end: Turn = { say: `ANSWER ${turn}` };
  // Claude Code may ask again in another way.
  if (kind === "error") return { fail: 400, message: "scripted" };
  if (/tool_result/.test(last) || !/TURN \d/.test(last)) return end;
  switch (kind as TurnKind) {
    case "tool":
      return { use: "Bash", input: { command: "echo working", description: "work" } };
    case "background":
      return { use: "Bash", input: { command: "true", description: "work", run_in_background: true } };
    case "subagent":
      return { use: "Agent", input: { description: "sub", prompt: "SUBTASK", subagent_type: "general-purpose" } };
    default:
      return end;
  }
}

/** About this many bytes of what a reviewer streams while it reads files. */
export function talk(bytes: number): string {
  const line = `${JSON.stringify({ type: "user", message: { role: "user", content: "looked at ".repeat(100) } })}\n`;
  return line.repeat(Math.ceil(bytes / line.length));
}

/**
 * claude, with a stand-in for most reviewers: starting 500 real ones would take too long. It records each review, streams the
 * file "talk", says "not done" once for an unfinished turn, kills its hook if the turn asks for that, and hands over to the
 * real one if the review is to be real.
 */
export function claudeWithQuickReviews(claude: string, folder: string): string {
  const verdict = (completed: boolean) =>
    JSON.stringify({ type: "result", subtype: "success", structured_output: { completed, feedback: "go on" } });
  return `
[ -n "$CCC_SUPERVISOR_HOOK" ] && [ "$1" != --version ] || exec '${claude}' "$@"
read -r turn kind < '${folder}/turn'
echo "$turn $kind" >> '${folder}/reviews'
case $kind in
  reviewed) exec '${claude}' "$@" ;;
  killed) case $(tr '\\0' ' ' < /proc/$PPID/cmdline) in *supervisor-hook*) kill -9 $PPID ;; esac; exit 1 ;;
  unfinished) if [ ! -e '${folder}/told-'$turn ]; then : > '${folder}/told-'$turn; head -n 1 > /dev/null; echo '${verdict(false)}'; exit; fi ;;
esac
head -n 1 > /dev/null
cat '${folder}/talk'
echo '${verdict(true)}'`;
}
