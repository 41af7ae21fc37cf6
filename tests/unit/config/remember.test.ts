import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rememberProvider } from "../../../src/config/edit.ts";
import { setIn } from "../../../src/text/json-text.ts";
import { memoryFiles } from "../fakes.ts";

/** The text of a ccc.json after a launch on glm. */
function remembered(text: string): string | undefined {
  const files = memoryFiles({ "ccc.json": text });
  rememberProvider(files, "ccc.json", "glm");
  return files.read("ccc.json");
}

describe("rememberProvider", () => {
  const table: [name: string, before: string, after: string][] = [
    [
      "replaces only the value",
      '{"z":1,"current_provider" :  "a", "b":[1,2]}',
      '{"z":1,"current_provider" :  "glm", "b":[1,2]}',
    ],
    ["replaces null", '{"current_provider":null}', '{"current_provider":"glm"}'],
    ["adds the key on its own line", '{\n\t"x": [1,2]\n}\n', '{\n\t"x": [1,2],\n\t"current_provider": "glm"\n}\n'],
    ["adds the key on the same line", '{"x":1}', '{"x":1, "current_provider": "glm"}'],
    ["keeps CRLF", '{\r\n  "x": 1\r\n}', '{\r\n  "x": 1,\r\n  "current_provider": "glm"\r\n}'],
    [
      "is not misled by a provider of that name",
      '{"providers":{"current_provider":{}}}',
      '{"providers":{"current_provider":{}}, "current_provider": "glm"}',
    ],
    ["does not touch an equal value", '{ "current_provider":"glm" }', '{ "current_provider":"glm" }'],
    [
      "changes the last of duplicate keys",
      '{"current_provider":"a","current_provider":"b"}',
      '{"current_provider":"a","current_provider":"glm"}',
    ],
    ["keeps a byte order mark", '\uFEFF{"x":1}', '\uFEFF{"x":1, "current_provider": "glm"}'],
  ];
  for (const [name, before, after] of table) test(name, () => expect(remembered(before)).toBe(after));

  test("property: everything else stays the same", () => {
    const key = fc.string({ minLength: 1 }).filter((name) => name !== "__proto__");
    const config = fc.dictionary(key, fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(config, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.parse(setIn(text, ["current_provider"], "glm"))).toEqual({
          ...JSON.parse(text),
          current_provider: "glm",
        });
      }),
    );
  });
});
