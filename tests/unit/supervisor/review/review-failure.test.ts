import { expect, test } from "bun:test";
import type { ApiFailureKind } from "../../../../src/claude/api-failure.ts";
import { apiUnavailable, retrying } from "../../../../src/supervisor/review/review-failure.ts";

const asked = { reviewer: "kimi:k2", now: new Date("2026-08-24T20:00:00Z"), clean: (text: string) => text };

const TABLE: readonly (readonly [status: number | undefined, text: string, message: string, cause: ApiFailureKind])[] =
  [
    [401, "", "the API refused the reviewer's key (HTTP 401); check it with `ccc validate kimi`", "refused"],
    [
      403,
      "Failed to authenticate. API Error: 403 You've reached your weekly (7-day) usage limit.",
      "the reviewer's usage limit is reached (HTTP 403): You've reached your weekly (7-day) usage limit; try again later",
      "usage limit",
    ],
    [
      429,
      "API Error: Request rejected (429) · usage limit exceeded, resets at 2026-08-24T23:00:00Z (2056)",
      "the reviewer's usage limit is reached (HTTP 429): usage limit exceeded, resets at 2026-08-24T23:00:00Z (2056); it resets at 2026-08-24 23:00 UTC",
      "usage limit",
    ],
    [
      402,
      "API Error: 402 Insufficient Balance",
      "the reviewer's account is out of credit (HTTP 402): Insufficient Balance; add credit at its provider",
      "no credit",
    ],
    [
      500,
      "API Error: 500 Internal server error. This is a server-side issue, usually temporary",
      "the reviewer's API has a server error (HTTP 500): Internal server error; try again later",
      "server error",
    ],
    [
      undefined,
      "API Error: Connection refused (ECONNREFUSED)",
      "the reviewer's API cannot be reached: Connection refused (ECONNREFUSED); check it with `ccc validate kimi`",
      "unreachable",
    ],
    [400, "API Error: 400 bad model", "claude reports an error (HTTP 400): bad model", "other"],
  ];

test.each(TABLE)("%p %p", (status, text, message, cause) => {
  expect(apiUnavailable({ status, text }, asked)).toEqual({ failure: message, isUnavailable: true, cause });
});

test("the error's type counts, too", () => {
  const answer = {
    status: 429,
    type: "exceeded_current_quota_error",
    text: "API Error: 429 Your account is suspended",
  };
  expect(apiUnavailable(answer, asked).failure).toStartWith("the reviewer's account is out of credit");
});

const RETRIES: readonly (readonly [message: string, reviewer: string, retry: Parameters<typeof retrying>[0]])[] = [
  ["kimi: the API answers HTTP 529; claude is retrying (1 of 4)", "kimi", { status: 529, attempt: 1, most: 4 }],
  ["the API cannot be reached; claude is retrying (2 of 4)", "", { status: undefined, attempt: 2, most: 4 }],
  ["the API answers HTTP 500; claude is retrying", "", { status: 500, attempt: 2, most: undefined }],
  ["the API answers HTTP 503; claude is retrying", "", { status: 503, attempt: undefined, most: 4 }],
];

test.each(RETRIES)("%s", (message, reviewer, retry) => expect(retrying(retry, reviewer)).toBe(message));

test("a key in the server's words is masked before they are cut", () => {
  const clean = (text: string) => text.replaceAll("sk-secret-key", "***");
  const text = `API Error: 401 ${"x".repeat(490)} sk-secret-key`;
  expect(apiUnavailable({ status: 401, text }, { ...asked, clean }).failure).not.toContain("sk-s");
});
