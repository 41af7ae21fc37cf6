import { describe, expect, test } from "bun:test";
import { retriedLimit } from "../../../../src/supervisor/loop/retried-limit.ts";
import { fakeWorld } from "../../fakes.ts";

const ID = "11111111-2222-4333-8444-555555555555";

/** At midnight, with this error as the last entry of the transcript. */
function limit(formatted: string, status = 429) {
  const entry = { type: "system", subtype: "api_error", error: { status, formatted } };
  const content = { [`/home/u/.claude/projects/-project/${ID}.jsonl`]: `${JSON.stringify(entry)}\n` };
  return retriedLimit(fakeWorld({ content }).world, ID);
}

test("a usage limit that lasts longer than claude's retries ends the run, with its reset", () => {
  expect(limit("429 Usage limit reached. It resets at 1970-01-01T01:00:00Z")).toEqual({
    why: "API Error: 429 Usage limit reached. It resets at 1970-01-01T01:00:00Z",
    resetAt: 3600,
  });
  expect(limit("403 You've reached your usage limit, try again in 2 hours", 403)).toMatchObject({ resetAt: 7200 });
});

describe("claude's retries go on", () => {
  const table: [name: string, error: string, status?: number][] = [
    ["at a limit that ends meanwhile", "429 Usage limit reached. It resets at 1970-01-01T00:02:00Z"],
    ["at a limit that ends with the last of them", "429 Usage limit reached. It resets at 1970-01-01T00:03:00Z"],
    ["at a limit whose reset is not known", "429 Usage limit reached"],
    ["at a rate limit", "429 Too many requests, try again in 10 minutes"],
    ["at an error of the server", "529 Overloaded. Your limit will reset", 500],
  ];
  for (const [name, error, status] of table) test(name, () => expect(limit(error, status)).toBeUndefined());
  test("without a transcript", () => expect(retriedLimit(fakeWorld().world, ID)).toBeUndefined());
});
