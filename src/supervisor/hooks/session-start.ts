import type { PromptEvent, StartEvent } from "../../claude/events.ts";
import { SESSION_COMMAND } from "../../claude/hook-settings.ts";
import { readLayers } from "../../claude/layers.ts";
import { SCHEDULED_TASKS, scheduledCalls } from "../../claude/prompts.ts";
import type { Paths } from "../../config/paths.ts";
import { findClaude } from "../../launch/find.ts";
import { EXEC_MARKER } from "../../markers.ts";
import { join } from "../../os/path.ts";
import type { Env, World } from "../../world.ts";
import { knownChecks } from "../checks/collect.ts";
import { type HookOptions, readSettings } from "../options.ts";
import { launchRecords, openTerminal, rememberEnvironment } from "../record/launch.ts";
import { type LaunchRecord, openSession, type SessionRecord } from "../record/session.ts";
import { readTranscript } from "../record/transcript.ts";
import { checkSource, readInstructions } from "../review/instructions.ts";

/**
 * The launch that a session belongs to. It is decided at the session's first event, before the agent can have done
 * anything, and read from the session's own record from then on.
 */
export function bindLaunch(
  world: World,
  paths: Paths,
  record: SessionRecord,
  session: { readonly project: string; readonly isPersistent: boolean; readonly isNew: boolean },
  write: (action: () => void) => void,
): LaunchRecord {
  const bound = session.isNew ? undefined : record.launch.read();
  if (bound !== undefined) return bound;
  const launches = launchRecords(world.files, paths);
  const launched = session.isPersistent ? undefined : launches.find(session.project);
  const { waiting_since: _, ...launch } = launched ?? startedElsewhere(world, paths, session.project);
  write(() => record.launch.save(launch));
  if (launched !== undefined) write(() => launches.markHeard(launched));
  return launch;
}

/** For a session that ccc did not launch: the claude that `ccc use` found, and the current instructions and checks. */
function startedElsewhere(world: World, paths: Paths, project: string): LaunchRecord {
  const instructions = readInstructions(world.files, project, paths.folder, () => {});
  const { checks: own } = readSettings({ ...world, env: { ...world.env, CCC_CONFIG_DIR: paths.folder } }, () => {});
  const checks = knownChecks(world, paths, project, { own, ...checkSource(instructions, paths.folder) });
  const use = launchRecords(world.files, paths).findUse();
  if (use !== undefined) return { ...use, cwd: project, instructions, checks };
  const environment = rememberEnvironment(world.env);
  const found = {
    cwd: project,
    claude: findClaude(world),
    version: null,
    same_model: false,
    reviewer: "",
    fallback: [],
  };
  return { ...found, environment, instructions, checks };
}

/**
 * Records that a session starts in a terminal. A session begins as its launch says, also one that is resumed; what follows
 * after `/clear` is switched as the session before, and compaction changes nothing. Returns a message for the user.
 */
export function startInTerminal(
  world: World,
  { session_id: session, source }: StartEvent,
  hook: HookOptions,
  paths: Paths,
  record: SessionRecord,
  project: string,
): string | undefined {
  if (source === "compact") return undefined;
  const { files } = world;
  const claude = callingClaude(world);
  // An agent may run ccc, too.
  if (claude === undefined) return undefined;
  const terminal = openTerminal(files, paths, claude);
  const before = source === "clear" ? terminal.read() : undefined;
  if (before !== undefined) {
    carryOver(openSession(files, paths, before.sessions.at(-1) ?? ""), record);
    terminal.add(session);
    return undefined;
  }
  const wasOn = record.switch.read()?.is_on === true;
  record.switch.remove();
  terminal.start(session, hook.isIdle ? launchAtStart(world, paths, project, hook) : undefined);
  return hook.isIdle && wasOn
    ? `supervisor: off, because this launch is without --supervisor. To switch it on again: ${SESSION_COMMAND} on`
    : undefined;
}

