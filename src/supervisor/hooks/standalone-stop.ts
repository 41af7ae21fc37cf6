import { dirname, join } from "node:path";
import { isDelegated, type StopEvent } from "../../claude/stop-event.ts";
import { cccPaths } from "../../config/ccc-paths.ts";
import { findClaude } from "../../launch/find.ts";
import type { HookOptions } from "../hook-options.ts";
import { readInstructions, shownInstructions } from "../review/instructions.ts";
import { reviewerProgram } from "../review/reviewer-program.ts";
import { retriesBefore } from "../review/session-reviewers.ts";
import { readOptions } from "../supervisor-options.ts";
import { eventPrompts } from "./event-prompts.ts";
import type { HookSession, ReadyStop } from "./ready-stop.ts";

/** A stop for `ccc supervisor-hook` without a session record: it knows only the project's files and the event. */
export async function standaloneStop(base: HookSession, hook: HookOptions, event: StopEvent): Promise<ReadyStop> {
  const { world, id, project, log } = base;
  const paths = cccPaths(world);
  const instructions = readInstructions(world.files, project, paths.folder, log.say);
  const name = `supervisor-${id}.json`;
  const inProject = join(dirname(base.outputFile), name);
  // The fallback where the project's folder is not writable.
  const elsewhere = join(paths.generated, name);
  const states = [
    ...(base.files === undefined ? [] : [{ path: inProject, edit: base.files.edit.bind(undefined, inProject) }]),
    { path: elsewhere, edit: world.files.edit.bind(undefined, elsewhere) },
  ];
  return {
    session: {
      ...base,
      options: readOptions(world, log.say),
      instructions,
      // They are settled at a launch, and there was none.
      checks: { commands: [], env: {}, memory: undefined },
      states,
      // Its settings file is all that is known of the reviewer.
      reviewers: [
        {
          name: "",
          way: "schema",
          program: (way, cwd) =>
            reviewerProgram(world, {
              way,
              claude: findClaude(world),
              sessionId: id,
              settings: hook.settings,
              systemPrompt: shownInstructions(instructions),
              project,
              cwd,
              transcript: undefined,
              retries: retriesBefore(0),
            }),
        },
      ],
      onTrouble: log.say,
      note: () => {},
    },
    stop: {
      recorded: undefined,
      asked: await eventPrompts(world.files, event, states),
      tasks: event.background_tasks,
      cwd: event.cwd ?? project,
      isRepeated: event.stop_hook_active === true,
      findings: [],
      changes: async () => ({ why: "no baseline" }),
      evidence: undefined,
      lastMessage: async () => event.last_assistant_message ?? "",
      agentTokens: 0,
    },
    skipped: event.background_tasks.some(isDelegated) ? "delegated" : undefined,
    takesFeedback: false,
    notify: async () => undefined,
    close: () => {},
  };
}
