import { describe, expect, test } from "bun:test";
import { retryError } from "../../../src/claude/retry-error.ts";

const error = { message: '429 {"error":{}}', status: 429, formatted: "429 Usage limit reached", connection: null };
const entry = (fields: object) => JSON.stringify({ type: "system", subtype: "api_error", error, ...fields });
const answer = JSON.stringify({ type: "assistant", message: {} });

describe("the error that Claude Code is retrying after", () => {
  const table: [name: string, end: string, text: string | undefined][] = [
    ["is the last entry", `${answer}\n${entry({})}\n`, "429 Usage limit reached"],
    ["may lack its short form", entry({ error: { message: "429 x", status: 429 } }), "429 x"],
    ["is over if the session went on", `${entry({})}\n${answer}\n`, undefined],
    ["is not there in another entry", answer, undefined],
    ["is not there in half a line", entry({}).slice(0, 50), undefined],
    ["is not there in an empty transcript", "", undefined],
  ];
  for (const [name, end, text] of table) {
    test(name, () => expect(retryError(end)).toEqual(text === undefined ? undefined : { status: 429, text }));
  }
});
