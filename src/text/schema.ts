import * as v from "valibot";

/**
 * A schema that is built when it is first used: building all of them takes longer than most of what a hook does. Unlike
 * valibot's own `lazy`, this calls nothing of valibot before that.
 */
export function lazySchema<Schema extends v.GenericSchema>(
  make: () => Schema,
): v.GenericSchema<v.InferInput<Schema>, v.InferOutput<Schema>> {
  let made: Schema | undefined;
  const schema = () => {
    made ??= make();
    return made;
  };
  return {
    kind: "schema",
    type: "lazy",
    reference: lazySchema,
    expects: "unknown",
    async: false,
    get "~standard"() {
      return schema()["~standard"];
    },
    "~run": (dataset, config) => schema()["~run"](dataset, config),
  };
}

/** Treats a field of an unexpected type as missing: versions differ, and one field must not invalidate the rest. */
export function lenient<Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.optional(schema), undefined);
}
