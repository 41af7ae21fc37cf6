import { expect, test } from "bun:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import { allPins } from "../../../src/config/pins.ts";
import { ConfigSchema } from "../../../src/config/schema.ts";

test("a pin without `only` is as strict as editors are told", () => {
  const { folders } = toJsonSchema(ConfigSchema, { errorMode: "ignore" }).properties ?? {};
  const [pin] = allPins({ folders: { "/x": { provider: "glm" } } });
  expect(JSON.stringify(folders)).toContain(`"default":${pin?.only}`);
  expect(pin?.only).toBe(false);
});
