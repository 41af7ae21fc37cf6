import * as v from "valibot";
import { asObject, parseJson } from "../text/json.ts";

/** The prompts that the agent schedules in a line of a transcript. When their time comes, they arrive like the user's. */
export function scheduledCalls(line: string): string[] {
  if (!line.includes('"tool_use"')) return [];
  const { content } = asObject(asObject(parseJson(line)).message);
  return (Array.isArray(content) ? content : []).flatMap((block) =>
    v.is(CallSchema, block) && SCHEDULING.test(block.name) ? block.input.prompt : [],
  );
}

const CallSchema = v.object({
  type: v.literal("tool_use"),
  name: v.string(),
  input: v.object({ prompt: v.string() }),
});

/** CronCreate and ScheduleWakeup today. */
const SCHEDULING = /cron|schedul|wake|remind/i;

/** Where Claude Code keeps prompts that it sends even to a later session, in the project. */
export const SCHEDULED_TASKS = ".claude/scheduled_tasks.json";
