import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { appendIn, parseText, removeIn, renameIn, setIn } from "../../../src/text/json-text.ts";

describe("an edit keeps every other byte", () => {
  const table: [name: string, before: string, edit: (text: string) => string, after: string][] = [
    ["replaces a value", '{"a" :  1, "b":[1,2]}', (text) => setIn(text, ["a"], 2), '{"a" :  2, "b":[1,2]}'],
    ["replaces a value on the same line", '{"a": 1}', (text) => setIn(text, ["a"], { b: [1] }), '{"a": {"b":[1]}}'],
    ["adds a key on the same line", '{"a":1}', (text) => setIn(text, ["b"], 2), '{"a":1, "b": 2}'],
    ["adds a key on its own line", '{\n\t"a": 1\n}', (text) => setIn(text, ["b"], 2), '{\n\t"a": 1,\n\t"b": 2\n}'],
    [
      "keeps CRLF",
      '{\r\n "a": 1\r\n}\r\n',
      (text) => setIn(text, ["b"], [2]),
      '{\r\n "a": 1,\r\n "b": [\r\n  2\r\n ]\r\n}\r\n',
    ],
    ["fills an empty file", "{}\n", (text) => setIn(text, ["a", "b"], 1), '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["fills an empty file without a line break", "{}", (text) => setIn(text, ["a"], [1]), '{\n  "a": [\n    1\n  ]\n}'],
    [
      "fills an empty file with a byte order mark",
      "\uFEFF{}",
      (text) => setIn(text, ["a"], [1]),
      '\uFEFF{\n  "a": [\n    1\n  ]\n}',
    ],
    ["replaces all of it", '{"a":1}', (text) => setIn(text, [], { b: 2 }), '{\n  "b": 2\n}'],
    ["fills an object on the same line", '{"a":{}}', (text) => setIn(text, ["a", "b"], [1]), '{"a":{"b": [1]}}'],
    [
      "fills an object on the first of several lines",
      '{"a": {},\n "b": 1}',
      (text) => setIn(text, ["a", "c"], [1]),
      '{"a": {"c": [1]},\n "b": 1}',
    ],
    [
      "fills an empty object on two lines",
      '{\n  "a": {\n  }\n}',
      (text) => setIn(text, ["a", "b"], 1),
      '{\n  "a": {\n    "b": 1\n  }\n}',
    ],
    [
      "fills an empty object",
      '{\n    "a": {}\n}',
      (text) => setIn(text, ["a", "b"], 1),
      '{\n    "a": {\n        "b": 1\n    }\n}',
    ],
    [
      "fills an object with a comment in it",
      "{\n  // none\n}",
      (text) => setIn(text, ["a"], 1),
      '{\n  // none\n  "a": 1\n}',
    ],
    [
      "keeps comments",
      '{\n  // one\n  "a": 1 // two\n}',
      (text) => setIn(text, ["a"], 2),
      '{\n  // one\n  "a": 2 // two\n}',
    ],
    ["keeps a byte order mark", '\uFEFF{"a":1}', (text) => setIn(text, ["b"], 2), '\uFEFF{"a":1, "b": 2}'],
    ["changes the last of duplicate keys", '{"a":1,"a":2}', (text) => setIn(text, ["a"], 3), '{"a":1,"a":3}'],
    ["adds to a list", '{"a": [1]}', (text) => appendIn(text, ["a"], { b: 2 }), '{"a": [1, {"b":2}]}'],
    ["adds to an empty list", '{\n  "a": []\n}', (text) => appendIn(text, ["a"], 1), '{\n  "a": [\n    1\n  ]\n}'],
    ["removes the last key", '{\n  "a": 1,\n  "b": 2\n}', (text) => removeIn(text, ["b"]), '{\n  "a": 1\n}'],
    ["removes the first key", '{\n  "a": 1,\n  "b": 2\n}', (text) => removeIn(text, ["a"]), '{\n  "b": 2\n}'],
    [
      "removes a key but not the comment of the next",
      '{\n  "a": 1,\n  "b": 2,\n  // mine\n  "c": 3\n}',
      (text) => removeIn(text, ["b"]),
      '{\n  "a": 1,\n  // mine\n  "c": 3\n}',
    ],
    [
      "removes a key but not the comment of the one before",
      '{\n  "a": 1, // mine\n  "b": 2\n}',
      (text) => removeIn(text, ["b"]),
      '{\n  "a": 1 // mine\n  \n}',
    ],
    [
      "removes a key between others, and no comma of a comment",
      '{"a": 1, // one, two\n "b": 2, "c": 3}',
      (text) => removeIn(text, ["b"]),
      '{"a": 1 // one, two\n , "c": 3}',
    ],
    [
      "removes the first key with a comma in the comment after it",
      '{"a": 1 /* one, two */, "b": 2}',
      (text) => removeIn(text, ["a"]),
      '{"b": 2}',
    ],
    ["removes the only key", '{\n  "a": 1\n}\n', (text) => removeIn(text, ["a"]), "{}\n"],
    [
      "removes the only key but not the comment before it",
      '{\n  // mine\n  "a": 1}',
      (text) => removeIn(text, ["a"]),
      "{\n  // mine\n  }",
    ],
    [
      "removes the only key but not the comment after it",
      '{"a": 1 // mine\n}',
      (text) => removeIn(text, ["a"]),
      "{ // mine\n}",
    ],
    ["removes nothing if the last key is missing", '{"a":{}}', (text) => removeIn(text, ["a", "b"]), '{"a":{}}'],
    ["removes nothing if the key is missing", '{"a":1}', (text) => removeIn(text, ["b"]), '{"a":1}'],
    ["renames a key", '{"a" : 1, "b":2}', (text) => renameIn(text, ["a"], "c"), '{"c" : 1, "b":2}'],
    ["renames a key inside", '{"a": {"b":1}}', (text) => renameIn(text, ["a", "b"], 'c"'), '{"a": {"c\\"":1}}'],
    ["renames nothing if the key is missing", '{"a":{}}', (text) => renameIn(text, ["a", "b"], "c"), '{"a":{}}'],
    ["removes no entry of another list", '{"a":[1]}', (text) => removeIn(text, ["a", "b"], 1), '{"a":[1]}'],
    ["removes no entry of an object", '{"a":{"x":1}}', (text) => removeIn(text, ["a"], "x"), '{"a":{"x":1}}'],
    ["removes an entry", '{"a": [1, {"x":1}, 2]}', (text) => removeIn(text, ["a"], { x: 1 }), '{"a": [1, 2]}'],
    ["removes the last of equal entries", '{"a": [1,1 , 2]}', (text) => removeIn(text, ["a"], 1), '{"a": [1 , 2]}'],
  ];
  for (const [name, before, edit, after] of table) test(name, () => expect(edit(before)).toBe(after));
});

test.each([
  ['{ // mine\n "a": 1 }', { a: 1 }],
  ['\uFEFF{"a":1}', { a: 1 }],
  ['{"a":1,}', undefined],
  ['{"a":1 "b":2}', undefined],
  ["{", undefined],
  ["", undefined],
])("%p is read as %j", (text, value) => expect(parseText(text)).toEqual(value));

const key = fc.string({ minLength: 1, maxLength: 3 });
const anything = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("__proto__"));
const settings = fc.dictionary(key, anything, { maxKeys: 4 });
const layout = fc.constantFrom(undefined, 2, "\t");

test("property: adding and removing again restores the text", () => {
  fc.assert(
    fc.property(settings, layout, key, anything, (value, indent, name, added) => {
      fc.pre(!Object.hasOwn(value, name));
      const text = JSON.stringify(value, null, indent);
      const edited = setIn(text, [name], added);
      expect(parseText(edited)).toEqual({ ...JSON.parse(text), [name]: JSON.parse(JSON.stringify(added)) });
      expect(removeIn(edited, [name])).toBe(text);
    }),
  );
});
