import { SESSION_COMMAND } from "../../claude/plugin.ts";
import type { PromptEvent } from "../../claude/prompt-event.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { CccError, messageOf } from "../../errors.ts";
import { prettyJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { leftOutFinding, shortCommand } from "../checks/describe-checks.ts";
import type { HookOptions } from "../hook-options.ts";
import { readLaunch } from "../record/launch-record.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { stateIn } from "../record/state.ts";
import { readStops } from "../record/stop-record.ts";
import { readSwitch, saveSwitch } from "../record/switch-record.ts";
import { readTerminal } from "../record/terminal-record.ts";
import { recordMissingPrompts } from "../record/user-prompts.ts";
import { superviseLater } from "../setup/late-supervision.ts";
import { readOptions } from "../supervisor-options.ts";
import { SESSION_HELP, type SessionWord } from "./session-command.ts";
import { sessionStatus } from "./session-status.ts";
import { callingClaude, commandOrigin, whyNotUsers } from "./typed-by-user.ts";

/** A command that the user typed in a session. */
export interface TypedCommand {
  readonly word: SessionWord;
  readonly event: PromptEvent;
  readonly hook: HookOptions;
  readonly paths: Paths;
  readonly record: SessionRecord;
  readonly project: string;
}

/** Does what the command says, and returns the answer for the user. */
export async function answerCommand(world: World, command: TypedCommand): Promise<string> {
  const { word, event, hook, paths, record, project } = command;
  const { files } = world;
  if (word === "help") return SESSION_HELP;
  const before = readSwitch(files, record);
  const isOn = before?.is_on ?? !hook.isIdle;
  if (word === "status") return statusOf(world, command, isOn);
  const refusal = whyNotUsers(await commandOrigin(world, paths, record, event, project));
  if (refusal !== undefined) return `Nothing was switched: ${refusal}. ${ELSEWHERE}`;
  switch (word) {
    case "off":
      if (!isOn) return "Supervision is already off in this session.";
      saveSwitch(files, record, { ...before, is_on: false, is_due: false });
      return `Supervision is off for the rest of this session. To switch it on again: ${SESSION_COMMAND} on`;
    case "now":
      if (!isOn) return `Supervision is off in this session. To switch it on first: ${SESSION_COMMAND} on`;
      saveSwitch(files, record, { ...before, is_on: true, is_due: true });
      return "The next stop will be reviewed in any case. Send the agent a prompt, for example: go on";
    case "on":
      if (isOn) return `Supervision is already on in this session. To see how it stands: ${SESSION_COMMAND} status`;
      try {
        return await switchOn(world, command);
      } catch (error) {
        const advice = error instanceof CccError && error.advice !== undefined ? `\n${error.advice}` : "";
        return `Supervision could not be switched on: ${messageOf(error)}${advice}`;
      }
  }
}

const ELSEWHERE =
  "To decide it at a start: exit, then run `ccc --supervisor -c` to have this session supervised, or `ccc --no-supervisor -c`.";

/** A session that was launched without supervision gets what such a launch would have prepared. */
async function switchOn(world: World, { hook, paths, record, event }: TypedCommand): Promise<string> {
  const { files } = world;
  const off = `To switch it off: ${SESSION_COMMAND} off`;
  const before = readSwitch(files, record);
  if (!hook.isIdle || before?.reviewer !== undefined) {
    saveSwitch(files, record, { ...before, is_on: true, is_due: false });
    return `Supervision is on again, from the next stop on. ${off}`;
  }
  const started = readTerminal(files, paths, callingClaude(world));
  const { provider, agentSettings, folders } = hook;
  if (started?.launch === undefined || !started.sessions.includes(event.session_id))
    throw new CccError("ccc has no record of how this session started", { advice: ELSEWHERE });
  if (provider === undefined || agentSettings === undefined)
    throw new CccError("the hook does not name the session's settings", { advice: ELSEWHERE });
  const session = { launch: started.launch, provider, agentSettings, folders };
  const { launch, limit, reviewer, files: settings } = await superviseLater(world, paths, session);
  for (const { path, content } of settings) files.writePrivate(path, prettyJson(content));
  files.writePrivate(record.launch, prettyJson(launch));
  await recordMissingPrompts(files, record, event.transcript_path, world.now().toISOString());
  saveSwitch(files, record, { is_on: true, is_due: false, reviewer });
  const { commands, left_out } = launch.checks;
  return [
    `Supervision is on from the next stop: reviewed by ${launch.reviewer}, at most ${limit} ${limit === 1 ? "review" : "reviews"} per prompt. ${off}`,
    ...(commands.length === 0 ? [] : [`Before each review: ${commands.map(shortCommand).join("; ")}`]),
    ...[leftOutFinding(left_out, launch.cwd)].filter((each) => each !== undefined),
  ].join("\n");
}

function statusOf(world: World, { record, paths }: TypedCommand, isOn: boolean): string {
  const { files } = world;
  const own = { ...world, env: { ...world.env, CCC_CONFIG_DIR: paths.folder } };
  return sessionStatus({
    isOn,
    isDue: readSwitch(files, record)?.is_due === true,
    launch: readLaunch(files, record.launch),
    limit: readOptions(own, () => {}).maxIterations,
    state: stateIn(files.read(record.state)),
    stops: readStops(files, record),
  });
}
