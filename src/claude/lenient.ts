import * as v from "valibot";

/** Ignores a field of an unexpected type: versions differ, and one field must not invalidate the rest. */
export function lenient<T extends v.GenericSchema>(schema: T) {
  return v.fallback(v.optional(schema), undefined);
}
