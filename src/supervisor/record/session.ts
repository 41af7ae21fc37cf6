import * as v from "valibot";
import { ENGINES } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import { lazySchema } from "../../text/schema.ts";
import { type PromptRecord, promptRecord, type ScheduledRecord, ScheduledSchema, scheduledRecord } from "./prompts.ts";
import { type ReviewNow, recordFolder, recordPaths } from "./quick.ts";
import { type SessionState, type StateFile, StateSchema } from "./state.ts";
import { type StopEntry, StopEntrySchema } from "./stops.ts";

/** Everything that ccc keeps about a session, outside the project. */
export interface SessionRecord {
  readonly id: string;
  /** The decisions of the launch, which the project must not change. */
  readonly launch: RecordFile<LaunchRecord>;
  /** Whether the user switched supervision on or off. If not, the launch counts. */
  readonly switch: RecordFile<Switch>;
  /** The user's prompts, and those that arrived like the user's. */
  readonly prompts: PromptRecord;
  /** Prompts that the agent has scheduled: they arrive like the user's. */
  readonly scheduled: ScheduledRecord;
  /** Every stop, reviewed or not. */
  readonly stops: RecordLines<StopEntry, object>;
  /** The state that the next review builds on. The copy in the project is for information only. */
  readonly state: StateFile & Pick<RecordFile<SessionState>, "read">;
  /** What a review does right now, or how the last one ended. Only the status line reads it. */
  readonly now: Pick<RecordFile<ReviewNow>, "save">;
  /** How the last run of the loop engine ended, if it ran the session. */
  readonly end: RecordFile<LoopEnd>;
  /** The files at the user's last prompt. */
  readonly baseline: RecordFile<Baseline>;
  /** The files at later prompts, while it is unclear who wrote those. */
  readonly candidates: RecordFile<Baseline[]>;
  /** The last checks that passed, if nothing that could change their results has run since. */
  readonly checks: RecordFile<PassedChecks>;
  /** The last proofs, each with the files that it is about. */
  readonly proof: RecordFile<KeptProofs>;
  /** The waits for the last usage limit. */
  readonly limit: RecordFile<WaitedLimit>;
}

/** A file with one JSON value. */
export interface RecordFile<T> {
  /** Undefined if it is missing or invalid. */
  readonly read: () => T | undefined;
  readonly save: (value: T) => void;
  readonly remove: () => void;
  /** When it was last written, in milliseconds; undefined if it does not exist. */
  readonly modified: () => number | undefined;
}

/** A file with one JSON value per line. */
export interface RecordLines<T, Written extends object = T & object> {
  /** Skips invalid lines. Undefined if nothing was ever written. */
  readonly read: () => T[] | undefined;
  readonly append: (...values: readonly Written[]) => void;
  readonly modified: () => number | undefined;
}

/** The record of a session. It exists once something is written to it. */
export function openSession(files: Files, paths: Pick<Paths, "generated">, id: string): SessionRecord {
  const path = recordPaths(paths, id);
  return {
    id,
    launch: recordFile(files, path.launch, LaunchRecordSchema),
    switch: recordFile(files, path.switch, SwitchSchema),
    prompts: promptRecord(recordText(files, path.prompts)),
    scheduled: scheduledRecord(recordFile(files, path.scheduled, v.array(ScheduledSchema))),
    stops: recordLines(files, path.stops, StopEntrySchema),
    state: {
      path: path.state,
      read: recordFile(files, path.state, StateSchema).read,
      edit: (change) => files.edit(path.state, change),
    },
    now: { save: (value) => files.writePrivate(path.now, `${JSON.stringify(value)}\n`) },
    end: recordFile(files, path.end, LoopEndSchema),
    baseline: recordFile(files, path.baseline, BaselineSchema),
    candidates: recordFile(files, path.candidates, v.array(BaselineSchema)),
    checks: recordFile(files, path.checks, PassedChecksSchema),
    proof: recordFile(files, path.proof, KeptProofsSchema),
    limit: recordFile(files, path.limit, WaitedLimitSchema),
  };
}

/** A session that was supervised. */
export interface KnownSession {
  readonly id: string;
  /** The folder it was started in; undefined if the record does not say. */
  readonly folder: string | undefined;
  /** When a prompt or a stop was last recorded, in milliseconds. */
  readonly modified: number;
}

/** Every supervised session, the latest first. */
export function knownSessions(files: Files, paths: Paths): KnownSession[] {
  return files
    .list(recordFolder(paths, "sessions"))
    .flatMap((id) => {
      const { launch, prompts, stops } = openSession(files, paths, id);
      const times = [prompts, stops].flatMap(({ modified }) => modified() ?? []);
      return times.length === 0 ? [] : [{ id, folder: launch.read()?.cwd, modified: Math.max(...times) }];
    })
    .sort((a, b) => b.modified - a.modified);
}

