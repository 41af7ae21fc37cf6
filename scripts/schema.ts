import { toJsonSchema } from "@valibot/to-json-schema";
import { ConfigSchema } from "../src/config/schema.ts";
import { writeOrCheck } from "./generated.ts";

/** Generates ccc.schema.json from src/config/schema.ts; with --check, fails if it is out of date. */

const schema = { ...toJsonSchema(ConfigSchema, { errorMode: "ignore" }), title: "ccc.json" };
await writeOrCheck("ccc.schema.json", `${JSON.stringify(schema, null, 2)}\n`, "src/config/schema.ts");
