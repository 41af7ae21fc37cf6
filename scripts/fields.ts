import type { JsonSchema } from "@valibot/to-json-schema";

/** One row for each field of a JSON schema: path, type, default, meaning. A field without a description is an error. */
export function fieldRows(schema: JsonSchema, prefix = ""): string[][] {
  const rows: string[][] = [];
  for (const [name, field] of namedParts(schema)) {
    const path = prefix + name;
    const { description, default: preset } = field;
    if (description === undefined) throw new Error(`${path} has no description`);
    rows.push([`\`${path}\``, typeOf(field), preset === undefined ? "" : `\`${JSON.stringify(preset)}\``, description]);
    rows.push(...fieldRows(withoutNull(field), `${path}.`));
  }
  return rows;
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [head, head.map(() => "---"), ...rows].map(line).join("");
}

/** The fields of an object, and as {name} the schema of any other field, if there is one. */
function namedParts({ properties, additionalProperties: rest }: JsonSchema): [string, JsonSchema][] {
  const parts = [...Object.entries(properties ?? {}), ["{name}", rest] as const];
  return parts.filter((part): part is [string, JsonSchema] => typeof part[1] === "object");
}

function typeOf(schema: JsonSchema): string {
  const {
    anyOf,
    const: only,
    enum: choices = only === undefined ? undefined : [only],
    type,
    items,
    minimum,
    maximum,
  } = withoutNull(schema);
  if (anyOf !== undefined) return anyOf.map((each) => typeOf(each as JsonSchema)).join(", ");
  if (choices !== undefined) return choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(", ");
  if (type === "array") return `list of ${typeOf(items as JsonSchema)}s`;
  if (type === "integer") return `whole number, ${minimum?.toLocaleString("en")} to ${maximum?.toLocaleString("en")}`;
  if (type === "boolean") return "`true`, `false`";
  return String(type);
}

/** null means the same as leaving the field out, so it is not shown. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const left = schema.anyOf?.filter((each) => (each as JsonSchema).type !== "null") as JsonSchema[] | undefined;
  return left?.length === 1 && left[0] !== undefined ? left[0] : schema;
}