/** Git's objects for the baselines of a session. */
export function baselineStore(paths: Paths, name: string): string {
  return join(recordFolder(paths, "baselines"), name);
}

/** Holds copies of projects, each in a folder named after the process that made it. */
export function copiesFolder(paths: Pick<Paths, "generated">): string {
  return recordFolder(paths, "copies");
}

/** A JSON file of the record. Its value is validated with `schema`. */
export function recordFile<T>(files: Files, path: string, schema: v.GenericSchema<unknown, T>): RecordFile<T> {
  return {
    read: () => {
      const text = files.read(path);
      // Most files of a record do not exist, so their schemas are never built.
      const found = text === undefined ? undefined : v.safeParse(schema, parseJson(text));
      return found?.success ? found.output : undefined;
    },
    save: (value) => files.writePrivate(path, prettyJson(value)),
    remove: () => files.remove(path),
    modified: () => files.modified(path),
  };
}

function recordLines<T extends object, Written extends object>(
  files: Files,
  path: string,
  schema: v.GenericSchema<unknown, T>,
): RecordLines<T, Written> {
  const { text, append, modified } = recordText(files, path);
  const read = () =>
    text()
      ?.split("\n")
      .flatMap((line) => {
        const found = v.safeParse(schema, parseJson(line));
        return found.success ? [found.output] : [];
      });
  return { read, append, modified };
}

function recordText(files: Files, path: string) {
  return {
    text: () => files.read(path),
    append: (...values: readonly object[]) =>
      files.append(path, values.map((value) => `${JSON.stringify(value)}\n`).join(""), LARGEST_RECORD),
    modified: () => files.modified(path),
  };
}

const LARGEST_RECORD = 20_000_000;

function launchFields() {
  const text = v.string();
  const texts = v.array(text);
  const optional = v.optional(text);
  return {
    /** Its hooks find it by this. Not set for `ccc use`, nor by older versions. */
    id: optional,
    cwd: text,
    provider: optional,
    engine: v.optional(v.picklist(ENGINES)),
    /** When it was launched, until the first of its hooks runs. Not set for launches without hooks. */
    waiting_since: optional,
    /** A message for the user when the first session of the launch starts. */
    notice: optional,
    /** If the launch of a session was not found: what it is supervised with instead, for the user and the reviewer. */
    not_found: optional,
    /** Path of the claude that was launched. */
    claude: text,
    /** Its version; null if unknown. */
    version: v.optional(v.nullable(text), null),
    /** Whether the reviewer has the agent's provider and model. */
    same_model: v.optional(v.boolean(), false),
    /** The reviewer's name: "provider" or "provider:model". Empty in the records of older versions. */
    reviewer: v.optional(text, ""),
    /** The reviewers to ask if it cannot review, in order, each with its settings file. */
    fallback: v.optional(v.array(v.object({ reviewer: text, settings: text, same_model: v.boolean() })), []),
    /** The reviewer that confirms, if it is none of these. */
    confirmer: v.optional(v.object({ reviewer: text, settings: text, same_model: v.boolean() })),
    /** Git's folders of the project's repositories. Absent in the records of older versions. */
    git_folders: v.optional(texts),
    environment: v.object({ salt: text, plain: v.record(text, text), hashed: texts }),
    /** The reviewer's instructions and their file; null for the built-in ones. */
    instructions: v.object({
      path: v.nullable(text),
      text,
      is_agreed: v.optional(v.boolean()),
      set_aside: optional,
    }),
    /** The commands that run at every stop, and those of the project that do not, because the user was not asked. */
    checks: v.optional(v.object({ commands: texts, left_out: texts }), {
      commands: [],
      left_out: [],
    }),
  };
}

/**
 * What a supervised launch saves for its hooks: everything that must not come from the folder, its settings or the
 * agent. Hooks find it by its id and copy it into the session's own record at the first event.
 */
export type LaunchRecord = v.InferOutput<v.ObjectSchema<ReturnType<typeof launchFields>, undefined>>;

/** The record of a launch whose hooks name it. */
export type IdentifiedLaunch = LaunchRecord & { readonly id: string };

/** Fields of a newer version are kept, also when the record is copied for the session after `/clear`. */
export const LaunchRecordSchema: v.GenericSchema<unknown, LaunchRecord> = lazySchema(() =>
  v.looseObject(launchFields()),
);

