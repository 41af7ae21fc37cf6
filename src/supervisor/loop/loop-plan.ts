import { agentArguments, refuseAgentOptions } from "../../claude/agent-command.ts";
import { type ClaudeArguments, parseClaudeArguments } from "../../claude/arguments.ts";
import type { Plan } from "../../launch/plan.ts";

/** The plan of the agent's first run, for a dry run. */
export function loopPlan(plan: Plan, { options, prompt }: ClaudeArguments): Plan {
  const settings = plan.settings.agent.path;
  return { ...plan, args: agentArguments({ settings, options, sessionId: undefined, message: prompt }) };
}

/** Claude's arguments, parsed. Throws on options the loop cannot work with. */
export function loopArguments(args: readonly string[]): ClaudeArguments {
  const parsed = parseClaudeArguments(args);
  refuseAgentOptions(parsed.options);
  return parsed;
}
