import * as v from "valibot";

/** A field of another type than expected is as good as none: versions differ, and it must not cost the rest. */
export function lenient<T extends v.GenericSchema>(schema: T) {
  return v.fallback(v.optional(schema), undefined);
}
