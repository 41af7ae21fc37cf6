import { dirname } from "node:path";
import * as v from "valibot";
import { claudeFolder, readLayers, settingsPaths } from "../../claude/layers.ts";
import { type HookForm, hookForm } from "../../claude/versions.ts";
import { keepBackup } from "../../config/edit.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { cccPaths, settingsFileName } from "../../config/paths.ts";
import { CccError } from "../../errors.ts";
import { claudeVersion } from "../../launch/ask-claude.ts";
import { currentLaunch } from "../../launch/decide.ts";
import { findClaude, lastingPath } from "../../launch/find.ts";
import { planLaunch } from "../../launch/plan.ts";
import { persistentSecret } from "../../markers.ts";
import type { Files, HeldFile } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import type { Identity } from "../../providers/identity.ts";
import { defaultsForServer, NOTHING_DECIDED, shadowStoredKey } from "../../providers/isolation.ts";
import { checkReferences } from "../../providers/keys.ts";
import { isOtherReference, isSecretVariable } from "../../providers/variables.ts";
import {
  persistentSupervision,
  plannedReviewers,
  planSupervision,
  refuseWithoutHooks,
  supervisePlan,
} from "../../supervisor/setup/plan.ts";
import { prepareSupervision } from "../../supervisor/setup/prepare.ts";
import { asObject, type Json, parseJson, prettyJson } from "../../text/json.ts";
import { type Path, parseText } from "../../text/json-text.ts";
import type { World } from "../../world.ts";
import { useNotices } from "./notices.ts";
import {
  editSettings,
  hashOf,
  PRIVATE,
  parseSettings,
  type UseSources,
  type WithoutUse,
  withoutUse,
} from "./settings.ts";

export interface PreparedUse {
  readonly sources: Omit<UseSources, "base">;
  readonly notices: readonly string[];
  /** Variables whose secret values will be in settings.json. */
  readonly secrets: readonly string[];
  /** The settings files of reviewers that have a key in them, and whose it is. */
  readonly keyFiles: readonly KeyFile[];
}

export interface KeyFile {
  readonly provider: string;
  readonly path: string;
}

/** Does what a launch on the provider does before it starts, including refusals, for sessions that start without ccc. */
export async function prepareUse(
  world: World,
  loaded: LoadedConfig,
  provider: string,
  supervised: boolean,
): Promise<PreparedUse> {
  const paths = cccPaths(world);
  const layers = readLayers(world.files, world);
  const self = lastingPath(world);
  const secret = persistentSecret(layers.usersText) ?? newSecret();
  const planned = supervised ? planSupervision(loaded, { ...world, self }, "hook") : undefined;
  if (planned !== undefined) refuseWithoutHooks([], world.env, { ...layers, settings: [] });
  const reviewing = planned === undefined ? [] : plannedReviewers(provider, planned);
  refuseReferences(loaded, [provider, ...reviewing.map((each) => each.provider)]);
  const claude = planned === undefined ? "claude" : findClaude(world);
  const version = planned && (await claudeVersion(world, claude, paths));
  const supervision = planned && { ...planned, hookForm: lastingForm(version, world.platform) };
  const situation = {
    loaded,
    paths,
    provider,
    named: false,
    claude,
    self,
    folded: { args: [], settings: undefined },
    // The switch applies to all folders, so the settings of this folder must not matter.
    layers: { ...layers, settings: [] },
    decided: NOTHING_DECIDED,
    hookSecret: secret,
    writesKey: true,
    env: world.env,
  };
  const plain = planLaunch(situation);
  const { configured } = currentLaunch(world, loaded, provider);
  const defaults = defaultsForServer(configured.env, { settings: [], env: world.env }).map(({ name }) => name);
  const reviewed = supervision && supervisePlan(plain, situation, supervision, false);
  const { references } = reviewed ?? plain;
  await checkReferences(references, world);
  const launch = plain.settings.agent.content;
  const notices = [
    ...plain.notices,
    ...useNotices({
      loaded,
      provider,
      supervised,
      launch,
      references,
      layers,
      settings: usePlaces(world).settings,
      env: world.env,
    }),
  ];
  const secrets = secretNames(launch);
  const reviewer = reviewed?.settings.reviewer;
  if (supervision === undefined || reviewer === undefined) {
    return { sources: { launch, defaults, supervision: undefined, shell: world.env }, notices, secrets, keyFiles: [] };
  }
  const files = [reviewer, ...(reviewed?.settings.fallback ?? [])].map(({ content }, index) => {
    const path = join(paths.generated, settingsFileName(provider, "persistent", index));
    world.files.writePrivate(path, prettyJson(withoutStoredKey(content)));
    return { path, provider: reviewing[index]?.provider ?? provider, hasKey: secretNames(content).length > 0 };
  });
  const [reviewerFile = "", ...fallback] = files.map(({ path }) => path);
  await prepareSupervision(world, paths, { provider, claude, version, supervision, fallback, isPersistent: true });
  const added = withFolder(persistentSupervision(supervision, reviewerFile, secret), world);
  return {
    sources: { launch, defaults, supervision: added, shell: world.env },
    notices,
    secrets,
    keyFiles: files.filter(({ hasKey }) => hasKey),
  };
}

