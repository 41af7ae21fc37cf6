/** Writes ccc.schema.json from the schema in the code; with --check only says whether it is current. */
import { toJsonSchema } from "@valibot/to-json-schema";
import { ConfigSchema } from "../src/config/schema.ts";

const file = Bun.file(`${import.meta.dir}/../ccc.schema.json`);
const schema = { ...toJsonSchema(ConfigSchema, { errorMode: "ignore" }), title: "ccc.json" };
const text = `${JSON.stringify(schema, null, 2)}\n`;

if (!process.argv.includes("--check")) await Bun.write(file, text);
else if ((await file.text().catch(() => "")) !== text) {
  console.error("ccc.schema.json is not what src/config/schema.ts says: run `bun run fix`");
  process.exitCode = 1;
}