const SwitchSchema = lazySchema(() =>
  v.object({
    is_on: v.boolean(),
    /** Whether the next stop is reviewed even if it would be skipped. */
    is_due: v.optional(v.boolean(), false),
    /** The reviewer's settings file, if the launch had none. */
    reviewer: v.optional(v.string()),
    /** The id of the record that supervision relies on, if the launch had none. Not set by older versions. */
    launch: v.optional(v.string()),
  }),
);

export type Switch = v.InferOutput<typeof SwitchSchema>;

/** The usage limit of the agent that ended a run, if one did. `resets_at` is null if the error does not say when it ends. */
export const UsageLimitSchema = lazySchema(() => v.nullable(v.object({ resets_at: v.nullable(v.string()) })));

/** Each time the agent of the loop engine continued on another provider. */
export const RelaysSchema = lazySchema(() =>
  v.array(v.object({ at: v.string(), from: v.string(), to: v.string(), why: v.string() })),
);

/** How a run of the loop engine ended. After a review, its outcome says the same. */
const LoopEndSchema = lazySchema(() =>
  v.object({
    at: v.string(),
    outcome: v.string(),
    /** Why it is not done. */
    reason: v.string(),
    usage_limit: v.optional(UsageLimitSchema, null),
    /** In all runs. */
    relays: v.optional(RelaysSchema, () => []),
  }),
);

export type LoopEnd = v.InferOutput<typeof LoopEndSchema>;

/** Git's id of a tree of files. */
export const TREE_ID = /^[0-9a-f]{40,64}$/;

/** Why the changed files are unknown. */
export const NO_CHANGES = [
  "not a git repository",
  "no baseline",
  "git was not found",
  "too slow",
  "too many files",
  "git failed",
] as const;

/** The files of the project's worktree and, if the agent is in another one, of that. */
function treesSchema() {
  return v.array(
    v.object({
      top: v.string(),
      tree: v.pipe(v.string(), v.regex(TREE_ID)),
      index: v.pipe(v.string(), v.regex(/^index-\d$/)),
    }),
  );
}

const BaselineSchema = lazySchema(() =>
  v.object({
    at: v.string(),
    prompt_id: v.nullable(v.string()),
    /** Identifies the repository. */
    repository: v.string(),
    /** The name of ccc's own git folder for it, and how many bytes were read into it. */
    store: v.pipe(v.string(), v.uuid()),
    bytes: v.number(),
    trees: treesSchema(),
    /** The files before work that no review has seen: it was interrupted, or its stops could not be reviewed. */
    unseen: v.optional(treesSchema()),
    /** Why there are no trees. */
    why: v.optional(v.picklist(NO_CHANGES)),
  }),
);

/** The files at a prompt of the user, before the agent starts. */
export type Baseline = v.InferOutput<typeof BaselineSchema>;

const PassedChecksSchema = lazySchema(() =>
  v.object({
    /** Identifies the files that they passed with. */
    files: v.string(),
    /** How many tools the agent had used since this prompt. */
    tools: v.object({ since: v.string(), calls: v.number() }),
    results: v.array(
      v.object({
        command: v.string(),
        ending: v.string(),
        isPassed: v.literal(true),
        seconds: v.number(),
        output: v.string(),
      }),
    ),
  }),
);

export type PassedChecks = v.InferOutput<typeof PassedChecksSchema>;

/** The proofs of a session, the last one first. */
const KeptProofsSchema = lazySchema(() =>
  v.object({
    /** Why the last one is missing or incomplete; null if it is neither. */
    why: v.nullable(v.string()),
    proofs: v.array(
      v.object({
        /** Identify the files at the prompt and at the proof. */
        trees: v.string(),
        commands: v.array(v.string()),
        why: v.nullable(v.string()),
        runs: v.array(
          v.object({
            command: v.string(),
            tests: v.picklist(["before", "now"]),
            code: v.picklist(["before", "now"]),
            ending: v.string(),
            isPassed: v.boolean(),
            seconds: v.number(),
            output: v.string(),
          }),
        ),
        points: v.array(v.object({ text: v.string(), content: v.optional(v.string()) })),
      }),
    ),
  }),
);

export type KeptProofs = v.InferOutput<typeof KeptProofsSchema>;
export type KeptProof = KeptProofs["proofs"][number];

/** How often and how long a session has waited for a usage limit, and when the last wait ended, in seconds. */
const WaitedLimitSchema = lazySchema(() => v.object({ waits: v.number(), seconds: v.number(), ended: v.number() }));

export type WaitedLimit = v.InferOutput<typeof WaitedLimitSchema>;