function withoutStoredKey(content: Json): Json {
  const { env, apiKeyHelper } = content;
  const identity = { env: asObject(env) as Identity["env"], apiKeyHelper: String(apiKeyHelper ?? "") };
  return { ...content, env: shadowStoredKey(identity).env };
}

function newSecret(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

function secretNames({ env }: Json): string[] {
  const entries = Object.entries(asObject(env));
  return entries.flatMap(([name, value]) => (value !== "" && isSecretVariable(name, String(value)) ? [name] : []));
}

/** Plain claude may be an older version, now in an editor or later: each of them understands a line for a POSIX shell. */
function lastingForm(version: string | undefined, platform: string): HookForm {
  return platform === "win32" ? hookForm(version, platform) : "shell";
}

/** The hook reads ccc.json and SUPERVISOR.md; an editor that starts claude may not set CCC_CONFIG_DIR. */
function withFolder(supervision: Json, { env: { CCC_CONFIG_DIR: folder } }: World): Json {
  return folder ? { ...supervision, env: { ...asObject(supervision.env), CCC_CONFIG_DIR: folder } } : supervision;
}

/** Claude Code can ask for a provider's key; any other secret would have to be written to settings.json. */
function refuseReferences({ config, providers }: LoadedConfig, names: readonly string[]): void {
  const blocks = {
    settings: config.settings?.env,
    ...Object.fromEntries(names.map((name) => [`providers.${name}`, providers.get(name)?.env])),
  };
  for (const [field, block] of Object.entries(blocks)) {
    const found = Object.entries(block ?? {}).find(([name, value]) => isOtherReference(name, value));
    if (found === undefined) continue;
    throw new CccError(`${field}.env.${found[0]} is a reference, which does not work in settings.json`, {
      advice: "Only a provider's key can be a reference here. Start it with ccc instead: ccc resolves all references.",
    });
  }
}

export interface ResetResult {
  readonly record: UseRecord;
  readonly outcome: WithoutUse["outcome"];
  /** Values that the user changed since, and that stay. */
  readonly kept: readonly Path[];
}

/** Undoes what `use` did, and nothing else. Undefined if there is nothing to undo. */
export function reset(places: UsePlaces): ResetResult | undefined {
  const known = readRecord(places.files, places.record);
  // Restore the file that was changed, even if Claude Code's folder is another one now.
  return places.files.hold(known?.settings ?? places.settings, (held) => {
    clearAbandoned(places);
    const record = readRecord(places.files, places.record);
    if (record === undefined) return undefined;
    const { file, kept, outcome } = withoutUse(held, record);
    if (outcome === "reverted" && held.found !== undefined)
      keepBackup(places.files, places.backups, held.found.text, places.now());
    if (file === undefined) held.remove();
    else if (file.text !== held.found?.text || file.mode !== held.found.mode) held.write(file.text, file.mode);
    places.files.remove(places.record);
    return { record, outcome, kept };
  });
}

/** A killed `use` may have left half-written files with a key in them that nobody would come back for. */
function clearAbandoned({ files, record, backups }: UsePlaces): void {
  for (const folder of [dirname(record), backups]) files.removeOld(folder, (name) => /\.\d+\.tmp$/.test(name), 0);
}

export interface UseResult {
  readonly changed: boolean;
  /** The user's own values that are replaced until a reset. */
  readonly replaced: readonly Path[];
  /** The copy of the original file, if there was one. */
  readonly backup: string | undefined;
  /** Whether it is JSON without comments: Claude Code reads nothing else. */
  readonly isStrict: boolean;
}

/**
 * Applies `wantedOver` to settings.json as it was without ccc. The change is recorded before it is made, so that a reset
 * can undo it even if ccc is killed in between.
 */
export function use(
  places: UsePlaces,
  { provider, supervised }: { provider: string; supervised: boolean },
  wantedOver: (base: Json) => Json,
): UseResult {
  const { files, now, record: path } = places;
  return files.hold(places.settings, (held) => {
    const former = recordOf(places, held);
    const original = former === undefined ? held.found : withoutUse(held, former).file;
    const base = parseSettings(original?.text, held.path);
    const edited = editSettings(original?.text ?? "", base, wantedOver(base));
    if (edited === undefined) throw uneditable(held.path);
    const { text, changes } = edited;
    const isSame = former?.provider === provider && former.supervised === supervised;
    const isStrict = parseJson(text) !== undefined;
    if (isSame && saysTheSame(held, text)) return { changed: false, replaced: [], backup: undefined, isStrict };
    const state = { hash: hashOf(text), changes };
    const record: UseRecord = {
      version: 1,
      provider,
      supervised,
      since: isSame ? former.since : now().toISOString(),
      settings: held.path,
      original: original === undefined ? null : { ...original, hash: hashOf(original.text) },
      states: [state, ...(former?.states ?? [])],
    };
    // Do not copy what ccc itself wrote: it may hold a key.
    const isOurs = former?.states.some(({ hash }) => hash === hashOf(held.found?.text ?? "")) === true;
    const backup = held.found && !isOurs ? keepBackup(files, places.backups, held.found.text, now()) : undefined;
    writeRecord(files, path, record);
    held.write(text, PRIVATE);
    writeRecord(files, path, { ...record, states: [state] });
    const replaced = changes.filter((change) => "before" in change).map((change) => change.path);
    return { changed: true, replaced, backup, isStrict };
  });
}

function recordOf(places: UsePlaces, held: HeldFile): UseRecord | undefined {
  const record = readRecord(places.files, places.record);
  if (record === undefined || record.settings === held.path) return record;
  throw new CccError(`\`ccc use\` already changed another file, ${record.settings}`, {
    advice: "Undo that first: ccc use --reset",
  });
}

function uneditable(path: string): CccError {
  return new CccError(`${path} cannot be edited safely; nothing was changed`, {
    advice: "Perhaps it has a duplicate key?",
  });
}

function saysTheSame({ found }: HeldFile, text: string): boolean {
  return found !== undefined && Bun.deepEquals(parseText(found.text), parseText(text), true);
}

export interface UsePlaces {
  readonly files: Files;
  readonly now: () => Date;
  /** Claude Code's settings.json. */
  readonly settings: string;
  readonly record: string;
  readonly backups: string;
}

export function usePlaces(world: World): UsePlaces {
  const { env, platform, files, now } = world;
  // Beside settings.json: it has one record, whichever ccc.json the provider comes from.
  const folder = claudeFolder(env, platform);
  return {
    files,
    now,
    settings: settingsPaths(world).user,
    record: join(folder, "ccc/use.json"),
    backups: join(folder, "ccc/backups"),
  };
}

const PathSchema = v.pipe(v.array(v.string()), v.readonly());
const ChangeSchema = v.union([
  v.strictObject({ path: PathSchema, before: v.optional(v.unknown()), after: v.unknown() }),
  v.strictObject({ path: PathSchema, added: v.pipe(v.array(v.unknown()), v.readonly()) }),
]);

/** A state in which ccc may have left settings.json. */
const StateSchema = v.object({ hash: v.string(), changes: v.pipe(v.array(ChangeSchema), v.readonly()) });

const RecordSchema = v.object({
  version: v.literal(1),
  provider: v.string(),
  supervised: v.boolean(),
  since: v.string(),
  /** The changed settings.json, with links resolved. */
  settings: v.string(),
  /** The original file; null if there was none. */
  original: v.nullable(v.object({ text: v.string(), mode: v.number(), hash: v.string() })),
  /** First the state that was written last, or was about to be; then others, if it is unknown which one is on disk. */
  states: v.array(StateSchema),
});

/** What `ccc use` did, and everything needed to undo it. */
export type UseRecord = v.InferOutput<typeof RecordSchema>;

export function readRecord(files: Files, path: string): UseRecord | undefined {
  const text = files.read(path);
  if (text === undefined) return undefined;
  const result = v.safeParse(RecordSchema, parseJson(text));
  if (result.success) return result.output;
  throw new CccError(`${path} is damaged, so ccc does not know what it changed in settings.json`, {
    advice: `Compare settings.json with the copies in the folder "backups" beside it, then remove ${path}.`,
  });
}

function writeRecord(files: Files, path: string, record: UseRecord): void {
  files.writePrivate(path, prettyJson(record));
}
