import type { ResumedSession } from "../../claude/arguments.ts";
import { savedSession, savedSessions } from "../../claude/sessions.ts";
import { hasConversation, lastModels } from "../../claude/transcript.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import { chooseProvider } from "../../config/choose-provider.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { usageError } from "../../errors.ts";
import { namedModels, providersOfSession, type SessionTrace } from "../../providers/session-provider.ts";
import type { World } from "../../world.ts";
import { readLaunch } from "./launch-record.ts";
import { sessionRecord } from "./session-record.ts";

/** The provider for a session that goes on, and what to tell the user about it. */
export interface ResumedProvider {
  readonly provider: string;
  readonly notice: string;
}

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

/** The providers that a session can have run on, and the model of its last answer. */
export function sessionProviders(resumed: ResumedSession, loaded: LoadedConfig, paths: Paths, world: World) {
  const trace = traceOf(resumed, paths, world);
  return {
    providers: trace === undefined ? [] : providersOfSession(trace, namedModels(loaded, world.env)),
    model: trace?.models[0],
  };
}

/** Undefined if there is no such session. */
function traceOf({ session: id }: ResumedSession, paths: Paths, world: World): SessionTrace | undefined {
  const { files } = world;
  const candidates =
    id === undefined ? savedSessions(files, world).slice(0, MOST_TRIED) : [savedSession(files, world, id)];
  for (const session of candidates) {
    const end = session === undefined ? "" : files.readEnd(session.transcript, LONGEST_END);
    if (session === undefined || (id === undefined && !hasConversation(end))) continue;
    return { models: lastModels(end), recorded: readLaunch(files, sessionRecord(paths, session.id).launch)?.provider };
  }
  return undefined;
}

/** Enough for the last answer of a session, in bytes. A transcript may have hundreds of megabytes. */
const LONGEST_END = 2_000_000;
const MOST_TRIED = 10;
