import { expect, test } from "bun:test";
import { customHeaders } from "../../../src/claude/api-request.ts";

test.each([
  ["no headers", "", {}],
  ["names in lower case, without the space around them", " X-One : 1 \nX-TWO:2", { "x-one": "1", "x-two": "2" }],
  ["a name of one letter", "a: b", { a: "b" }],
  ["a value with a colon", "origin: https://a.example", { origin: "https://a.example" }],
  ["an empty value", "x:", { x: "" }],
  ["lines of Windows", "a: 1\r\nb: 2\r\n", { a: "1", b: "2" }],
  // A server would never be asked: such a header is an error of fetch.
  ["lines without a name are left out", ": 1\n  : 2\nno colon\na: b", { a: "b" }],
])("ANTHROPIC_CUSTOM_HEADERS: %s", (_, text, headers) => expect(customHeaders(text)).toEqual(headers));
