import * as v from "valibot";
import type { Paths } from "../../config/ccc-paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import type { LaunchRecord } from "../record/launch-record.ts";
import { baselinesFolder, type SessionRecord } from "../record/session-record.ts";
import { type RecordedStop, wasReviewed } from "../record/stop-record.ts";
import { NO_CHANGES } from "./changes.ts";
import { TREE_ID } from "./file-tree.ts";
import { findRepository, type Repository } from "./find-repository.ts";

/** The files of the project's repository and, if it is another one, of the worktree that the agent is in. */
const TreesSchema = v.array(
  v.object({
    top: v.string(),
    tree: v.pipe(v.string(), v.regex(TREE_ID)),
    index: v.pipe(v.string(), v.regex(/^index-\d$/)),
  }),
);

const BaselineSchema = v.object({
  at: v.string(),
  prompt_id: v.nullable(v.string()),
  /** Identifies the repository. */
  repository: v.string(),
  /** The name of ccc's own git folder for it, and how many bytes were read into it. */
  store: v.pipe(v.string(), v.uuid()),
  bytes: v.number(),
  trees: TreesSchema,
  /** The files before work that no review has seen: it was interrupted, or its stops could not be reviewed. */
  unseen: v.optional(TreesSchema),
  /** Why there are no trees. */
  why: v.optional(v.picklist(NO_CHANGES)),
});

/** The files at a prompt of the user, before the agent starts. */
export type Baseline = v.InferOutput<typeof BaselineSchema>;

/**
 * A baseline after another one. If no review has seen the work since that, its files count, too. Without the same store they
 * cannot be compared.
 */
export function following(
  next: Baseline | undefined,
  before: Baseline | undefined,
  stops: readonly RecordedStop[],
): Baseline | undefined {
  if (next === undefined || before?.store !== next.store || wasReviewed(stops, before.at)) return next;
  const unseen = before.unseen ?? before.trees;
  return unseen.length === 0 ? next : { ...next, unseen };
}

/** Where an agent works, and where its baselines are kept. */
export interface BaselinePlace {
  readonly paths: Paths;
  readonly launch: Pick<LaunchRecord, "environment">;
  readonly project: string;
  /** The agent's current folder. */
  readonly cwd: string;
}

/** Saves the baseline of the last prompt. Without one, an older one must not count. */
export function saveBaseline(files: Files, record: SessionRecord, baseline: Baseline | undefined): void {
  if (baseline !== undefined) files.writePrivate(record.baseline, prettyJson(baseline));
  else files.remove(record.baseline);
}

export function readBaseline(files: Files, record: SessionRecord): Baseline | undefined {
  const baseline = v.safeParse(BaselineSchema, parseJson(files.read(record.baseline) ?? ""));
  return baseline.success ? baseline.output : undefined;
}

export function storeFolder({ paths }: Pick<BaselinePlace, "paths">, name: string): string {
  return join(baselinesFolder(paths), name);
}

/** The repository and, if the agent is in another worktree of it, that one. */
export function worktreesOf(files: Files, repository: Repository, cwd: string): Repository[] {
  const current = findRepository(files, cwd);
  const isOther = current?.common === repository.common && current.top !== repository.top;
  return current !== undefined && isOther ? [repository, current] : [repository];
}
