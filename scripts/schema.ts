/** Writes ccc.schema.json from the schema in the code; with --check only says whether it is current. */
import { toJsonSchema } from "@valibot/to-json-schema";
import { ConfigSchema } from "../src/config/schema.ts";
import { writeOrCheck } from "./generated.ts";

const schema = { ...toJsonSchema(ConfigSchema, { errorMode: "ignore" }), title: "ccc.json" };
await writeOrCheck("ccc.schema.json", `${JSON.stringify(schema, null, 2)}\n`, "src/config/schema.ts");
