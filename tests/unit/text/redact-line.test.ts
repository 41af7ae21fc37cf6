import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRedactor } from "../../../src/text/redactor.ts";

const SECRET = 'sk-"quoted"/and\\back-ü-😀-0123';
const { line } = createRedactor([SECRET, "plain-secret-1", "in-the-end\\"]);
const clean = (text: string) => Buffer.from(line(Buffer.from(text))).toString();

/** A string of JSON in which every character is written as \\uXXXX. */
const allEscaped = (text: string) =>
  `"${text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")}"`;

describe("a line of JSON", () => {
  const table: [name: string, dirty: string, clean: string][] = [
    ["without a secret", '{"a": "x\\n\\u00e9", "b":1.50}', '{"a": "x\\n\\u00e9", "b":1.50}'],
    ["with one", '{"a":  "x plain-secret-1 y\\t"}', '{"a":  "x *** y\\t"}'],
    ["with one in the name of a field", '{"plain-secret-1":true}', '{"***":true}'],
    ["with one that JSON escapes", `{"a":${JSON.stringify(`<${SECRET}>`)}}`, '{"a":"<***>"}'],
    [
      "with one whose slash is escaped",
      `["${JSON.stringify(SECRET).slice(1, -1).replaceAll("/", "\\/")}\\n"]`,
      '["***\\n"]',
    ],
    ["with one that is all escapes", `[${allEscaped(`a${SECRET}b`)}]`, '["\\u0061***\\u0062"]'],
    ["with one in JSON inside a string", JSON.stringify(JSON.stringify({ a: SECRET })), '"{\\"a\\":\\"***\\"}"'],
    ["with two in a row", '["plain-secret-1plain-secret-1"]', '["******"]'],
    ["with one behind an escape that JSON does not know", '["\\plain-secret-1"]', '["***"]'],
    ["with one that ends in such an escape", '["in-the-end\\x"]', '["***"]'],
    ["that is truncated", '{"a":"x plain-secret-1 y', '{"a":"x *** y'],
  ];
  for (const [name, dirty, expected] of table) test(name, () => expect(clean(dirty)).toBe(expected));

  test("invalid UTF-8 is kept", () => {
    const bytes = Buffer.concat([Buffer.from('["\\n'), Buffer.from([0xff, 0xc3]), Buffer.from('plain-secret-1"]')]);
    const expected = Buffer.concat([Buffer.from('["\\n'), Buffer.from([0xff, 0xc3]), Buffer.from('***"]')]);
    expect(Buffer.from(line(bytes)).equals(expected)).toBe(true);
  });

  test("a number equal to a secret is left alone", () => {
    const redactor = createRedactor(["640000"]);
    const text = '{"tokens":640000,"said":"640000"}';
    expect(Buffer.from(redactor.line(Buffer.from(text))).toString()).toBe('{"tokens":640000,"said":"***"}');
  });

  test("property: stays valid JSON of the same shape, without the secret; unchanged if there was none", () => {
    const word = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(SECRET, "plain-secret-1", '"', "\\", "\n"));
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(""));
    const { value: tree } = fc.letrec((tie) => ({
      value: fc.oneof(
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("value")),
        fc.dictionary(fc.string(), tie("value")),
      ),
    }));
    const known = createRedactor([SECRET, "plain-secret-1"]).known;
    fc.assert(
      fc.property(tree, fc.boolean(), (value, spaced) => {
        const json = JSON.stringify(value, null, spaced ? 2 : 0);
        const strings = (found: unknown) =>
          JSON.stringify(found, (_, item) => (typeof item === "string" ? known(item) : item));
        expect(JSON.stringify(JSON.parse(clean(json)))).toBe(strings(value));
        if (!json.includes("secret") && !json.includes("quoted")) expect(clean(json)).toBe(json);
      }),
    );
  });

  test("a large one with many escapes takes linear time", () => {
    const started = performance.now();
    const long = JSON.stringify({ text: `${'\n"\\/'.repeat(100_000)}plain-secret-1` });
    expect(clean(long).endsWith('***"}')).toBe(true);
    expect(clean(`"${"\\\\".repeat(200_000)}"`)).toHaveLength(400_002);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
