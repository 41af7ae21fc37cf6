import {
  type PromptAnswer,
  type PromptEvent,
  RecordEventSchema,
  readEvent,
  type StartEvent,
  USER_SOURCES,
} from "../../claude/events.ts";
import { SESSION_COMMAND } from "../../claude/hook-settings.ts";
import { readLayers } from "../../claude/layers.ts";
import { isPlain, type Prompt } from "../../claude/prompts.ts";
import { isTerminalSession } from "../../claude/sessions.ts";
import { type Paths, pathsIn } from "../../config/paths.ts";
import { CccError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import type { Env, World } from "../../world.ts";
import { recordBaseline, settleBaseline } from "../changes/baseline.ts";
import { knownChecks } from "../checks/commands.ts";
import { shortCommand } from "../checks/result.ts";
import { seenGitFolders } from "../guard/repository.ts";
import { bestEffort } from "../project.ts";
import { launchRecords, noteRun, openTerminal, rememberEnvironment } from "../record/launch.ts";
import { missedReviewMessage } from "../record/missed.ts";
import type { RecordedPrompt } from "../record/prompts.ts";
import { type LaunchRecord, openSession, type SessionRecord } from "../record/session.ts";
import { checkSource, findInstructions } from "../review/instructions.ts";
import { readSettings } from "../setup/supervision.ts";
import { answerCommand, callingClaude, type TypedPrompt } from "./session-command.ts";
import type { HookOptions } from "./stop.ts";

/**
 * Records a session's launch when it starts, and each prompt, with the files, before the agent sees it. Tells the user if
 * the previous answer was not reviewed.
 */
export async function recordPrompt(world: World, hook: HookOptions, input: () => unknown): Promise<void> {
  const { configDir, isPersistent } = hook;
  if (configDir === undefined) throw new CccError("--config-dir is missing, so there is nowhere to record the prompt");
  const event = readEvent(input(), RecordEventSchema, "UserPromptSubmit or SessionStart");
  const isStart = event.hook_event_name === "SessionStart";
  const paths = pathsIn(configDir);
  const { files } = world;
  const record = openSession(files, paths, event.session_id);
  const say = (message: string) => world.stderr(`ccc supervisor-prompt: ${message}\n`);
  // The user continues, so nothing may wake the session later, even if the rest of this hook fails.
  bestEffort(say, "end the wait for a usage limit", () =>
    openTerminal(files, paths, world.env.CLAUDE_PID ?? "").wait.remove(),
  );
  const project = world.env.CLAUDE_PROJECT_DIR || event.cwd || world.cwd;
  if (!isPersistent && isTerminalSession(world.env)) {
    const answer = await answerInTerminal(world, { event, hook, paths, record, project });
    if (answer !== undefined) world.stdout(JSON.stringify(answer));
    if (answer !== undefined && "decision" in answer) return;
  }
  noteRun(world, hook, { event: isStart ? "start" : "prompt", session: event.session_id });
  const switched = record.switch.read();
  // In this claude, supervision was never on.
  const isOff = switched === undefined || (!switched.is_on && switched.launch === undefined);
  if (hook.isIdle && (isStart || isOff)) return;
  // A resumed session belongs to the launch that resumes it; a compacted one stays with its launch.
  const isNew = isStart && event.source !== "compact";
  const bind = () => bindLaunch(world, paths, record, { project, hook, isNew }, (action) => action());
  if (isStart) {
    const launch = bind();
    const notices = isPersistent
      ? []
      : [...(isNew ? [launch.not_found, launch.notice] : []), startMessage(event.source, launch, world.env)];
    const said = notices.filter((each) => each !== undefined);
    if (said.length > 0) tell(world, said.join("\n"));
    return;
  }
  const at = world.now().toISOString();
  const before = await record.prompts.settle(event.transcript_path, (action) => action());
  bestEffort(say, "settle the files at earlier prompts", () => settleBaseline(world, { paths }, record, before ?? []));
  const prompt = recordedPrompt(event, record, at);
  // Older versions may have logged this prompt already, without an id.
  const isCurrent = ({ id, text }: Prompt) =>
    id === undefined || event.prompt_id === undefined ? text === event.prompt.trim() : id === event.prompt_id;
  const unrecorded = await record.prompts.unrecorded(event.transcript_path, isCurrent, at);
  record.prompts.append(...unrecorded, prompt);
  // Only now: it may fail, and no review may miss the prompt.
  const launch = bind();
  if (switched?.is_on === false) return;
  // A message typed while the agent works has the id of the prompt that it works on, whoever sent that.
  const isTypedMeanwhile = before?.some(({ prompt_id }) => prompt_id !== null && prompt_id === prompt.prompt_id);
  if (prompt.by_user && isTypedMeanwhile !== true)
    await recordBaseline(world, record, { paths, launch, project, cwd: event.cwd ?? project }, prompt);
  const systemMessage = before && (await missedReviewMessage(world, event, record, before));
  if (systemMessage !== undefined) tell(world, systemMessage);
}

/** Only the transcript, which comes later, says whose prompt it is, unless the event names the user. */
function recordedPrompt(event: PromptEvent, { scheduled }: SessionRecord, at: string): RecordedPrompt {
  const { prompt: text, prompt_id, source, transcript_path } = event;
  const isSaid = source !== undefined && USER_SOURCES.includes(source);
  const isKnown = isSaid || transcript_path === undefined;
  return {
    at,
    prompt_id: prompt_id ?? null,
    by_user: source === undefined ? isPlain(text) && !scheduled.has(text) : isSaid,
    text,
    mode: event.permission_mode ?? null,
    ...(isKnown ? {} : { doubt: crypto.randomUUID() }),
  };
}

/**
 * The launch that a session belongs to: the one that its hooks name. It is copied into the session's own record at the
 * first event, before the agent can have done anything. That copy counts only for the same launch: another claude may
 * open the session, too, and one started by the agent could have fewer checks.
 */
export function bindLaunch(
  world: World,
  paths: Paths,
  record: SessionRecord,
  session: { readonly project: string; readonly hook: HookOptions; readonly isNew: boolean },
  write: (action: () => void) => void,
): LaunchRecord {
  const { project, hook, isNew } = session;
  const id = hook.isIdle ? record.switch.read()?.launch : hook.launch;
  const own = record.launch.read();
  const bound = own !== undefined && own.id === id ? own : undefined;
  if (bound !== undefined && !isNew) return bound;
  const launches = launchRecords(world.files, paths);
  const launched = id === undefined ? undefined : launches.find(id);
  const copy = id === undefined ? undefined : bound;
  const unnamed = () =>
    hook.isPersistent ? startedElsewhere(world, paths, project) : strictestKnown(world, paths, record, project, id);
  const { waiting_since: _, ...launch } = launched ?? copy ?? unnamed();
  const { notice: __, ...kept } = launch;
  write(() => record.launch.save(kept));
  if (launched !== undefined) write(() => launches.markHeard(launched));
  return launch;
}

/**
 * For a session whose launch is unknown: its record was removed, or its hooks are from an older version, which did not
 * name it. Every check known for the folder has to pass, because one of them may be the session's own.
 */
function strictestKnown(
  world: World,
  paths: Paths,
  record: SessionRecord,
  project: string,
  id: string | undefined,
): LaunchRecord {
  const current = startedElsewhere(world, paths, project);
  const own = record.launch.read();
  const known = [...(own === undefined ? [] : [own]), ...launchRecords(world.files, paths).around(project)];
  const likely = known[0] ?? current;
  const all = [...known, current].map(({ checks }) => checks);
  const commands = [...new Set(all.flatMap((checks) => checks.commands))];
  const left_out = [...new Set(all.flatMap((checks) => checks.left_out))].filter((each) => !commands.includes(each));
  const checks =
    commands.length === 0
      ? "ccc knows of no checks for this folder"
      : `${commands.length === 1 ? "the check" : `all ${commands.length} checks`} known for this folder must pass: ${commands.map(shortCommand).join("; ")}`;
  const why = id === undefined ? "its hooks are those of an older ccc" : "the record of its launch is gone";
  return {
    ...likely,
    ...(id === undefined ? {} : { id }),
    checks: { commands, left_out },
    not_found: `ccc does not know how this session was launched (${why}), so ${checks}. To restart it with the checks that you want: exit, then run \`ccc --supervisor --resume ${record.id}\``,
  };
}

/** A launch of which only the current claude and environment are known. */
export function assumedLaunch(world: World) {
  const unknown = { version: null, same_model: false, reviewer: "", fallback: [] };
  return { ...unknown, claude: findClaude(world), environment: rememberEnvironment(world.env) };
}

function tell(world: World, systemMessage: string): void {
  world.stdout(JSON.stringify({ systemMessage } satisfies PromptAnswer));
}

/** A message for a session that starts in a terminal, or the answer to ccc's command. */
async function answerInTerminal(
  world: World,
  { event, ...session }: Omit<TypedPrompt, "event"> & { readonly event: PromptEvent | StartEvent },
): Promise<PromptAnswer | undefined> {
  if (event.hook_event_name === "SessionStart") {
    const systemMessage = startInTerminal(world, { event, ...session });
    return systemMessage === undefined ? undefined : { systemMessage };
  }
  const reason = await answerCommand(world, { event, ...session });
  return reason === undefined ? undefined : { decision: "block", reason };
}

/** What the user sees when a supervised session starts in a terminal, and only then: not after /clear or /compact. */
function startMessage(source: string | undefined, { reviewer }: LaunchRecord, env: Env): string | undefined {
  if (!isTerminalSession(env) || (source !== "startup" && source !== "resume")) return undefined;
  const by = reviewer === "" ? "" : ` by ${reviewer}`;
  return `Every stop is reviewed${by}. To switch that off in this session: ${SESSION_COMMAND} off`;
}

/**
 * Records that a session starts in a terminal. A session, even a resumed one, begins as its launch says; after `/clear`
 * the switch carries over, and compaction changes nothing. Returns a message for the user.
 */
function startInTerminal(
  world: World,
  { event, hook, paths, record, project }: Omit<TypedPrompt, "event"> & { readonly event: StartEvent },
): string | undefined {
  const { session_id: session, source } = event;
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
  const isKnown = record.launch.read() !== undefined;
  const wasOn = record.switch.read()?.is_on ?? isKnown;
  // A session that was supervised once would be so again when it is next resumed.
  if (hook.isIdle && isKnown) record.switch.save({ is_on: false, is_due: false });
  else record.switch.remove();
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

/** For a session that ccc did not launch: the claude that `ccc use` found, and the current instructions and checks. */
function startedElsewhere(world: World, paths: Paths, project: string): LaunchRecord {
  const use = launchRecords(world.files, paths).findUse();
  return { ...(use ?? assumedLaunch(world)), ...reviewedBy(world, paths, project) };
}

/**
 * For an unsupervised session in a terminal: what supervision would rely on if switched on later, as it is before the
 * agent does anything.
 */
function launchAtStart(
  world: World,
  paths: Paths,
  project: string,
  { provider }: Pick<HookOptions, "provider">,
): LaunchRecord {
  const own: World = { ...world, env: withoutFoldersVariables(world, project) };
  const launch = { ...assumedLaunch(own), ...reviewedBy(own, paths, project) };
  return provider === undefined ? launch : { ...launch, provider };
}

/** The current instructions, checks and repositories of a project. */
function reviewedBy(world: World, paths: Paths, project: string) {
  const { instructions } = findInstructions(world, paths, project, () => {});
  const { checks: own } = readSettings({ ...world, env: { ...world.env, CCC_CONFIG_DIR: paths.folder } }, () => {});
  const checks = knownChecks(world, paths, project, { own, ...checkSource(instructions, paths.folder) });
  return { cwd: project, instructions, checks, git_folders: seenGitFolders(project, world.files) };
}

/**
 * Drops variables that the settings of the folder name: they must not decide what runs in a review. The shell's values of
 * the same variables are unknown here.
 */
function withoutFoldersVariables(world: World, project: string): Env {
  const layers = readLayers(world.files, { ...world, cwd: project }).settings.filter(({ scope }) => scope !== "user");
  const named = new Set(layers.flatMap((layer) => Object.keys(layer.env)));
  return Object.fromEntries(Object.entries(world.env).filter(([name]) => !named.has(name)));
}
