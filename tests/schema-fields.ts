/** The names of all fields in a schema. */
export function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { entries, item, wrapped, options } = schema as Record<string, unknown>;
  const own = typeof entries === "object" && entries !== null ? entries : {};
  const inner = [...Object.values(own), item, wrapped, ...(Array.isArray(options) ? options : [])];
  return [...Object.keys(own), ...inner.flatMap(fieldsOf)];
}
