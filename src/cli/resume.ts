import type { ResumedSession } from "../claude/arguments.ts";
import { type SavedSession, savedSession, savedSessions } from "../claude/sessions.ts";
import { lastModels } from "../claude/transcript.ts";
import { chooseProvider, type LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { usageError } from "../errors.ts";
import { namedModels, providersOfSession, type SessionTrace } from "../providers/session-provider.ts";
import { readLaunch } from "../supervisor/record/launch-record.ts";
import { sessionRecord } from "../supervisor/record/session-record.ts";
import type { World } from "../world.ts";

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
  const trace = traceOf(resumed, paths, world);
  const found = trace === undefined ? [] : providersOfSession(trace, namedModels(loaded, world.env));
  const [only] = found;
  if (found.length === 1 && only !== undefined) return using(only, ", which this session last ran on");

  const current = chooseProvider(loaded, undefined);
  const [model] = trace?.models ?? [];
  if (found.includes(current)) {
    const others = found.filter((name) => name !== current).join(" or ");
    return using(current, `, the current provider: this session last ran on it or on ${others}, all with ${model}`);
  }
  if (found.length > 1) {
    throw usageError(
      `this session last ran on ${found.join(" or ")}: they have the same model, ${model}`,
      `Choose one: ${found.map((name) => `ccc ${name} ${words}`).join(", ")}`,
    );
  }
  const why = model === undefined ? "this session's own is unknown" : `none names this session's model, ${model}`;
  return using(current, `, the current provider: ${why}`);
}

/** Undefined if there is no such session. */
function traceOf({ session: id }: ResumedSession, paths: Paths, world: World): SessionTrace | undefined {
  const { files } = world;
  const models = ({ transcript }: SavedSession) => lastModels(files.readEnd(transcript, LONGEST_END));
  const given = id === undefined ? undefined : savedSession(files, world, id);
  // Claude Code does not continue a session without an answer.
  const last = () =>
    savedSessions(files, world)
      .slice(0, MOST_TRIED)
      .find((each) => models(each).length > 0);
  const session = id === undefined ? last() : given;
  if (session === undefined) return undefined;
  const recorded = readLaunch(files, sessionRecord(paths, session.id).launch)?.provider;
  return { models: models(session), recorded };
}

/** Enough for the last answer of a session, in bytes. A transcript may have hundreds of megabytes. */
const LONGEST_END = 2_000_000;
const MOST_TRIED = 10;
