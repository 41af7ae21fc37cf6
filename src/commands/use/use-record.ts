import * as v from "valibot";
import { CccError } from "../../errors.ts";
import type { Files } from "../../os/files.ts";
import { parseJson, prettyJson } from "../../text/json.ts";

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

export function writeRecord(files: Files, path: string, record: UseRecord): void {
  files.writePrivate(path, prettyJson(record));
}

export function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