function carryOver(from: SessionRecord, to: SessionRecord): void {
  const found = from.switch.read();
  if (found === undefined) return;
  const launch = from.launch.read();
  if (launch !== undefined) to.launch.save(launch);
  to.switch.save({ ...found, is_due: false });
}

/**
 * For a session in a terminal that is not supervised: what a later supervision relies on, as it is before the agent does
 * anything.
 */
function launchAtStart(
  world: World,
  paths: Paths,
  project: string,
  { provider }: Pick<HookOptions, "provider">,
): LaunchRecord {
  const env = withoutFoldersVariables(world, project);
  const own: World = { ...world, env: { ...env, CCC_CONFIG_DIR: paths.folder } };
  const instructions = readInstructions(world.files, project, paths.folder, () => {});
  const { checks } = readSettings(own, () => {});
  const unknown = { version: null, same_model: false, reviewer: "", fallback: [] };
  return {
    ...unknown,
    cwd: project,
    ...(provider === undefined ? {} : { provider }),
    claude: findClaude(own),
    environment: rememberEnvironment(env),
    instructions,
    checks: knownChecks(own, paths, project, { own: checks, ...checkSource(instructions, paths.folder) }),
  };
}

/**
 * Without variables that the settings of the folder name: they must not decide what runs in a review. What the shell had
 * in their place is not known here.
 */
function withoutFoldersVariables(world: World, project: string): Env {
  const layers = readLayers(world.files, { ...world, cwd: project }).settings.filter(({ scope }) => scope !== "user");
  const named = new Set(layers.flatMap((layer) => Object.keys(layer.env)));
  return Object.fromEntries(Object.entries(world.env).filter(([name]) => !named.has(name)));
}

/** What is known about where a command in a session comes from. */
export interface CommandOrigin {
  /** Whether the Claude Code in whose session it was typed has passed it to the hook. */
  readonly isFromSession: boolean;
  /** Whether that Claude Code was started by an agent. */
  readonly isNested: boolean;
  /** Whether a prompt with ccc's command was scheduled, which arrives like the user's. */
  readonly isScheduled: boolean;
}

/** Why a command does not count as the user's; undefined if it does. */
export function whyNotUsers({ isFromSession, isNested, isScheduled }: CommandOrigin): string | undefined {
  if (!isFromSession) return "this does not come from the Claude Code that runs this session";
  if (isNested) return "this Claude Code was started from within another session";
  return isScheduled
    ? `a prompt with ${SESSION_COMMAND} was scheduled in this session, so ccc cannot tell whether you typed this`
    : undefined;
}

export async function commandOrigin(
  world: World,
  paths: Paths,
  record: SessionRecord,
  event: PromptEvent,
  project: string,
): Promise<CommandOrigin> {
  const claude = callingClaude(world);
  const terminal = claude === undefined ? undefined : openTerminal(world.files, paths, claude).read();
  const planned = [
    ...(record.scheduled.read() ?? []).map(({ prompt }) => prompt),
    world.files.read(join(project, SCHEDULED_TASKS)) ?? "",
  ];
  await readTranscript(event.transcript_path ?? "", (line) => planned.push(...scheduledCalls(line)));
  return {
    isFromSession: terminal?.sessions.includes(event.session_id) === true,
    isNested: Number(world.env[EXEC_MARKER]?.split(".")[1] ?? 1) > 1,
    isScheduled: planned.some((prompt) => prompt.includes(SESSION_COMMAND)),
  };
}

/**
 * The process id of the Claude Code that calls the hook, undefined if it is not one: the sender must be the process named
 * in the environment.
 */
export function callingClaude({ env, stdinWriter }: Pick<World, "env" | "stdinWriter">): string | undefined {
  const writer = stdinWriter();
  if (writer === null) return env.CLAUDE_PID;
  return writer !== undefined && String(writer) === (env.CLAUDE_PID ?? String(writer)) ? String(writer) : undefined;
}
