import type { Settings } from "../../claude/accepted-settings.ts";
import type { ResumedSession } from "../../claude/arguments.ts";
import { isTerminalSession, savedSession, savedSessions } from "../../claude/sessions.ts";
import { transcriptEnd } from "../../claude/transcript.ts";
import { expandEnv } from "../../config/env.ts";
import { chooseProvider, type LoadedConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { CccError, usageError } from "../../errors.ts";
import { kindOf } from "../../providers/variables.ts";
import type { Env, World } from "../../world.ts";
import { type LaunchRecord, openSession, type SessionRecord } from "./session.ts";

/** Chooses the provider that a session last ran on, or the current one if that is unknown. */
export function resumedProvider(
  resumed: ResumedSession,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): ResumedProvider {
  const words = resumed.session === undefined ? "-c" : `--resume ${resumed.session}`;
  const using = (provider: string, why: string) => ({
    provider,
    notice: `using ${provider}${why} (for another provider: ccc <name> ${words})`,
  });
  const { providers: found, model } = sessionProviders(resumed, loaded, paths, world);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return using(first, ", which this session last ran on");

  const { provider: current } = chooseProvider(loaded, undefined);
  if (found.includes(current)) {
    const others = found.filter((name) => name !== current);
    const so = `so ${others.length === 1 ? "has" : "have"} ${others.join(" and ")}`;
    return using(current, `, the current provider: it has this session's model, ${model}, and ${so}`);
  }
  if (second !== undefined) {
    throw usageError(
      `this session last ran on ${found.join(" or ")}: they have the same model, ${model}`,
      `Choose one: ${found.map((name) => `ccc ${name} ${words}`).join(", ")}`,
    );
  }
  const why = model === undefined ? "this session's own is unknown" : `none names this session's model, ${model}`;
  return using(current, `, the current provider: ${why}`);
}

/**
 * The launch of a session that was supervised when it last ran. Undefined if it was not, if the user has switched supervision
 * off in it, or if it is unknown which session will continue.
 */
export function supervisedBefore(resumed: ResumedSession, paths: Paths, world: World): LaunchRecord | undefined {
  const record = traceOf(resumed, paths, world)?.record;
  return record?.switch.read()?.is_on === false ? undefined : record?.launch.read();
}

/** The provider for a session that continues, and what to tell the user about it. */
interface ResumedProvider {
  readonly provider: string;
  readonly notice: string;
}

/** The providers that a session can have run on, and the model of its last answer. */
export function sessionProviders(resumed: ResumedSession, loaded: LoadedConfig, paths: Paths, world: World) {
  const trace = traceOf(resumed, paths, world);
  return {
    providers: trace === undefined ? [] : providersOfSession(trace, namedModels(loaded, world.env)),
    model: trace?.models[0],
  };
}

/** Undefined if there is no such session. */
function traceOf(
  { session: id, skipsPrinted = false }: ResumedSession,
  paths: Paths,
  world: World,
): SessionTrace | undefined {
  const { files } = world;
  const candidates = id === undefined ? savedSessions(files, world) : [savedSession(files, world, id)];
  let tried = 0;
  for (const session of candidates) {
    if (session === undefined) continue;
    // Scripts may have left any number of these.
    if (id === undefined && skipsPrinted && beganPrinted(files, session.transcript)) continue;
    if (id === undefined && tried++ === MOST_TRIED) return undefined;
    const end = transcriptEnd(files.readEnd(session.transcript, LONGEST_END).split("\n"));
    if (id === undefined && !end.hasConversation()) continue;
    return { models: end.lastModels(), record: openSession(files, paths, session.id) };
  }
  return undefined;
}

/** Enough for the last answer of a session, in bytes. A transcript may have hundreds of megabytes. */
const LONGEST_END = 2_000_000;
const MOST_TRIED = 10;

/** Whether a session began with `-p`. Older versions do not say. */
function beganPrinted(files: World["files"], transcript: string): boolean {
  const [, entrypoint] = /"entrypoint":"([^"]+)"/.exec(files.readStart(transcript, LONGEST_START)) ?? [];
  return !isTerminalSession({ CLAUDE_CODE_ENTRYPOINT: entrypoint });
}

/** Hooks and the system prompt may come before the first line that says it. */
const LONGEST_START = 300_000;

/** The traces of where a session ran. */
interface SessionTrace {
  /** The model of its last answer, by each name that the session knows for it. The best known name is first. */
  readonly models: readonly string[];
  /** ccc's own record of the session. */
  readonly record: SessionRecord;
}

/** The providers that a session can have run on: none if that is unknown, several if they have the same model. */
function providersOfSession(
  { models, record }: SessionTrace,
  modelsOf: ReadonlyMap<string, readonly string[]>,
): string[] {
  const recorded = record.launch.read()?.provider;
  const found = models.map((model) => providersWith(model, modelsOf)).find((names) => names.length > 0) ?? [];
  const isRecorded = recorded !== undefined && modelsOf.has(recorded);
  // The session may have been resumed without ccc since, or with another provider: then the answer is newer.
  return isRecorded && (found.length === 0 || found.includes(recorded)) ? [recorded] : found;
}

function providersWith(model: string, modelsOf: ReadonlyMap<string, readonly string[]>): string[] {
  const name = comparable(model);
  const providers = [...modelsOf];
  const naming = providers.filter(([, models]) => models.some((each) => comparable(each) === name));
  // A provider that names no model gets Claude Code's own.
  const silent = name.startsWith("claude-") ? providers.filter(([, models]) => models.length === 0) : [];
  return (naming.length > 0 ? naming : silent).map(([provider]) => provider);
}

/** Without case, [1m] and the date that servers append. */
function comparable(model: string): string {
  return model
    .toLowerCase()
    .replace(/\[1m\]$/, "")
    .replace(/-20\d{6}$/, "");
}

/** The models that each provider names. */
function namedModels({ config, providers }: LoadedConfig, env: Env): Map<string, string[]> {
  const named = (settings: Settings) => namedIn(settings, env);
  const shared = config.settings ?? {};
  return new Map(
    [...providers].map(([name, own]) => [name, Object.values({ ...named(shared), ...named(own) }).filter(Boolean)]),
  );
}

function namedIn(settings: Settings, env: Env): Record<string, string> {
  const block = Object.entries(settings.env ?? {}).filter(([name]) => kindOf(name) === "model");
  const model = typeof settings.model === "string" ? { model: settings.model } : {};
  try {
    return { ...model, ...expandEnv(Object.fromEntries(block), env, "") };
  } catch (error) {
    // A ${NAME} that is not set says nothing. The launch reports it.
    if (error instanceof CccError) return model;
    throw error;
  }
}
