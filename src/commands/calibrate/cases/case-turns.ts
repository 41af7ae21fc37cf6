import { join } from "../../../os/path.ts";
import type { Script, ToolCall, Turn } from "../../../sandbox/turns.ts";
import type { CalibrationCase, CaseTurn } from "./calibration-case.ts";

/** The scripted model of a case's agent, which works in `project`. */
export function caseScript({ turns }: CalibrationCase, project: string): Script {
  const scripted = turns.map((turn) => scriptedTurn(turn, project));
  return ({ role }, index) => {
    const turn = role === "agent" ? scripted[index] : undefined;
    return turn ?? { say: "ok" };
  };
}

/** The tools that the agent of a case uses. */
export const CASE_TOOLS = "Bash,Edit,Read,Write";

function scriptedTurn(turn: CaseTurn, project: string): Turn {
  return "say" in turn ? turn : toolCall(turn, project);
}

/** The tool that the agent uses in a turn. */
export function toolCall(turn: Exclude<CaseTurn, { readonly say: string }>, project: string): ToolCall {
  const at = (path: string) => join(project, path);
  if ("run" in turn) return { use: "Bash", input: { command: turn.run, description: "Run a command" } };
  if ("read" in turn) return { use: "Read", input: { file_path: at(turn.read) } };
  if ("write" in turn) return { use: "Write", input: { file_path: at(turn.write), content: turn.content } };
  return { use: "Edit", input: { file_path: at(turn.edit), old_string: turn.old, new_string: turn.new } };
}
